package run

// Report shows what one trial does. Its methods, but for those of a Task, are
// called by one goroutine at a time.
type Report interface {
	// Cached says that a stage need not run; Shared that another trial's results
	// are taken for it; Runs that it does run, and why.
	Cached(stage string)
	Shared(stage, from string)
	Runs(stage, why string)
	// Task begins a piece of work, counted in units ("games").
	Task(stage, unit string) Task
	// Note is a line of result or warning: "generation 3: ...".
	Note(text string)
}

// Task is a piece of work under way. Its methods may be called from any
// goroutine.
type Task interface {
	// Set says how much of how much is done, and in a few words how it goes
	// ("7,300 evaluations/s"); an empty text leaves the last.
	Set(done, total int, how string)
	// Resume says how much was done before this process: an estimate of the
	// time left must not count it.
	Resume(done int)
	// Standings says how a tournament stands, in a line and as the lines of a table,
	// in the place of what was said before.
	Standings(line string, table []string)
	End()
}

// Quiet reports nothing.
type StageQuiet struct{}

func (StageQuiet) Cached(string)            {}
func (StageQuiet) Shared(string, string)    {}
func (StageQuiet) Runs(string, string)      {}
func (StageQuiet) Task(string, string) Task { return quietTask{} }
func (StageQuiet) Note(string)              {}

type quietTask struct{}

func (quietTask) Set(int, int, string)       {}
func (quietTask) Resume(int)                 {}
func (quietTask) Standings(string, []string) {}
func (quietTask) End()                       {}
