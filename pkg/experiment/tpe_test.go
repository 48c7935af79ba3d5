package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"alamos/pkg/config"
	"alamos/pkg/stats"
)

const searchedSweep = `
sweep:
  random:
    trials: 40
    draw:
      search.c_puct: {uniform: [0.5, 4]}
      training.schedule.initial: {log_uniform: [1e-3, 1e-1]}
      network.depth: {int: [2, 20]}
      search.fpu: {choice: [zero, 0.2]}
    tpe: {startup: 8, batch: 4}
`

// searched proposes all batches of a search. value is the metric of a trial.
func searched(t *testing.T, e *Experiment, value func(*Trial) float64) *Experiment {
	t.Helper()
	for e.Pending > 0 {
		var err error
		if e, _, err = e.Grow(values(e, value)); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func values(e *Experiment, value func(*Trial) float64) []float64 {
	var all []float64
	for i := range e.Trials {
		all = append(all, value(&e.Trials[i]))
	}
	return all
}

// peak is highest, 0, at c_puct 1 with fpu zero.
func peak(t *Trial) float64 {
	d := t.Settings.Search.CPuct - 1
	if strings.Contains(t.Label, "fpu=0.2") {
		d += 2
	}
	return -d * d
}

func TestGrowByTPE(t *testing.T) {
	first := load(t, searchedSweep)
	if len(first.Trials) != 8 || first.Pending != 32 || first.Total() != 40 {
		t.Fatalf("%d trials, %d pending", len(first.Trials), first.Pending)
	}
	random := load(t, searchedSweep, "sweep.random.tpe=")
	if diff := cmp.Diff(labels(random)[:8], labels(first)); diff != "" {
		t.Errorf("the search begins with other trials than a random search:\n%s", diff)
	}
	second, _, err := first.Grow(values(first, peak))
	if err != nil || len(second.Trials) != 12 || second.Pending != 28 || len(first.Trials) != 8 {
		t.Fatalf("%d trials, %d pending, %v; the first batch has %d", len(second.Trials), second.Pending, err, len(first.Trials))
	}
	e := searched(t, first, peak)
	if diff := cmp.Diff(labels(second), labels(e)[:12]); diff != "" {
		t.Errorf("another second batch:\n%s", diff)
	}
	if diff := cmp.Diff(labels(e), labels(searched(t, load(t, searchedSweep), peak))); diff != "" {
		t.Errorf("the same values give other trials:\n%s", diff)
	}
	ids := map[string]bool{}
	for i, trial := range e.Trials {
		ids[trial.ID] = true
		s := &trial.Settings
		if rate := s.Training.Schedule.Initial; trial.Number != i+1 || s.Search.CPuct < 0.5 || s.Search.CPuct > 4 || rate < 1e-3 || rate > 0.1 || s.Network.Depth < 2 || s.Network.Depth > 20 {
			t.Errorf("trial %d: %s", trial.Number, trial.Label)
		}
	}
	if len(ids) != 40 || e.Pending != 0 {
		t.Errorf("%d different trials", len(ids))
	}
	mean := func(e *Experiment) (sum float64) {
		for _, v := range values(e, peak)[8:] {
			sum += v / 32
		}
		return sum
	}
	if mean(e) < mean(random)*2/3 {
		t.Errorf("proposals have the mean %v, random trials %v", mean(e), mean(random))
	}
	// Each trial is the one that a file of its own would be, and is explained.
	last := e.Trials[39]
	set := []string{"sweep="}
	for _, a := range last.Axis {
		set = append(set, a.Path+"="+a.Value)
	}
	if alone := load(t, searchedSweep, set...); alone.Trials[0].ID != last.ID {
		t.Errorf("%s is not a trial of its own", last.Label)
	}
	rows := e.ExplainTrial(39)
	i := slices.IndexFunc(rows, func(r config.Explained) bool { return r.Path == "search.c_puct" })
	if !rows[i].Swept || rows[i].Origin.String() != "x.yaml:8" || !strings.Contains(last.Label, "c_puct="+rows[i].Value) {
		t.Errorf("%s is explained by %+v", last.Label, rows[i])
	}
}

// The proposals must stay as they are, because results depend on them.
func TestProposals(t *testing.T) {
	e := load(t, searchedSweep)
	e, _, err := e.Grow(values(e, peak))
	if err != nil {
		t.Fatal(err)
	}
	wantLabels(t, &Experiment{Description: Description{Trials: e.Trials[8:]}},
		"search.c_puct=1.98 training.schedule.initial=0.006877 network.depth=18 search.fpu=zero",
		"search.c_puct=3.49 training.schedule.initial=0.0118 network.depth=18 search.fpu=zero",
		"search.c_puct=2.402 training.schedule.initial=0.01437 network.depth=9 search.fpu=zero",
		"search.c_puct=0.8788 training.schedule.initial=0.003336 network.depth=19 search.fpu=zero")
}

// A failed trial counts as the worst, a low loss as a good one, and seeds by their mean.
func TestObjective(t *testing.T) {
	near := func(e *Experiment) (n int) {
		for _, t := range e.Trials[len(e.Trials)/2:] {
			if t.Settings.Search.CPuct < 2 {
				n++
			}
		}
		return n
	}
	for name, test := range map[string]struct {
		set   string
		value func(*Trial) float64
	}{
		"highest": {"sweep.random.tpe.metric=elo", func(t *Trial) float64 { return -t.Settings.Search.CPuct }},
		"lowest":  {"sweep.random.tpe.metric=loss", func(t *Trial) float64 { return t.Settings.Search.CPuct }},
		"goal":    {"sweep.random.tpe={startup: 8, metric: loss, goal: highest}", func(t *Trial) float64 { return -t.Settings.Search.CPuct }},
		"failed": {"sweep.random.tpe.metric=elo", func(t *Trial) float64 {
			if t.Settings.Search.CPuct > 2 {
				return math.NaN()
			}
			return -t.Settings.Search.CPuct
		}},
		"a seed failed": {"sweep.seeds=2", func(t *Trial) float64 {
			if t.Settings.Search.CPuct > 2 && t.Settings.Seed == 2 {
				return math.NaN()
			}
			return 0.5 - t.Settings.Search.CPuct
		}},
		"mean": {"sweep.seeds=2", func(t *Trial) float64 {
			if t.Settings.Seed == 1 {
				return t.Settings.Search.CPuct
			}
			return -3 * t.Settings.Search.CPuct
		}},
	} {
		e := searched(t, load(t, searchedSweep, test.set), test.value)
		if n, all := near(e), len(e.Trials)/2; n < all*3/4 {
			t.Errorf("%s: %d of %d late trials are at the good end", name, n, all)
		}
	}
	e := searched(t, load(t, searchedSweep, "sweep.seeds=2"), peak)
	if len(e.Trials) != 80 || e.Trials[78].Group != e.Trials[79].Group || e.Trials[79].Settings.Seed != 2 || len(e.Axes) != 5 {
		t.Errorf("%d trials, the last %s and %s", len(e.Trials), e.Trials[78].Label, e.Trials[79].Label)
	}
}

// Keys that do not apply are no part of a proposal, and settings that break a rule are not
// proposed.
func TestProposalsAreValid(t *testing.T) {
	e := load(t, `
sweep:
  random:
    trials: 40
    draw:
      training.schedule.kind: {choice: [plateau, constant]}
      training.schedule.patience: {int: [1, 9]}
      training.schedule.initial: {log_uniform: [0.01, 0.1]}
    tpe: {}
`)
	e = searched(t, e, func(t *Trial) float64 { return float64(t.Settings.Training.Schedule.Patience) })
	with := 0
	for _, x := range e.Trials {
		plateau := x.Settings.Training.Schedule.Kind == "plateau"
		if has := strings.Contains(x.Label, "patience="); has != plateau {
			t.Error(x.Label)
		}
		if plateau {
			with++
		}
	}
	if with < 24 || with == 40 {
		t.Errorf("%d of 40 trials have the schedule with patience", with)
	}

	// Half of this space is invalid: a window that is longer than the training.
	const rule = "sweep: {random: {trials: 6, draw: {training.window: {int: [1, 4]}, generations: {int: [2, 4]}}, tpe: {startup: 2, batch: 3}}}\n"
	for seed := range 10 {
		f := folder{"x.yaml": head + rule}
		e, err := Load("x.yaml", Options{ReadFile: f.read, Set: []string{fmt.Sprintf("seed=%d", seed)}})
		if err != nil {
			continue // of the random trials, one is invalid
		}
		e = searched(t, e, func(t *Trial) float64 { return float64(t.Settings.Training.Window) })
		for _, x := range e.Trials {
			if x.Settings.Training.Window > x.Settings.Generations {
				t.Error(x.Label)
			}
		}
	}

	// All points of a small space are proposed, each once.
	e = searched(t, load(t, "sweep: {random: {trials: 12, draw: {network.depth: {int: [1, 4]}, search.c_puct: {choice: [1, 2, 3]}}, tpe: {startup: 3, batch: 5}}}\n"), func(*Trial) float64 { return 0 })
	all := labels(e)
	slices.Sort(all)
	if all = slices.Compact(all); len(all) != 12 {
		t.Errorf("%d different trials of 12: %v", len(all), all)
	}
	// With fewer different trials than wanted, because a key does not apply, it ends.
	e = load(t, "sweep: {random: {trials: 16, draw: {training.schedule.kind: {choice: [plateau, constant]}, training.schedule.patience: {int: [1, 9]}}, tpe: {startup: 4, batch: 12}}}\n")
	if _, _, err := e.Grow(make([]float64, len(e.Trials))); err == nil || !strings.Contains(err.Error(), "x.yaml:3:18: sweep.random.trials: only 10 different valid trials can be proposed") {
		t.Errorf("error %v", err)
	}
}

// A coordinate is that of the value that is made from it.
func TestCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(0.01, 100).Draw(t, "low")
		d := distribution{kind: rapid.SampledFrom([]string{"uniform", "log_uniform", "int"}).Draw(t, "kind"), low: low, high: low * rapid.Float64Range(2, 100).Draw(t, "ratio")}
		if d.kind == "int" || rapid.Bool().Draw(t, "whole") {
			d.low, d.high, d.whole = math.Ceil(d.low), math.Ceil(d.high)+1, true
		}
		u := rapid.Float64Range(0, 1).Draw(t, "u")
		x := number(d.setting(u).text)
		if x < d.low || x > d.high || d.whole && x != math.Round(x) {
			t.Fatalf("%v of %+v", x, d)
		}
		if again := d.coordinate(d.setting(u).text); !d.whole && math.Abs(again-u) > 1e-3 {
			t.Fatalf("%v becomes %v, which is at %v", u, x, again)
		}
	})
}

