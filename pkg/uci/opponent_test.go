package uci

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alamos/pkg/uci/testdata/fake"

	"alamos/pkg/chess"
)

// installed finds a real engine or skips the test.
func installed(t *testing.T, name string, v chess.Variant) Command {
	t.Helper()
	c, err := Find(t.Context(), name, v)
	if errors.Is(err, ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestStockfish(t *testing.T) {
	e := start(t, installed(t, Stockfish, chess.Standard), Timeouts{})
	if err := e.Prove(t.Context(), chess.Standard); err != nil {
		t.Fatal(err)
	}
	// 1. e4 e5 2. Qh5 Ke7: mate in one.
	g := newGame(t, chess.Standard, "e2e4", "e7e5", "d1h5", "e8e7")
	for _, l := range []Limit{{Depth: 4}, {Nodes: 5000}, {MoveTime: 50 * time.Millisecond}} {
		a, err := e.Go(t.Context(), g, l)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Move.String(); got != "h5e5" {
			t.Errorf("%+v: move %s, want h5e5", l, got)
		}
		if s := a.Info.Score; s == nil || !s.IsMate || s.Mate != 1 {
			t.Errorf("%+v: score %v, want mate 1", l, s)
		}
	}
	if err := e.Prove(t.Context(), chess.Atomic); !errors.Is(err, ErrVariant) {
		t.Errorf("stockfish and atomic: %v", err)
	}
	// Lichess' levels below 4 need a skill that Stockfish does not have.
	for level, kind := range map[int]error{3: ErrOption, 4: nil} {
		if _, err := (&Opponent{Program: Stockfish, Level: level}).Find(t.Context(), chess.Standard, false); !errors.Is(err, kind) {
			t.Errorf("level %d: %v, want %v", level, err, kind)
		}
	}
}

// fakeOnPath installs a misbehaving engine under a name on an otherwise empty
// PATH, in an otherwise empty directory.
func fakeOnPath(t *testing.T, name, mode string) {
	t.Helper()
	program := fake.Engine(t, "engine")
	bin := t.TempDir()
	if name != "" {
		if err := os.Symlink(program, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
		t.Setenv(fakeEnv, mode)
	}
	t.Setenv("PATH", bin)
	t.Chdir(t.TempDir())
}

func TestFindRefusesAnEngineThatPlaysChess(t *testing.T) {
	fakeOnPath(t, FairyStockfish, "well")
	if _, err := Find(t.Context(), FairyStockfish, chess.Standard); err != nil {
		t.Errorf("chess: %v", err)
	}
	_, err := Find(t.Context(), FairyStockfish, chess.Atomic)
	if !errors.Is(err, ErrNotInstalled) || !errors.Is(err, ErrVariant) {
		t.Fatalf("atomic: %v", err)
	}
	for _, part := range []string{"make setup", "plays ordinary chess"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in: %v", part, err)
		}
	}
}

func TestFindTakesAnEngineThatProvesTheVariant(t *testing.T) {
	fakeOnPath(t, FairyStockfish, "unlisted-atomic")
	c, err := Find(t.Context(), FairyStockfish, chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(c.Path) != FairyStockfish || len(c.Settings) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestFindNothing(t *testing.T) {
	fakeOnPath(t, "", "")
	if _, ok := lookPath(FairyStockfish); ok {
		t.Skip("fairy-stockfish is installed outside the PATH")
	}
	_, err := Find(t.Context(), FairyStockfish, chess.Atomic)
	if !errors.Is(err, ErrNotInstalled) || !strings.Contains(err.Error(), "make setup") {
		t.Errorf("%v", err)
	}
	if _, err := Find(t.Context(), "deep-thought", chess.Standard); err == nil {
		t.Error("an unknown engine was found")
	}
}

// Fairy-Stockfish calls the variants as we do, proves them, and counts what we
// count: from a middle game and from start positions of chess960, whose castling
// moves it reads and writes as we do.
func TestFairyStockfishPlaysAllVariants(t *testing.T) {
	e := start(t, installed(t, FairyStockfish, chess.Atomic), Timeouts{})
	middle := map[chess.Variant]string{
		chess.Standard:      "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		chess.Atomic:        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		chess.Antichess:     "8/P6P/8/1k3n2/8/2K5/p6p/8 w - - 0 1",
		chess.KingOfTheHill: "r3k2r/8/8/8/8/3K4/8/R6R w kq - 0 1",
		chess.ThreeCheck:    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 1+2 0 1",
		chess.Horde:         "r3k2r/pp4pp/8/8/1pP2PPp/8/PP1PPPPP/PPPPPPPP b kq c3 0 1",
		chess.RacingKings:   "8/1k4K1/8/8/8/8/1rbnNBR1/qrbnNBRQ w - - 0 1",
		chess.Crazyhouse:    "r3k2r/ppp2ppp/3Q~4/8/8/8/PPP2PPP/R3K2R[QNpb] b KQkq - 0 1",
	}
	for _, v := range chess.Variants() {
		if o := e.Option("UCI_Variant"); !slices.Contains(o.Vars, v.String()) {
			t.Errorf("it does not list %s: %v", v, o.Vars)
		}
		if err := e.Prove(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		games := []*chess.Game{proofOf(v).game(v)}
		p, err := chess.ParseFEN(v, middle[v])
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, chess.NewGame(p))
		for _, n := range []int{0, 518, 959} {
			p, err := chess.Chess960(v, n)
			if err != nil {
				continue
			}
			games = append(games, chess.NewGame(p), castled(t, p))
		}
		for _, g := range games {
			if err := e.NewGame(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := chess.Perft(g.Position(), 3)
			if have, err := e.perft(t.Context(), g, 3, time.Minute); err != nil || have != want {
				t.Errorf("%s, %s: it counts %d (%v), we %d", v, positionCommand(g), have, err, want)
			}
			a, err := e.Go(t.Context(), g, Limit{Depth: 2})
			if err != nil {
				t.Errorf("%s, %s: %v", v, positionCommand(g), err)
			} else if a.Move == 0 {
				t.Errorf("%s: no move", v)
			}
		}
	}
}

// castled is a game in which White has castled, as soon as that was possible, and
// made the first legal moves before.
func castled(t *testing.T, p chess.Position) *chess.Game {
	t.Helper()
	g := chess.NewGame(p)
	var l chess.MoveList
	for range 40 {
		g.Position().LegalMoves(&l)
		if g.Outcome(&l).Over() {
			return chess.NewGame(p)
		}
		m := l.At(g.Ply() % l.Len())
		for _, c := range l.Slice() {
			if c.IsCastle() {
				g.Play(c)
				return g
			}
		}
		g.Play(m)
	}
	return g
}

func TestOpponent(t *testing.T) {
	program := fake.Engine(t, "engine")
	find := func(mode string, v chess.Variant, chess960 bool, change func(*Opponent)) (*Found, error) {
		t.Setenv(fakeEnv, mode)
		o := Opponent{Program: program, Level: 4, Limit: Limit{Nodes: 10}, Options: map[string]string{"Style": "Solid"}}
		if change != nil {
			change(&o)
		}
		if !o.Installed() {
			t.Errorf("%s is not installed", o.Program)
		}
		return o.Find(t.Context(), v, chess960)
	}
	f, err := find("well", chess.Standard, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != "engine level 4 10 nodes, Style Solid" || f.ID != "Fake 1.0, [{Skill Level 3} {Style Solid}], movetime 200 depth 5 nodes 10" {
		t.Errorf("%+v", f)
	}
	if f, err = find("well", chess.Standard, false, func(o *Opponent) {
		o.Level, o.Args, o.Limit = 0, []string{"-x"}, Limit{Depth: 2, MoveTime: time.Second}
	}); err != nil || f.Name != "engine -x 1000 ms depth 2, Style Solid" {
		t.Errorf("%+v, %v", f, err)
	}
	for _, c := range []struct {
		mode     string
		variant  chess.Variant
		chess960 bool
		change   func(*Opponent)
		want     error // nil: any
	}{
		{"well", chess.Atomic, false, nil, ErrVariant},
		{"plain", chess.Standard, true, nil, ErrVariant},
		{"crash-handshake", chess.Standard, false, nil, ErrCrash},
		{"well", chess.Standard, false, func(o *Opponent) { o.Options["Hash"] = "16" }, ErrOption},
		{"well", chess.Standard, false, func(o *Opponent) { o.Level = 9 }, nil},
		{"well", chess.Standard, false, func(o *Opponent) { o.Level, o.Limit = 0, Limit{} }, nil},
		{"well", chess.Standard, false, func(o *Opponent) { o.Limit.Depth = -1 }, nil},
	} {
		if f, err := find(c.mode, c.variant, c.chess960, c.change); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s, %s: %+v, %v, want %v", c.mode, c.variant, f, err, c.want)
		}
	}
	for _, name := range []string{Stockfish, FairyStockfish} {
		_, err := Find(t.Context(), name, chess.Standard)
		if o := (&Opponent{Program: name}); o.Installed() == errors.Is(err, ErrNotInstalled) {
			t.Errorf("%s: installed %v, %v", name, o.Installed(), err)
		}
	}
}
