package run

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/sugarme/gotch/ts"

	"alamos/pkg/bench/testdata/soak"
)

var memoryGenerations = flag.Int("memory.generations", 48, "how long a run TestMemoryDoesNotGrow watches")

// A run as long as one wants needs no more memory than a short one: generation
// after generation of networks that are loaded, compiled, played with, trained,
// saved and closed leaves the process as large as it was, and no tensor behind.
func TestMemoryDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("a warm-up takes seconds")
	}
	generations := *memoryGenerations
	warmUp := generations / 3
	type size struct{ tensors, pages int }
	var at []size // when each generation begins
	evaluations := 0
	s := newSite(t)
	opt := s.options(nil)
	_, err := s.try(context.Background(), func(o *Options) {
		o.Reporter = &recorder{ran: map[string]string{}, event: func(what string) {
			if !strings.HasPrefix(what, "runs self-play ") {
				return
			}
			debug.FreeOSMemory() // what Go keeps for later is not a leak
			text, err := os.ReadFile("/proc/self/statm")
			if err != nil {
				t.Error(err)
			}
			now := size{tensors: len(ts.ExistingTensors)}
			shared := 0 // pages of files, which come and go
			if _, err := fmt.Sscan(string(text), new(int), &now.pages, &shared); err != nil {
				t.Error(err)
			}
			now.pages -= shared
			at = append(at, now)
		}}
	}, fmt.Sprintf("generations=%d", generations), "selfplay.games=24", "hooks=[]", "tournament.rounds=0", "notebook=[{text: Short}]")
	if err != nil {
		t.Fatal(err)
	}
	if len(at) != generations {
		t.Fatalf("%d generations", len(at))
	}
	rows := readCSV(t, s.trial(t)+"/generations.csv")
	column := slices.Index(rows[0], "evaluations")
	for _, row := range rows[1:] {
		var n int
		if _, err := fmt.Sscan(row[column], &n); err != nil {
			t.Fatal(err)
		}
		evaluations += n
	}
	most := func(s []size) (m size) {
		for _, x := range s {
			m.tensors, m.pages = max(m.tensors, x.tensors), max(m.pages, x.pages)
		}
		return m
	}
	middle := (warmUp + generations) / 2
	before, after := most(at[warmUp:middle]), most(at[middle:])
	t.Logf("%d batches of self-play; resident set in KiB: %d after a generation, %d after %d, %d after %d", evaluations/opt.Batch,
		at[1].pages*os.Getpagesize()>>10, before.pages*os.Getpagesize()>>10, middle, after.pages*os.Getpagesize()>>10, generations)
	if after.tensors != before.tensors {
		t.Errorf("%d live tensors, %d before", after.tensors, before.tensors)
	}
	if float64(after.pages) > 1.02*float64(before.pages) {
		t.Errorf("the resident set grew from %d to %d pages, by more than 2 %%", before.pages, after.pages)
	}
}

// A run that lasts as long as one wants, with hooks, holds no more later than earlier.
func TestSoak(t *testing.T) {
	s := newSite(t)
	soak.Watch(t, func(ctx context.Context) {
		_, err := s.try(ctx, nil, "generations=5000", "selfplay.games=24", "tournament.rounds=0", "notebook=[{text: Short}]")
		if ctx.Err() == nil {
			t.Errorf("the run ended: %v", err)
		}
		done, err := filepath.Glob(filepath.Join(s.trial(t), "checkpoints", "*"))
		t.Logf("%d checkpoints, %v", len(done), err)
	})
}
