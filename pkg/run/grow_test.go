package run

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/store"
)

// searchSite is a site of a search by TPE in batches of 3, 2 and 2 trials.
func searchSite(t *testing.T) site {
	t.Helper()
	s := newSite(t)
	s.sweep(t, "{random: {trials: 7, draw: {training.schedule.initial: {log_uniform: [1e-4, 0.5]}, search.visits: {int: [4, 9]}, search.fpu: {choice: [zero, 0.2]}}, tpe: {startup: 3, batch: 2, metric: loss}}}")
	return s
}

var searchSet = with(quick, "generations=1", "tournament.rounds=0", "training.schedule.kind=constant")

// known returns the experiment with all trials that the results decide.
func (s site) known(t *testing.T, set ...string) *experiment.Experiment {
	t.Helper()
	return s.plan(t, s.file(), false, set...).Experiment
}

// untilTrained runs until the first training of the n-th trial of this process has run.
func (s site) untilTrained(t *testing.T, n int, set ...string) {
	t.Helper()
	s.until(t, func(what string) bool {
		if what == "runs training 1" {
			n--
		}
		return n == 0
	}, set...)
}

func TestBatches(t *testing.T) {
	t.Parallel()
	s := searchSite(t)
	plan := s.plan(t, s.file(), false, searchSet...)
	if len(plan.Trials) != 3 || plan.Pending != 4 || !slices.Contains(plan.Notes, "TPE proposes 4 more trials from the results of those before them: their work is not known yet") {
		t.Errorf("%d planned trials, %d pending, notes %q", len(plan.Trials), plan.Pending, plan.Notes)
	}
	first := s.run(t, searchSet...)
	first.says(t, "TPE proposes trials 4 to 5; so far trial ", " has the lowest loss, ")
	first.says(t, "TPE proposes trials 6 to 7; so far trial ")
	e := s.known(t, searchSet...)
	x, err := store.ReadExperiment(s.results())
	if err != nil || len(e.Trials) != 7 || e.Pending != 0 || len(x.Trials) != 7 || x.Pending != 0 || !x.Ended {
		t.Fatalf("%d trials, %d pending; stored %d, %d (%v)", len(e.Trials), e.Pending, len(x.Trials), x.Pending, err)
	}
	for i := range e.Trials {
		if e.Trials[i].ID != x.Trials[i].ID {
			t.Errorf("trial %d is %s, stored as %s", i+1, e.Trials[i].Label, x.Trials[i].Label)
		}
	}
	if rows := readCSV(t, filepath.Join(s.results(), "trials.csv")); len(rows) != 8 {
		t.Errorf("trials.csv has %d rows, want 7", len(rows)-1)
	}
	s.run(t, searchSet...).stages(t, map[string]string{})

	jobs := searchSite(t)
	if _, err := jobs.try(context.Background(), func(o *Options) { o.Jobs = 4 }, searchSet...); err != nil {
		t.Fatal(err)
	}
	jobs.sameAs(t, s)

	// Interrupted in each batch; what is known of the search stays listed.
	stopped := searchSite(t)
	for i, n := range []int{2, 3, 3} { // trainings of this process
		stopped.untilTrained(t, n, searchSet...)
		x, err := store.ReadExperiment(stopped.results())
		if want := []int{3, 5, 7}[i]; err != nil || len(x.Trials) != want || len(x.Trials)+x.Pending != 7 || x.Ended {
			t.Errorf("interrupted in batch %d: %d trials, %d pending, %v", i+1, len(x.Trials), x.Pending, err)
		}
		if want, plan := []int{3, 5, 7}[i], stopped.plan(t, stopped.file(), false, searchSet...); len(plan.Trials) != want {
			t.Errorf("interrupted in batch %d: %d trials are planned, want %d", i+1, len(plan.Trials), want)
		}
	}
	stopped.until(t, begins("cached untrained network"), searchSet...)
	if x, err := store.ReadExperiment(stopped.results()); err != nil || len(x.Trials) != 7 {
		t.Errorf("interrupted at the begin: %d trials are listed (%v)", len(x.Trials), err)
	}
	stopped.run(t, searchSet...)
	stopped.sameAs(t, s)

	// A trial at a time, as on several machines, batch by batch.
	single := searchSite(t)
	for _, n := range []int{3, 1, 2, 5, 4, 7, 6} {
		r := &recorder{ran: map[string]string{}}
		opt := single.options(r)
		opt.Trials = []int{n}
		if err := Run(context.Background(), single.known(t, searchSet...), opt); err != nil {
			t.Fatal(err)
		}
	}
	single.run(t, searchSet...).stages(t, map[string]string{})
	files := single.fingerprint(t)
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasSuffix(name, "/.lock") }) // of a trial at a time
	if diff := cmp.Diff(s.fingerprint(t), files); diff != "" {
		t.Errorf("files of all trials together and one at a time:\n%s", diff)
	}
}

