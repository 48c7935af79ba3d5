package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
	"alamos/plots"
)

// drawLoss shows the training of a trial.
func drawLoss(p *picture) (plots.Chart, string, error) {
	if p.X == "step" {
		return drawSteps(p)
	}
	c := LossChart(p.groups, true)
	c.Frame = p.frame
	caption := "Learning rate and losses over epochs"
	return c, caption + marked(c, "; lines mark the ends of generations, after which the data is new") + ".", nil
}

// marked returns a text about the lines that mark the ends of generations, or "" without such lines.
func marked(c plots.Stack, text string) string {
	if len(c.Generations) == 0 {
		return ""
	}
	return text
}

// rollingShare is the share of an epoch that a rolling mean of its losses is over.
const rollingShare = 0.2

// drawSteps shows the loss in training over the steps of the optimizer.
func drawSteps(p *picture) (plots.Chart, string, error) {
	training, rolling := plots.Series{Curve: "training loss", Faint: true}, plots.Series{Curve: "rolling mean"}
	validation := plots.Series{Curve: "validation loss"}
	c := plots.Stack{Frame: p.frame, X: "step"}
	t, steps, each := p.only(), 0, 0
	var recent []float64
	for g := 1; g <= t.Done(); g++ {
		if g > 1 {
			c.Generations = append(c.Generations, float64(steps))
		}
		for _, e := range t.Epochs(g) {
			points := len(e.Curve)
			each = max(each, (e.Steps+points-1)/max(1, points))
			window := int(math.Ceil(rollingShare * float64(points)))
			for i, loss := range e.Curve {
				x := float64(steps) + float64(e.Steps*(i+1))/float64(points)
				recent = append(recent, float64(loss))
				recent = recent[max(0, len(recent)-window):]
				training.Points = append(training.Points, plots.Point{X: x, Y: stats.Exactly(float64(loss))})
				rolling.Points = append(rolling.Points, plots.Point{X: x, Y: stats.Exactly(stats.Mean(recent).Value)})
			}
			steps += e.Steps
			validation.Points = append(validation.Points, plots.Point{X: float64(steps), Y: stats.Exactly(e.Validation.Total)})
		}
	}
	c.Panels = []plots.Panel{{Y: plots.Axis{Label: "loss"}, Series: []plots.Series{training, rolling, validation}}}
	caption := fmt.Sprintf("Loss over the steps of training: means of up to %s, and over the last fifth of an epoch.", english.Plural(each, "step", ""))
	return c, caption + marked(c, " Lines mark the ends of generations."), nil
}

// drawRate shows the learning rates of all trials.
func drawRate(p *picture) (plots.Chart, string, error) {
	c := LossChart(p.groups, false)
	c.Frame = p.frame
	caption := "Learning rate over epochs" + marked(c, "; lines mark the ends of generations")
	return c, caption + "." + p.ofSeeds(" Lines are means over seeds."), nil
}

// LossChart shows the learning rates of groups of trials and optionally their losses, as
// means over the seeds of each.
func LossChart(groups []store.Group, withLosses bool) plots.Stack {
	c := plots.Stack{X: "epoch", Generations: ends(groups)}
	c.Panels = append(c.Panels, panelOf(groups, plots.Axis{Label: "learning rate", Log: true}, curve{"", func(e *train.Epoch) float64 { return e.Rate }}))
	if withLosses {
		c.Panels = append(c.Panels, lossPanel(groups, plots.Axis{Label: "loss"}, func(l nn.Loss) float64 { return l.Total }))
	}
	return c
}

// ends returns the last epoch of each generation but the last, of the trial with the most, or none
// if those of another trial are others.
func ends(groups []store.Group) (longest []float64) {
	for _, g := range groups {
		for _, t := range g.Trials {
			var ends []float64
			for n := 1; n < t.Done(); n++ {
				if all := t.Epochs(n); len(all) > 0 {
					ends = append(ends, float64(all[len(all)-1].Number))
				}
			}
			if common := min(len(ends), len(longest)); !slices.Equal(ends[:common], longest[:common]) {
				return nil
			}
			if len(ends) > len(longest) {
				longest = ends
			}
		}
	}
	return longest
}

// curve is a number of each epoch.
type curve struct {
	name string // empty if it is the only one of its panel
	of   func(*train.Epoch) float64
}

// lossPanel returns the curves of a part of the loss, on held-out games and in training.
func lossPanel(groups []store.Group, y plots.Axis, part func(nn.Loss) float64) plots.Panel {
	return panelOf(groups, y,
		curve{"validation loss", func(e *train.Epoch) float64 { return part(e.Validation) }},
		curve{"training loss", func(e *train.Epoch) float64 { return part(e.Train) }})
}

