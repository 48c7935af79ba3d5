package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// sweep makes a sweep of the site's experiment, which trains for nothing.
func (s site) sweep(t *testing.T, text string) {
	t.Helper()
	s.edit(t, "small.yaml", "hooks: [plies.go]", "sweep: "+text)
}

// The number of jobs decides nothing, and trials that share their training train
// once, at once or one after the other.
func TestJobs(t *testing.T) {
	t.Parallel()
	one, three := newSite(t), newSite(t)
	for _, s := range []site{one, three} {
		s.sweep(t, "{grid: {search.visits: [4, 6], tournament.rounds: [2, 4]}}")
	}
	a := one.run(t, quick...)
	b, err := three.try(context.Background(), func(o *Options) { o.Jobs = 3 }, quick...)
	if err != nil {
		t.Fatal(err)
	}
	three.sameAs(t, one)
	for _, r := range []*recorder{a, b} {
		runs := map[string]int{}
		for stage, what := range r.of {
			if !strings.HasPrefix(what, "as in") && what != "cached" {
				_, name, _ := strings.Cut(stage, ": ")
				runs[name]++
			}
		}
		// The network before training is the same in all trials.
		if runs["untrained network"] != 1 || runs["self-play 1"] != 2 || runs["training 1"] != 2 || runs["tournament"] != 4 {
			t.Errorf("stages that ran: %v", runs)
		}
	}
}

