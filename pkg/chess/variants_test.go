package chess

import (
	"strings"
	"testing"
)

// How each variant ends a game by its own rule, and what only looks like it.
func TestVariantOutcomes(t *testing.T) {
	for _, c := range []struct {
		variant Variant
		fen     string
		moves   string
		want    string
	}{
		{KingOfTheHill, "4k3/8/8/8/8/4K3/8/8 w - - 0 1", "e3e4", "1-0 king_in_center"},
		{KingOfTheHill, "4k3/8/8/8/8/4K3/8/8 w - - 0 1", "e3f4", "* ongoing"},
		{KingOfTheHill, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "", "* ongoing"}, // bare kings can still walk
		{KingOfTheHill, startFEN, "f2f3 e7e5 g2g4 d8h4", "0-1 checkmate"},

		{ThreeCheck, "4k3/8/8/8/8/8/8/R3K3 w - - 1+3 0 1", "a1a8", "1-0 three_checks"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/R3K3 w - - 2+3 0 1", "a1a8", "* ongoing"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1 +2+0", "a1a8", "1-0 three_checks"},
		{ThreeCheck, "R3k3/8/8/8/8/8/8/4K3 b - - 0+3 0 1", "", "1-0 three_checks"},
		{ThreeCheck, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 2+3 0 1", "a1a8", "1-0 checkmate"},
		{ThreeCheck, "4k3/8/8/8/8/8/4p3/4K3 w - - 3+3 0 1", "e1e2", "1/2-1/2 insufficient_material"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/4KN2 w - - 3+3 0 1", "", "* ongoing"},

		{Horde, "4k3/8/8/8/8/8/P7/r7 b - - 0 1", "a1a2", "0-1 horde_destroyed"},
		{Horde, "k7/p7/P7/8/8/8/8/8 w - - 0 1", "", "1/2-1/2 stalemate"},
		{Horde, "k7/p7/P7/8/P7/p7/P7/8 b - - 0 1", "", "* ongoing"},                  // the pawn of a4 is free
		{Horde, "8/p7/P7/8/8/8/8/k7 b - - 0 1", "", "1/2-1/2 insufficient_material"}, // nobody can ever free the pawns
		{Horde, "8/p7/P7/8/8/P7/8/k7 b - - 0 1", "", "* ongoing"},                    // soon nobody can
		{Horde, "4k3/8/4p3/3pP3/3P4/8/8/8 w - - 0 1", "", "1/2-1/2 stalemate"},
		{Horde, "4k3/8/4p3/3pP3/3P4/8/8/8 w - d6 0 1", "", "* ongoing"}, // en passant frees the horde
		{Horde, "kR6/8/1P6/8/8/8/8/8 b - - 0 1", "", "* ongoing"},
		{Horde, "k7/2P5/PP6/8/8/8/8/8 w - - 0 1", "c7c8q", "1-0 checkmate"},

		{RacingKings, "8/4K3/8/8/8/8/k7/8 w - - 0 1", "e7e8", "1-0 race_finished"},
		{RacingKings, "8/k3K3/8/8/8/8/8/8 w - - 0 1", "e7e8", "* ongoing"}, // Black can follow
		{RacingKings, "8/k3K3/8/8/8/8/8/8 w - - 0 1", "e7e8 a7a8", "1/2-1/2 race_finished"},
		{RacingKings, "8/k3K3/8/8/8/8/8/8 w - - 0 1", "e7e8 a7a6", "1-0 race_finished"},
		{RacingKings, "8/k7/8/8/8/8/4K3/8 b - - 0 1", "a7a8", "0-1 race_finished"},
		{RacingKings, "8/k3K3/8/8/8/8/8/1R6 w - - 0 1", "e7e8", "* ongoing"}, // a8 is free though b8 is not
		{RacingKings, "8/1k2K3/8/8/8/8/8/8 w - - 0 1", "", "* ongoing"},      // bare kings race

		{Antichess, "8/8/8/8/8/8/1p6/P7 b - - 0 1", "", "error"}, // no pawn stands on the first rank
		{Antichess, "8/8/8/8/8/1p6/P7/8 w - - 0 1", "a2b3", "0-1 pieces_lost"},
		{Antichess, "8/p7/P7/8/8/8/8/8 w - - 0 1", "", "1-0 stalemate"},
		{Antichess, "8/8/8/8/8/8/1r6/K7 w - - 0 1", "a1b2", "0-1 pieces_lost"},
		{Antichess, "8/8/8/8/8/b7/8/B7 w - - 0 1", "", "* ongoing"}, // bishops of one color
		{Antichess, "8/8/8/8/8/b7/8/1B6 w - - 0 1", "", "1/2-1/2 insufficient_material"},
		{Antichess, "8/8/8/p7/P7/b7/8/1B6 w - - 0 1", "", "1/2-1/2 insufficient_material"}, // blocked pawns that no bishop meets
		{Antichess, "8/8/8/1p6/1P6/b7/8/1B6 w - - 0 1", "", "* ongoing"},                   // b4 is dark, Black's bishop must take it

		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[] w - - 0 1", "", "* ongoing"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[] w - - 120 80", "e1e2", "* ongoing"}, // no fifty moves
		{Crazyhouse, "6k1/5ppp/8/8/8/8/8/R3K3[] w - - 0 1", "a1a8", "1-0 checkmate"},
		{Crazyhouse, "6k1/5ppp/8/8/8/8/8/R3K3[n] w - - 0 1", "a1a8", "* ongoing"}, // a drop may come between
	} {
		if c.want == "error" {
			if _, err := ParseFEN(c.variant, c.fen); err == nil {
				t.Errorf("%v: %s is a position", c.variant, c.fen)
			}
			continue
		}
		if got := outcomeAfter(t, c.variant, c.fen, strings.Fields(c.moves)...); got != c.want {
			t.Errorf("%v, %s %v: have %s, want %s", c.variant, c.fen, c.moves, got, c.want)
		}
	}
}

// What a move does beside the board, as its FEN tells.
func TestVariantMoves(t *testing.T) {
	for _, c := range []struct {
		variant Variant
		fen     string
		moves   string
		want    string
	}{
		// Captured pieces change hands; a promoted one is a pawn again.
		{Crazyhouse, "4k3/8/8/8/8/1n6/8/1R2K3[] w - - 0 1", "b1b3 e8e7 N@a1", "8/4k3/8/8/8/1R6/8/N3K3[] b - - 2 2"},
		{Crazyhouse, "4k3/1P6/8/8/8/8/8/1r2K3[] w - - 0 1", "e1e2 b1c1 b7b8q e8d7 b8b1 c1b1", "8/3k4/8/8/8/8/4K3/1r6[p] w - - 0 4"},
		{Crazyhouse, "4k3/1P6/8/8/8/8/8/4K3[] w - - 0 1", "b7b8q e8e7 b8a7", "8/Q~3k3/8/8/8/8/8/4K3[] b - - 2 2"},
		{Crazyhouse, "4k3/8/8/3pP3/8/8/8/4K3[] w - d6 0 1", "e5d6", "4k3/8/3P4/8/8/8/8/4K3[P] b - - 0 1"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/R3K3 w - - 3+3 0 1", "a1a8", "R3k3/8/8/8/8/8/8/4K3 b - - 2+3 1 1"},
		// From the first rank two squares, and no capture in passing.
		{Horde, "4k3/8/8/8/8/1p6/8/P7 w - - 0 1", "a1a3", "4k3/8/8/8/8/Pp6/8/8 b - - 0 1"},
		{Horde, "4k3/8/8/8/1p6/8/P7/8 w - - 0 1", "a2a4", "4k3/8/8/8/Pp6/8/8/8 b - a3 0 1"},
		{Antichess, "8/P6p/8/8/8/8/8/8 w - - 0 1", "a7a8k", "K7/7p/8/8/8/8/8/8 b - - 0 1"},
	} {
		p, err := ParseFEN(c.variant, c.fen)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, s := range strings.Fields(c.moves) {
			m, err := p.ParseUCI(s)
			if err != nil {
				t.Error(err)
				break
			}
			p.Play(m)
		}
		if got := p.FEN(); got != c.want {
			t.Errorf("%v, %s %s: have %s, want %s", c.variant, c.fen, c.moves, got, c.want)
		}
		if p.Key() != p.computeKey() {
			t.Errorf("%v, %s %s: the key is not that of the position", c.variant, c.fen, c.moves)
		}
	}
}

func TestVariantFENErrors(t *testing.T) {
	for _, c := range []struct {
		variant   Variant
		fen, want string
	}{
		{Antichess, startFEN, "there is no castling in antichess"},
		{Antichess, "8/8/8/8/8/8/8/8 w - - 0 1", "black has no piece"},
		{Antichess, "KKKKKKKK/8/PP6/8/8/8/8/7k w - - 0 1", "white has 7 pieces more"},
		{RacingKings, "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w KQ - 0 1", "there is no castling in racingkings"},
		{RacingKings, "8/8/8/8/8/P7/k6K/8 w - - 0 1", "there are no pawns in racing kings"},
		{RacingKings, "8/8/8/8/8/8/k5RK/8 b - - 0 1", "black is in check"},
		{Horde, startFEN, "white has a king"},
		{Horde, "4k3/8/8/8/8/8/8/8 b - - 0 1", "white has no piece"},
		{Horde, "8/8/8/8/8/8/8/PPP5 w - - 0 1", "black has no king"},
		{Horde, "4k3/8/8/8/8/8/8/p7 w - - 0 1", "a pawn on a1"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/4K3 w - - 4+3 0 1", "field 5 (checks)"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/4K3 w - - 0 1 +4+0", "field 7 (checks)"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/4K3 w - - 0+0 0 1", "both sides cannot have won"},
		{KingOfTheHill, "4k3/8/8/8/3K4/8/8/8 w - - 0 1", "the white king is in the center and has won, but it is white's turn"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/4K2Q w - - 0+3 0 1", "white has given its last and has won, but it is white's turn"},
		{ThreeCheck, "4k2q/8/8/8/8/8/8/4K3 b - - 0 1 +1+3", "black has given its last"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[K] w - - 0 1", "in the pocket is not a piece that can be dropped"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[P w - - 0 1", "does not end in ]"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[PPPPPPPPPpppppppp] w - - 0 1", "17 pawns"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/~4K3[] w - - 0 1", "does not follow a piece"},
		{Crazyhouse, "4k3/8/8/8/8/8/P~7/4K3[] w - - 0 1", "does not follow a piece"},
		{Crazyhouse, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[N] w KQkq - 0 1", "33 pieces"},
		{Crazyhouse, "4k3/pppppppp/8/8/8/8/PPPPPPPP/N~3K3[] w - - 0 1", "1 promoted pieces"},
		{Crazyhouse, "4k3/pppppppp/8/8/8/8/PPPPPPP1/Q~3K3[NNNNN] w - - 0 1", "2 promoted pieces"}, // one marked, one too many
		{Crazyhouse, "4k3/8/8/8/8/8/8/R~3K3[] w Q - 0 1", "the rook on a1 was a pawn"},
		{Standard, "4k3/8/8/8/8/8/8/4K3[] w - - 0 1", "rank 1"},
	} {
		_, err := ParseFEN(c.variant, c.fen)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %q: have error %v, want %q in it", c.variant, c.fen, err, c.want)
		}
	}
}

func TestVariantFENForms(t *testing.T) {
	for _, c := range []struct {
		variant  Variant
		in, want string
	}{
		{Crazyhouse, startFEN, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3/PnQ w - - 0 1", "4k3/8/8/8/8/8/8/4K3[QPn] w - - 0 1"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[-] w - - 0 1", "4k3/8/8/8/8/8/8/4K3[] w - - 0 1"},
		{ThreeCheck, startFEN, variantFacts[ThreeCheck].start},
		{ThreeCheck, startFEN + " +0+1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3+2 0 1"},
	} {
		p, err := ParseFEN(c.variant, c.in)
		if err != nil {
			t.Error(err)
		} else if got := p.FEN(); got != c.want {
			t.Errorf("%s is written %s, want %s", c.in, got, c.want)
		}
	}
	for _, v := range Variants() {
		if p := StartPosition(v); p.FEN() != variantFacts[v].start {
			t.Errorf("%v starts with %s, want %s", v, p.FEN(), variantFacts[v].start)
		}
	}
}

// Positions that differ only beside the board are not repetitions.
func TestKeyOfPocketsAndChecks(t *testing.T) {
	seen := map[uint64]string{}
	for _, c := range []struct {
		variant Variant
		fen     string
	}{
		{Crazyhouse, "4k3/8/8/8/8/8/8/Q3K3[] w - - 0 1"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/Q~3K3[] w - - 0 1"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/Q3K3[P] w - - 0 1"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/Q3K3[p] w - - 0 1"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/Q3K3[PP] w - - 0 1"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/Q3K3[N] w - - 0 1"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/Q3K3 w - - 3+3 0 1"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/Q3K3 w - - 2+3 0 1"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/Q3K3 w - - 3+2 0 1"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/Q3K3 w - - 2+2 0 1"},
		{Standard, "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"},
	} {
		p, err := ParseFEN(c.variant, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		if other, found := seen[p.Key()]; found {
			t.Errorf("%s has the key of %s", c.fen, other)
		}
		seen[p.Key()] = c.fen
	}
}

// In crazyhouse a capture does not make earlier positions unreachable.
func TestCrazyhouseRepeatsAcrossCaptures(t *testing.T) {
	p, err := ParseFEN(Crazyhouse, "4k3/8/8/8/8/8/8/4K3[Nn] w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	g := NewGame(p)
	var l MoveList
	// Each side drops its knight beside the enemy king, which takes it: after a
	// cycle both have a knight in hand again.
	cycle := []string{"N@d8", "e8d8", "e1d1", "N@e1", "d1e1", "d8e8"}
	for range 2 {
		for _, s := range cycle {
			m, err := g.Position().ParseUCI(s)
			if err != nil {
				t.Fatal(err)
			}
			g.Play(m)
		}
	}
	g.Position().LegalMoves(&l)
	if o := g.Outcome(&l); g.Repetitions() != 2 || o.Reason != Threefold {
		t.Errorf("%s: %d repetitions, %v", g.Position().FEN(), g.Repetitions(), o)
	}
}

func TestChess960(t *testing.T) {
	for n, want := range map[int]string{
		0:   "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1",
		518: startFEN,
		959: "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w KQkq - 0 1",
	} {
		p, err := Chess960(Standard, n)
		if err != nil {
			t.Fatal(err)
		}
		if p.FEN() != want {
			t.Errorf("position %d is %s, want %s", n, p.FEN(), want)
		}
	}
	for _, v := range Variants() {
		seen := map[string]bool{}
		for n := range chess960Count {
			p, err := Chess960(v, n)
			if v == Horde || v == RacingKings {
				if err == nil {
					t.Fatalf("%v has chess960 positions", v)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			fen := p.FEN()
			if q, err := ParseFEN(v, fen); err != nil || q != p {
				t.Fatalf("%v, position %d: %s reads as %s, %v", v, n, fen, q.FEN(), err)
			}
			if seen[fen] {
				t.Fatalf("%v, position %d: %s for the second time", v, n, fen)
			}
			seen[fen] = true
		}
	}
	start := StartPosition(Atomic)
	if p, err := Chess960(Atomic, 518); err != nil || p != start {
		t.Errorf("position 518 is not the start of chess: %s, %v", p.FEN(), err)
	}
	for _, n := range []int{-1, 960} {
		if _, err := Chess960(Standard, n); err == nil {
			t.Errorf("%d is a position", n)
		}
	}
}

func TestCanWin(t *testing.T) {
	for _, c := range []struct {
		variant      Variant
		fen          string
		white, black bool
	}{
		{Standard, "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", true, false},
		{Standard, "4k3/p7/8/8/8/8/8/4K1N1 w - - 0 1", true, true},
		{Standard, "q3k3/8/8/8/8/8/8/4K1N1 w - - 0 1", false, true},
		{Standard, "r3k3/8/8/8/8/8/8/4K1N1 w - - 0 1", true, true},
		{Standard, "4k3/8/8/8/8/8/8/4KNN1 w - - 0 1", true, false},
		{Standard, "4k3/8/8/8/8/8/8/4KBN1 w - - 0 1", true, false},
		{Standard, "r3k3/8/8/8/8/8/8/4KB2 w - - 0 1", false, true},
		{Standard, "4kb2/8/8/8/8/8/8/4KB2 w - - 0 1", true, true},    // f1 is light, f8 dark
		{Standard, "2b1k3/8/8/8/8/8/8/4KB2 w - - 0 1", false, false}, // both light
		{Standard, "4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", true, false},
		{Atomic, "4k3/8/8/8/8/8/8/4KB2 w - - 0 1", true, false},
		{ThreeCheck, "4k3/8/8/8/8/8/8/4KB2 w - - 3+3 0 1", true, false},
		{KingOfTheHill, "4k3/8/8/8/8/8/8/4KB2 w - - 0 1", true, true},
	} {
		p, err := ParseFEN(c.variant, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		if white, black := p.CanWin(White), p.CanWin(Black); white != c.white || black != c.black {
			t.Errorf("%v %s: %v, %v", c.variant, c.fen, white, black)
		}
	}
}