// panelOf returns the curves of groups of trials, each as the mean over its seeds.
func panelOf(groups []store.Group, y plots.Axis, curves ...curve) plots.Panel {
	p, longest := plots.Panel{Y: y}, 0
	for _, curve := range curves {
		for _, s := range lines(groups, anything, overEpochs(curve.of)) {
			if s.Curve, s.Step = curve.name, y.Log; len(groups) == 1 {
				s.Name = ""
			}
			for i := range s.Points { // intervals would hide the lines
				value := s.Points[i].Y.Value
				if y.Log && value == 0 { // where a schedule ends: a gap on the logarithmic axis
					value = math.NaN()
				} else if y.Log && !slices.Contains(p.Y.Ticks, value) {
					p.Y.Ticks = append(p.Y.Ticks, value)
				}
				s.Points[i].Y = stats.Exactly(value)
			}
			p.Series = append(p.Series, s)
			longest = max(longest, len(s.Points))
		}
	}
	if len(p.Y.Ticks) > max(2, longest/2) { // a rate that changes with every epoch has no values of note
		p.Y.Ticks = nil
	}
	return p
}

// drawLossHeads shows the loss of each head, in training and on held-out games.
func drawLossHeads(p *picture) (plots.Chart, string, error) {
	c := plots.Stack{Frame: p.frame, X: "epoch", Generations: ends(p.groups)}
	var names []string
	for _, head := range lossTerms(&p.only().Declared.Settings) {
		if !head.has {
			continue
		}
		c.Panels = append(c.Panels, lossPanel(p.groups, plots.Axis{Label: head.name + " loss", Unit: head.unit}, head.of))
		names = append(names, head.name)
	}
	what := "Loss of " + names[0]
	if len(names) > 1 {
		what = "Losses of " + english.WordSeries(names, "and")
	}
	return c, what + " over epochs" + marked(c, "; lines mark the ends of generations, after which the data is new") + ".", nil
}

// drawLengths shows the mean length of self-play games over training.
func drawLengths(p *picture) (plots.Chart, string, error) {
	c := plots.Lines{
		Frame: p.frame, X: axis(p.X), Y: plots.Axis{Label: "mean length of a self-play game", Unit: "plies", FromZero: true},
		Series: lines(p.groups, counts, overGenerations(p.X, func(t *store.Trial, g int) stats.Interval { return stats.Exactly(t.Generation(g).MeanPlies()) })),
	}
	return c, "Mean length of the games of self-play." + p.seeds(), nil
}

