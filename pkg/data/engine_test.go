package data

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/uci"
)

// stockfish finds the engine or skips the test.
func stockfish(t testing.TB) uci.Command {
	t.Helper()
	c, err := uci.Find(context.Background(), uci.Stockfish, chess.Standard)
	if errors.Is(err, uci.ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Labels are what the engine says of each position, and its best move; games that
// ended early go on.
func TestLabels(t *testing.T) {
	command := stockfish(t)
	cfg := Config{
		Kind: PGN, Files: []string{gamesPGN}, Positions: 4, Policy: EngineMove,
		Label: &Label{Command: command, Limit: uci.Limit{Depth: 2}, Finish: uci.Limit{Nodes: 60}},
	}
	// The expected labels come from a separate engine process.
	e, err := uci.Start(t.Context(), command, uci.Timeouts{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, s := range []uci.Setting{{Name: "UCI_ShowWDL", Value: "true"}, {Name: "Threads", Value: "1"}} {
		if err := e.SetOption(s.Name, s.Value); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, cfg, 1, 0)
	pgn := games(t)
	compared, beyond, last := 0, 0, int32(-1)
	for p, err := range s.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Game == 8 {
			break
		}
		g := pgn[p.Game]
		end := g.Game()
		var list chess.MoveList
		end.Position().LegalMoves(&list)
		over := end.Outcome(&list).Over()
		if int(p.Ply) >= len(g.Moves) {
			beyond++
			if over {
				t.Fatalf("game %d is over after %d plies, and has a position at ply %d", p.Game, len(g.Moves), p.Ply)
			}
		}
		if !over && int(p.Ply)+int(p.MovesLeft) <= len(g.Moves) {
			t.Errorf("game %d was not played out", p.Game)
		}
		if over { // the test knows every move that the engine got
			if p.Game != last {
				if err := e.NewGame(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			last = p.Game
			a, err := e.Go(t.Context(), p.At, uci.Limit{Depth: 2})
			if err != nil {
				t.Fatal(err)
			}
			w := a.Info.Score.WDL
			value, draw := float32(w[0]-w[2])/1000, float32(w[1])/1000
			if near := func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }; !near(p.Value, value) || !near(p.Draw, draw) || p.Moves[slices.Index(p.Policy, 1)] != a.Move {
				t.Fatalf("game %d, ply %d: value %v, draw %v; asked by hand %v, %v, %s", p.Game, p.Ply, p.Value, p.Draw, value, draw, a.Move)
			}
			compared++
		}
	}
	if compared < 20 || beyond == 0 {
		t.Errorf("%d positions compared, %d of games played out", compared, beyond)
	}
}

// For an engine without win, draw and loss, the label is the expected score of its
// centipawns.
func TestCentipawns(t *testing.T) {
	game := filepath.Join(t.TempDir(), "a.pgn")
	if err := os.WriteFile(game, []byte("[Event \"?\"]\n\n1. e4 e5 1-0\n\n[Event \"?\"]\n\n1. e4 e5 *\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cfg := Config{Kind: PGN, Files: []string{game}, Label: &Label{Command: script(t, "info depth 1 score cp 100"), Limit: uci.Limit{Depth: 1}}}
	n := 0
	for p, err := range open(t, cfg, 1, 0).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if broken := p.Game == 1; broken != (p.MovesLeft == 0) {
			t.Errorf("game %d, ply %d: %v plies left; those of a game that breaks off are unknown", p.Game, p.Ply, p.MovesLeft)
		}
		want := 2/(1+math.Exp(-0.00368208*100)) - 1
		if math.Abs(float64(p.Value)-want) > 1e-6 || math.Abs(float64(p.Draw)-(1-want)) > 1e-6 {
			t.Errorf("ply %d: value %v, draw %v, want %v, %v", p.Ply, p.Value, p.Draw, want, 1-want)
		}
		n++
	}
	if n != 4 {
		t.Errorf("%d positions, want 4", n)
	}
}

// With advance, samples are the positions after the engine's moves, which here are e2e4 and
// then e7e5, with the evaluation of the positions before them: 1 pawn for the side to move.
func TestLabelsAdvance(t *testing.T) {
	game := filepath.Join(t.TempDir(), "a.pgn")
	if err := os.WriteFile(game, []byte("[Event \"?\"]\n\n1. d4 d5 1-0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := encode.NewCodec("dtu24", "none", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	pawn := 2/(1+math.Exp(-0.00368208*100)) - 1
	cfg := Config{Kind: PGN, Files: []string{game}, Label: &Label{Command: script(t, "info depth 1 score cp 100"), Limit: uci.Limit{Depth: 1}, Advance: true}}
	n := 0
	for p, err := range open(t, cfg, 1, 0).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var s encode.Sample
		if _, err := p.encode(c, &s, 0); err != nil {
			t.Fatal(err)
		}
		fen := map[int32]string{0: "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 1: "rnbqkbnr/pppp1ppp/8/4p3/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2"}[p.Ply]
		white := map[int32]float64{0: pawn, 1: -pawn}[p.Ply] // Black is to move before the second
		if have := p.At.Position().FEN(); have != fen || math.Abs(float64(s.Value)-white) > 1e-6 {
			t.Errorf("ply %d: %s with White's score %v, want %s with %v", p.Ply, have, s.Value, fen, white)
		}
		if want := p.At.Position().Pieces(chess.White, chess.Pawn); s.Planes[0] != uint64(want) {
			t.Errorf("ply %d: White's pawns are %x, want %x", p.Ply, s.Planes[0], want)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d positions, want 2", n)
	}
}

// A search that ends by its nodes may report a bound last, which is not used as a label.
func TestLabelsAreExact(t *testing.T) {
	game := filepath.Join(t.TempDir(), "a.pgn")
	if err := os.WriteFile(game, []byte("[Event \"?\"]\n\n1. e4 e5 1-0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	exact, lower, upper, none := "info depth 2 score cp 10", "info depth 3 score cp 900 lowerbound", "info depth 3 score cp -800 upperbound", "info depth 4 nodes 7"
	other := "info depth 4 multipv 2 score cp -300"
	for _, x := range []struct {
		lines []string
		cp    float64
	}{
		{[]string{exact}, 10},
		{[]string{exact, lower}, 10},
		{[]string{lower, exact, upper, none, other}, 10},
		{[]string{exact, lower, "info depth 3 score cp 20", upper}, 20},
		{[]string{lower, upper, none}, -800},
	} {
		line := "sh: echo '" + strings.Join(x.lines, "'; echo '") + "'"
		cfg := Config{Kind: PGN, Files: []string{game}, Label: &Label{Command: script(t, line), Limit: uci.Limit{Nodes: 100}}}
		n := 0
		for p, err := range open(t, cfg, 1, 0).All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if want := 2/(1+math.Exp(-0.00368208*x.cp)) - 1; math.Abs(float64(p.Value)-want) > 1e-6 {
				t.Errorf("%q: value %v at ply %d, want %v", x.lines, p.Value, p.Ply, want)
			}
			n++
		}
		if n != 2 {
			t.Errorf("%q: %d positions, want 2", x.lines, n)
		}
	}
}

// script is an engine that prints a line before its move, which is e2e4, or e7e5 after a
// move. A line that is a command of the shell is run.
func script(t testing.TB, line string) uci.Command {
	t.Helper()
	say := "echo " + line
	if command, ok := strings.CutPrefix(line, "sh: "); ok {
		say = command
	}
	text := `while read -r line; do case "$line" in
uci) echo uciok ;;
isready) echo readyok ;;
"position startpos") move=e2e4 ;;
position*) move=e7e5 ;;
go*) ` + say + `; echo bestmove $move ;;
quit) exit 0 ;;
esac; done`
	return uci.Command{Name: "scripted", Path: "/bin/sh", Args: []string{"-c", text}}
}

// A fault of an engine is an error that names engine, file and game, and leaves no
// file.
func TestEngineFaults(t *testing.T) {
	label := func(c uci.Command) Config {
		return Config{Kind: PGN, Files: []string{gamesPGN}, Label: &Label{Command: c, Limit: uci.Limit{Depth: 1}}}
	}
	game := func(c uci.Command) Config {
		return Config{Kind: Engine, Games: 3, Player: Player{Command: c, Limit: uci.Limit{Nodes: 10}}}
	}
	variant := game(script(t, "info"))
	variant.Variant = chess.Atomic
	threads := label(uci.Command{Path: "x", Settings: []uci.Setting{{Name: "threads", Value: "2"}}})
	for name, x := range map[string]struct {
		cfg  Config
		kind error
		want []string
	}{
		"missing":  {label(uci.Command{Name: "nobody", Path: "/nonexistent/engine"}), uci.ErrStart, []string{"nobody"}},
		"crash":    {label(script(t, "sh: exit 3")), uci.ErrCrash, []string{"games.pgn, game", "ply", "scripted", "exit status 3"}},
		"no score": {label(script(t, "info depth 1")), nil, []string{"games.pgn, game", "scripted", "without a score"}},
		"illegal":  {game(script(t, "info depth 1 score cp 1")), uci.ErrIllegalMove, []string{"game 1 of the engine, ply 2", "scripted"}},
		"variant":  {variant, uci.ErrVariant, []string{"scripted", "plays chess only"}},
		"threads":  {threads, nil, []string{"option threads of the engine that labels is 2: want 1"}},
		"start":    {Config{Kind: Engine, Games: 1, Start: []string{"8/8"}, Player: Player{Command: script(t, ""), Limit: uci.Limit{Depth: 1}}}, nil, []string{"start position 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			s, err := Open(x.cfg, 1, 2)
			if err == nil {
				defer s.Close()
				_, err = s.Chunk(t.Context(), First, codecOf(t, "mover15", "uci1968-mover"), filepath.Join(out, "chunk"), nil, nil)
			}
			if err == nil || x.kind != nil && !errors.Is(err, x.kind) {
				t.Errorf("error %v, want %v", err, x.kind)
			}
			for _, want := range x.want {
				if err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
			if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
				t.Errorf("%v is left (%v)", left, err)
			}
		})
	}
}

// Results do not depend on the number of engine processes.
func TestEnginesDeterministic(t *testing.T) {
	command := stockfish(t)
	c := codecOf(t, "mover15", "uci1968-mover")
	for name, cfg := range map[string]Config{
		"engine":  {Kind: Engine, Games: 4, Positions: 10, Shuffle: 16, Player: Player{Command: command, Limit: uci.Limit{Nodes: 50}, RandomPlies: 6}},
		"labeled": {Kind: Engine, Games: 3, Positions: 5, Policy: EngineMove, Player: Player{Command: command, Limit: uci.Limit{Depth: 1}, RandomPlies: 8}, Label: &Label{Command: command, Limit: uci.Limit{Depth: 2}}},
		"pgn":     {Kind: PGN, Files: []string{gamesPGN}, Positions: 2, Chunk: 12, Label: &Label{Command: command, Limit: uci.Limit{Depth: 3}, Finish: uci.Limit{Depth: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			one := open(t, cfg, 4, 1)
			many := open(t, cfg, 4, 3)
			first, a := sumOf(t, one, 1, c)
			second, b := sumOf(t, one, 2, c)
			have, d := sumOf(t, many, 2, c)
			if a == b || b != d || have != second {
				t.Errorf("chunk 2 is %+v %s, by many processes %+v %s; chunk 1 %+v %s", second, b, have, d, first, a)
			}
			if cfg.Kind == Engine && (first.Games != cfg.Games || first.White+first.Black+first.Draws != cfg.Games) {
				t.Errorf("%d games were asked for: %+v", cfg.Games, first)
			}
		})
	}
}

// An opening of random plies is not part of the game, and its games are different.
func TestOpenings(t *testing.T) {
	command := stockfish(t)
	cfg := Config{Kind: Engine, Games: 1, Player: Player{Command: command, Limit: uci.Limit{Depth: 1}, RandomPlies: 5}}
	starts := map[string]bool{}
	s := open(t, cfg, 1, 0)
	w := s.newWorker()
	for n := range 4 {
		err := w.positions(t.Context(), s.selfPlayed(n), nil, func(p *Position) error {
			if p.Ply == 0 {
				if at := p.At.Position(); at.Ply() != 5 || p.At.Ply() != 0 {
					t.Errorf("the game begins at %s", at.FEN())
				}
				starts[p.At.Position().FEN()] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(starts) != 4 {
		t.Errorf("four games have %d openings", len(starts))
	}
}

// Labels of a network are its values and priors, of each position alone, whatever its encoding
// is. Its file is opened once, and only if there is a position.
func TestLabelsOfNetwork(t *testing.T) {
	c := codecOf(t, "mover16", "uci1968-mover")
	for _, head := range []string{nn.ValueWDL, nn.ValueTanh} {
		net, err := nn.New(nn.Spec{
			Planes: c.Planes.Count(), Constant: c.Planes.Constant(), PolicyMap: c.Policy.Name(), PolicySize: c.Policy.Size(), Depth: 1, Width: 8, Value: head,
		}, 5)
		if err != nil {
			t.Fatal(err)
		}
		model, err := net.Compile(nn.InferenceOptions{Batch: 4})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := model.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		opened := 0
		for _, policy := range []string{EngineMove, Played} {
			s := open(t, Config{Kind: PGN, Files: []string{gamesPGN}, Positions: 5, Policy: policy, Label: &Label{Model: "x.safetensors", Network: func() (*nn.Model, encode.Codec, error) {
				opened++
				return model, c, nil
			}}}, 1, 2)
			if opened > 1 {
				t.Fatal("opened early")
			}
			positions := 0
			for p, err := range s.All(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if p.Game == 8 {
					break
				}
				positions++
				l := &encode.Leaf{}
				c.Prepare(l, p.At, p.Moves)
				if err := alone.Evaluate([]*encode.Leaf{l}); err != nil {
					t.Fatal(err)
				}
				draw := 1 - max(l.Value, -l.Value)
				if head == nn.ValueWDL {
					draw = l.WDL[1]
				}
				if p.Value != l.Value || p.Draw != draw || policy == EngineMove && !slices.Equal(p.Policy, l.Priors) || policy == Played && slices.Index(p.Policy, 1) < 0 {
					t.Fatalf("game %d, ply %d: value %v, draw %v, policy %v, want %v, %v, %v", p.Game, p.Ply, p.Value, p.Draw, p.Policy, l.Value, draw, l.Priors)
				}
			}
			if positions < 30 || s.UsesEngine() {
				t.Errorf("%d positions", positions)
			}
		}
		if opened != 2 {
			t.Errorf("opened %d times", opened)
		}
		alone.Close()
	}
	failed := errors.New("there is no such file")
	s := open(t, Config{Kind: PGN, Files: []string{gamesPGN}, Label: &Label{Model: "x.safetensors", Network: func() (*nn.Model, encode.Codec, error) { return nil, encode.Codec{}, failed }}}, 1, 1)
	for _, err := range s.All(t.Context()) {
		if !errors.Is(err, failed) || !strings.Contains(err.Error(), "games.pgn") {
			t.Error(err)
		}
	}
}
