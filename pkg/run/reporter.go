package run

// Reporter shows a person what a run does. Its methods, and those of what they
// return, may be called from any goroutine.
type Reporter interface {
	// Trial goes on with a trial: its number from 1, of how many. With several
	// jobs trials are under way side by side.
	Trial(number, of int, id, label, dir string) Report
	// Rung begins to compare the trials after so many generations.
	Rung(generation int) Report
	// Note is a line about the whole run.
	Note(text string)
}

// Quiet reports nothing.
type Quiet struct{ StageQuiet }

func (Quiet) Trial(int, int, string, string, string) Report { return StageQuiet{} }
func (Quiet) Rung(int) Report                               { return StageQuiet{} }
