package lab

import (
	"context"
	"fmt"
	"strings"

	"alamos/pkg/store"
)

// verdict is what a stop rule says after a generation.
type verdict struct {
	Stop bool   `json:"stop"`
	Why  string `json:"why"`
}

// stops asks the stop rule whether training ends with generation g. It returns nil
// where it goes on.
func (t *trial) stops(ctx context.Context, g int) (*store.Ended, error) {
	script := t.Settings.Stop
	if script == nil || g == t.Settings.Generations {
		return nil, nil
	}
	if t.planning != nil && !t.planning.done(t, g) {
		t.planning.mayStop(t)
		return nil, nil
	}
	p, err := t.progress(g + 1)
	if err != nil {
		return nil, err
	}
	p.Generation = g
	for i := range p.Past {
		if p.Past[i].Metrics, err = t.allMetrics(i + 1); err != nil {
			return nil, err
		}
	}
	in := store.Inputs{"code": stopCode, "script": script.SHA256, "progress": progressSum(p)}
	err = t.do(ctx, stage{name: store.StopStage(g), in: in, work: func(ctx context.Context) (any, error) {
		var printed strings.Builder
		s, err := t.open(script.File, script.SHA256, 1, &printed)
		if err != nil {
			return nil, err
		}
		var v verdict
		v.Stop, v.Why, err = s.Stop(ctx, p)
		s.Close()
		t.tellPrinted(scriptName(script), printed.String())
		return v, err
	}})
	if err != nil {
		return nil, err
	}
	if t.planning != nil && len(t.Manifest.Stage(store.StopStage(g)).Facts) == 0 {
		t.planning.mayStop(t)
		return nil, nil
	}
	var v verdict
	if err := t.Manifest.Stage(store.StopStage(g)).Decode(&v); err != nil || !v.Stop {
		return nil, err
	}
	why := scriptName(script)
	if v.Why != "" {
		why += ": " + v.Why
	}
	t.Reporter.Note(fmt.Sprintf("training ends after generation %d: %s", g, why))
	return &store.Ended{Generation: g, Why: why}, nil
}

// allMetrics are the metrics of all hooks over generation g: "hook.metric".
func (t *trial) allMetrics(g int) (map[string]float64, error) {
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
