package report

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
	"alamos/plots"
)

func init() {
	register("hook", kind{over: allTrials, reads: always(fromHooks), name: hookName, draw: drawHook})
}

func hookName(f *experiment.Figure) string {
	return named("hook-"+strings.ReplaceAll(fileName(f.Metric), ".", "-"), "generation")(f)
}

// drawHook shows one metric of one script. The figure's metric is "hook.metric", or
// a metric or a script with one metric by itself.
func drawHook(q *request) (*drawing, error) {
	c := plots.Lines{Frame: q.frame, X: axis(q.X)}
	label, why := "", "no generation is done yet"
	var err error
	c.Series, err = q.lines(anything, func(t *store.Trial) ([]point, error) {
		if t.Done() == 0 {
			return nil, nil
		}
		i, metric, err := t.FindMetric(q.Metric)
		if errors.Is(err, store.ErrUnmeasured) { // a run goes on after a fault of a script that measures
			why = fmt.Sprintf("there are %v", err)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		label = spaced(metric)
		return perGeneration(q.X, func(t *store.Trial, g int) (float64, error) {
			m, err := t.Metrics(g, i)
			if v, ok := m[metric]; ok {
				return float64(v), err
			}
			return math.NaN(), err
		})(t)
	})
	if err == nil && label == "" {
		err = nothing(why)
	}
	c.Y.Label = label
	return &drawing{c, "A hook's metric over " + c.X.Label + ": " + label + "." + q.seeds()}, err
}
