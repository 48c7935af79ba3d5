package experiment

import (
	"fmt"

	"alamos/pkg/chess"
)

// FigurePosition is the position that a figure names; start is the first that the
// games of the experiment begin with.
func FigurePosition(v chess.Variant, s *Settings, name string) (chess.Position, error) {
	switch {
	case name != "start":
		p, err := chess.ParseFEN(v, name)
		if err == nil {
			err = chess.CheckOngoing(&p)
		}
		return p, err
	case len(s.Game.Start) == 0:
		return chess.StartPosition(v), nil
	case s.Game.Start[0] == chess.AnyChess960:
		return chess.Chess960(v, 518) // the usual one, of 0 to 959
	}
	return chess.ParseFEN(v, s.Game.Start[0])
}

// checkPositions reports positions of figures that are none.
func checkPositions(e *Experiment, v chess.Variant, s *Settings, fail func(key, hint string, err error)) {
	for i := range e.Notebook {
		if f := e.Notebook[i].Figure; f != nil && f.Position != "" {
			if _, err := FigurePosition(v, s, f.Position); err != nil {
				fail("notebook", "write start, or a FEN", fmt.Errorf("cell %d: %w", i+1, err))
			}
		}
	}
}
