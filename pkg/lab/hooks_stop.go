package lab

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"alamos/pkg/hook"
	"alamos/pkg/store"
)

// verdict is what a stop rule says after a generation.
type verdict struct {
	Stop bool   `json:"stop"`
	Why  string `json:"why"`
}

// stops asks the stop rule whether training ends with generation g.
func (t *trial) stops(ctx context.Context, g int) (bool, error) {
	script := t.Settings.Stop
	if script == nil || g == t.Settings.Generations {
		return false, nil
	}
	p, err := t.progress(g + 1)
	if err != nil {
		return false, err
	}
	p.Generation = g
	for i := range p.Past {
		if p.Past[i].Metrics, err = t.allMetrics(i + 1); err != nil {
			return false, err
		}
	}
	in := store.Inputs{"code": stopCode, "script": script.SHA256, "progress": progressSum(p)}
	err = t.stage(ctx, store.StopStage(g), in, func(ctx context.Context) (result, error) {
		s, err := openScript(script, hook.Limits{})
		if err != nil {
			return result{}, err
		}
		defer s.Close()
		var v verdict
		v.Stop, v.Why, err = s.Stop(ctx, p)
		return result{facts: v}, err
	})
	if err != nil {
		return false, err
	}
	var v verdict
	if err := t.Manifest.Stage(store.StopStage(g)).Decode(&v); err != nil || !v.Stop {
		return false, err
	}
	why := strings.TrimSuffix(filepath.Base(script.File), ".go")
	if v.Why != "" {
		why += ": " + v.Why
	}
	t.Reporter.Note(fmt.Sprintf("training ends after generation %d: %s", g, why))
	return true, t.endAt(&store.Ended{Generation: g, Why: why})
}

// endAt notes that the trial ends with a generation, or, by nil, that it does not
// end before its last.
func (t *trial) endAt(e *store.Ended) error {
	if was := t.Manifest.Ended; was == e || was != nil && e != nil && *was == *e {
		return nil
	}
	t.Manifest.Ended = e
	return t.Manifest.Write(t.Dir)
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
