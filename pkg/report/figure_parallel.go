package report

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"alamos/pkg/store"
	"alamos/plots"
)

func init() {
	register("parallel", kind{over: theSweep, reads: metricSource, name: sweepName, draw: drawParallel})
}

// fewTicks is the most values of a setting that stand on its axis by their names;
// more, as a random sweep draws them, make it an axis of numbers.
const fewTicks = 10

// drawParallel shows all settings of a sweep and a metric as parallel coordinates.
func drawParallel(q *request) (*drawing, error) {
	m := figureMetric(q.Figure)
	c := plots.Parallel{Frame: q.frame, Metric: plots.Axis{Label: m.label, Unit: m.unit}, Best: best(m)}
	places := make([]map[string]float64, len(q.axes))
	for i, a := range q.axes {
		axis := plots.ParallelAxis{Axis: plots.Axis{Label: shortKeys(q.axes)[a.Path]}}
		values, all := numbers(q.groups, a.Path)
		if !all || len(a.Values) <= fewTicks {
			axis.Ticks = byValue(a.Values)
			values = map[string]float64{}
			for k, v := range axis.Ticks {
				values[v] = float64(k)
			}
			if slices.ContainsFunc(q.groups, func(g store.Group) bool { return axisValue(&g.Trials[0].Trial, a.Path) == "" }) {
				values[""] = float64(len(axis.Ticks)) // the key means nothing beside others of the trial
				axis.Ticks = append(axis.Ticks, "–")
			}
		} else {
			axis.Log = wide(slices.Collect(maps.Values(values)))
		}
		places[i] = values
		c.Axes = append(c.Axes, axis)
	}
	some := false
	for _, g := range q.groups {
		v, err := g.Measure(m.name)
		if err != nil {
			return nil, err
		}
		line := plots.ParallelLine{Name: g.Name, Metric: v.Value}
		for i, a := range q.axes {
			at, there := places[i][axisValue(&g.Trials[0].Trial, a.Path)]
			if !there { // an axis of numbers, and no number
				at = math.NaN()
			}
			line.Values = append(line.Values, at)
		}
		some = some || !v.Missing()
		c.Lines = append(c.Lines, line)
	}
	if !some {
		return nil, nothing(noMetric(m))
	}
	caption := fmt.Sprintf("Every setting of the sweep as a line, colored by its %s.", m.label)
	if q.repeated() {
		caption += " Lines are means over seeds."
	}
	return &drawing{c, caption}, nil
}
