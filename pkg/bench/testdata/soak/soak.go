// Package soak watches what a test process holds while it works for a long time: the
// long tests of the packages that keep running until a user ends them. `make soak`.
package soak

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

var length = flag.Duration("soak", 0, "how long each soak lasts, such as 30m; 0 skips them")

const (
	samples = 120 // of a soak
	// A quantity grows when its median over the last quarter of a soak exceeds that over
	// the second quarter by more than this share of it and a constant. The first quarter
	// warms up.
	share = 0.05
)

// quantity is something that the process holds.
type quantity struct {
	name   string
	slack  float64 // the constant
	values []float64
}

// Watch runs load, which works until its context ends, for as long as -soak says, and
// reports what grew. It skips the test without -soak.
func Watch(t *testing.T, load func(ctx context.Context)) {
	t.Helper()
	if *length == 0 {
		t.Skip("a soak lasts minutes: make soak")
	}
	ctx, stop := context.WithTimeout(t.Context(), *length)
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		load(ctx)
	}()
	held := []*quantity{{name: "resident MiB", slack: 2}, {name: "Go MiB", slack: 2}, {name: "other MiB", slack: 2}, {name: "goroutines", slack: 20}, {name: "files", slack: 20}}
	tick := time.NewTicker(*length / samples)
	defer tick.Stop()
	for working := true; working; {
		select {
		case <-tick.C:
			for i, v := range sample(t) {
				held[i].values = append(held[i].values, v)
			}
		case <-done:
			working = false
		}
	}
	if ctx.Err() == nil {
		t.Fatal("the load ended before the soak")
	}
	for _, q := range held {
		t.Logf("%s: %s", q.name, q.series())
		if before, after := q.quarters(); q.grew() {
			t.Errorf("%s grew: median %.1f in the second quarter, %.1f in the last", q.name, before, after)
		}
	}
}

// sample returns the values of the quantities.
func sample(t *testing.T) []float64 {
	debug.FreeOSMemory() // what Go keeps for later is not growth
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("a soak needs the /proc of Linux:", err)
	}
	var pages int
	if _, err := fmt.Sscanf(string(statm), "%d %d", new(int), &pages); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	const mib = 1 << 20
	resident, goes := float64(pages*os.Getpagesize())/mib, float64(m.Sys-m.HeapReleased)/mib
	return []float64{resident, goes, resident - goes, float64(runtime.NumGoroutine()), float64(len(files))}
}

// quarters returns the medians of the second and of the last quarter.
func (q *quantity) quarters() (second, last float64) {
	n := len(q.values) / 4
	return median(q.values[n : 2*n]), median(q.values[3*n:])
}

func (q *quantity) grew() bool {
	before, after := q.quarters()
	return after > before*(1+share)+q.slack
}

// series is every fourth value.
func (q *quantity) series() string {
	var words []string
	for i := 0; i < len(q.values); i += 4 {
		words = append(words, fmt.Sprintf("%.0f", q.values[i]))
	}
	before, after := q.quarters()
	return fmt.Sprintf("%s (median of the second quarter %.1f, of the last %.1f)", strings.Join(words, " "), before, after)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[len(values)/2]
}
