package report

import (
	"maps"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

func init() {
	register("loss", kind{over: eachTrial, reads: always(fromTraining), draw: drawLoss})
	register("loss-heads", kind{over: eachTrial, reads: always(fromTraining), draw: drawLossHeads})
	register("learning-rate", kind{over: allTrials, reads: always(fromTraining), draw: drawRate})
}

// drawLoss shows the training of a trial.
func drawLoss(q *request) (*drawing, error) {
	c := plots.Loss{Frame: q.frame}
	rows, err := epochs(q.only(), &c)
	if err != nil {
		return nil, err
	}
	c.Series = []plots.LossSeries{{
		Rate:       overEpochs(rows, func(e store.Epoch) stats.Float { return e.Rate }),
		Training:   overEpochs(rows, func(e store.Epoch) stats.Float { return e.Train.Total }),
		Validation: overEpochs(rows, func(e store.Epoch) stats.Float { return e.Validation.Total }),
	}}
	return &drawing{c, "Learning rate and losses over epochs; lines mark the ends of generations, after which the data is new."}, nil
}

// drawLossHeads shows the loss of each head by itself, in training and on held-out
// games.
func drawLossHeads(q *request) (*drawing, error) {
	var marks plots.Loss
	rows, err := epochs(q.only(), &marks)
	if err != nil {
		return nil, err
	}
	c := plots.LossHeads{Frame: q.frame, Generations: marks.Generations}
	for _, head := range []struct {
		name, unit string
		of         func(store.Loss) stats.Float
	}{
		{"policy", "nats", func(l store.Loss) stats.Float { return l.Policy }},
		{"value", valueUnit(q.only()), func(l store.Loss) stats.Float { return l.Value }},
		{"moves left", "Huber's loss", func(l store.Loss) stats.Float { return l.MovesLeft }},
	} {
		if network := &q.only().Settings.Network; head.name == "policy" && network.Policy == experiment.NoPolicy || head.name == "moves left" && !network.MovesLeft {
			continue
		}
		h := plots.HeadLoss{Name: head.name, Unit: head.unit, Series: []plots.Series{
			{Name: "training", Points: overEpochs(rows, func(e store.Epoch) stats.Float { return head.of(e.Train) })},
			{Name: "validation", Points: overEpochs(rows, func(e store.Epoch) stats.Float { return head.of(e.Validation) })},
		}}
		c.Heads = append(c.Heads, h)
	}
	return &drawing{c, lossesOf(c.Heads) + " over epochs; lines mark the ends of generations, after which the data is new."}, nil
}

// lossesOf names the losses of at least one head.
func lossesOf(heads []plots.HeadLoss) string {
	var names []string
	for _, h := range heads {
		names = append(names, h.Name)
	}
	last := len(names) - 1
	if last == 0 {
		return "Loss of " + names[0]
	}
	return "Losses of " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// valueUnit is what the loss of a trial's value is measured in.
func valueUnit(t *store.Trial) string {
	if t.Settings.Network.Value == "wdl" {
		return "nats"
	}
	return "squared error"
}

// drawRate shows the learning rates of all trials.
func drawRate(q *request) (*drawing, error) {
	c := plots.Loss{Frame: q.frame}
	for _, g := range q.groups {
		s := plots.LossSeries{}
		if len(q.groups) > 1 {
			s.Name = g.Name
		}
		rates := map[int][]float64{} // of the seeds, which may differ where the losses decide
		for _, t := range g.Trials {
			rows, err := epochs(t, &c)
			if err != nil {
				return nil, err
			}
			for _, e := range rows {
				rates[e.Epoch] = append(rates[e.Epoch], float64(e.Rate))
			}
		}
		for _, e := range slices.Sorted(maps.Keys(rates)) {
			s.Rate = append(s.Rate, plots.Point{X: float64(e), Y: stats.Exactly(stats.Mean(rates[e]).Value)})
		}
		if len(s.Rate) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	if len(c.Series) == 0 {
		return nil, nothing("no generation is trained yet")
	}
	caption := "Learning rate over epochs; lines mark the ends of generations."
	if q.repeated() {
		caption += " Lines are means over seeds."
	}
	return &drawing{c, caption}, nil
}

// epochs are the rows of all epochs of a trial. The chart marks the ends of
// generations, of that trial that has come farthest.
func epochs(t *store.Trial, c *plots.Loss) ([]store.Epoch, error) {
	var all []store.Epoch
	var marks []float64
	for g := 1; g <= t.Done(); g++ {
		rows, err := t.Epochs(g)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
		if len(all) > 0 {
			marks = append(marks, float64(all[len(all)-1].Epoch))
		}
	}
	if len(all) == 0 {
		return nil, nothing("no generation is trained yet")
	}
	if marks = marks[:len(marks)-1]; len(marks) > len(c.Generations) {
		c.Generations = marks
	}
	return all, nil
}

// overEpochs are the points of a number of each epoch.
func overEpochs(rows []store.Epoch, of func(store.Epoch) stats.Float) (points []plots.Point) {
	for _, e := range rows {
		points = append(points, plots.Point{X: float64(e.Epoch), Y: stats.Exactly(float64(of(e)))})
	}
	return points
}
