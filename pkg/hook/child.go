package hook

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
)

// IsChild tells whether this process was started to run a script.
func IsChild() bool { return os.Getenv(childVariable) == "1" }

// RunChild runs the script that the parent process sends, answers calls of its
// functions until the parent ends, and returns the exit status. It does not return
// when a limit is passed: the process then ends itself.
func RunChild() int {
	c := &child{orders: make(chan order), reports: gob.NewEncoder(os.Stdout)}
	go c.listen()
	if err := c.serve(); err != nil {
		fmt.Fprintln(os.Stderr, "fatal error:", err)
		return 1
	}
	return 0
}

// child is the side of a process that runs a script.
type child struct {
	orders chan order

	mu      sync.Mutex // guards what follows
	reports *gob.Encoder
	silent  bool // the last report has been sent
}

// listen passes the parent's messages on. Without its parent a child has nobody to
// answer, whatever the script does at that time.
func (c *child) listen() {
	in := gob.NewDecoder(bufio.NewReader(os.Stdin))
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			os.Exit(1)
		}
		c.orders <- o
	}
}

// serve loads the script and answers calls. A fault is the last that it says.
func (c *child) serve() error {
	from := (<-c.orders).Script
	if from == nil {
		return fmt.Errorf("this process runs hook scripts for alamos and got none")
	}
	debug.SetMemoryLimit(from.Memory)
	debug.SetMaxStack(2 * maxStack)
	if err := limitData(from.Memory + headroom); err != nil {
		return fmt.Errorf("cannot limit memory: %w", err)
	}
	s := &script{path: from.Path, log: os.NewFile(logFile, "log")}
	r := c.watched(s, from, func(*watch) report {
		if fault := s.compile(from.Text); fault != nil {
			return report{Fault: fault}
		}
		return report{Functions: s.functions()}
	})
	for {
		if err := c.say(r, r.Fault != nil); err != nil {
			return err
		}
		if r.Fault != nil {
			return nil
		}
		o := <-c.orders
		if o.Call == nil {
			return fmt.Errorf("a reply without a question")
		}
		r = c.watched(s, from, func(w *watch) report {
			return s.call(o.Call, func(q question) reply {
				w.pause()
				defer w.resume()
				if err := c.say(report{Question: &q}, false); err != nil {
					os.Exit(1) // the parent has ended
				}
				return *(<-c.orders).Reply
			})
		})
	}
}

// say sends a report, unless the last one has been sent.
func (c *child) say(r report, last bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.silent {
		select {} // the process is about to end
	}
	c.silent = last
	return c.reports.Encode(r)
}

// watched does a piece of work of the script within its limits.
func (c *child) watched(s *script, from *source, work func(*watch) report) report {
	w := newWatch(from.Time, from.Memory)
	defer w.begin(func(msg string) {
		_ = c.say(report{Fault: s.faultHere(msg)}, true)
		os.Exit(1)
	})()
	r := work(w)
	if msg := w.exceeded(); msg != "" { // it ended before anybody looked
		return report{Fault: s.faultHere(msg)}
	}
	return r
}
