package report

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// drawLoss shows the training of a trial.
func drawLoss(p *picture) (plots.Chart, string, error) {
	c, err := losses(p.groups, true)
	c.Frame = p.frame
	return c, "Learning rate and losses over epochs; lines mark the ends of generations, after which the data is new.", err
}

// LossChart shows the training of groups of trials, as the mean over the seeds of each.
func LossChart(groups []store.Group) (plots.Chart, error) { return losses(groups, true) }

// drawRate shows the learning rates of all trials.
func drawRate(p *picture) (plots.Chart, string, error) {
	c, err := losses(p.groups, false)
	c.Frame = p.frame
	caption := "Learning rate over epochs; lines mark the ends of generations."
	if p.repeated() {
		caption += " Lines are means over seeds."
	}
	return c, caption, err
}

// losses returns the learning rates of groups of trials and optionally their losses. The
// ends of generations are those of the trial with the most generations.
func losses(groups []store.Group, withLosses bool) (plots.Stack, error) {
	var c plots.Stack
	for _, g := range groups {
		for _, t := range g.Trials {
			_, marks, err := epochs(t)
			if err != nil {
				return c, err
			}
			if len(marks) > len(c.Generations) {
				c.Generations = marks
			}
		}
	}
	rate := curve{"", func(e store.Epoch) stats.Float {
		if e.Rate == 0 { // where a schedule ends: a gap on the logarithmic axis
			return stats.Float(math.NaN())
		}
		return e.Rate
	}}
	panel, err := panelOf(groups, plots.Axis{Label: "learning rate", Log: true}, rate)
	if c.Panels = append(c.Panels, panel); err != nil || !withLosses {
		return c, err
	}
	panel, err = panelOf(groups, plots.Axis{Label: "loss"}, lossCurves(func(l store.Loss) stats.Float { return l.Total })...)
	c.Panels = append(c.Panels, panel)
	return c, err
}

// panelOf returns the curves of groups of trials, each as the mean over its seeds.
func panelOf(groups []store.Group, y plots.Axis, curves ...curve) (plots.Panel, error) {
	p := plots.Panel{Y: y}
	for _, curve := range curves {
		all, err := lines(groups, anything, curve.points)
		if err != nil {
			return p, err
		}
		for _, s := range all {
			if s.Curve, s.Step = curve.name, y.Log; len(groups) == 1 {
				s.Name = ""
			}
			for i := range s.Points { // intervals would hide the lines
				s.Points[i].Y = stats.Exactly(s.Points[i].Y.Value)
			}
			p.Series = append(p.Series, s)
		}
	}
	return p, nil
}

// curve is a number of each epoch.
type curve struct {
	name string // empty if it is the only one of its panel
	of   func(store.Epoch) stats.Float
}

// lossCurves returns a loss on held-out games and in training.
func lossCurves(of func(store.Loss) stats.Float) []curve {
	return []curve{
		{"validation loss", func(e store.Epoch) stats.Float { return of(e.Validation) }},
		{"training loss", func(e store.Epoch) stats.Float { return of(e.Train) }},
	}
}

// points returns the curve of a trial.
func (c curve) points(t *store.Trial) ([]point, error) {
	rows, _, err := epochs(t)
	var ps []point
	for _, e := range rows {
		ps = append(ps, point{e.Epoch, float64(e.Epoch), stats.Exactly(float64(c.of(e)))})
	}
	return ps, err
}

// epochs returns all epochs of a trial, at least one, and those at which generations ended,
// except the last.
func epochs(t *store.Trial) (all []store.Epoch, marks []float64, err error) {
	for g := 1; g <= t.Done(); g++ {
		rows, err := t.Epochs(g)
		if err != nil {
			return nil, nil, err
		}
		if len(all) > 0 {
			marks = append(marks, float64(all[len(all)-1].Epoch))
		}
		all = append(all, rows...)
	}
	if len(all) == 0 {
		return nil, nil, noTraining
	}
	return all, marks, nil
}

