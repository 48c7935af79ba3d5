package encode_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// spans are the squares from which and to which the moves of a position go, told
// by their UCI strings.
func spans(p *chess.Position) (from, to uint64) {
	var l chess.MoveList
	p.LegalMoves(&l)
	for _, m := range l.Slice() {
		name := p.UCI(m)
		from |= 1 << (int(name[0]-'a') + 8*int(name[1]-'1'))
		to |= 1 << (int(name[2]-'a') + 8*int(name[3]-'1'))
	}
	return from, to
}

// dtu24 is compared with its documentation in random games. What the side that
// waits could play is asked of the position in which it is to move, which is one
// unless the side to move is in check.
func TestDTU24(t *testing.T) {
	planes, err := encode.PlanesByName("dtu24")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 4))
	dst := make([]uint64, 24)
	var checks, enPassants, rights int
	for _, v := range chess.Variants() {
		if planes.Supports(v) != nil {
			continue
		}
		for range 6 {
			g := chess.NewGame(chess.StartPosition(v))
			for range 150 {
				p := g.Position()
				var l chess.MoveList
				p.LegalMoves(&l)
				if g.Outcome(&l).Over() {
					break
				}
				for i := range dst {
					dst[i] = 0xdeadbeef // what is left from the last position must go
				}
				planes.Encode(dst, g)

				want := make([]uint64, 24)
				b := boards(p, chess.White)
				copy(want, b[:])
				f := strings.Fields(p.FEN())
				own, other := 0, 1
				if f[1] == "w" {
					want[14] = ^uint64(0)
				} else {
					own, other = 1, 0
				}
				want[22], want[12+own] = spans(p)
				waiting := slices.Clone(f)
				waiting[1], waiting[3] = map[string]string{"w": "b", "b": "w"}[f[1]], "-"
				if q, err := chess.ParseFEN(v, strings.Join(waiting, " ")); err == nil {
					want[23], want[12+other] = spans(&q)
				} else if !p.InCheck() {
					t.Fatalf("%s: %v", strings.Join(waiting, " "), err)
				} else {
					want[23], want[12+other] = dst[23], dst[12+other]
					checks++
				}
				if f[3] != "-" {
					want[15] = 1 << (int(f[3][0]-'a') + 8*int(f[3][1]-'1'))
					enPassants++
				}
				for i, corner := range []int{7, 0, 63, 56} {
					if strings.ContainsRune(f[2], rune("KQkq"[i])) {
						want[16+i] = 1 << corner
						rights++
					}
				}
				// In 150 plies of random moves no draw can be claimed before the
				// game is over: TestDTU24Claims is about that.
				if !slices.Equal(dst, want) {
					for i := range want {
						if dst[i] != want[i] {
							t.Fatalf("%s, %s: plane %d is %#x, want %#x", v, p.FEN(), i, dst[i], want[i])
						}
					}
				}
				g.Play(l.At(rng.IntN(l.Len())))
			}
		}
	}
	if checks == 0 || enPassants == 0 || rights == 0 {
		t.Errorf("met %d checks, %d en passant squares, %d castling rights: this test must meet all", checks, enPassants, rights)
	}
}

// The moves of the side that waits, where the side to move is in check: it could
// take the king. Written out by hand.
func TestDTU24Waiting(t *testing.T) {
	planes, err := encode.PlanesByName("dtu24")
	if err != nil {
		t.Fatal(err)
	}
	square := func(names ...string) (b uint64) {
		for _, name := range names {
			s, err := chess.ParseSquare(name)
			if err != nil {
				t.Fatal(err)
			}
			b |= 1 << s
		}
		return b
	}
	for _, c := range []struct {
		fen      string
		from, to uint64 // of the other side
	}{
		// The pawn on d3 checks the king on e2; it may take it or advance.
		{"7k/8/8/8/8/3p4/4K3/8 w - - 0 1", square("h8", "d3"), square("g8", "g7", "h7", "d2", "e2")},
		// Black waits and castles on the left; the square behind its pawn is of no
		// use to it.
		{"r3k3/8/8/3pP3/8/8/8/4K3 w q d6 0 1", square("a8", "e8", "d5"), square(
			"a1", "a2", "a3", "a4", "a5", "a6", "a7", "b8", "c8", "d8", "d7", "e7", "f7", "f8", "d4")},
		// White waits with a pinned knight, and has no legal move of it.
		{"4r2k/8/8/8/8/8/4N3/4K3 b - - 0 1", square("e1"), square("d1", "d2", "f1", "f2")},
	} {
		p := position(t, chess.Standard, c.fen)
		dst := make([]uint64, 24)
		planes.Encode(dst, chess.NewGame(p))
		to := dst[12]
		if p.Turn() == chess.White {
			to = dst[13]
		}
		if dst[23] != c.from || to != c.to {
			t.Errorf("%s: the other side moves from %#x to %#x, want from %#x to %#x", c.fen, dst[23], to, c.from, c.to)
		}
	}
}

// When a draw can be claimed: in the position, or with a move that is legal now.
func TestDTU24Claims(t *testing.T) {
	planes, err := encode.PlanesByName("dtu24")
	if err != nil {
		t.Fatal(err)
	}
	claims := func(g *chess.Game) (fifty, draw bool) {
		dst := make([]uint64, 24)
		planes.Encode(dst, g)
		for _, plane := range dst[20:22] {
			if plane != 0 && plane != ^uint64(0) {
				t.Errorf("a plane of claims is %#x, want ones or zeros", plane)
			}
		}
		return dst[20] != 0, dst[21] != 0
	}
	for fen, want := range map[string]bool{
		"7k/8/8/8/8/8/4P3/R3K3 w - - 98 80":        false,
		"7k/8/8/8/8/8/4P3/R3K3 w - - 99 80":        true,
		"7k/8/8/8/8/8/4P3/R3K3 w - - 100 80":       true,
		"7k/8/8/8/8/8/8/R3K3 b - - 99 80":          true,
		"K7/8/1q6/8/8/8/4P2k/8 w - - 99 80":        false, // only the pawn has moves
		"8/8/8/8/8/3p1p2/p2P1P2/k2KB3 w - - 99 80": false, // the only move stalemates: the game is over before
		"k7/2Q5/1K6/8/8/8/8/8 b - - 100 80":        false, // stalemate: there is nothing to claim
		"k7/8/1K6/8/8/8/8/7R w - - 99 80":          true,
	} {
		if fifty, draw := claims(chess.NewGame(position(t, chess.Standard, fen))); fifty != want || draw != want {
			t.Errorf("%s: a claim by fifty moves %v, any %v; want %v", fen, fifty, draw, want)
		}
	}

	// The start occurs again after 4 and after 8 plies. After 7 black can bring it
	// about for the third time.
	g := chess.NewGame(chess.StartPosition(chess.Standard))
	round := []string{"g1f3", "g8f6", "f3g1", "f6g8"}
	for ply := range 12 {
		fifty, draw := claims(g)
		if fifty || draw != (ply >= 7) {
			t.Errorf("after %d plies: claims %v and %v, want %v", ply, fifty, draw, ply >= 7)
		}
		m, err := g.Position().ParseUCI(round[ply%4])
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
}
