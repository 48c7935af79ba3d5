package plots_test

import (
	"errors"
	"testing"

	"alamos/plots"
)

// FuzzBoard wants a picture or a typed error of any text for a position.
func FuzzBoard(f *testing.F) {
	for _, fen := range []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "8/8/8/8/8/8/8/8[Qp] b", "8/8/8/8/8/8/8/Q~7/Pp w", "", "[", "8/8/8/8/8/8/8/8/8/8",
	} {
		f.Add(fen)
	}
	f.Fuzz(func(t *testing.T, fen string) {
		fig, err := plots.Board{FEN: fen}.Figure()
		if err != nil {
			if !errors.Is(err, plots.ErrInvalid) && !errors.Is(err, plots.ErrNoData) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		svg, err := fig.SVG()
		if err != nil {
			t.Fatal(err)
		}
		checkSVG(t, svg)
	})
}
