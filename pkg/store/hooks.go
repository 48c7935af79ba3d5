package store

import (
	"bytes"
	"encoding/json"

	"alamos/pkg/stats"
)

// HookResults are the facts of a stage of hooks.
type HookResults struct {
	// Metrics has an element for each script of the experiment: nil where the script
	// does not measure this, empty where it failed.
	Metrics []map[string]stats.Float `json:"metrics"`
	// Faults says how scripts failed: file, line and message.
	Faults []string `json:"faults,omitempty"`
}

// UnmarshalJSON reads results, also those of early versions, which were the list
// of metrics alone.
func (h *HookResults) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		*h = HookResults{}
		return json.Unmarshal(b, &h.Metrics)
	}
	type plain HookResults
	return json.Unmarshal(b, (*plain)(h))
}

// hookResults are those of both stages of generation g; either may not have run.
func (t *Trial) hookResults(g int) ([2]HookResults, error) {
	var all [2]HookResults
	for i, name := range []string{HooksStage(g), CheckpointHooksStage(g)} {
		if s := t.Manifest.Stage(name); s != nil {
			if err := s.Decode(&all[i]); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// Metrics are the metrics of script i over generation g, of its games and its
// checkpoint; nil where it has measured neither.
func (t *Trial) Metrics(g, i int) (map[string]stats.Float, error) {
	all, err := t.hookResults(g)
	if err != nil {
		return nil, err
	}
	var out map[string]stats.Float
	for _, r := range all {
		if i >= len(r.Metrics) || r.Metrics[i] == nil {
			continue
		}
		if out == nil {
			out = map[string]stats.Float{}
		}
		for name, x := range r.Metrics[i] {
			out[name] = x
		}
	}
	return out, nil
}

// HookFaults says how scripts failed in generation g.
func (t *Trial) HookFaults(g int) ([]string, error) {
	all, err := t.hookResults(g)
	return append(all[0].Faults, all[1].Faults...), err
}
