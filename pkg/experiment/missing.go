package experiment

import (
	"path/filepath"

	"alamos/pkg/config"
	"alamos/pkg/data"
	"alamos/pkg/uci"
)

// Missing lists what a run of an experiment needs and this machine does not have: files
// of data and UCI engines. It is no fault of the experiment, which may run elsewhere, or
// once they are there. Nothing is started: whether an engine plays the variant is not
// known yet.
func Missing(e *Experiment) config.Errors {
	var all config.Errors
	seen := map[string]bool{}
	lack := func(key, hint, what string) {
		f := e.Fault(key, hint, what)
		if !seen[f.Error()] {
			seen[f.Error()] = true
			all = append(all, f)
		}
	}
	engine := func(key, hint, program string) {
		if o := (uci.Opponent{Program: program}); !o.Installed() {
			lack(key, hint, "no engine is called "+program+" on this machine")
		}
	}
	const needed = "a run needs it"
	for i := range e.Trials {
		s := &e.Trials[i].Settings
		if d := s.Data; d != nil {
			for _, pattern := range d.Files {
				if found, err := filepath.Glob(pattern); err == nil && len(found) == 0 {
					lack("data.files", needed, "there is no file "+pattern)
				}
			}
			if d.Kind == data.Engine {
				engine("data.engine.uci", needed, d.Player.UCI)
			}
			if d.Label != nil {
				engine("data.label.uci", needed, d.Label.UCI)
			}
		}
		if s.Tournament.Rounds == 0 {
			continue
		}
		for _, p := range s.Tournament.Players {
			if p.UCI != "" {
				engine("tournament.players", needed+", or --skip-missing-engines", p.UCI)
			}
		}
	}
	return all
}
