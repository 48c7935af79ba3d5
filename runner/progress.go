package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"alamos/pkg/report"
	"alamos/pkg/run"
	"alamos/pkg/store"
)

// console shows the progress of a run: bars on a terminal, plain lines elsewhere.
//
// Each trial has a heading, and each stage that runs has a line with the reason. Stages that
// are cached or reused are counted in one line if they follow one another. A stage that runs
// has a bar with the remaining time, estimated from the pace of this process; without a
// terminal it has a line at most every ten seconds. A tournament has its standings below its
// bar; without a terminal it has a line of them every minute. If several trials run at a
// time, each line begins with the number of its trial.
type console struct {
	out  io.Writer
	tty  bool
	jobs int

	mu     sync.Mutex
	bars   *mpb.Progress // on the terminal, from the first bar on
	whole  func() string // progress of a run of several trials; nil: none
	last   *mpb.Bar      // shows whole below the other bars
	trials []*trialConsole
}

func newConsole(out *os.File, jobs int) *console {
	// A terminal that does not know its size, as under script(1), has no rows for bars.
	width, height, err := term.GetSize(int(out.Fd()))
	return &console{out: out, tty: err == nil && width > 0 && height > 0, jobs: jobs}
}

// soloBar shows work that belongs to no trial.
type soloBar struct{ *task }

func newBar(out *os.File, what, unit string) soloBar {
	t := &trialConsole{console: newConsole(out, 1), indent: "  "}
	return soloBar{t.Task(what, unit).(*task)}
}

// Note prints a line above the bar.
func (b soloBar) Note(text string) { b.trial.console.Note(text) }

// End removes the bar before the command prints more.
func (b soloBar) End() {
	b.task.End()
	b.trial.close()
}

// println prints a line above the bars. The caller holds the mutex.
func (c *console) println(text string) {
	out := c.out
	if c.bars != nil {
		out = c.bars
	}
	fmt.Fprintln(out, report.Visible(text))
}

// close prints what is left to print and removes the bars.
func (c *console) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.trials {
		t.flush()
	}
	if c.last != nil {
		c.last.Abort(true)
	}
	if c.bars != nil {
		c.bars.Wait()
		c.bars = nil
	}
}

func (c *console) Note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.trials {
		t.flush()
	}
	c.println(text)
}

func (c *console) Progress(text func() string) { c.whole = text }

func (c *console) Trial(number, of int, id, label, dir string) run.Report {
	short := fmt.Sprintf("%d/%d", number, of)
	indent := "  "
	if c.jobs > 1 {
		indent += short + "  "
	}
	return c.begin(indent, fmt.Sprintf("trial %s  %s  (%s)", short, cmp.Or(label, "as written"), dir), c.jobs == 1)
}

func (c *console) Comparison(when string) run.Report {
	return c.begin("  ", "comparing the trials "+when, true)
}

// begin prints a heading and returns what prints the lines below it. If it is alone, the
// earlier trials have ended or wait.
func (c *console) begin(indent, heading string, alone bool) run.Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	if alone {
		for _, other := range c.trials {
			other.flush()
		}
		c.trials = nil
	}
	t := &trialConsole{console: c, indent: indent}
	c.trials = append(c.trials, t)
	if c.whole != nil && !c.tty {
		if text := c.whole(); text != "" {
			c.println(text)
		}
	}
	c.println(heading)
	return t
}

// trialConsole shows one trial.
type trialConsole struct {
	*console
	indent  string
	skipped []run.Decision // stages in a row with the same outcome, not printed yet
}

// flush prints the skipped stages.
func (t *trialConsole) flush() {
	if len(t.skipped) > 0 {
		t.println(t.indent + outcome(t.skipped))
	}
	t.skipped = nil
}

func (t *trialConsole) Stage(d run.Decision) {
	if d.Does == run.Runs {
		t.Note(strings.TrimSuffix(d.Name+": "+d.Why, ": "+store.FirstTime))
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.skipped) > 0 && !sameOutcome(t.skipped[0], d) {
		t.flush()
	}
	t.skipped = append(t.skipped, d)
}

func (t *trialConsole) Note(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.println(t.indent + text)
}

func (t *trialConsole) Task(stage, unit string) run.Task {
	now := time.Now()
	out := &task{trial: t, unit: unit, began: now, progressAt: now, standingsAt: now}
	if t.tty {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.bars == nil {
			t.bars = mpb.New(mpb.WithOutput(t.out), mpb.WithWidth(64), mpb.WithRefreshRate(150*time.Millisecond))
			if t.whole != nil {
				t.last = t.bars.New(0, mpb.NopStyle(), mpb.BarPriority(math.MaxInt), mpb.BarRemoveOnComplete(),
					mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return t.whole() })))
			}
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
	bar   *mpb.Bar // nil without a terminal

	mu          sync.Mutex
	done, total int
	resumed     int // done by earlier processes
	how         string
	standings   []string // below the bar
	// Times of the last line without a terminal and of the last standings.
	progressAt, standingsAt time.Time
}

func (t *task) Resume(done int) {
	t.mu.Lock()
	t.resumed, t.done = done, done
	t.mu.Unlock()
	if t.bar != nil {
		t.bar.SetCurrent(int64(done))
	}
}

const (
	progressInterval  = 10 * time.Second
	standingsInterval = time.Minute
	tableInterval     = 200 * time.Millisecond // on a terminal
)

func (t *task) Set(done, total int, how string) {
	t.mu.Lock()
	t.done, t.total, t.how = done, total, cmp.Or(how, t.how)
	due := t.bar == nil && done < total && time.Since(t.progressAt) >= progressInterval
	if due {
		t.progressAt = time.Now()
	}
	t.mu.Unlock()
	switch {
	case t.bar != nil:
		t.bar.SetTotal(int64(total), false)
		t.bar.SetCurrent(int64(done))
	case due:
		t.trial.Note(fmt.Sprintf("  %d/%d %s, %s", done, total, t.unit, t.line()))
	}
}

func (t *task) Standings(current func() (line string, table []string)) {
	every := standingsInterval
	if t.bar != nil {
		every = tableInterval
	}
	t.mu.Lock()
	due := time.Since(t.standingsAt) >= every
	t.mu.Unlock()
	if !due {
		return
	}
	line, table := current()
	t.mu.Lock()
	t.standings, t.standingsAt = table, time.Now()
	t.mu.Unlock()
	if t.bar == nil {
		t.trial.Note("  " + line)
	}
}

// fillStandings writes the standings below the bar, cut at the edge of the terminal.
func (t *task) fillStandings(w io.Writer, s decor.Statistics) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, line := range t.standings {
		text := []rune("  " + t.trial.indent + report.Visible(line))
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

// line returns the remaining time and how the work proceeds.
func (t *task) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	left := "estimating the time left"
	if did := t.done - t.resumed; did > 0 {
		left = "about " + run.Roughly(time.Since(t.began)/time.Duration(did)*time.Duration(t.total-t.done)) + " left"
	}
	return strings.TrimSuffix(left+", "+t.how, ", ")
}
