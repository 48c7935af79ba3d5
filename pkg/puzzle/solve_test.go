package puzzle

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/match"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

func read(t *testing.T, lines ...string) *Set {
	t.Helper()
	s, err := Read(strings.NewReader(strings.Join(lines, "\n")), "set.epd", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// With dm every move that keeps the win solves, whatever bm says; with bm alone only
// those that stand there; what is not legal solves nothing.
func TestSolvedBy(t *testing.T) {
	for _, c := range []struct {
		line   string
		solved []string // of all legal moves
	}{
		{"7k/5Q2/6K1/8/8/8/8/8 w - - bm Qg7; dm 1;", []string{"Qe8#", "Qf8#", "Qg7#", "Qh7#"}},
		{"7k/5Q2/6K1/8/8/8/8/8 w - - bm Qg7 Kf6;", []string{"Kf6", "Qg7#"}},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - dm 2;", []string{"Ra6"}},
	} {
		p := &read(t, c.line).Puzzles[0]
		var l chess.MoveList
		p.Position.LegalMoves(&l)
		var solved []string
		for _, m := range l.Slice() {
			if ok, err := p.SolvedBy(t.Context(), m); err != nil {
				t.Fatal(err)
			} else if ok {
				solved = append(solved, p.Position.SAN(m))
			}
		}
		slices.Sort(solved)
		if !slices.Equal(solved, c.solved) {
			t.Errorf("%s: solved by %v, want %v", c.line, solved, c.solved)
		}
		if ok, err := p.SolvedBy(t.Context(), 0); ok || err != nil {
			t.Errorf("%s: solved by no move: %v", c.line, err)
		}
	}
}

// sets are those of the experiments.
func sets(t *testing.T) []*Set {
	files, err := filepath.Glob("../../experiments/puzzles/*.epd")
	if err != nil || len(files) != 6 {
		t.Fatalf("%d sets, %v", len(files), err)
	}
	var all []*Set
	for _, f := range files {
		s, err := Load(f, chess.Standard)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// The sets that are shipped are what they are said to be: proved, of both colors, and of
// the variant and the length in their names.
func TestShippedSets(t *testing.T) {
	for _, s := range sets(t) {
		faults, err := Check(t.Context(), s)
		if err != nil || len(faults) > 0 {
			t.Errorf("%v\n%s", err, strings.Join(faults, "\n"))
		}
		variant, mate, white := chess.Standard, 1, 0
		if strings.HasPrefix(s.Name(), "atomic-") {
			variant = chess.Atomic
		}
		if strings.HasSuffix(s.Name(), "2") {
			mate = 2
		}
		for i := range s.Puzzles {
			p := &s.Puzzles[i]
			if p.Position.Turn() == chess.White {
				white++
			}
			if p.Position.Variant() != variant || p.Mate != mate || len(p.Best) == 0 {
				t.Errorf("%s:%d: %s", s.File, p.Line, p.String())
			}
		}
		if len(s.Puzzles) != 200 || white != 100 {
			t.Errorf("%s: %d puzzles, %d of White's", s.File, len(s.Puzzles), white)
		}
	}
}

// Alpha-beta proves wins in another way, and sees them all: mate in 1 at one ply, in 2 at
// three. A search of the rules alone sees mate in 1 with more visits than there are moves.
func TestSolve(t *testing.T) {
	for _, s := range sets(t) {
		some := s.Puzzles[:40]
		if testing.Short() {
			some = some[:10]
		}
		sees, err := match.NewAlphaBeta("alpha-beta", uci.Limit{Depth: 2*some[0].Mate - 1}, search.AlphaBeta{Valuer: &match.Material{}})
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		answers, err := Solve(t.Context(), some, AtOnce, sees, 1, func(done int) { told = done })
		if err != nil || Solved(answers) != len(some) || told != len(some) {
			t.Errorf("%s: alpha-beta solves %d of %d (reported %d), %v", s.Name(), Solved(answers), len(some), told, err)
		}
		tree, err := match.NewMCTS("tree", match.TreeSearch{Config: search.Config{Visits: 400, CPuct: 1.5, Solver: true}, Power: math.Inf(1)}, search.Uniform{})
		if err != nil {
			t.Fatal(err)
		}
		if answers, err = Solve(t.Context(), some, AtOnce, tree, 1, nil); err != nil || some[0].Mate == 1 && Solved(answers) != len(some) {
			t.Errorf("%s: a search solves %d of %d, %v", s.Name(), Solved(answers), len(some), err)
		}
	}
}

// Lots are drawn by the seed: the same answers for the same, more than a chunk at once.
func TestSolveBySeed(t *testing.T) {
	s := sets(t)[0]
	solve := func(seed uint64) []Answer {
		answers, err := Solve(t.Context(), s.Puzzles, AtOnce, match.NewRandom("random"), seed, nil)
		if err != nil || len(answers) != len(s.Puzzles) {
			t.Fatalf("%d answers, %v", len(answers), err)
		}
		return answers
	}
	if !slices.Equal(solve(1), solve(1)) {
		t.Error("the same seed gives other answers")
	}
	if slices.Equal(solve(1), solve(2)) {
		t.Error("another seed gives the same answers")
	}
	if n := Solved(solve(1)); n == len(s.Puzzles) {
		t.Errorf("random moves solve all %d", n)
	}
}

// failing is a player that fails: at each puzzle, or altogether.
type failing struct{ turn, all error }

func (failing) Name() string { return "failing" }
func (f failing) Moves(_ context.Context, turns []*match.Turn) error {
	for _, t := range turns {
		t.Err = f.turn
	}
	return f.all
}
func (failing) GameOver(*chess.Game) {}
func (failing) Close()               {}

// A player that fails at a puzzle has not solved it; one that cannot go on is an error.
func TestSolveFailures(t *testing.T) {
	s, broken := read(t, "7k/5Q2/6K1/8/8/8/8/8 w - - dm 1;"), errors.New("broken")
	answers, err := Solve(t.Context(), s.Puzzles, AtOnce, failing{turn: broken}, 1, nil)
	if err != nil || answers[0].Solved || answers[0].Err != broken {
		t.Errorf("%+v, %v", answers, err)
	}
	if _, err := Solve(t.Context(), s.Puzzles, AtOnce, failing{all: broken}, 1, nil); err != broken {
		t.Errorf("error %v", err)
	}
}

func TestCheck(t *testing.T) {
	s := read(t,
		"7k/5Q2/6K1/8/8/8/8/8 w - - dm 1;",
		"7k/5Q2/6K1/8/8/8/8/8 w - - 4 9 dm 2;",
		"7k/5Q2/6K1/8/8/8/8/8 w - - hmvc 3; dm 1; bm Qg7 Kf6;",
		"7k/8/6K1/8/8/8/8/5Q2 w - - bm Kf6;",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - dm 1;",
	)
	faults, err := Check(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"set.epd:2: the position of line 1",
		"set.epd:2: dm 2: there is a win in 1",
		"set.epd:3: the position of line 1",
		"set.epd:3: bm Kf6 does not win in 1",
		"set.epd:3: bm lacks Qe8#, which wins in 1 as well",
		"set.epd:3: bm lacks Qf8#, which wins in 1 as well",
		"set.epd:3: bm lacks Qh7#, which wins in 1 as well",
		"set.epd:5: dm 1: no move wins by force in 1",
	}
	slices.Sort(faults)
	slices.Sort(want)
	if !slices.Equal(faults, want) {
		t.Errorf("faults\n%s\nwant\n%s", strings.Join(faults, "\n"), strings.Join(want, "\n"))
	}
}
