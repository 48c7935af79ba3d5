package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/experiment"

	"alamos/pkg/store"
	"alamos/pkg/uci/testdata/fake"
)

// listing has every file and folder of a site with its size and time.
func (s site) listing(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(filepath.Join(s.dir, "results"), func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// plan plans a run of a file of the site, and wants nothing to be written.
func (s site) plan(t *testing.T, file string, probe bool, set ...string) *Plan {
	t.Helper()
	e, err := experiment.LoadChecked(file, set)
	if err != nil {
		t.Fatal(err)
	}
	before := s.listing(t)
	plans, err := MakePlans(context.Background(), []*experiment.Experiment{e}, PlanOptions{Options: s.options(nil), Probe: probe})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, s.listing(t)); diff != "" {
		t.Errorf("a plan changed results (-before +after):\n%s", diff)
	}
	if _, err := json.Marshal(plans); err != nil {
		t.Error(err)
	}
	return plans[0]
}

// says is what a plan says of each stage, as a recorder remembers it.
func (p *Plan) says() map[string]string {
	all := map[string]string{}
	note := func(label string, stages []Decision) {
		for _, s := range stages {
			switch s.Does {
			case Reused:
				all[label+": "+s.Name] = "as in " + filepath.Base(s.From)
			case Cached:
				all[label+": "+s.Name] = "cached"
			default:
				all[label+": "+s.Name] = s.Why
			}
		}
	}
	for _, x := range p.Trials {
		note(x.Label, x.Stages)
	}
	note("comparisons", p.Comparisons)
	return all
}

// What a plan says is what the run does.
func TestPlanIsWhatRunDoes(t *testing.T) {
	t.Parallel()
	sweep := func(text string) func(*testing.T, site) {
		return func(t *testing.T, s site) { s.sweep(t, text) }
	}
	remove := func(file string) func(*testing.T, site) {
		return func(t *testing.T, s site) {
			if err := os.Remove(filepath.Join(s.trial(t), file)); err != nil {
				t.Fatal(err)
			}
		}
	}
	grid := "{grid: {search.visits: [4, 6], tournament.rounds: [2, 4]}}"
	for _, test := range []struct {
		name   string
		ran    bool // before the change
		set    []string
		change func(*testing.T, site)
		file   string // empty: small.yaml
	}{
		{name: "first time"},
		{name: "nothing", ran: true},
		{name: "sweep", change: sweep(grid)},
		{name: "sweep of what ran", ran: true, change: sweep(grid)},
		{name: "same beginning", change: sweep("{grid: {training.loss.value: [1, 0.5]}}")},
		{name: "seeds", change: sweep("{seeds: 2}")},
		{name: "more rounds", ran: true, set: []string{"tournament.rounds=4"}},
		{name: "another player", ran: true, set: []string{"tournament.players=[last, random, every: 1]"}},
		{name: "more generations", ran: true, set: []string{"generations=2"}},
		{name: "no tournament", ran: true, set: []string{"tournament.rounds=0"}},
		{name: "samples gone", ran: true, change: remove(store.SamplesFile(1))},
		{name: "network gone", ran: true, change: remove(store.CheckpointFile(0))},
		{name: "hook", ran: true, change: func(t *testing.T, s site) { s.edit(t, "plies.go", "sum := 0", "sum := 1") }},
		{name: "other name", ran: true, change: func(t *testing.T, s site) { s.rename(t, "other") }, file: "other.yaml"},
		{name: "other training", ran: true, set: []string{"training.epochs=2"}},
		{name: "another search", ran: true, set: []string{"search.noise.weight=0.5"}},
		{name: "more trials", ran: true, change: sweep("{grid: {search.noise.weight: [0.25, 0.5]}, seeds: 2}")},
		{name: "halving", change: sweep("{grid: {selfplay.games: [2, 3, 4]}, halving: {metric: validation_loss, first: 1, factor: 3}}"), set: []string{"training.schedule.kind=constant"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			if test.ran {
				s = quickSite(t)
			}
			if test.change != nil {
				test.change(t, s)
			}
			file := s.file()
			if test.file != "" {
				file = filepath.Join(s.dir, test.file)
			}
			set := with(quick, test.set...)
			if test.name == "halving" { // the first rung decides
				if _, err := s.try(context.Background(), nil, with(set, "generations=2")...); err != nil {
					t.Fatal(err)
				}
				set = with(set, "generations=2", "tournament.rounds=4")
			}
			plan := s.plan(t, file, false, set...)
			if len(plan.Problems) > 0 {
				t.Errorf("problems: %q", plan.Problems)
			}
			e, err := experiment.LoadChecked(file, set)
			if err != nil {
				t.Fatal(err)
			}
			var games labPlaying
			r := &recorder{ran: map[string]string{}}
			opt := s.options(r)
			r.event = func(what string) {
				for _, stage := range []string{"tournament", "self-play 1", "self-play 2"} {
					var done, total int
					if n, _ := fmt.Sscanf(what, stage+" %d/%d", &done, &total); n == 2 {
						games.n++
					}
				}
			}
			if err := Run(context.Background(), e, opt); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(r.of, plan.says()); diff != "" {
				t.Errorf("stages (-run +plan):\n%s", diff)
			}
			if plan.Total.Games != games.n {
				t.Errorf("%d games were planned, %d were played", plan.Total.Games, games.n)
			}
			if again := s.plan(t, file, false, set...); again.Total != (Work{}) {
				t.Errorf("after the run there is still to do: %+v", again.Total)
			}
		})
	}
}

// ranQuick is the folder of a site where the quick settings have run.
var ranQuick struct {
	sync.Once
	dir string
	err error
}

// quickSite is a site where the quick settings have run.
func quickSite(t *testing.T) site {
	t.Helper()
	ranQuick.Do(func() {
		if ranQuick.dir, ranQuick.err = os.MkdirTemp("", "alamos-lab-"); ranQuick.err != nil {
			return
		}
		if ranQuick.err = os.CopyFS(ranQuick.dir, os.DirFS(newSite(t).dir)); ranQuick.err == nil {
			_, ranQuick.err = site{ranQuick.dir}.try(context.Background(), nil, quick...)
		}
	})
	if ranQuick.err != nil {
		t.Fatal(ranQuick.err)
	}
	return newSiteOf(t, ranQuick.dir)
}

// oneGame is what a recorder sees of a game: "tournament 4/6", and not "tournament
// resumes at 4".
var oneGame = regexp.MustCompile(`^(self-play 1|tournament) [0-9]+/[0-9]+$`)

// A plan knows of games that an interrupted run has finished.
func TestPlanOfWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"self-play 1 2/3", "tournament 4/6"} {
		s := newSite(t)
		s.until(t, begins(at), quick...)
		plan := s.plan(t, s.file(), false, quick...)
		n := 0
		_, err := s.try(context.Background(), func(o *Options) {
			o.Reporter.(*recorder).event = func(what string) {
				if oneGame.MatchString(what) {
					n++
				}
			}
		}, quick...)
		if err != nil {
			t.Fatal(err)
		}
		if whole := 3 + 6; plan.Total.Games != n || n >= whole {
			t.Errorf("stopped at %q: %d games were planned, %d were played of %d", at, plan.Total.Games, n, whole)
		}
	}
}

