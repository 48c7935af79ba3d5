package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

func randomEntry(name string) Entry {
	return Entry{Name: name, New: func() (Player, error) { return NewRandom(name), nil }}
}

func mctsEntry(name string, visits int, power float64) Entry {
	cfg := search.Config{Visits: visits, CPuct: 1, TreeReuse: true}
	return Entry{Name: name, New: func() (Player, error) {
		return NewMCTS(name, TreeSearch{Config: cfg, Power: power}, search.Uniform{})
	}}
}

// play plays a tournament and returns its games in order.
func play(t *testing.T, cfg Tournament, entrants ...Entry) []*Game {
	t.Helper()
	games := gamesOf(cfg, entrants)
	if err := games.Play(t.Context(), ignore); err != nil {
		t.Fatal(err)
	}
	return games.All()
}

func gamesOf(cfg Tournament, entrants []Entry) *Games {
	return NewGames(cfg, entrants, "test", func(Pair) string { return "" })
}

func ignore(*Game) error { return nil }

func names(entrants []Entry) []string {
	var list []string
	for _, e := range entrants {
		list = append(list, e.Name)
	}
	return list
}

// pgn writes games as a file.
func pgn(t *testing.T, games []*Game) string {
	t.Helper()
	var b bytes.Buffer
	for _, g := range games {
		if err := chess.WritePGN(&b, g.PGN("test")); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// A hundred visits that know only the rules win clearly against random moves, as
// either color, and every game is a legal one with the outcome it claims. They see
// captures of the king and little else: the most visited move of a quiet position
// is merely the first of the list, so that moves are drawn by visits here.
func TestSearchBeatsRandom(t *testing.T) {
	cfg := Tournament{Variant: chess.Atomic, Rounds: 40, MaxMoves: 100, Seed: 1}
	random, tree := randomEntry("random"), mctsEntry("mcts", 100, 1)
	games := play(t, cfg, random, tree)
	if len(games) != 40 {
		t.Fatalf("%d games", len(games))
	}
	r := NewResults([]string{"random", "mcts"})
	white := 0
	for i, g := range games {
		if g.Number != i {
			t.Errorf("game %d has the number %d", i, g.Number)
		}
		if g.White == "mcts" {
			white++
		}
		if err := r.Add(g); err != nil {
			t.Fatal(err)
		}
		checkGame(t, g, cfg.MaxMoves)
	}
	if white != 20 {
		t.Errorf("mcts is White in %d games of 40", white)
	}
	if got := r.Against(1, 0); got.Score() < 32 {
		t.Errorf("mcts scores %v of 40: %+v", got.Score(), got)
	}
	ratings := mustRate(t, r, "random")
	if e := ratings.List[1]; e.Elo.Low <= 0 {
		t.Errorf("mcts is rated %.0f, from %.0f, above random", e.Elo.Value, e.Elo.Low)
	}
}

// checkGame replays a game: all moves are legal, none follows the end, and the outcome is
// the recorded one.
func checkGame(t *testing.T, g *Game, maxMoves int) {
	t.Helper()
	game := chess.NewGame(g.Start)
	var l chess.MoveList
	for i, m := range g.Moves {
		game.Position().LegalMoves(&l)
		if !l.Contains(m) || game.Outcome(&l).Over() {
			t.Fatalf("%s-%s %d: move %d cannot be played", g.White, g.Black, g.Number, i)
		}
		game.Play(m)
	}
	game.Position().LegalMoves(&l)
	out := game.Outcome(&l)
	if !out.Over() && len(g.Moves) == 2*maxMoves {
		out = chess.Outcome{Result: chess.Draw, Reason: chess.MoveLimit}
	}
	if out != g.Outcome {
		t.Errorf("%s-%s %d: outcome %v, replayed %v", g.White, g.Black, g.Number, g.Outcome, out)
	}
	if len(g.Infos) != len(g.Moves) {
		t.Errorf("%d infos for %d moves", len(g.Infos), len(g.Moves))
	}
}

// field is a tournament with everything that could depend on the order of things:
// random moves, drawn moves, trees that are kept, random openings.
func field() (Tournament, []Entry) {
	few := mctsEntry("few", 12, 1)
	few.Rounds = 2
	return Tournament{Variant: chess.Atomic, Rounds: 4, MaxMoves: 30, RandomPlies: 3, Seed: 7},
		[]Entry{randomEntry("r2"), mctsEntry("mcts", 30, 2), few, randomEntry("r1")}
}

func TestGamesDoNotDependOnWorkers(t *testing.T) {
	cfg, entrants := field()
	want := pgn(t, play(t, cfg, entrants...))
	for _, test := range []struct{ workers, together int }{{2, 0}, {3, 1}, {1, 3}} {
		cfg.Workers, cfg.Together = test.workers, test.together
		if got := pgn(t, play(t, cfg, entrants...)); got != want {
			t.Errorf("%+v: other games", test)
		}
	}
	// Nor on the order of the entrants.
	slices.Reverse(entrants)
	games := play(t, cfg, entrants...)
	slices.Reverse(entrants)
	sorted := gamesOf(cfg, entrants)
	for _, g := range games {
		if err := sorted.Add("", g); err != nil {
			t.Fatal(err)
		}
	}
	if got := pgn(t, sorted.All()); got != want {
		t.Error("other games with the entrants in another order")
	}
	cfg.Seed++
	if got := pgn(t, play(t, cfg, entrants...)); got == want {
		t.Error("the same games with another seed")
	}
}

func TestRoundsAndOpenings(t *testing.T) {
	cfg, entrants := field()
	games := play(t, cfg, entrants...)
	count := make(map[Pair]int)
	for i, g := range games {
		count[g.Pair()]++
		checkGame(t, g, cfg.MaxMoves)
		if g.Opening != 3 || len(g.Moves) < 3 {
			t.Fatalf("opening of %d plies in a game of %d", g.Opening, len(g.Moves))
		}
		if g.Number%2 == 1 {
			if before := games[i-1]; before.White != g.Black || !slices.Equal(before.Moves[:3], g.Moves[:3]) {
				t.Errorf("games %d and %d are not one opening with both colors", i-1, i)
			}
		}
	}
	for _, f := range Fixtures(cfg, entrants) {
		want := 4
		if f.A == "few" || f.B == "few" {
			want = 2
		}
		if count[f.Pair] != want || f.Games != want {
			t.Errorf("%v played %d games, want %d", f, count[f.Pair], want)
		}
	}
	if len(count) != 6 {
		t.Errorf("%d pairings, want 6", len(count))
	}
}

func TestFromPGNRefuses(t *testing.T) {
	cfg := Tournament{Variant: chess.Atomic, Rounds: 1, Seed: 1, MaxMoves: 2}
	g := play(t, cfg, randomEntry("a"), randomEntry("b"))[0]
	if _, err := fromPGN(g.PGN("test")); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*chess.PGN){
		"round":   func(p *chess.PGN) { p.SetTag("Round", "?") },
		"colors":  func(p *chess.PGN) { p.SetTag("Round", "2") },
		"reason":  func(p *chess.PGN) { p.SetTag("Termination", "boredom") },
		"opening": func(p *chess.PGN) { p.SetTag("RandomPlies", "5") },
		"result":  func(p *chess.PGN) { p.Result = chess.Unfinished },
	} {
		p := g.PGN("test")
		spoil(p)
		if _, err := fromPGN(p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestMoveLimit(t *testing.T) {
	cfg := Tournament{Variant: chess.Standard, Rounds: 2, Seed: 1, MaxMoves: 3}
	for _, g := range play(t, cfg, randomEntry("a"), randomEntry("b")) {
		if want := (chess.Outcome{Result: chess.Draw, Reason: chess.MoveLimit}); g.Outcome != want || len(g.Moves) != 6 {
			t.Errorf("%v after %d plies", g.Outcome, len(g.Moves))
		}
	}
}

// faulty plays random moves, and at its third turn in a game something else.
type faulty struct {
	Player
	do func(*Turn)
}

func (f *faulty) Moves(ctx context.Context, turns []*Turn) error {
	if err := f.Player.Moves(ctx, turns); err != nil {
		return err
	}
	for _, t := range turns {
		if t.Game.Ply() >= 4 {
			f.do(t)
		}
	}
	return nil
}

func TestFaultsLoseTheGame(t *testing.T) {
	for _, test := range []struct {
		name   string
		do     func(*Turn)
		reason chess.Reason
	}{
		{"no move", func(t *Turn) { t.Move = 0 }, chess.IllegalMove},
		{"an error", func(t *Turn) { t.Err = errors.New("a cramp") }, chess.EngineCrash},
	} {
		bad := Entry{Name: "bad", New: func() (Player, error) { return &faulty{NewRandom("bad"), test.do}, nil }}
		for _, g := range play(t, Tournament{Variant: chess.Atomic, Rounds: 2, Seed: 3}, bad, randomEntry("good")) {
			want := chess.Outcome{Result: chess.WhiteWins, Reason: test.reason}
			if g.White == "bad" {
				want.Result = chess.BlackWins
			}
			if g.Outcome != want || g.Fault == nil {
				t.Errorf("%s: %v, fault %v, want %v", test.name, g.Outcome, g.Fault, want)
			}
			if len(g.Moves) != 4 && len(g.Moves) != 5 || len(g.Infos) != len(g.Moves) {
				t.Errorf("%s: %d moves, %d infos", test.name, len(g.Moves), len(g.Infos))
			}
		}
	}
}

// counted notes whether it was closed.
type counted struct {
	Player
	open *atomic.Int64
}

func (c counted) Close() {
	c.open.Add(-1)
	c.Player.Close()
}

// Players are made when they are needed, at most one a worker, and all closed,
// also when the tournament fails.
func TestPlayersAreMadeLateAndClosed(t *testing.T) {
	var made, open atomic.Int64
	entrant := func(name string) Entry {
		return Entry{Name: name, New: func() (Player, error) {
			made.Add(1)
			open.Add(1)
			return counted{NewRandom(name), &open}, nil
		}}
	}
	broken := Entry{Name: "broken", New: func() (Player, error) { return nil, errors.New("no such network") }}
	cfg := Tournament{Variant: chess.Atomic, Rounds: 2, MaxMoves: 20, Workers: 2}
	played := play(t, cfg, entrant("a"), entrant("b"), entrant("c"))
	if n := made.Load(); n < 3 || n > 6 || open.Load() != 0 {
		t.Errorf("%d players made, %d still open", n, open.Load())
	}
	err := gamesOf(cfg, []Entry{entrant("a"), entrant("b"), broken}).Play(t.Context(), ignore)
	if err == nil || !strings.Contains(err.Error(), "player broken: no such network") || open.Load() != 0 {
		t.Errorf("error %v, %d players still open", err, open.Load())
	}
	made.Store(0)
	complete := gamesOf(cfg, []Entry{entrant("a"), entrant("b"), entrant("c")})
	for _, g := range played {
		if err := complete.Add("", g); err != nil {
			t.Fatal(err)
		}
	}
	if complete.Len() != len(played) {
		t.Fatalf("%d of %d games were added", complete.Len(), len(played))
	}
	if err := complete.Play(t.Context(), ignore); err != nil {
		t.Error(err)
	}
	if made.Load() != 0 {
		t.Error("players were made for a tournament that is over")
	}
}

func TestRoundRobinRefuses(t *testing.T) {
	a, b := randomEntry("a"), randomEntry("b")
	good := Tournament{Rounds: 1}
	for _, test := range []struct {
		cfg      Tournament
		entrants []Entry
	}{
		{Tournament{}, []Entry{a, b}},
		{Tournament{Rounds: 1, MaxMoves: -1}, []Entry{a, b}},
		{Tournament{Rounds: 1, MaxMoves: 2, RandomPlies: 4}, []Entry{a, b}},
		{good, []Entry{a}},
		{good, []Entry{a, a}},
		{good, []Entry{a, {Name: "", New: a.New}}},
		{good, []Entry{a, {Name: "b"}}},
		{good, []Entry{a, {Name: "b", New: a.New}}}, // calls itself a
		{good, []Entry{a, {Name: "b", New: b.New, Rounds: -1}}},
		{Tournament{Rounds: 1, RandomPlies: 20_000}, []Entry{a, b}},
	} {
		test.cfg.Variant = chess.Atomic
		if err := gamesOf(test.cfg, test.entrants).Play(t.Context(), ignore); err == nil {
			t.Errorf("%+v with %v was played", test.cfg, names(test.entrants))
		}
	}
	for _, power := range []float64{0, -1, math.NaN()} {
		if _, err := NewMCTS("x", TreeSearch{Config: search.Config{Visits: 1, CPuct: 1}, Power: power}, search.Uniform{}); err == nil {
			t.Errorf("power %v was accepted", power)
		}
	}
}

func TestComment(t *testing.T) {
	score := func(x float64) *float64 { return &x }
	for _, test := range []struct {
		turn chess.Color
		info Info
		text string
	}{
		{chess.White, Info{}, ""},
		{chess.White, Info{Score: score(0.1254), Depth: 6, Visits: 800}, "[%eval 0.68] depth 6 visits 800"},
		{chess.Black, Info{Score: score(0.1254)}, "[%eval -0.68]"},
		{chess.Black, Info{Score: score(-0.0001)}, "[%eval 0.00]"},
		{chess.White, Info{Score: score(1)}, "[%eval 80.00]"},
		{chess.White, Info{Score: score(1), Mate: 3}, "[%eval #3]"},
		{chess.Black, Info{Score: score(1), Mate: 3}, "[%eval #-3]"},
		{chess.Black, Info{Depth: 2}, "depth 2"},
	} {
		if got := test.info.Comment(test.turn); got != test.text {
			t.Errorf("%q, want %q", got, test.text)
		}
		if again := ParseComment(test.text, test.turn); again.Comment(test.turn) != test.text {
			t.Errorf("%q is read as %+v", test.text, again)
		}
	}
	for text, want := range map[string]Info{
		"[%clk 0:03:00] [%eval +0.68,12] A good move.": {Score: score(0.125)},
		"[%eval #-2] [%clk 0:03:00]":                   {Score: score(-1), Mate: -2},
		"[%eval] [%eval none] in depth nothing":        {},
		"[%eval 99999999999.0] depth 99999999999":      {},
	} {
		in := ParseComment(text, chess.White)
		if (in.Score == nil) != (want.Score == nil) || in.Mate != want.Mate || in.Depth != 0 || in.Score != nil && math.Abs(*in.Score-*want.Score) > 0.001 {
			t.Errorf("%q is read as %+v", text, in)
		}
	}
}

func Example() {
	// Random moves against a search that knows only the rules.
	cfg := Tournament{Variant: chess.Atomic, Rounds: 4, MaxMoves: 100, Seed: 1}
	results := NewResults([]string{"search", "random"})
	games := gamesOf(cfg, []Entry{mctsEntry("search", 100, 1), randomEntry("random")})
	err := games.Play(context.Background(), results.Add)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range results.Standings() {
		fmt.Println(s.Name, s.Games())
	}
	// Output:
	// search 4
	// random 4
}

// numbered is a tournament of 12 games, of which the first four are those of a and b.
func numbered() *Games {
	return gamesOf(Tournament{Variant: chess.Atomic, Rounds: 4, MaxMoves: 20, Seed: 3, Workers: 2}, []Entry{randomEntry("a"), randomEntry("b"), randomEntry("c")})
}

// Games can be played by their numbers, elsewhere, and sent back; one that was wrong can be
// replaced. The tournament has the same games.
func TestGamesByNumber(t *testing.T) {
	plain, journal := numbered(), filepath.Join(t.TempDir(), "games.journal")
	if err := plain.Play(context.Background(), func(*Game) error { return nil }); err != nil {
		t.Fatal(err)
	}
	a, away := numbered(), numbered()
	if _, err := a.Open(journal, "kind"); err != nil {
		t.Fatal(err)
	}
	numbers := a.Numbers(func(player string) bool { return player != "c" })
	if want := []int{0, 1, 2, 3}; !slices.Equal(numbers, want) {
		t.Fatalf("numbers %v, want %v", numbers, want)
	}
	todo := make(chan int, 1)
	go func() {
		defer close(todo)
		for _, n := range append(numbers, 5) {
			todo <- n
		}
	}()
	var last []byte
	err := away.PlayNumbers(context.Background(), todo, func(n int, g *Game) error {
		text, err := away.Pack(g)
		if err != nil {
			return err
		}
		if _, err := a.Unpack(n+1, text); err == nil {
			t.Errorf("game %d was taken for the next one", n)
		}
		if g, err = a.Unpack(n, text); err != nil {
			return err
		}
		last = text
		if n == 2 { // first a wrong one
			wrong := *g
			wrong.Outcome = chess.Outcome{Result: chess.WhiteWins, Reason: chess.Adjudication}
			if err := a.Add(a.Key(g.Pair()), &wrong); err != nil {
				return err
			}
		}
		return a.Replace(a.Key(g.Pair()), g)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Unpack(0, append(last, last...)); err == nil {
		t.Error("two games were taken for one")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	again := numbered()
	if _, err := again.Open(journal, "kind"); err != nil {
		t.Fatal(err)
	}
	if again.Len() != 5 {
		t.Errorf("%d games, want 5", again.Len())
	}
	if err := again.Play(context.Background(), func(*Game) error { return nil }); err != nil {
		t.Fatal(err)
	}
	var have, want strings.Builder
	if err := errors.Join(WriteGames(&have, "", again.All()), WriteGames(&want, "", plain.All())); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), have.String()); diff != "" {
		t.Errorf("other games:\n%s", diff)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	other := numbered()
	j, err := other.Open(journal, "another kind")
	if err != nil || other.Len() != 0 || string(j.Other) != string(JournalHead)+"kind" {
		t.Errorf("%d games of another kind (%v)", other.Len(), err)
	}
	other.Close()
}

// A player's own number of games counts against all others; of two, the lower one.
func TestRoundsOfPlayers(t *testing.T) {
	entries := []Entry{{Name: "a"}, {Name: "b", Rounds: 100}, {Name: "c", Rounds: 8}, {Name: "d"}}
	var have []int
	for _, f := range Fixtures(Tournament{Rounds: 20}, entries) {
		have = append(have, f.Games)
	}
	if want := []int{100, 8, 20, 8, 100, 8}; !slices.Equal(have, want) {
		t.Errorf("games %v, want %v", have, want)
	}
}
