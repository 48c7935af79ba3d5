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
		names := slices.Clone(p.Names())
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
		planes *Planes
		name   string
		want   chess.Bitboard
	}{
		{atomic16, "black queens", 1 << 59}, {mover15, "other king", 1 << 60}, {variants31, "own castling", 0x81},
		{alphaZero119, "other pawns", 0xff << 48}, {leela112, "own bishops", 0x24}, {marro77, "other knights", 0x42 << 56}, {marro77, "moves 2 N", 0xff << 8}, {marro77, "moves 2 N 1 E", 0x42},
		{dtu24, "White moves to", 0xffff << 16}, {planesOfRules(chess.Standard), "other rook", 0x81 << 56},
	} {
		words := make([]uint64, c.planes.Count())
		c.planes.Encode(words, game)
		i := slices.Index(c.planes.Names(), c.name)
		if i < 0 || chess.Bitboard(words[i]) != c.want {
			t.Errorf("%s of %s: plane %d", c.name, c.planes.Name(), i)
		}
	}
}

// The maps of a policy have names of their own, but for those of no move.
func TestMapNames(t *testing.T) {
	for _, c := range []struct {
		policy *Policy
		first  []string
		some   []string
	}{
		{alphaZero4672, []string{"1 N", "2 N"}, []string{"7 SW", "2 N 1 E", "1 S 2 W", "1 N = n", "1 NE = r"}},
		{uci2206Mover, nil, []string{"3 E", "drop N", "1 N 2 E"}},
		{leela1858, nil, []string{"4 SE", "1 N = q"}},
	} {
		names, err := MapNames(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range c.first {
			if names[i] != name {
				t.Errorf("%s: map %d is %q, want %q", c.policy.Name(), i, names[i], name)
			}
		}
		for _, name := range c.some {
			if !slices.Contains(names, name) {
				t.Errorf("%s: no map %q: %q", c.policy.Name(), name, names)
			}
		}
		used := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "unused" })
		slices.Sort(used)
		if n := len(slices.Compact(slices.Clone(used))); n != len(used) {
			t.Errorf("%s: %d names for %d maps: %q", c.policy.Name(), n, len(used), names)
		}
	}
}
