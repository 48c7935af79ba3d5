package match

import (
	"strings"
	"testing"

	"alamos/pkg/chess"
)

// Material is the same for both sides, and says who is better in each variant.
func TestMaterial(t *testing.T) {
	value := func(v chess.Variant, fen string) float64 {
		t.Helper()
		p, err := chess.ParseFEN(v, fen)
		if err != nil {
			t.Fatal(err)
		}
		var m Material
		m.Add(chess.NewGame(p), nil)
		values, err := m.Values(t.Context())
		if err != nil || len(values) != 1 {
			t.Fatal(values, err)
		}
		return values[0]
	}
	for _, v := range chess.Variants() {
		start := chess.StartPosition(v)
		if x := value(v, start.FEN()); v != chess.Horde && x != 0 {
			t.Errorf("%s begins with %g", v, x)
		}
	}
	for _, c := range []struct {
		variant     chess.Variant
		better, fen string
	}{
		{chess.Standard, "white", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"},
		{chess.Standard, "white", "4k3/8/8/8/8/8/8/R3K3 b - - 0 1"},
		{chess.Antichess, "black", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"},
		{chess.Crazyhouse, "black", "4k3/8/8/8/8/8/8/4K3[q] w - - 0 1"},
		{chess.ThreeCheck, "white", "4k3/8/8/8/8/8/8/4K3 w - - 1+3 0 1"},
		{chess.KingOfTheHill, "black", "8/8/4k3/8/8/8/8/4K3 w - - 0 1"},
		{chess.RacingKings, "white", "8/8/6K1/8/8/8/k7/8 w - - 0 1"},
	} {
		x := value(c.variant, c.fen)
		if strings.Contains(c.fen, " b ") {
			x = -x
		}
		if c.better == "white" && x <= 0 || c.better == "black" && x >= 0 || x <= -1 || x >= 1 {
			t.Errorf("%s %s: %g for White", c.variant, c.fen, x)
		}
	}
}
