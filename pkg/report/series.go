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

// point is a number of a trial at one place of a line. Points with equal keys (a
// generation, an epoch) have the same place in all trials.
type point struct {
	key int
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
func lines(groups []store.Group, within bounds, points func(*store.Trial) ([]point, error)) ([]plots.Series, error) {
	var all []plots.Series
	for _, g := range groups {
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

// seeds returns the part of a caption about lines of several seeds.
func (p *picture) seeds() string {
	if !p.repeated() {
		return ""
	}
	return " Lines are means over seeds, with the 95 % interval (Student t)."
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

// pointsOf returns a column of a trial's table over epochs, generations or samples.
func pointsOf(read reader, x, column string) func(*store.Trial) ([]point, error) {
	return func(t *store.Trial) ([]point, error) {
		d, err := read(t)
		if err != nil {
			return nil, err
		}
		var places []float64
		if x == "epoch" {
			places = d.column(x)
		} else {
			g, err := generations(t)
			if err != nil {
				return nil, err
			}
			places = g.column("generation")
			if x == "samples" {
				places = g.column("total_samples")
			}
		}
		ps := make([]point, len(places))
		for i, y := range d.column(column) {
			ps[i] = point{i + 1, places[i], stats.Exactly(y)}
		}
		return ps, nil
	}
}

// shortLabel returns what distinguishes a trial from those with other settings: short keys
// with their values. It omits the seed unless that is the only key, and keys that do not
// apply to the trial.
func shortLabel(t *experiment.Trial, axes []experiment.Axis) string {
	var parts, without []string
	for _, a := range axes {
		value := axisValue(t, a.Path)
		switch key := store.ShortKey(t, a.Path); {
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
