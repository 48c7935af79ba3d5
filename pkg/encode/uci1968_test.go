package encode_test

import (
	"math/rand/v2"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// The order of the list is part of every trained network: these entries are
// pinned.
func TestUCI1968List(t *testing.T) {
	moves := encode.UCI1968Moves()
	if len(moves) != 1968 {
		t.Fatalf("%d moves, want 1968", len(moves))
	}
	seen := make(map[string]bool)
	for _, m := range moves {
		if seen[m] {
			t.Errorf("%s is listed twice", m)
		}
		seen[m] = true
	}
	for i, want := range map[int]string{
		0: "a1b1", 1: "a1c1", 6: "a1h1", 7: "a1a2", 8: "a1b2", 9: "a1c2",
		1790: "h8f8", 1791: "h8g8",
		1792: "a7a8n", 1793: "a7a8b", 1794: "a7a8r", 1795: "a7a8q", 1796: "a7b8n",
		1879: "h7h8q", 1880: "a2a1n", 1967: "h2h1q",
	} {
		if moves[i] != want {
			t.Errorf("move %d is %s, want %s", i, moves[i], want)
		}
	}
	if seen["b1d4"] {
		t.Error("b1d4 is listed: no piece can make it (thesis, section 4.2.2)")
	}
}

// Every legal move of random games has the index of its UCI string.
func TestUCI1968Index(t *testing.T) {
	policy, err := encode.PolicyByName("uci1968")
	if err != nil {
		t.Fatal(err)
	}
	moves := encode.UCI1968Moves()
	var castles, promotions int
	check := func(p *chess.Position, m chess.Move) {
		t.Helper()
		i := policy.Index(p, m)
		if i < 0 || i >= policy.Size() {
			t.Fatalf("%s: %s has index %d", p.FEN(), p.UCI(m), i)
		}
		if moves[i] != p.UCI(m) {
			t.Fatalf("%s: %s has index %d, which is %s", p.FEN(), p.UCI(m), i, moves[i])
		}
		if m.IsCastle() {
			castles++
		}
		if m.Promotion() != chess.NoPieceType {
			promotions++
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, v := range []chess.Variant{chess.Standard, chess.Atomic, chess.KingOfTheHill, chess.ThreeCheck, chess.Horde, chess.RacingKings} {
		for range 30 {
			g := chess.NewGame(chess.StartPosition(v))
			var l chess.MoveList
			for range 200 {
				g.Position().LegalMoves(&l)
				for _, m := range l.Slice() {
					check(g.Position(), m)
				}
				if g.Outcome(&l).Over() {
					break
				}
				g.Play(l.At(rng.IntN(l.Len())))
			}
		}
	}
	for _, fen := range []string{
		"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
		"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
		"1n1n4/P1P1P3/8/4K2k/8/8/8/8 w - - 0 1",
		"8/8/8/4K2k/8/8/p1p1p2p/1N1N2N1 b - - 0 1",
	} {
		p, err := chess.ParseFEN(chess.Standard, fen)
		if err != nil {
			t.Fatal(err)
		}
		var l chess.MoveList
		p.LegalMoves(&l)
		for _, m := range l.Slice() {
			check(&p, m)
		}
	}
	if castles == 0 || promotions == 0 {
		t.Errorf("met %d castlings and %d promotions: this test must meet both", castles, promotions)
	}
}
