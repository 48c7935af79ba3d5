package run

import (
	"context"
	"fmt"
	"strings"

	"alamos/pkg/store"
)

// stopCode is the version of the code of the stop rule's stage, see [stage.Stage].
const stopCode = "1"

// verdict is what a stop rule says after a generation.
type verdict struct {
	Stop bool   `json:"stop"`
	Why  string `json:"why"`
}

// Stops asks the stop rule whether training ends with generation g. It returns nil
// where it goes on.
func (all *Scripts) Stops(ctx context.Context, t *Trial, g int) (*store.Ended, error) {
	script := t.Settings.Stop
	if script == nil || g == t.Settings.Generations {
		return nil, nil
	}
	if t.Planner != nil && !t.Knows(g) {
		t.Planner.Note(mayStop)
		return nil, nil
	}
	p, err := progress(t, g+1)
	if err != nil {
		return nil, err
	}
	p.Generation = g
	for i := range p.Past {
		if p.Past[i].Metrics, err = allMetrics(t.Trial, i+1); err != nil {
			return nil, err
		}
	}
	in := store.Inputs{"code": stopCode, "script": script.SHA256, "progress": progressSum(p)}
	err = t.Do(ctx, Stage{Name: store.StopStage(g), In: in, Run: func(ctx context.Context) (any, error) {
		var printed strings.Builder
		s, err := all.open(script.Path, script.SHA256, 1, &printed)
		if err != nil {
			return nil, err
		}
		var v verdict
		v.Stop, v.Why, err = s.Stop(ctx, p)
		s.Close()
		tellPrinted(t.Report, script.Name(), printed.String())
		return v, err
	}})
	if err != nil {
		return nil, err
	}
	if t.Planner != nil && len(t.Manifest.Stage(store.StopStage(g)).Facts) == 0 {
		t.Planner.Note(mayStop)
		return nil, nil
	}
	var v verdict
	if err := t.Manifest.Stage(store.StopStage(g)).Decode(&v); err != nil || !v.Stop {
		return nil, err
	}
	why := script.Name()
	if v.Why != "" {
		why += ": " + v.Why
	}
	t.Report.Note(fmt.Sprintf("training ends after generation %d: %s", g, why))
	return &store.Ended{Generation: g, Why: why}, nil
}

// mayStop is what a plan says that cannot ask the rule.
const mayStop = "the stop rule may end trials before their last generation: this is the most that there is to do"

// allMetrics are the metrics of all hooks over generation g: "hook.metric".
func allMetrics(t *store.Trial, g int) (map[string]float64, error) {
	all := map[string]float64{}
	for i, h := range t.Settings.Hooks {
		m, err := t.Metrics(g, i)
		if err != nil {
			return nil, err
		}
		for name, x := range m {
			all[h.Name()+"."+name] = float64(x)
		}
	}
	return all, nil
}
