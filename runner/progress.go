package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/run"
)

// console shows a run to a person: bars on a terminal, plain lines elsewhere.
//
// The rules of what is printed: a trial has a heading; a stage that runs has a
// line that says why; stages in a row that are cached, or taken from one other
// trial, are counted in one line; a stage under way has a bar with the time left,
// estimated from the pace of this process alone; where there is no terminal, a
// line at most every ten seconds. A tournament has its standings below its bar, and
// without a terminal a line of them a minute. Where several trials are under way at once, each
// line begins with the number of its trial.
type console struct {
	out  io.Writer
	tty  bool
	jobs int

	mu     sync.Mutex
	bars   *mpb.Progress // of the terminal, from the first bar on
	trials []*trialConsole
}

func newConsole(out *os.File, jobs int) *console {
	return &console{out: out, tty: hasRoom(out), jobs: jobs}
}

// hasRoom tells whether bars can be shown. A terminal that does not know its size, as
// under script(1), has no rows for them.
func hasRoom(out *os.File) bool {
	width, height, err := term.GetSize(int(out.Fd()))
	return err == nil && width > 0 && height > 0
}

// newBar shows a piece of work that belongs to no trial.
func newBar(out *os.File, what, unit string) run.Task {
	c := newConsole(out, 1)
	return (&trialConsole{console: c, indent: "  "}).Task(what, unit)
}

// println prints a line, above the bars that there are. The caller has the mutex.
func (c *console) println(text string) {
	out := c.out
	if c.bars != nil {
		out = c.bars
	}
	fmt.Fprintln(out, text)
}

// close prints what is held back, and takes the bars away.
func (c *console) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.trials {
		t.flush()
	}
	if c.bars != nil {
		c.bars.Wait()
		c.bars = nil
	}
}

func (c *console) Note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.println(text)
}

func (c *console) Trial(number, of int, id, label, dir string) run.Report {
	if label == "" {
		label = "as written"
	}
	short := fmt.Sprintf("%d/%d", number, of)
	indent := "  "
	if c.jobs > 1 {
		indent += short + "  "
	}
	return c.begin(indent, fmt.Sprintf("trial %s  %s  (%s)", short, label, dir), c.jobs == 1)
}

func (c *console) Rung(generation int) run.Report {
	return c.begin("  ", fmt.Sprintf("comparing the trials after %s", english.Plural(generation, "generation", "")), true)
}

// begin prints a heading and returns what prints the lines below it. Where it goes on
// alone, the trials before it have ended, or wait.
func (c *console) begin(indent, heading string, alone bool) run.Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &trialConsole{console: c, indent: indent}
	if alone {
		for _, other := range c.trials {
			other.flush()
		}
		c.trials = nil
	}
	c.trials = append(c.trials, t)
	c.println(heading)
	return t
}

// trialConsole shows one trial.
type trialConsole struct {
	*console
	indent      string
	cached      int
	first, last string // stages that are taken from another trial, in a row
	reused      int
	from        string
}

// flush prints the stages that were skipped since the last line.
func (t *trialConsole) flush() {
	if t.cached > 0 {
		t.println(fmt.Sprintf("%s%s done before: nothing they read has changed", t.indent, english.Plural(t.cached, "stage", "")))
	}
	switch t.reused {
	case 0:
	case 1:
		t.println(fmt.Sprintf("%s%s: as in %s", t.indent, t.first, t.from))
	default:
		t.println(fmt.Sprintf("%s%s to %s (%d stages): as in %s", t.indent, t.first, t.last, t.reused, t.from))
	}
	t.cached, t.reused = 0, 0
}

func (t *trialConsole) Stage(d run.Decision) {
	if d.Does == run.Runs {
		text := d.Name
		if d.Why != "first time" {
			text += ": " + d.Why
		}
		t.Note(text)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.Does == run.Cached {
		if t.reused > 0 {
			t.flush()
		}
		t.cached++
		return
	}
	if t.cached > 0 || d.From != t.from {
		t.flush()
	}
	if t.reused == 0 {
		t.first, t.from = d.Name, d.From
	}
	t.last = d.Name
	t.reused++
}

func (t *trialConsole) Note(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.println(t.indent + text)
}

func (t *trialConsole) Task(stage, unit string) run.Task {
	out := &task{trial: t, unit: unit, began: time.Now()}
	out.said, out.stood = out.began, out.began
	if t.tty {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.bars == nil {
			t.bars = mpb.New(mpb.WithOutput(t.out), mpb.WithWidth(64), mpb.WithRefreshRate(150*time.Millisecond))
		}
		out.bar = t.bars.AddBar(0, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(t.indent+stage+" "), decor.CountersNoUnit("%d/%d "+unit)),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return out.line() })),
			mpb.BarExtender(mpb.BarFillerFunc(out.fillStandings), false))
	}
	return out
}

type task struct {
	trial *trialConsole
	unit  string
	began time.Time
	bar   *mpb.Bar

	mu          sync.Mutex
	done, total int
	start       int // done before this process
	how         string
	said        time.Time
	standings   []string // below the bar
	stood       time.Time
}

func (t *task) Resume(done int) {
	t.mu.Lock()
	t.start, t.done = done, done
	t.mu.Unlock()
	if t.bar != nil {
		t.bar.SetCurrent(int64(done))
	}
}

const (
	sayEvery   = 10 * time.Second
	standEvery = time.Minute
)

func (t *task) Set(done, total int, how string) {
	t.mu.Lock()
	t.done, t.total = done, total
	if how != "" {
		t.how = how
	}
	say := t.bar == nil && time.Since(t.said) >= sayEvery && done < t.total
	if say {
		t.said = time.Now()
	}
	t.mu.Unlock()
	switch {
	case t.bar != nil:
		t.bar.SetTotal(int64(total), false)
		t.bar.SetCurrent(int64(done))
	case say:
		t.trial.Note(fmt.Sprintf("  %d/%d %s, %s", done, total, t.unit, t.line()))
	}
}

func (t *task) Standings(line string, table []string) {
	t.mu.Lock()
	t.standings = table
	say := t.bar == nil && time.Since(t.stood) >= standEvery
	if say {
		t.stood = time.Now()
	}
	t.mu.Unlock()
	if say {
		t.trial.Note("  " + line)
	}
}

// fillStandings writes the standings below the bar, cut at the edge of the terminal.
func (t *task) fillStandings(w io.Writer, s decor.Statistics) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, line := range t.standings {
		text := []rune("  " + t.trial.indent + line)
		if room := s.AvailableWidth; room > 0 && len(text) >= room {
			text = text[:room-1]
		}
		if _, err := fmt.Fprintln(w, string(text)); err != nil {
			return err
		}
	}
	return nil
}

func (t *task) End() {
	if t.bar != nil {
		t.bar.Abort(true)
		t.bar.Wait()
	}
}

// line is the time left and how the work goes.
func (t *task) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	left := "estimating the time left"
	if did := t.done - t.start; did > 0 {
		d := time.Duration(float64(time.Since(t.began)) / float64(did) * float64(t.total-t.done))
		left = "about " + roughly(d) + " left"
	}
	if t.how != "" {
		left += ", " + t.how
	}
	return left
}

// roughly writes a duration no more exactly than an estimate deserves.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()/5+0.5)*5)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
