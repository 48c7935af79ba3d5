package run

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Reporter shows the progress of a run. Its methods, and those of the reports that it
// returns, may be called from any goroutine.
type Reporter interface {
	// Trial is called when work on a trial begins or continues. number counts from 1. With
	// several jobs, trials run in parallel.
	Trial(number, count int, id, label, dir string) Report
	// Comparison is called when a comparison of trials begins. when is "after 2 generations" or
	// "in the final tournament".
	Comparison(when string) Report
	// Progress is called once, before a run of several trials. text describes its progress at
	// any time: "4 of 12 trials, about 10 min left". It is empty if nothing has to run.
	Progress(text func() string)
	// Note reports a line about the whole run.
	Note(text string)
}

// Report shows the progress of one trial. Its methods may be called by several goroutines at
// once.
type Report interface {
	// Stage is called when a stage is cached or was reused, or when it begins to run.
	Stage(Decision)
	// Task begins a piece of work that is counted in units such as "games".
	Task(stage, unit string) Task
	// Note reports a result or a warning in one line: "generation 3: ...".
	Note(text string)
}

// Task is a piece of work in progress. Its methods may be called from any goroutine.
type Task interface {
	// Set reports the progress and a short text about it, such as "7,300 evaluations/s". An
	// empty text keeps the previous one.
	Set(done, total int, how string)
	// Resume reports the work done by earlier processes, which an estimate of the remaining
	// time must exclude.
	Resume(done int)
	// Standings offers the standings of a tournament after a game. The task calls current,
	// which returns a summary line and a table, only when it shows them.
	Standings(current func() (line string, table []string))
	End()
}

// Roughly formats a duration with the precision of an estimate.
func Roughly(d time.Duration) string {
	switch seconds := d.Seconds(); {
	case seconds < 10:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 120:
		return fmt.Sprintf("%.0f s", 5*math.Round(seconds/5))
	case seconds < 6000:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case seconds < 36000:
		d = d.Round(10 * time.Minute)
		return strings.TrimSuffix(fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute), " 0 min")
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}

// Quiet is a Reporter, a Report and a Task that show nothing.
type Quiet struct{}

func (Quiet) Trial(int, int, string, string, string) Report { return Quiet{} }
func (Quiet) Comparison(string) Report                      { return Quiet{} }
func (Quiet) Progress(func() string)                        {}
func (Quiet) Stage(Decision)                                {}
func (Quiet) Task(string, string) Task                      { return Quiet{} }
func (Quiet) Note(string)                                   {}
func (Quiet) Set(int, int, string)                          {}
func (Quiet) Resume(int)                                    {}
func (Quiet) Standings(func() (string, []string))           {}
func (Quiet) End()                                          {}
