package lab

import "alamos/pkg/stage"

// Reporter shows a person what a run does. Its methods, and those of what they
// return, may be called from any goroutine.
type Reporter interface {
	// Trial goes on with a trial: its number from 1, of how many. With several
	// jobs trials are under way side by side.
	Trial(number, of int, id, label, dir string) stage.Report
	// Rung begins to compare the trials after so many generations.
	Rung(generation int) stage.Report
	// Note is a line about the whole run.
	Note(text string)
}

// Quiet reports nothing.
type Quiet struct{ stage.Quiet }

func (Quiet) Trial(int, int, string, string, string) stage.Report { return stage.Quiet{} }
func (Quiet) Rung(int) stage.Report                               { return stage.Quiet{} }
