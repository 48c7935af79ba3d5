package encode_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// marro77 is compared with what ChessMarro's text says of it, in random games: the
// pieces interleaved by color, and for each legal move a mark where it starts, in
// the plane of its direction and distance. The moves are read from UCI strings of
// the position in which white is to move.
func TestMarro77(t *testing.T) {
	planes, err := encode.PlanesByName("marro77")
	if err != nil {
		t.Fatal(err)
	}
	type delta struct{ files, ranks int }
	layers := map[delta]int{
		{1, 2}: 56, {2, 1}: 57, {2, -1}: 58, {1, -2}: 59, {-1, -2}: 60, {-2, -1}: 61, {-2, 1}: 62, {-1, 2}: 63,
	}
	for n := 1; n <= 7; n++ {
		for i, d := range []delta{{0, n}, {n, n}, {n, 0}, {n, -n}, {0, -n}, {-n, -n}, {-n, 0}, {-n, n}} {
			layers[d] = 8*(n-1) + i
		}
	}
	if len(layers) != 64 {
		t.Fatalf("%d types of moves, want 64", len(layers))
	}
	rng := rand.New(rand.NewPCG(7, 7))
	dst := make([]uint64, 77)
	for _, v := range chess.Variants() {
		if planes.Supports(v) != nil {
			continue
		}
		for range 4 {
			g := chess.NewGame(chess.StartPosition(v))
			for range 150 {
				p := g.Position()
				var l chess.MoveList
				p.LegalMoves(&l)
				for i := range dst {
					dst[i] = 0xdeadbeef // what is left from the last position must go
				}
				planes.Encode(dst, g)
				want := make([]uint64, 77)
				for i, b := range boards(p, p.Turn()) {
					want[2*(i%6)+i/6] = b
				}
				for _, m := range l.Slice() {
					name := []byte(p.UCI(m))
					if p.Turn() == chess.Black {
						name[1], name[3] = '1'+'8'-name[1], '1'+'8'-name[3]
					}
					d := delta{int(name[2]) - int(name[0]), int(name[3]) - int(name[1])}
					want[13+layers[d]] |= 1 << (int(name[0]-'a') + 8*int(name[1]-'1'))
				}
				if !slices.Equal(dst, want) {
					t.Fatalf("%s, %s:\nhave %#x\nwant %#x", v, p.FEN(), dst, want)
				}
				if l.Len() == 0 {
					break
				}
				g.Play(l.At(rng.IntN(l.Len())))
			}
		}
	}
}

// A mark stands at the index that marro4096 gives the move: the program of
// ChessMarro masks its policy with the planes of legal moves.
func TestMarroMask(t *testing.T) {
	codec, err := encode.NewCodec("marro77", "marro4096", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	for _, fen := range []string{
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
		"1n2k3/P7/8/8/8/8/p7/1N2K3 w - - 0 1",
		"1n2k3/P7/8/8/8/8/p7/1N2K3 b - - 0 1",
	} {
		p := position(t, chess.Standard, fen)
		var l chess.MoveList
		p.LegalMoves(&l)
		var leaf encode.Leaf
		codec.Prepare(&leaf, chess.NewGame(p), l.Slice())
		var marked, indices []int32
		for plane, b := range leaf.Planes[13:] {
			for s := range 64 {
				if b>>s&1 == 1 {
					marked = append(marked, int32(64*plane+8*(7-s/8)+s%8))
				}
			}
		}
		for _, i := range leaf.Indices {
			if i >= 0 {
				indices = append(indices, i)
			}
		}
		slices.Sort(marked)
		slices.Sort(indices)
		if !slices.Equal(marked, indices) {
			t.Errorf("%s: the planes mark %v, the moves have %v", fen, marked, indices)
		}
	}
}
