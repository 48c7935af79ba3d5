package report

import (
	"fmt"
	"strings"
)

// endings says which trials ended before their last generation, and which scripts
// left cells empty.
func (w *pageWriter) endings() []Cell {
	var cells []Cell
	var ended, faults []string
	for _, t := range w.trials {
		if e := t.Manifest.Ended; e != nil {
			ended = append(ended, fmt.Sprintf("%s: after generation %d of %d, %s", t.Name(), e.Generation, t.Settings.Generations, e.Why))
		}
		for g := 1; g <= t.Done(); g++ {
			all, err := t.HookFaults(g)
			if err != nil {
				all = []string{err.Error()}
			}
			for _, fault := range all {
				faults = append(faults, fmt.Sprintf("%s, generation %d: %s", t.Name(), g, fault))
			}
		}
	}
	if len(ended) > 0 {
		cells = append(cells, Note{Markdown: "Training ended early.\n\n" + asCode(ended)})
	}
	if len(faults) > 0 {
		cells = append(cells, warning("Scripts failed and left cells empty.\n\n"+asCode(faults)))
	}
	return cells
}

// asCode lists lines as they are, the first of many.
func asCode(lines []string) string {
	const most = 20
	if n := len(lines) - most; n > 0 {
		lines = append(lines[:most:most], fmt.Sprintf("and %d more", n))
	}
	return "    " + strings.Join(lines, "\n    ")
}