// A stage that runs again, for other reasons than other inputs, may write what it
// wrote before.
func TestPlanMaybe(t *testing.T) {
	s := quickSite(t)
	m, err := store.ReadManifest(s.trial(t))
	if err != nil {
		t.Fatal(err)
	}
	m.Stage("self-play 1").Inputs["code"] = "0"
	if err := m.Write(s.trial(t)); err != nil {
		t.Fatal(err)
	}
	plan := s.plan(t, s.file(), false, quick...)
	maybe := map[string]bool{}
	for _, x := range plan.Trials[0].Stages {
		if x.Does == Runs {
			maybe[x.Name] = x.Maybe
		}
	}
	want := map[string]bool{"self-play 1": false, "hooks 1": true, "training 1": true, "tournament": true}
	if diff := cmp.Diff(want, maybe); diff != "" {
		t.Errorf("stages that may run (-want +have):\n%s", diff)
	}
	s.run(t, quick...).stages(t, map[string]string{"self-play 1": "alamos computes this in another way now (version 0 -> " + selfplayCode + ")"})
}

// A plan reports what a run would refuse.
func TestPlanProblems(t *testing.T) {
	s := quickSite(t)
	damage(t, filepath.Join(s.trial(t), store.SamplesFile(1)), damages["truncated"])
	plan := s.plan(t, s.file(), false, quick...)
	if len(plan.Problems) != 1 || !strings.Contains(plan.Problems[0], store.SamplesFile(1)) || !strings.Contains(plan.Problems[0], "delete it") {
		t.Errorf("problems %q", plan.Problems)
	}
	plan = newSite(t).plan(t, s.file(), false, with(quick, "tournament.players=[last, random, {uci: /nowhere/strong, depth: 1}]")...)
	if len(plan.Problems) != 1 || !strings.Contains(plan.Problems[0], "/nowhere/strong") {
		t.Errorf("problems %q", plan.Problems)
	}
}

