package run

// Reporter shows what a run does. Its methods, and those of the reports that it
// returns, may be called from any goroutine.
type Reporter interface {
	// Trial begins or continues the trial with a number, from 1, of count. With several
	// jobs trials run side by side.
	Trial(number, count int, id, label, dir string) Report
	// Rung begins the comparison of the trials after some generations.
	Rung(generation int) Report
	// Note is a line about the whole run.
	Note(text string)
}

// Report shows what one trial does. One goroutine at a time calls its methods, except
// those of a Task.
type Report interface {
	// Stage is called when a stage is found to be done, was reused, or begins to run.
	Stage(Decision)
	// Task begins a piece of work, counted in units ("games").
	Task(stage, unit string) Task
	// Note is a line of result or warning: "generation 3: ...".
	Note(text string)
}

// Task is a piece of work in progress. Its methods may be called from any goroutine.
type Task interface {
	// Set reports the progress and in a few words its speed ("7,300 evaluations/s"). An
	// empty text keeps the previous one.
	Set(done, total int, how string)
	// Resume reports what was done before this process: an estimate of the time left
	// must not count it.
	Resume(done int)
	// Standings replaces the standings of a tournament: a line, and the lines of a table.
	Standings(line string, table []string)
	End()
}

// Quiet is a Reporter, a Report and a Task that shows nothing.
type Quiet struct{}

func (Quiet) Trial(int, int, string, string, string) Report { return Quiet{} }
func (Quiet) Rung(int) Report                               { return Quiet{} }
func (Quiet) Stage(Decision)                                {}
func (Quiet) Task(string, string) Task                      { return Quiet{} }
func (Quiet) Note(string)                                   {}
func (Quiet) Set(int, int, string)                          {}
func (Quiet) Resume(int)                                    {}
func (Quiet) Standings(string, []string)                    {}
func (Quiet) End()                                          {}
