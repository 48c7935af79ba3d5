package report

import (
	"maps"
	"math"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// point is a number of a trial at one place of a line. Points of one key stand at
// the same place in all trials: a generation, an epoch.
type point struct {
	key int
	x   float64
	y   stats.Interval
}

// bounds are what no number of a line can lie beyond; an interval by Student's t
// does not know of them.
type bounds struct{ low, high float64 }

var (
	shares   = bounds{0, 1}
	counts   = bounds{0, math.Inf(1)}
	anything = bounds{math.Inf(-1), math.Inf(1)}
)

// lines makes a line of each group: of its trial, or of the mean over its seeds
// with its interval.
func (q *request) lines(within bounds, points func(*store.Trial) ([]point, error)) ([]plots.Series, error) {
	var all []plots.Series
	for _, g := range q.groups {
		at := map[int][]point{}
		for _, t := range g.Trials {
			ps, err := points(t)
			if err != nil {
				return nil, err
			}
			for _, p := range ps {
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
	return all, nil
}

// mean is the mean of points of one key, in both directions.
func mean(ps []point) (x float64, y stats.Interval) {
	values := make([]float64, len(ps))
	for i, p := range ps {
		values[i] = p.y.Value
		x += p.x / float64(len(ps))
	}
	return x, stats.Mean(values)
}

// repeated reports whether a group has several seeds.
func (q *request) repeated() bool {
	return slices.ContainsFunc(q.groups, func(g store.Group) bool { return len(g.Trials) > 1 })
}

// seeds is what a caption says about lines of several seeds.
func (q *request) seeds() string {
	if !q.repeated() {
		return ""
	}
	return " Lines are means over seeds, with the 95 % interval (Student t)."
}

// generationAxis is the axis of all figures over generations.
var generationAxis = plots.Axis{Label: "generation", FromZero: true}

// axis is the horizontal axis of a figure over training.
func axis(x string) plots.Axis {
	if x == "samples" {
		return plots.Axis{Label: "samples trained on", FromZero: true}
	}
	return generationAxis
}

// place is where generation g of the trial stands on that axis.
func place(t *store.Trial, x string, g int) (float64, error) {
	if x != "samples" {
		return float64(g), nil
	}
	n, err := t.SamplesUntil(g)
	return float64(n), err
}

// perGeneration are the points of a number that each generation has.
func perGeneration(x string, value func(t *store.Trial, g int) (float64, error)) func(*store.Trial) ([]point, error) {
	return func(t *store.Trial) ([]point, error) {
		var ps []point
		for g := 1; g <= t.Done(); g++ {
			at, err := place(t, x, g)
			if err != nil {
				return nil, err
			}
			v, err := value(t, g)
			if err != nil {
				return nil, err
			}
			ps = append(ps, point{g, at, stats.Exactly(v)})
		}
		return ps, nil
	}
}

// named is a name of files that tells the axis where it is not the usual one: a
// page may show both.
func named(name, usual string) func(*experiment.Figure) string {
	return func(f *experiment.Figure) string {
		if f.X == usual || f.X == "" {
			return name
		}
		return name + "-" + f.X
	}
}

// shortKeys are the keys of a sweep as legends name them: the last word of the path
// where no other ends in it.
func shortKeys(axes []experiment.Axis) map[string]string {
	last := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	count := map[string]int{}
	for _, a := range axes {
		count[last(a.Path)]++
	}
	short := map[string]string{}
	for _, a := range axes {
		short[a.Path] = a.Path
		if count[last(a.Path)] == 1 {
			short[a.Path] = last(a.Path)
		}
	}
	return short
}

// shortLabel is what sets trials apart from those of other settings, in short: the
// seed is left out, but where it is all there is, and so is what means nothing there.
func shortLabel(axis []experiment.AxisValue, short map[string]string) string {
	var parts, without []string
	for _, a := range axis {
		switch {
		case a.Path == "seed" && len(axis) > 1:
		case a.Value == "":
			without = append(without, short[a.Path])
		default:
			parts = append(parts, short[a.Path]+"="+a.Value)
		}
	}
	if len(parts) == 0 && len(without) > 0 {
		return "without " + strings.Join(without, ", ")
	}
	return strings.Join(parts, " ")
}

// fileName keeps what all file systems take in a name.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, s)
}