// drawLossHeads shows the loss of each head, in training and on held-out games.
func drawLossHeads(p *picture) (plots.Chart, string, error) {
	_, marks, err := epochs(p.only())
	if err != nil {
		return nil, "", err
	}
	network := &p.only().Declared.Settings.Network
	valueUnit := "squared error"
	if network.Value == "wdl" {
		valueUnit = "nats"
	}
	c := plots.Stack{Frame: p.frame, Generations: marks}
	var names []string
	for _, head := range []struct {
		name, unit string
		has        bool
		of         func(store.Loss) stats.Float
	}{
		{"policy", "nats", network.Policy != experiment.NoPolicy, func(l store.Loss) stats.Float { return l.Policy }},
		{"value", valueUnit, true, func(l store.Loss) stats.Float { return l.Value }},
		{"moves left", "Huber's loss", network.MovesLeft, func(l store.Loss) stats.Float { return l.MovesLeft }},
	} {
		if !head.has {
			continue
		}
		panel, err := panelOf(p.groups, plots.Axis{Label: head.name + " loss", Unit: head.unit}, lossCurves(head.of)...)
		if err != nil {
			return nil, "", err
		}
		c.Panels = append(c.Panels, panel)
		names = append(names, head.name)
	}
	what := "Loss of " + names[0]
	if last := len(names) - 1; last > 0 {
		what = "Losses of " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return c, what + " over epochs; lines mark the ends of generations, after which the data is new.", nil
}

// playsGames reports whether a trial plays its own games.
func (p *picture) playsGames() bool {
	for _, t := range p.trials {
		if t.Declared.Settings.Data == nil {
			return true
		}
	}
	return false
}

// drawLengths shows the mean length of self-play games over training.
func drawLengths(p *picture) (plots.Chart, string, error) {
	if !p.playsGames() {
		return nil, "", noGames
	}
	c := plots.Lines{Frame: p.frame, X: axis(p.X), Y: plots.Axis{Label: "mean length of a self-play game", Unit: "plies", FromZero: true}}
	var err error
	c.Series, err = lines(p.groups, counts, perGeneration(p.X, func(t *store.Trial, g int) (float64, error) {
		row, err := t.Generation(g)
		if err != nil {
			return 0, err
		}
		return row.MeanPlies(), nil
	}))
	return c, "Mean length of the games of self-play." + p.seeds(), err
}

// drawLengthHistogram shows the lengths of the games of one generation. Trials with equal
// settings are merged.
func drawLengthHistogram(p *picture) (plots.Chart, string, error) {
	if !p.playsGames() {
		return nil, "", noGames
	}
	c := plots.Histogram{Frame: p.frame, X: plots.Axis{Label: "length of a self-play game", Unit: "plies"}, Share: len(p.groups) > 1}
	which := "the last generation"
	if p.Generation != nil {
		which = "generation " + strconv.Itoa(*p.Generation)
	}
	for _, g := range p.groups {
		s := plots.Sample{Name: g.Name}
		for _, t := range g.Trials {
			n := t.Done()
			if p.Generation != nil {
				n = *p.Generation
			}
			if n < 1 || n > t.Done() {
				continue
			}
			row, err := t.Generation(n)
			if err != nil {
				return nil, "", err
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
		return nil, "", nothing("no such generation has been played")
	}
	caption := "Lengths of the games of self-play of " + which + "."
	if p.repeated() {
		caption += " Games of all seeds are counted together."
	}
	return c, caption, nil
}

// drawResults shows how the games of self-play of a trial ended.
func drawResults(p *picture) (plots.Chart, string, error) {
	if !p.playsGames() {
		return nil, "", noGames
	}
	c, t := plots.Results{Frame: p.frame}, p.only()
	for g := 1; g <= t.Done(); g++ {
		row, err := t.Generation(g)
		if err != nil {
			return nil, "", err
		}
		c.White = append(c.White, float64(row.WhiteWins))
		c.Draws = append(c.Draws, float64(row.Draws))
		c.Black = append(c.Black, float64(row.BlackWins))
	}
	return c, "Results of the games of self-play of each generation: shares of White's wins, of draws and of Black's wins.", nil
}

// drawHook shows one metric of one script. The figure's metric is "hook.metric", or only a
// metric, or a script with one metric.
func drawHook(p *picture) (plots.Chart, string, error) {
	c := plots.Lines{Frame: p.frame, X: axis(p.X)}
	why := "no generation is done yet"
	var err error
	c.Series, err = lines(p.groups, anything, func(t *store.Trial) ([]point, error) {
		if t.Done() == 0 {
			return nil, nil
		}
		i, metric, err := t.FindMetric(p.Metric)
		if errors.Is(err, store.ErrUnmeasured) { // a run continues after a fault of a measuring script
			why = fmt.Sprintf("there are %v", err)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		c.Y.Label = spaced(metric)
		return perGeneration(p.X, func(t *store.Trial, g int) (float64, error) {
			m, err := t.Metrics(g, i)
			if v, ok := m[metric]; ok {
				return float64(v), err
			}
			return math.NaN(), err
		})(t)
	})
	if err == nil && c.Y.Label == "" {
		err = nothing(why)
	}
	return c, "A hook's metric over " + c.X.Label + ": " + c.Y.Label + "." + p.seeds(), err
}