// A density is 1 in all, and samples follow it.
func TestParzen(t *testing.T) {
	d := draws{{path: "a", kind: "uniform"}, {path: "b", kind: "choice", choices: make([]setting, 3)}}
	for _, points := range [][][]float64{nil, {{0.02, 1}}, {{0.1, 0}, {0.9, 2}, {0.5, math.NaN()}, {math.NaN(), 1}}} {
		p := newParzen(d, points)
		const steps = 2000
		var sum, mean, share float64 // of the density; the mean of a, and the share of choice 1
		for i := range steps {
			for choice := range 3 {
				at := []float64{(float64(i) + 0.5) / steps, float64(choice)}
				x := math.Exp(p.logDensity(at)) / steps
				sum, mean = sum+x, mean+x*at[0]
				if choice == 1 {
					share += x
				}
			}
		}
		var sampled, chosen float64
		rng := stats.NewRand(1)
		const n = 20_000
		for range n {
			at := p.sample(rng)
			if sampled += at[0] / n; at[1] == 1 {
				chosen += 1.0 / n
			}
		}
		if math.Abs(sum-1) > 1e-5 || math.Abs(sampled-mean) > 0.01 || math.Abs(chosen-share) > 0.015 {
			t.Errorf("%v: the density is %v in all, mean %v sampled %v, share %v sampled %v", points, sum, mean, sampled, share, chosen)
		}
	}
}
