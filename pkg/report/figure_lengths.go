package report

import (
	"strconv"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
	"alamos/plots"
)

func init() {
	register("lengths", kind{over: allTrials, reads: always(fromTraining), name: named("lengths", "generation"), draw: drawLengths})
	register("length-histogram", kind{over: allTrials, reads: always(fromTraining), name: histogramName, draw: drawLengthHistogram})
}

// drawLengths shows how the mean length of games of self-play changes.
func drawLengths(q *request) (*drawing, error) {
	if q.fromData() {
		return nil, nothing(noGames)
	}
	c := plots.Lines{Frame: q.frame, X: axis(q.X), Y: plots.Axis{Label: "mean length of a self-play game", Unit: "plies", FromZero: true}}
	var err error
	c.Series, err = q.lines(counts, perGeneration(q.X, func(t *store.Trial, g int) (float64, error) {
		row, err := t.Generation(g)
		if err != nil {
			return 0, err
		}
		return row.MeanPlies(), nil
	}))
	return &drawing{c, "Mean length of the games of self-play." + q.seeds()}, err
}

// noGames is why there are no figures of games.
const noGames = "positions come from data: there are no games of self-play"

// fromData tells whether no trial plays games of its own.
func (q *request) fromData() bool {
	for _, g := range q.groups {
		for _, t := range g.Trials {
			if t.Settings.Data == nil {
				return false
			}
		}
	}
	return true
}

func histogramName(f *experiment.Figure) string {
	if f.Generation == nil {
		return f.Kind
	}
	return f.Kind + "-" + strconv.Itoa(*f.Generation)
}

// drawLengthHistogram shows how long the games of one generation are, those of
// equal settings together.
func drawLengthHistogram(q *request) (*drawing, error) {
	if q.fromData() {
		return nil, nothing(noGames)
	}
	c := plots.Histogram{Frame: q.frame, X: plots.Axis{Label: "length of a self-play game", Unit: "plies"}, Share: len(q.groups) > 1}
	for _, g := range q.groups {
		s := plots.Sample{Name: g.Name}
		for _, t := range g.Trials {
			n := q.generation(t)
			if n < 1 || n > t.Done() {
				continue
			}
			row, err := t.Generation(n)
			if err != nil {
				return nil, err
			}
			for _, l := range row.Lengths {
				s.Values = append(s.Values, float64(l))
			}
		}
		if len(s.Values) > 0 {
			c.Samples = append(c.Samples, s)
		}
	}
	if len(c.Samples) == 0 {
		return nil, nothing("no such generation has been played")
	}
	which := "the last generation"
	if q.Generation != nil {
		which = "generation " + strconv.Itoa(*q.Generation)
	}
	caption := "How long the games of self-play of " + which + " are."
	if q.repeated() {
		caption += " Games of all seeds are counted together."
	}
	return &drawing{c, caption}, nil
}
