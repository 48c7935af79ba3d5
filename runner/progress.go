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

	"alamos/pkg/lab"
)

// console shows a run to a person: bars on a terminal, plain lines elsewhere.
//
// The rules of what is printed: a trial has a heading; a stage that runs has a
// line that says why; cached stages of a trial are counted in one line; a stage
// under way has a bar with the time left, estimated from the pace of this
// process alone; where there is no terminal, a line at most every ten seconds.
type console struct {
	out    io.Writer
	tty    bool
	cached int
}

func newConsole(out *os.File) *console {
	return &console{out: out, tty: term.IsTerminal(int(out.Fd()))}
}

func (c *console) Trial(number, of int, id, label, dir string) {
	c.flush()
	if label == "" {
		label = "as written"
	}
	fmt.Fprintf(c.out, "trial %d/%d  %s  (%s)\n", number, of, label, dir)
}

func (c *console) Cached(string) { c.cached++ }

// flush says how many stages were passed over since the last line.
func (c *console) flush() {
	if c.cached > 0 {
		fmt.Fprintf(c.out, "  %s done before: nothing they read has changed\n", count(c.cached, "stage"))
		c.cached = 0
	}
}

func (c *console) Runs(stage, why string) {
	c.flush()
	if why != "first time" {
		stage += ": " + why
	}
	fmt.Fprintf(c.out, "  %s\n", stage)
}

func (c *console) Note(text string) {
	c.flush()
	fmt.Fprintf(c.out, "  %s\n", text)
}

func (c *console) Task(stage, unit string) lab.Task {
	t := &task{console: c, unit: unit, began: time.Now()}
	t.said = t.began
	if c.tty {
		t.progress = mpb.New(mpb.WithOutput(c.out), mpb.WithWidth(64), mpb.WithRefreshRate(150*time.Millisecond))
		t.bar = t.progress.AddBar(0, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name("  "+stage+" "), decor.CountersNoUnit("%d/%d "+unit)),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return t.line() })))
	}
	return t
}

type task struct {
	console  *console
	unit     string
	began    time.Time
	progress *mpb.Progress
	bar      *mpb.Bar

	mu          sync.Mutex
	done, total int
	start       int // done before this process
	how         string
	said        time.Time
}

func (t *task) Resume(done int) {
	t.mu.Lock()
	t.start, t.done = done, done
	t.mu.Unlock()
	if t.bar != nil {
		t.bar.SetCurrent(int64(done))
	}
}

const sayEvery = 10 * time.Second

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
		fmt.Fprintf(t.console.out, "    %d/%d %s, %s\n", done, t.total, t.unit, t.line())
	}
}

func (t *task) End() {
	if t.bar != nil {
		t.bar.Abort(true)
		t.progress.Wait()
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