// Settings that may be the best get more seeds, and the final tournament waits for them.
func TestCloseCalls(t *testing.T) {
	t.Parallel()
	set := searchSet
	newSweep := func() site {
		s := newSite(t)
		s.sweep(t, "{grid: {search.visits: [4, 9]}, seeds: 2, close_calls: {seeds: 4, metric: loss, level: 0.001}, final: {rounds: 2}}")
		return s
	}
	s := newSweep()
	if plan := s.plan(t, s.file(), false, set...); len(plan.Trials) != 4 || plan.Pending != 4 || !slices.Contains(plan.Notes, "close calls add up to 4 more trials from the results of those before them: their work is not known yet") {
		t.Errorf("%d planned trials, %d pending, notes %q", len(plan.Trials), plan.Pending, plan.Notes)
	}
	first := s.run(t, set...)
	first.says(t, "close calls: 2 of 2 settings may have the best loss; so far search.visits=", "; more seeds: trials 5 to 6")
	first.says(t, "close calls: 2 of 2 settings may have the best loss; so far search.visits=", "; more seeds: trials 7 to 8")
	x, err := store.ReadExperiment(s.results())
	if err != nil || len(x.Trials) != 8 || x.Pending != 0 || !x.Ended {
		t.Fatalf("stored %d trials, %d pending (%v)", len(x.Trials), x.Pending, err)
	}
	s.run(t, set...).stages(t, map[string]string{})

	stopped := newSweep()
	stopped.untilTrained(t, 5, set...)
	if plan := stopped.plan(t, stopped.file(), false, set...); len(plan.Trials) != 6 || plan.Pending != 2 {
		t.Errorf("interrupted in the first batch: %d planned trials, %d pending", len(plan.Trials), plan.Pending)
	}
	if _, err := stopped.try(context.Background(), func(o *Options) { o.Jobs = 2 }, set...); err != nil {
		t.Fatal(err)
	}
	stopped.sameAs(t, s)
}

// A member of a population begins with the network of its parent. The rounds are the same after
// an interruption, with any number of jobs, and with a trial at a time.
func TestPopulation(t *testing.T) {
	t.Parallel()
	newSweep := func() site {
		s := newSite(t)
		s.sweep(t, "{random: {trials: 3, draw: {training.schedule.initial: {log_uniform: [1e-4, 0.5]}}, pbt: {rounds: 3, metric: loss}}}")
		return s
	}
	s := newSweep()
	s.run(t, searchSet...).says(t, "population-based training, round 2 of 3: trial ", " has the lowest loss, ", "; replaced: ")
	e := s.known(t, searchSet...)
	if len(e.Trials) != 9 || e.Pending != 0 {
		t.Fatalf("%d trials, %d pending", len(e.Trials), e.Pending)
	}
	x, err := store.ReadExperiment(s.results())
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := x.Open(s.results())
	if err != nil {
		t.Fatal(err)
	}
	for i, trial := range x.Trials[3:] {
		parent, child := all[trial.Parent-1], all[3+i]
		last, err := nn.ReadCheckpoint(parent.Path(store.CheckpointFile(1)))
		if err != nil {
			t.Fatal(err)
		}
		begins, err := nn.ReadCheckpoint(child.Path(store.CheckpointFile(0)))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(last.Playing(), begins.Network) { // cmp takes a second for it
			t.Errorf("trial %d does not begin with the network of trial %d", trial.Number, trial.Parent)
		}
	}
	s.run(t, searchSet...).stages(t, map[string]string{})

	stopped := newSweep()
	stopped.untilTrained(t, 5, searchSet...)
	if _, err := stopped.try(context.Background(), func(o *Options) { o.Jobs = 2 }, searchSet...); err != nil {
		t.Fatal(err)
	}
	stopped.sameAs(t, s)
}

// A trial that fails counts as the worst. If all fail, nothing can be proposed.
func TestBatchesWithFailures(t *testing.T) {
	t.Parallel()
	s := searchSite(t)
	block := func(trials []experiment.Trial) {
		for _, x := range trials { // a file where a folder is wanted
			folder := filepath.Join(s.results(), x.Folder)
			if err := os.MkdirAll(folder, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "games"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := s.load(t, searchSet...).Trials
	block(all[:1])
	r, err := s.try(context.Background(), nil, searchSet...)
	wantError(t, err, "1 of 7 trials failed:\n", all[0].Folder)
	r.says(t, "TPE proposes trials 6 to 7; so far trial ")
	if x, err := store.ReadRun(s.results()); err != nil || x.State != store.Failed || x.Trials != 7 || x.TrialsDone != 6 {
		t.Errorf("%+v, %v", x, err)
	}
	if plan := s.plan(t, s.file(), false, searchSet...); len(plan.Trials) != 3 || plan.Pending != 4 {
		t.Errorf("%d planned trials: that of the failed one is not known", len(plan.Trials))
	}
	if _, err := s.try(context.Background(), func(o *Options) { o.FailFast = true }, searchSet...); err == nil || strings.Contains(err.Error(), "of 7") {
		t.Errorf("a run that stops at the first failure: %v", err)
	}

	s = searchSite(t)
	block(all)
	_, err = s.try(context.Background(), nil, searchSet...)
	wantError(t, err, "no trial has measured loss, which decides the later trials of the sweep", "3 of 3 trials failed")
}
