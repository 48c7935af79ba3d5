package encode

import (
	"slices"
	"testing"

	"alamos/pkg/chess"
)

// Every plane has a name of its own.
func TestPlaneNames(t *testing.T) {
	all := slices.Clone(allPlanes)
	for _, v := range []chess.Variant{chess.Standard, chess.Crazyhouse, chess.ThreeCheck} {
		all = append(all, planesOfRules(v))
	}
	for _, p := range all {
		names := PlaneNames(p)
		if len(names) != p.Count() {
			t.Errorf("%s has %d names for %d planes", p.Name(), len(names), p.Count())
		}
		slices.Sort(names)
		if n := len(slices.Compact(names)); n != p.Count() {
			t.Errorf("%s has %d different names for %d planes", p.Name(), n, p.Count())
		}
	}
	game := chess.NewGame(chess.StartPosition(chess.Standard))
	for _, c := range []struct {
		planes Planes
		name   string
		want   chess.Bitboard
	}{
		{atomic16, "black queens", 1 << 59}, {mover15, "other king", 1 << 60}, {variants31, "own castling", 0x81},
		{alphaZero119, "other pawns", 0xff << 48}, {leela112, "own bishops", 0x24}, {marro77, "other knights", 0x42 << 56},
		{dtu24, "ends of White’s moves", 0xffff << 16}, {planesOfRules(chess.Standard), "other rook", 0x81 << 56},
	} {
		words := make([]uint64, c.planes.Count())
		c.planes.Encode(words, game)
		i := slices.Index(PlaneNames(c.planes), c.name)
		if i < 0 || chess.Bitboard(words[i]) != c.want {
			t.Errorf("%s of %s: plane %d", c.name, c.planes.Name(), i)
		}
	}
}