// drawLengthHistogram shows the lengths of the games of one generation. Trials with equal
// settings are merged.
func drawLengthHistogram(p *picture) (plots.Chart, string, error) {
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
			for _, l := range t.Generation(n).Lengths {
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
	return c, "Lengths of the games of self-play of " + which + "." + p.ofSeeds(" Games of all seeds are counted together."), nil
}

// drawResults shows how the games of self-play of a trial ended.
func drawResults(p *picture) (plots.Chart, string, error) {
	c := plots.Results{Frame: p.frame}
	for g := 1; g <= p.only().Done(); g++ {
		row := p.only().Generation(g)
		c.Generations = append(c.Generations, stats.Record{Wins: row.WhiteWins, Draws: row.Draws, Losses: row.BlackWins})
	}
	return c, "Results of the games of self-play of each generation: shares of White's wins, of draws and of Black's wins.", nil
}

// drawMetric shows a metric of [store.Trial.MeasureAt], or of a script: "hook.metric", or only
// a metric, or a script with one metric.
func drawMetric(p *picture) (plots.Chart, string, error) {
	c := plots.Lines{Frame: p.frame, X: axis(p.X)}
	if m := store.MetricOf(p.Metric); m.Source != store.FromHooks {
		if slices.Contains(colorColumns, m.Name) {
			return nil, "", nothing("the tournament measures this once for a trial, not for each generation")
		}
		if err := p.trials[0].CheckMetric(m.Name); err != nil {
			return nil, "", err
		}
		c.Y = axisOf(m)
		c.Series = lines(p.groups, boundsOf(m), overGenerations(p.X, measure(m.Name)))
		return c, capital(m.Label) + " over " + c.X.Label + "." + p.seeds(), nil
	}
	found, label, err := p.ofHooks((*store.Trial).FindMetric)
	if err != nil {
		return nil, "", err
	}
	c.Y.Label, c.Y.Unit = label.Text, label.Unit
	c.Series = lines(p.groups, anything, overGenerations(p.X, func(t *store.Trial, g int) stats.Interval {
		if m, has := found[t]; has {
			return t.MeasureAt(g, m.metric(t))
		}
		return stats.Unknown()
	}))
	return c, "A hook's metric over " + c.X.Label + ": " + c.Y.Label + "." + p.seeds(), nil
}

// drawSeries shows a curve of a script: of the last generation of several settings, or of
// several generations of one.
func drawSeries(p *picture) (plots.Chart, string, error) {
	found, label, err := p.ofHooks((*store.Trial).FindSeries)
	if err != nil {
		return nil, "", err
	}
	c := plots.Lines{Frame: p.frame, X: plots.Axis{Label: cmp.Or(label.X, "x")}, Y: plots.Axis{Label: label.Text, Unit: label.Unit}}
	which := "the last generation"
	for _, g := range p.groups {
		generations := generationsWith(g, found)
		switch {
		case p.Generation != nil:
			which = "generation " + strconv.Itoa(*p.Generation)
			generations = slices.DeleteFunc(generations, func(n int) bool { return n != *p.Generation })
		case len(p.groups) > 1:
			generations = generations[max(0, len(generations)-1):]
		default:
			which = "generations in training"
			generations = spread(generations, mostCurves)
		}
		for _, n := range generations {
			s := lines([]store.Group{g}, anything, func(t *store.Trial) (ps []point) {
				for _, at := range t.Series(n, found[t].script)[found[t].name] {
					ps = append(ps, point{float64(at[0]), float64(at[0]), stats.Exactly(float64(at[1]))})
				}
				return ps
			})[0]
			if len(p.groups) == 1 {
				s.Name = "generation " + strconv.Itoa(n)
			}
			c.Series = append(c.Series, s)
		}
	}
	if p.Generation != nil && len(c.Series) == 0 {
		return nil, "", nothing("no such generation has been measured")
	}
	return c, "A hook's series: " + label.Text + " over " + c.X.Label + ", of " + which + "." + p.seeds(), nil
}

// mostCurves is the number of generations whose curves a figure shows.
const mostCurves = 5

// generationsWith returns the generations of a group that have a series.
func generationsWith(g store.Group, found map[*store.Trial]hookMeasure) (all []int) {
	for _, t := range g.Trials {
		for n := 1; n <= t.Done(); n++ {
			if _, has := t.Series(n, found[t].script)[found[t].name]; has && !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	slices.Sort(all)
	return all
}

// spread returns at most n elements at equal distances, the last one among them.
func spread(all []int, n int) (some []int) {
	n = min(n, len(all))
	for i := range n {
		some = append(some, all[(i+1)*len(all)/n-1])
	}
	return some
}

// hookMeasure is what a figure shows of the hooks of a trial: a metric or a series.
type hookMeasure struct {
	script int // index of the hook
	name   string
}

// metric returns the name of the measure, "hook.name".
func (m hookMeasure) metric(t *store.Trial) string {
	return t.Declared.Settings.Hooks[m.script].Name() + "." + m.name
}

// ofHooks finds the metric or the series of the figure in the trials that have it, and its
// label. The error is of type nothing if no trial has it yet.
func (p *picture) ofHooks(find func(*store.Trial, string) (int, string, error)) (map[*store.Trial]hookMeasure, store.Label, error) {
	found, label := map[*store.Trial]hookMeasure{}, store.Label{}
	why := ""
	for _, t := range p.trials {
		i, name, err := find(t, p.Metric)
		switch {
		case errors.Is(err, store.ErrUnmeasured): // a run continues after a fault of a measuring script
			why = fmt.Sprintf("there are %v", err)
		case err != nil:
			return nil, label, err
		default:
			m := hookMeasure{i, name}
			found[t], label = m, t.MetricLabel(m.metric(t))
			label.Text = cmp.Or(label.Text, store.Spaced(name))
		}
	}
	if len(found) == 0 {
		return nil, label, nothing(why)
	}
	return found, label, nil
}

// point is a number of a trial at one place of a line. Points with equal keys (a
// generation, an epoch) have the same place in all trials.
type point struct {
	key float64
	x   float64
	y   stats.Interval
}

// bounds are the limits of a number. A Student's t interval may exceed them.
type bounds struct{ low, high float64 }

var (
	shares   = bounds{0, 1}
	counts   = bounds{0, math.Inf(1)}
	anything = bounds{math.Inf(-1), math.Inf(1)}
)

// lines makes a line of each group: of its only trial, or of the mean over its seeds with
// an interval.
func lines(groups []store.Group, within bounds, points func(*store.Trial) []point) (all []plots.Series) {
	for _, g := range groups {
		at := map[float64][]point{}
		for _, t := range g.Trials {
			for _, p := range points(t) {
				at[p.key] = append(at[p.key], p)
			}
		}
		s := plots.Series{Name: g.Name, Band: len(g.Trials) > 1}
		for _, key := range slices.Sorted(maps.Keys(at)) {
			x, y := at[key][0].x, at[key][0].y
			if len(g.Trials) > 1 {
				x, y = mean(at[key])
			}
			y.Low, y.High = math.Max(y.Low, within.low), math.Min(y.High, within.high)
			s.Points = append(s.Points, plots.Point{X: x, Y: y})
		}
		all = append(all, s)
	}
	return all
}

// mean returns the mean of points with equal keys, in both directions.
func mean(ps []point) (x float64, y stats.Interval) {
	values := make([]float64, len(ps))
	for i, p := range ps {
		values[i] = p.y.Value
		x += p.x / float64(len(ps))
	}
	return x, stats.Mean(values)
}

// empty reports whether no line has a point.
func empty(lines []plots.Series) bool {
	return !slices.ContainsFunc(lines, func(s plots.Series) bool { return len(s.Points) > 0 })
}

// ofSeeds returns a part of a caption if a group has several seeds, otherwise "".
func (p *picture) ofSeeds(text string) string {
	if !p.repeated() {
		return ""
	}
	return text
}

// seeds returns the part of a caption about lines of several seeds.
func (p *picture) seeds() string {
	if len(p.groups) > plots.MostBands && p.Kind != "multiples" {
		return p.ofSeeds(" Lines are means over seeds.")
	}
	return p.ofSeeds(" Lines are means over seeds, with the 95 % interval (Student t).")
}

// generationAxis is the axis of all figures over generations.
var generationAxis = plots.Axis{Label: "generation", FromZero: true}

// axis returns the horizontal axis of a figure over training.
func axis(x string) plots.Axis {
	if x == "samples" {
		return plots.Axis{Label: "samples trained on", FromZero: true}
	}
	return generationAxis
}

// overGenerations returns a number of each finished generation that has one, over generations or
// samples.
func overGenerations(x string, of func(t *store.Trial, g int) stats.Interval) func(*store.Trial) []point {
	return func(t *store.Trial) (ps []point) {
		for g := 1; g <= t.Done(); g++ {
			at := g
			if x == "samples" {
				at = t.SamplesUntil(g)
			}
			if y := of(t, g); !y.Missing() {
				ps = append(ps, point{float64(g), float64(at), y})
			}
		}
		return ps
	}
}

func boundsOf(m store.Metric) bounds {
	if m.Share {
		return shares
	}
	return anything
}

// measure returns a function for a metric of generations.
func measure(metric string) func(t *store.Trial, g int) stats.Interval {
	return func(t *store.Trial, g int) stats.Interval { return t.MeasureAt(g, metric) }
}

// overEpochs returns a number of each epoch.
func overEpochs(of func(*train.Epoch) float64) func(*store.Trial) []point {
	return func(t *store.Trial) (ps []point) {
		for g := 1; g <= t.Done(); g++ {
			for _, e := range t.Epochs(g) {
				ps = append(ps, point{float64(e.Number), float64(e.Number), stats.Exactly(of(&e))})
			}
		}
		return ps
	}
}

// settingOf returns the name of a trial's setting, or the keys that its combination sets.
func settingOf(t *experiment.Trial, axes []experiment.Axis) string {
	set := slices.DeleteFunc(slices.Clone(axes), func(a experiment.Axis) bool { return !t.Sets(a.Path) })
	return cmp.Or(t.Name, shortLabel(t, set), shortLabel(t, axes))
}

// shortLabel returns what distinguishes a trial from those with other settings: short keys
// with their values. It omits the seed unless that is the only key, and keys that do not
// apply to the trial.
func shortLabel(t *experiment.Trial, axes []experiment.Axis) string {
	var parts, without []string
	for _, a := range axes {
		value := axisValue(t, a.Path)
		switch key := shortKey(t, a.Path); {
		case a.Path == "seed" && len(axes) > 1:
		case value == "":
			without = append(without, key)
		default:
			parts = append(parts, key+"="+value)
		}
	}
	if len(parts) == 0 && len(without) > 0 {
		return "without " + strings.Join(without, ", ")
	}
	return strings.Join(parts, " ")
}
