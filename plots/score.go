package plots

import (
	"fmt"
)

// Score shows the strength of players that were trained for longer and
// longer, as their score in one tournament: one line a trial.
type Score struct {
	Frame

	// X is what strength is shown against; its zero value is "samples trained
	// on", from 0.
	X Axis

	// Series has the samples trained on, or the generation, as X and the score
	// as Y; Low and High, if given, bound the score's confidence interval.
	// Scores and bounds are shares between 0 and 1 or, if Games is set, points
	// between 0 and Games. Intervals are cut off at the axis.
	Series []Series

	// References are levels to compare with: the untrained network, a player
	// of random moves.
	References []Reference

	// Games is the number of games each player played. 0: scores are shares.
	Games int
}

// Figure implements [Chart].
func (s Score) Figure() (*Figure, error) {
	if s.X == (Axis{}) {
		s.X = Axis{Label: "samples trained on", FromZero: true}
	}
	if s.Games < 0 {
		return nil, fmt.Errorf("plots: score of %d games: %w", s.Games, ErrRange)
	}
	most, label := 1.0, "tournament score"
	if s.Games > 0 {
		most, label = float64(s.Games), fmt.Sprintf("tournament score (points of %d)", s.Games)
	}
	x, _, err := checkSeries(s.Series, s.References, s.X, Axis{})
	if err != nil {
		return nil, err
	}
	for i, series := range s.Series {
		for j, y := range series.Y {
			if y < 0 || y > most {
				return nil, fmt.Errorf("plots: series %d (%q): score[%d] = %g: want 0 to %g: %w", i, series.Name, j, y, most, ErrRange)
			}
		}
	}
	for _, r := range s.References {
		if r.Y < 0 || r.Y > most {
			return nil, fmt.Errorf("plots: reference %q at score %g: want 0 to %g: %w", r.Name, r.Y, most, ErrRange)
		}
	}
	p := newPlot(s.X.text(), label)
	setRange(&p.X, s.X, x, 0, 7)
	// The whole range of possible scores: a tournament's differences then look
	// as large as they are.
	setRange(&p.Y, Axis{}, span{0, most, s.Games > 0}, 0, 5)
	return seriesFigure(s.Frame, p, s.Series, s.References, "Line chart")
}