// A trial that fails does not keep others from running; all that failed are named
// at the end. With FailFast they are stopped.
func TestTrialsThatFail(t *testing.T) {
	s := newSite(t)
	s.sweep(t, "{grid: {search.visits: [4, 5, 6]}}")
	set := with(quick, "tournament.rounds=0")
	folders := map[int]string{}
	for i, x := range s.load(t, set...).Trials {
		folders[i] = filepath.Join(s.results(), x.Folder)
		if i != 1 { // a file where a folder is wanted
			if err := os.MkdirAll(folders[i], 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folders[i], "games"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, jobs := range []int{1, 3} {
		r, err := s.try(context.Background(), func(o *Options) { o.Jobs, o.FailFast = jobs, true }, set...)
		wantError(t, err, "trials failed:\n")
		// Of two that run side by side either may fail first, and then stop the other.
		if m := err.Error(); !strings.Contains(m, folders[0]+": ") && (jobs == 1 || !strings.Contains(m, folders[2]+": ")) {
			t.Errorf("%d jobs: error %q names no trial that fails", jobs, err)
		}
		if jobs == 1 && r.of["search.visits=5: untrained network"] != "" {
			t.Errorf("the second trial ran: %v", r.of)
		}
	}
	r, err := s.try(context.Background(), func(o *Options) { o.Jobs = 2 }, set...)
	wantError(t, err, "2 of 3 trials failed:\n", folders[0]+": ", folders[2]+": ")
	var failed *FailedError
	if !errors.As(err, &failed) || !slices.Equal(failed.Folders, []string{folders[0], folders[2]}) || failed.Trials != 3 {
		t.Errorf("error %#v", err)
	}
	if r.of["search.visits=5: training 1"] == "" {
		t.Errorf("the second trial did not run: %v", r.of)
	}
	rows := readCSV(t, filepath.Join(s.results(), "trials.csv"))
	if len(rows) != 2 || rows[1][0] != "5" {
		t.Errorf("trials.csv: %v", rows)
	}
}

// A run that is canceled during several trials ends without an error of its own. The next
// run ends in the same files.
func TestJobsCanceled(t *testing.T) {
	t.Parallel()
	s, plain := newSite(t), newSite(t)
	for _, s := range []site{s, plain} {
		s.sweep(t, "{grid: {search.visits: [4, 6]}}")
	}
	for _, at := range []string{"self-play 1 2/3", "training 1 1/", "tournament 3/6"} {
		ctx, cancel := context.WithCancel(context.Background())
		hit := sync.OnceFunc(cancel)
		_, err := s.try(ctx, func(o *Options) {
			o.Jobs = 2
			o.Reporter.(*recorder).event = func(what string) {
				if strings.HasPrefix(what, at) {
					hit()
				}
			}
		}, quick...)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at %q: %v", at, err)
		}
	}
	if _, err := s.try(context.Background(), func(o *Options) { o.Jobs = 2 }, quick...); err != nil {
		t.Fatal(err)
	}
	plain.run(t, quick...)
	s.sameAs(t, plain)
}

// halvingSite is a site of four trials of which the best half continues after one
// generation, and one after two.
func halvingSite(t *testing.T, metric string) site {
	t.Helper()
	s := newSite(t)
	if metric == experiment.ByElo {
		metric += ", games: 2"
	}
	s.sweep(t, fmt.Sprintf("{grid: {training.schedule.initial: [1e-6, 0.05, 1e-5, 0.01]}, halving: {factor: 2, first: 1, metric: %s}}", metric))
	return s
}

var halvingSet = with(quick, "generations=3", "tournament.players=[last, random]", "training.schedule.kind=constant")

// rungs checks the rungs of a site, and returns them.
func (s site) rungs(t *testing.T, metric string) []store.Rung {
	t.Helper()
	e := s.load(t, halvingSet...)
	rungs, err := store.Describe(e).Rungs(s.results())
	if err != nil {
		t.Fatal(err)
	}
	if len(rungs) != 2 {
		t.Fatalf("%d rungs, want 2: %v", len(rungs), rungs)
	}
	last := map[string]int{} // by folder: the generation after which it ended
	for i, r := range rungs {
		if r.Generation != i+1 || r.Metric != metric || len(r.Ranking) != 4>>i || r.Survivors != 2>>i {
			t.Errorf("rung %d: %+v", i, r)
		}
		for place, x := range r.Ranking {
			if last[x.Trial] = r.Generation; place < r.Survivors {
				last[x.Trial] = 3
			}
			if place > 0 {
				before, value := r.Ranking[place-1].Value.Value, x.Value.Value
				if metric == experiment.ByElo && before < value || metric == experiment.ByLoss && before > value {
					t.Errorf("rung %d: place %d of %v is better than the one before, %v", i, place, value, before)
				}
			}
		}
	}
	for i := range e.Trials {
		x, err := store.Open(s.results(), e.Trials[i])
		if err != nil {
			t.Fatal(err)
		}
		want := last[filepath.Base(x.Dir)]
		if x.Last() != want || x.Done() != want {
			t.Errorf("%s ended after %d generations, %d were trained, want %d", x.Declared.Label, x.Last(), x.Done(), want)
		}
		if (x.Manifest.Ended != nil) != (want < 3) {
			t.Errorf("%s ended early: %+v", x.Declared.Label, x.Manifest.Ended)
		}
		if res := x.Tournament(); (res == nil) != (want < 3) {
			t.Errorf("%s: ended after generation %d, tournament %v", x.Declared.Label, want, res)
		}
		if x.Dropped() != (want < 3) || x.Dropped() && x.Manifest.Ended.Rung != want {
			t.Errorf("%s: ended %+v, want after %d", x.Declared.Label, x.Manifest.Ended, want)
		}
		if next := x.Next(); next != "" {
			t.Errorf("%s: %s is left to run", x.Declared.Label, next)
		}
	}
	return rungs
}

func TestHalvingByLoss(t *testing.T) {
	t.Parallel()
	s := halvingSite(t, experiment.ByLoss)
	first := s.run(t, halvingSet...)
	rungs := s.rungs(t, experiment.ByLoss)
	first.says(t, "validation loss after 1 generation: 2 of 4 continue:")
	if first.of["comparisons: rung 1"] != "first time" || first.of["comparisons: rung 2"] != "first time" {
		t.Errorf("stages: %v", first.of)
	}
	if rows := readCSV(t, filepath.Join(s.results(), "trials.csv")); len(rows) != 5 {
		t.Errorf("trials.csv has %d rows, want 4", len(rows)-1)
	}
	s.run(t, halvingSet...).stages(t, map[string]string{})

	jobs := halvingSite(t, experiment.ByLoss)
	if _, err := jobs.try(context.Background(), func(o *Options) { o.Jobs = 4 }, halvingSet...); err != nil {
		t.Fatal(err)
	}
	jobs.sameAs(t, s)
	if again := jobs.rungs(t, experiment.ByLoss); fmt.Sprint(again) != fmt.Sprint(rungs) {
		t.Errorf("with more jobs the rungs are %v, want %v", again, rungs)
	}

	// Without halving all trials continue from where they ended, also if they are interrupted.
	s.edit(t, "small.yaml", ", halving: {factor: 2, first: 1, metric: validation_loss}", "")
	ctx, stop := context.WithCancel(t.Context())
	r, err := s.try(ctx, func(o *Options) {
		o.Reporter.(*recorder).event = func(what string) {
			if strings.HasPrefix(what, "training 3 ") {
				stop()
			}
		}
	}, halvingSet...)
	if !errors.Is(err, context.Canceled) || r.ran["training 2"] == "" {
		t.Fatalf("ran %v: %v", r.ran, err)
	}
	for _, x := range s.load(t, halvingSet...).Trials {
		if x, err := store.Open(s.results(), x); err != nil || x.Manifest.Stage("training 2") != nil && x.Done() < 2 {
			t.Errorf("%s: %d generations, ended %v (%v)", x.Declared.Label, x.Done(), x.Manifest.Ended, err)
		}
	}
	r = s.run(t, halvingSet...)
	if r.ran["training 1"] != "" || r.ran["training 3"] == "" {
		t.Errorf("ran %v", r.ran)
	}
	for _, x := range s.load(t, halvingSet...).Trials {
		if x, err := store.Open(s.results(), x); err != nil || x.Manifest.Ended != nil || x.Done() != 3 {
			t.Errorf("%s: %d generations, ended %v (%v)", x.Declared.Label, x.Done(), x.Manifest.Ended, err)
		}
	}
}

// Trials that ended at a rung have too few players for the gauntlet that they never play.
func TestHalvingWithGauntlet(t *testing.T) {
	t.Parallel()
	s := halvingSite(t, experiment.ByLoss)
	set := append(slices.Clone(halvingSet), "tournament.players=[{every: 1}, random]", "tournament.format={kind: gauntlet, first: 2}")
	s.run(t, set...)
	s.run(t, set...).stages(t, map[string]string{})
}

// A setting with several seeds continues or ends as a whole.
func TestHalvingOfSeeds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.sweep(t, "{grid: {seed: [7, 8], training.schedule.initial: [1e-6, 0.05]}, halving: {factor: 2, first: 1, metric: validation_loss}}")
	set := with(halvingSet, "generations=2", "tournament.rounds=0")
	r := s.run(t, set...)
	r.says(t, "validation loss after 1 generation: 1 of 2 continue: training.schedule.initial=")
	e := s.load(t, set...)
	rungs, err := store.Describe(e).Rungs(s.results())
	if err != nil || len(rungs) != 1 || len(rungs[0].Ranking) != 4 || rungs[0].Survivors != 1 {
		t.Fatalf("rungs %+v (%v)", rungs, err)
	}
	ranking := rungs[0].Ranking
	if a, b := ranking[0], ranking[1]; a.Setting != b.Setting || a.Mean != b.Mean || math.Abs(a.Mean.Value-(a.Value.Value+b.Value.Value)/2) > 1e-12 || a.Mean.Value > ranking[2].Mean.Value {
		t.Errorf("ranking %+v", ranking)
	}
	for _, x := range e.Trials {
		opened, err := store.Open(s.results(), x)
		if err != nil || opened.Dropped() != (x.Group != ranking[0].Setting) {
			t.Errorf("%s: dropped %v (%v)", x.Label, opened.Dropped(), err)
		}
	}
}

func TestHalvingByElo(t *testing.T) {
	t.Parallel()
	s := halvingSite(t, experiment.ByElo)
	s.run(t, halvingSet...)
	rungs := s.rungs(t, experiment.ByElo)
	if n := len(readGames(t, filepath.Join(s.results(), store.ComparisonsFolder, store.RungFolder(1), "games.pgn"))); n != 12 {
		t.Errorf("%d games of the first rung, want 12", n)
	}

	// Interrupted in the match of a rung.
	stopped := halvingSite(t, experiment.ByElo)
	stopped.until(t, begins("rung 1 5/12"), halvingSet...)
	var games []string
	_, err := stopped.try(context.Background(), func(o *Options) {
		o.Jobs = 2
		o.Reporter.(*recorder).event = func(what string) {
			// The number of reported standings depends on the clock.
			if strings.HasPrefix(what, "rung 1 ") && !strings.HasPrefix(what, "rung 1 score") {
				games = append(games, what)
			}
		}
	}, halvingSet...)
	if err != nil {
		t.Fatal(err)
	}
	if len(games) > 8 || !slices.ContainsFunc(games, func(s string) bool { return strings.HasPrefix(s, "rung 1 resumes at ") && !strings.HasSuffix(s, " 0") }) {
		t.Errorf("the match was not resumed: %q", games)
	}
	stopped.sameAs(t, s)
	if again := stopped.rungs(t, experiment.ByElo); fmt.Sprint(again) != fmt.Sprint(rungs) {
		t.Errorf("the rungs are %v, want %v", again, rungs)
	}

	// A trial that cannot play the others is refused before anything runs.
	s.edit(t, "small.yaml", "grid: {", "grid: {game.max_moves: [40, 41], game.start: [[], chess960], ")
	_, err = experiment.LoadChecked(s.file(), halvingSet)
	wantError(t, err, "game.", "by Elo", "validation_loss")
}

// The networks of all trials play in one pool after the last of them has ended.
func TestFinal(t *testing.T) {
	t.Parallel()
	set := with(quick, "generations=1", "tournament.rounds=0")
	sweep := "{grid: {training.schedule.initial: [0.01, 0.05]}, seeds: 2, final: {rounds: 2, anchors: [random, {material: 1}]}}"
	s, stopped := newSite(t), newSite(t)
	for _, s := range []site{s, stopped} {
		s.sweep(t, sweep)
	}
	if plan := s.plan(t, s.file(), false, set...); len(plan.Comparisons) != 1 || plan.Comparisons[0].Work.Games != 30 {
		t.Errorf("planned comparisons %+v", plan.Comparisons)
	}
	r := s.run(t, set...)
	if r.of["comparisons: final"] != "first time" {
		t.Errorf("stages: %v", r.of)
	}
	e := s.load(t, set...)
	res, err := store.Describe(e).FinalTournament(s.results())
	if err != nil || res == nil {
		t.Fatalf("final %v, %v", res, err)
	}
	if len(res.Players) != 6 || res.Anchor != "random" || gamesOf(res) != 30 {
		t.Errorf("%d players, anchor %q, %d games", len(res.Players), res.Anchor, gamesOf(res))
	}
	opened, notes, err := store.Describe(e).Open(s.results())
	if err != nil || len(notes) > 0 || len(opened) != 4 {
		t.Fatalf("%d trials, notes %v (%v)", len(opened), notes, err)
	}
	for i, x := range opened {
		have := x.Measure("elo")
		if want := res.Players[i].Elo; have != want || res.Players[i].Name != x.Name() || res.Players[i].Generation != 1 {
			t.Errorf("%s: Elo %v, want %v of %+v", x.Name(), have, want, res.Players[i])
		}
	}

	s.run(t, set...).stages(t, map[string]string{})
	stopped.until(t, begins("final 7/30"), set...)
	stopped.run(t, set...)
	stopped.sameAs(t, s)

	// With anchors only, and with another anchor, the games of the other pairs are played.
	s.edit(t, "small.yaml", "rounds: 2, anchors: [random, {material: 1}]", "rounds: 2, pairs: anchors, anchors: [random, {material: 2}]")
	if plan := s.plan(t, s.file(), false, set...); len(plan.Comparisons) != 1 || plan.Comparisons[0].Work.Games != 8 {
		t.Errorf("planned comparisons %+v", plan.Comparisons)
	}
	s.run(t, set...)
	if res, err := store.Describe(s.load(t, set...)).FinalTournament(s.results()); err != nil || gamesOf(res) != 16 {
		t.Errorf("%+v, %v", res, err)
	}

	// More generations make the final tournament stale until the next run.
	more := store.Describe(s.load(t, with(set, "generations=2")...))
	if opened, _, err = more.Open(s.results()); err != nil || opened[0].Final == nil {
		t.Errorf("a trial that has not gone on has no final tournament (%v)", err)
	}
	s.until(t, begins("final"), with(set, "generations=2")...)
	if opened, _, err = more.Open(s.results()); err != nil || opened[0].Final != nil {
		t.Errorf("a trial that has gone on has its old final tournament (%v)", err)
	}

	s.edit(t, "small.yaml", "anchors: [random, {material: 2}]", "anchors: [{uci: no-such-engine, level: 1}]")
	r, err = s.try(context.Background(), func(o *Options) { o.SkipMissingEngines = true }, set...)
	if r.says(t, "no final tournament: none of its anchors is here"); err != nil {
		t.Error(err)
	}
}

// gamesOf returns the number of games of a tournament.
func gamesOf(res *store.Tournament) (n int) {
	for _, p := range res.Players {
		n += p.Games()
	}
	return n / 2
}
