package run

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"alamos/pkg/config"
	"alamos/pkg/experiment"
	"alamos/pkg/hook"
)

// read reads a script that was hashed when the experiment was loaded.
func read(file, sum string) (*hook.Hook, error) {
	script, err := hook.Read(file)
	if err == nil && script.SHA256() != sum {
		err = fmt.Errorf("%s was changed while this ran: run again", file)
	}
	return script, err
}

// Scripts are those of all trials of a run.
type Scripts struct {
	// Time is how long a call may take before it counts as one that does not end; 0:
	// hook.DefaultTime.
	Time time.Duration

	functions map[string][]string // that scripts which measure have, by the hash of their source
}

// Find reads the scripts that measure and finds out which functions they have.
func Find(e *experiment.Experiment) (*Scripts, error) {
	all := &Scripts{functions: map[string][]string{}}
	for i := range e.Trials {
		for _, h := range e.Trials[i].Settings.Hooks {
			if _, known := all.functions[h.File.SHA256]; known {
				continue
			}
			script, err := read(h.File.Path, h.File.SHA256)
			if err != nil {
				return nil, err
			}
			all.functions[h.File.SHA256] = script.Declared()
		}
	}
	return all, nil
}

// has tells whether a hook has a function.
func (all *Scripts) has(h *experiment.Hook, function string) bool {
	return slices.Contains(all.functions[h.File.SHA256], function)
}

// open begins a session of a script, with as many processes as calls are made
// beside each other. What the script prints goes to log, which may be nil.
func (all *Scripts) open(file, sum string, processes int, log io.Writer) (*hook.Session, error) {
	script, err := read(file, sum)
	if err != nil {
		return nil, err
	}
	return script.Open(hook.Limits{Time: all.Time, Processes: processes, Log: log}), nil
}

// Open begins a session of a script that decides results, with as many processes as
// calls are made beside each other.
func (all *Scripts) Open(s *config.File, processes int) (*hook.Session, error) {
	return all.open(s.Path, s.SHA256, processes, nil)
}

// mostPrinted is how many lines of what a script prints are shown.
const mostPrinted = 20

// tellPrinted shows what a script has printed in a call.
func tellPrinted(to Report, name, text string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if text == "" {
		return
	}
	for i, line := range lines {
		if i == mostPrinted {
			to.Note(fmt.Sprintf("%s: and %d more lines", name, len(lines)-mostPrinted))
			break
		}
		to.Note(name + ": " + line)
	}
}
