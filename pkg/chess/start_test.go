package chess_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"alamos/pkg/chess"
)

const pawnEnding = "8/8/8/4k3/8/4K3/4P3/8 b - - 3 40"

func parse(t *testing.T, v chess.Variant, words ...string) chess.Starts {
	t.Helper()
	s, err := chess.ParseStarts(v, words)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Without a word every variant begins at its own start, and chance is left alone:
// games of a seed are what they were before there was a choice.
func TestOwnStart(t *testing.T) {
	for _, v := range chess.Variants() {
		rng, untouched := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		if p := parse(t, v).Draw(rng); p != chess.StartPosition(v) {
			t.Errorf("%s begins with %s", v, p.FEN())
		}
		if rng.Uint64() != untouched.Uint64() {
			t.Errorf("%s: a number was drawn", v)
		}
	}
}

// Entries are drawn alike, and chess960 is many positions.
func TestDraw(t *testing.T) {
	s := parse(t, chess.Standard, pawnEnding, chess.AnyChess960)
	all := map[string]bool{}
	for n := range 960 {
		p, err := chess.Chess960(chess.Standard, n)
		if err != nil {
			t.Fatal(err)
		}
		all[p.FEN()] = true
	}
	rng := rand.New(rand.NewPCG(3, 4))
	fixed, seen := 0, map[string]bool{}
	const draws = 4000
	for range draws {
		p := s.Draw(rng)
		if fen := p.FEN(); fen == pawnEnding {
			fixed++
		} else if !all[fen] {
			t.Fatalf("drew %s", fen)
		} else {
			seen[fen] = true
		}
	}
	if fixed < draws*45/100 || fixed > draws*55/100 || len(seen) < 750 {
		t.Errorf("%d of %d were the position, %d of chess960 were seen", fixed, draws, len(seen))
	}
}

func TestAny(t *testing.T) {
	black := func(p *chess.Position) bool { return p.Turn() == chess.Black }
	inCorner := func(p *chess.Position) bool { return p.King(chess.White) == chess.NewSquare(1, 0) }
	if s := parse(t, chess.Standard, pawnEnding); !s.Any(black) || s.Any(inCorner) {
		t.Error("the one position was not looked at")
	}
	if s := parse(t, chess.Standard, chess.AnyChess960); s.Any(black) || !s.Any(inCorner) {
		t.Error("the positions of chess960 were not looked at")
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		v     chess.Variant
		words []string
		want  string
	}{
		{chess.Standard, []string{pawnEnding, "chess690"}, "start position 2"},
		{chess.Standard, []string{"4k3/8/4K3/8/8/8/8/4R3 b - - 0 1x"}, "field 6"},
		{chess.Standard, []string{"R3k3/7R/4K3/8/8/8/8/8 b - - 0 1"}, "the game is over (1-0 checkmate)"},
		{chess.Antichess, []string{"8/8/8/8/8/8/8/K7 b - - 0 1"}, "the game is over (0-1 pieces_lost)"},
		{chess.KingOfTheHill, []string{"4k3/8/8/8/4K3/8/8/8 b - - 0 1"}, "king_in_center"},
		{chess.Horde, []string{chess.AnyChess960}, "start position 1"},
		{chess.RacingKings, []string{chess.AnyChess960}, "of its own"},
	} {
		if _, err := chess.ParseStarts(c.v, c.words); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %q: %v, want %q", c.v, c.words, err, c.want)
		}
	}
}