// A plan starts no engine. It takes an engine to be the one that earlier runs found.
func TestPlanStartsNoEngine(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	starts := filepath.Join(s.dir, "starts")
	engine := filepath.Join(s.dir, "engine")
	text := fmt.Sprintf("#!/bin/sh\necho started >> '%s'\nexec '%s'\n", starts, fake.Engine(t, "well"))
	if err := os.WriteFile(engine, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	s.edit(t, "small.yaml", "selfplay: {games: 6, opening: {random_plies: 4, share: 0.5, fork_share: 0.3}, decided: {value: 0.1, visits: 3, weight: 0.8}}", fmt.Sprintf("data: {kind: engine, games: 5, engine: {uci: %s, depth: 1, random_plies: 8}}", engine))
	s.edit(t, "small.yaml", "hooks: [plies.go]", "")
	set := []string{"tournament.rounds=2", "tournament.max_moves=4", fmt.Sprintf("tournament.players=[random, {uci: %s, depth: 1}]", engine)}
	first := s.plan(t, s.file(), true, set...)
	if len(first.Problems) > 0 || !math.IsNaN(float64(first.Total.Seconds)) || first.Total.Games != 2 {
		t.Errorf("before the run: %+v", first)
	}
	if _, err := os.Stat(starts); err == nil {
		t.Error("the plan started the engine")
	}
	s.run(t, set...)
	before, err := os.Stat(starts)
	if err != nil {
		t.Fatal("the run did not start the engine")
	}
	plan := s.plan(t, s.file(), true, set...)
	if plan.Total.Stages > 0 || len(plan.Problems) > 0 || !strings.Contains(strings.Join(plan.Notes, "\n"), "engine depth 1: a plan does not start it") {
		t.Errorf("after the run: %+v", plan)
	}
	if after, err := os.Stat(starts); err != nil || after.Size() != before.Size() {
		t.Errorf("the plan started the engine (%v)", err)
	}
}

// Estimates come from earlier runs or a probe, and are unknown without either.
func TestPlanEstimates(t *testing.T) {
	t.Parallel()
	known := func(p *Plan) bool {
		return !math.IsNaN(float64(p.Total.Evaluations)) && !math.IsNaN(float64(p.Total.Seconds)) && p.Total.Evaluations > 0 && p.Total.Seconds > 0
	}
	s := newSite(t)
	if p := s.plan(t, s.file(), false, quick...); known(p) {
		t.Errorf("estimates without data: %+v", p.Total)
	}
	for _, set := range [][]string{quick, with(quick, "search.visits=100", "selfplay.decided={visits: 50}")} {
		if p := s.plan(t, s.file(), true, set...); !known(p) {
			t.Errorf("%s: a probe left %+v, %v", set, p.Total, p.Problems)
		}
	}
	s = quickSite(t)
	p := s.plan(t, s.file(), false, with(quick, "generations=2")...)
	if !known(p) {
		t.Errorf("an earlier run left %+v", p.Total)
	}
	if p := s.plan(t, s.file(), false, with(quick, "tournament.players=[random, {alphabeta: last, depth: 2}]")...); p.Total.Games == 0 || !math.IsNaN(float64(p.Total.Seconds)) || !math.IsNaN(float64(p.Total.Evaluations)) {
		t.Errorf("alpha-beta with a network: %+v", p.Total)
	}
	// The games of the second generation are taken to be as the first, with one visit more.
	x, err := store.Open(s.results(), s.load(t, quick...).Trials[0])
	if err != nil {
		t.Fatal(err)
	}
	row := x.Generation(1)
	for _, stage := range p.Trials[0].Stages {
		if stage.Name == "self-play 2" && math.Abs(float64(stage.Work.Evaluations)-float64(row.Evaluations)*6/5) > 1 {
			t.Errorf("%v evaluations are planned, there were %d", stage.Work.Evaluations, row.Evaluations)
		}
	}
}
