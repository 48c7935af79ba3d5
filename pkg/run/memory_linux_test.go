package run

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/sugarme/gotch/ts"

	"alamos/pkg/bench/testdata/soak"
)

var memoryGenerations = flag.Int("memory.generations", 48, "how long a run TestMemoryDoesNotGrow watches")

// A run as long as one wants needs no more memory than a short one, but for its manifest:
// generation after generation of networks that are loaded, compiled, played with, trained,
// saved and closed leaves no tensor behind and no memory of C or Go in use.
func TestMemoryDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("a warm-up takes seconds")
	}
	generations := *memoryGenerations
	warmUp := generations / 3
	const manifest = 32 << 10 // bytes at most that a generation adds to the manifest in memory; 17 KiB seen
	type size struct{ tensors, c, goes, resident int }
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
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			text, err := os.ReadFile("/proc/self/statm")
			if err != nil {
				t.Error(err)
			}
			pages, ofFiles := 0, 0 // pages of files come and go
			if _, err := fmt.Sscan(string(text), new(int), &pages, &ofFiles); err != nil {
				t.Error(err)
			}
			at = append(at, size{len(ts.ExistingTensors), soak.Allocated(), int(m.HeapAlloc), (pages - ofFiles) * os.Getpagesize()})
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
	least := func(s []size) size { // what is garbage, or held for a moment, comes on top
		m := s[0]
		for _, x := range s {
			m = size{min(m.tensors, x.tensors), min(m.c, x.c), min(m.goes, x.goes), min(m.resident, x.resident)}
		}
		return m
	}
	middle := (warmUp + generations) / 2
	before, after := least(at[warmUp:middle]), least(at[middle:])
	t.Logf("%d batches of self-play", evaluations/opt.Batch)
	if after.tensors != before.tensors {
		t.Errorf("%d live tensors, %d before", after.tensors, before.tensors)
	}
	for _, held := range []struct {
		what          string
		before, after int
		limit         float64
	}{
		{"memory of malloc in use", before.c, after.c, 1.01 * float64(before.c)}, // 0.1 % seen
		{"Go's heap", before.goes, after.goes, 1.1*float64(before.goes) + float64((generations-middle)*manifest)},
		{"resident set", before.resident, after.resident, 1.2 * float64(before.resident)}, // malloc touches new pages of what is free
	} {
		t.Logf("%s: at least %d KiB before generation %d, %d KiB after", held.what, held.before>>10, middle, held.after>>10)
		if float64(held.after) > held.limit {
			t.Errorf("%s grew beyond %.0f KiB", held.what, held.limit/1024)
		}
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
