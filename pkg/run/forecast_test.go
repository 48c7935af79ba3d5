package run

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"alamos/pkg/store"
)

// ran adds a stage that this process has run to a forecast.
func (f *forecast) ran(dir, stage string, seconds float64, does string) {
	m := &store.Manifest{Stages: []*store.Stage{{Name: stage, Seconds: seconds}}}
	f.end(&Trial{Results: &store.Trial{Dir: dir, Manifest: m}}, Decision{Name: stage, Does: does})
}

func TestForecast(t *testing.T) {
	sweep := func(jobs int, rungs ...int) *forecast {
		f := &forecast{jobs: jobs, rungs: rungs, count: 3, ended: map[string]bool{}, took: map[string]timing{}}
		for _, dir := range []string{"a", "b", "c"} {
			f.pending = append(f.pending, &pendingTrial{dir: dir, stages: []string{"self-play 1", "training 1", "self-play 2", "training 2", "tournament"}})
		}
		return f
	}
	wants := func(f *forecast, want string) {
		t.Helper()
		if have := f.String(); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
	f := sweep(1)
	wants(f, "")
	f.ran("a", "self-play 1", 60, Runs)
	f.ran("a", "training 1", 120, Runs)
	wants(f, "0 of 3 trials, at least 15 min left") // 5 generations of 3 min, and tournaments
	f.ran("a", "self-play 2", 120, Runs)
	f.ran("a", "training 2", 120, Runs)
	f.ran("a", "tournament", 300, Runs)
	f.endTrial("a")
	wants(f, "1 of 3 trials, about 24 min left")
	f.begin("b", "self-play 1")
	f.rest("b").began = time.Now().Add(-time.Hour) // longer than expected: the rest is unaffected
	wants(f, "1 of 3 trials, about 23 min left")
	f.jobs = 2
	wants(f, "1 of 3 trials, about 12 min left")
	f.endTrial("b") // failed
	f.endTrial("c")
	wants(f, "") // nothing is left

	// Earlier runs count until this process has a time of its own.
	f = sweep(1)
	for _, stage := range slices.Clone(f.pending[0].stages) {
		f.ran("a", stage, 600, Cached)
	}
	f.endTrial("a")
	wants(f, "1 of 3 trials, about 1 h 40 min left")
	f.ran("b", "self-play 1", 60, Runs)
	wants(f, "1 of 3 trials, about 81 min left")

	// With successive halving two jobs wait for the third trial, and for the comparison.
	f = sweep(2, 1)
	f.pending[1].stages, f.pending[2].stages = f.pending[1].stages[:2], f.pending[2].stages[:2]
	f.pending = append(f.pending, &pendingTrial{dir: store.ComparisonsFolder, stages: []string{"rung 1"}})
	for _, stage := range []string{"self-play 1", "training 1", "rung 1", "tournament"} {
		f.took[stage] = timing{seconds: 300, stages: 1}
	}
	wants(f, "0 of 3 trials, about 40 min left")
}

// A run of several trials reports its progress. A second one has nothing to report.
func TestProgressOfTrials(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.sweep(t, "{grid: {search.visits: [4, 6, 8]}}")
	for _, want := range []int{2, 0} {
		var seen []string
		_, err := s.try(context.Background(), func(o *Options) {
			r := o.Reporter.(*recorder)
			r.event = func(what string) {
				if text := r.progress(); strings.HasPrefix(what, "trial ") && text != "" {
					seen = append(seen, text)
				}
			}
		}, quick...)
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) != want {
			t.Fatalf("progress %q", seen)
		}
		for i, text := range seen {
			if !strings.HasPrefix(text, fmt.Sprintf("%d of 3 trials, about ", i+1)) {
				t.Errorf("progress %q", seen)
			}
		}
	}
}

func TestMakespan(t *testing.T) {
	for jobs, want := range map[int]float64{1: 12, 2: 8, 3: 7, 9: 5} {
		if have := makespan([]float64{3, 2, 2, 5}, jobs); math.Abs(have-want) > 1e-9 {
			t.Errorf("%d jobs: %v, want %v", jobs, have, want)
		}
	}
}
