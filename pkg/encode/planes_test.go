package encode_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

func allPlanes(t testing.TB) []*encode.Planes {
	t.Helper()
	var all []*encode.Planes
	for _, name := range encode.PlanesNames() {
		planes, err := encode.PlanesByName(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, planes)
	}
	return all
}

// wander plays random moves from the start of a variant, at most as many as
// told.
func wander(v chess.Variant, rng *rand.Rand, plies int) *chess.Game {
	g := chess.NewGame(chess.StartPosition(v))
	var l chess.MoveList
	for range plies {
		g.Position().LegalMoves(&l)
		if g.Outcome(&l).Over() {
			break
		}
		g.Play(l.At(rng.IntN(l.Len())))
	}
	return g
}

// Every encoder, in every variant that it expresses, writes all its planes whatever
// stood there, and nothing behind them; constant planes hold a number of 32 bits
// in a sensible range; it allocates nothing and changes nothing in the game.
func TestPlanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, planes := range allPlanes(t) {
		count := planes.Count()
		if len(planes.Constant()) != count {
			t.Errorf("%s: Constant has %d elements of %d", planes.Name(), len(planes.Constant()), count)
		}
		one, other := make([]uint64, count+1), make([]uint64, count+1)
		for _, v := range chess.Variants() {
			if planes.Supports(v) != nil {
				continue
			}
			for range 20 {
				g := wander(v, rng, rng.IntN(200))
				fen := g.Position().FEN()
				for i := range one {
					one[i], other[i] = 0, ^uint64(0)
				}
				planes.Encode(one, g)
				planes.Encode(other, g)
				for i, constant := range planes.Constant() {
					if one[i] != other[i] {
						t.Fatalf("%s, %s: plane %d is %#x or %#x, by what stood there", planes.Name(), fen, i, one[i], other[i])
					}
					if x := math.Float32frombits(uint32(one[i])); constant && (one[i]>>32 != 0 || !(x >= 0 && x <= 200)) {
						t.Fatalf("%s, %s: constant plane %d is %#x", planes.Name(), fen, i, one[i])
					}
				}
				if one[count] != 0 || other[count] != ^uint64(0) {
					t.Fatalf("%s writes behind its planes", planes.Name())
				}
				if after := g.Position().FEN(); after != fen {
					t.Fatalf("%s changes %s to %s", planes.Name(), fen, after)
				}
			}
		}
		g := wander(chess.Standard, rng, 60)
		if n := testing.AllocsPerRun(10, func() { planes.Encode(one, g) }); n != 0 {
			t.Errorf("%s allocates %v times a position", planes.Name(), n)
		}
	}
}

// BenchmarkPlanes encodes a position in the middle of a game.
func BenchmarkPlanes(b *testing.B) {
	g := wander(chess.Standard, rand.New(rand.NewPCG(3, 3)), 60)
	for _, planes := range allPlanes(b) {
		b.Run(planes.Name(), func(b *testing.B) {
			b.ReportAllocs()
			dst := make([]uint64, planes.Count())
			for b.Loop() {
				planes.Encode(dst, g)
			}
		})
	}
}

// lc0-112 and alphazero119 look at the same history: what both tell they tell alike,
// in games of every variant.
func TestHistoriesAgree(t *testing.T) {
	zero, err := encode.PlanesByName("alphazero119")
	if err != nil {
		t.Fatal(err)
	}
	leela, err := encode.PlanesByName("lc0-112")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(8, 1))
	a, b := make([]uint64, zero.Count()), make([]uint64, leela.Count())
	for _, v := range chess.Variants() {
		if zero.Supports(v) != nil {
			continue
		}
		for range 50 {
			g := wander(v, rng, rng.IntN(150))
			zero.Encode(a, g)
			leela.Encode(b, g)
			for step := range 8 {
				if have, want := b[13*step:][:13], a[14*step:][:13]; !slices.Equal(have, want) {
					t.Fatalf("%s, %s: step %d is %#x to one and %#x to the other", v, g.Position().FEN(), step, have, want)
				}
			}
			// Color, then castling, which the one tells of the long side first.
			if have, want := b[104:109], []uint64{a[115], a[114], a[117], a[116], a[112]}; !slices.Equal(have, want) {
				t.Fatalf("%s, %s: castling and color are %#x to one and %#x to the other", v, g.Position().FEN(), have, want)
			}
		}
	}
}
