package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"alamos/pkg/config"
	"alamos/pkg/match"
	"alamos/pkg/stats"
)

// grower decides which trials follow from the results of those so far. TPE proposes settings,
// PBT continues trials with other settings, CloseCalls repeats settings.
type grower interface {
	objective() *Objective
	// pending says what n pending trials are.
	pending(n int) string
	// grow appends the next trials to those that have these values. It returns its decision.
	grow(x *expansion, next *Experiment, values []float64) (string, error)
}

// Objective is the measure by which a growing sweep judges its trials.
type Objective struct {
	Metric string `key:"metric" default:"vs_untrained" enum:"vs_untrained vs_random score elo loss policy_loss value_loss top1 top5" pattern:"^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$" want:"puzzles.NAME, policy.NAME, accuracy.NAME or HOOK.METRIC" doc:"Final measure of a trial that is to be improved, as the mean over the seeds; for its values see notebook.figure.metric. A measure compares trials only if it is the same task for all: a score against fixed opponents is, or puzzles. A loss is only if all trials learn from the same data."`
	Goal   string `key:"goal" enum:"highest lowest" absent:"lowest for a loss or an error, otherwise highest" doc:"Whether high or low values of the metric are better."`
}

// lowest reports whether low values of the metric are better.
func (o *Objective) lowest() bool {
	kind, _, _ := strings.Cut(o.Metric, ".")
	switch {
	case o.Goal != "":
		return o.Goal == "lowest"
	case kind == "puzzles", kind == "policy": // the rest is the name of a file
		return false
	}
	return strings.Contains(o.Metric, "loss") || strings.Contains(o.Metric, "error")
}

// Measures reports whether trials have a metric at their end. A metric of a hook counts if
// there is such a hook.
func (s *Settings) Measures(metric string) bool {
	plays := s.Tournament.Rounds > 0
	meets := func(player string) bool {
		return plays && slices.ContainsFunc(s.Tournament.Players, func(p match.Spec) bool { return p.Player == player })
	}
	switch metric {
	case "vs_untrained":
		return meets(match.Untrained)
	case "vs_random":
		return meets(match.Random)
	case "score", "elo":
		return plays
	case "policy_loss":
		return s.Network.Policy != NoPolicy
	case "top1", "top5":
		return s.Network.Policy != NoPolicy && s.Training.Validation > 0
	}
	kind, _, dotted := strings.Cut(metric, ".")
	if kind == "accuracy" {
		for _, phase := range Phases {
			metric = strings.TrimSuffix(metric, "_"+phase)
		}
	}
	return !dotted || slices.Contains(s.EvaluationMeasures(), metric) || slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.Name() == kind })
}

func (o *Objective) objective() *Objective { return o }

// gain returns a value of which high is better; NaN is worst.
func (o *Objective) gain(value float64) float64 {
	switch {
	case math.IsNaN(value):
		return math.Inf(-1)
	case o.lowest():
		return -value
	}
	return value
}

// best returns the index of the best value. It names it in words for a decision.
func (o *Objective) best(values []float64) (i int, words string) {
	i, which := floats.MaxIdx(values), "highest" // of numbers, which is what floats compares
	if o.lowest() {
		i, which = floats.MinIdx(values), "lowest"
	}
	return i, fmt.Sprintf("the %s %s, %.4g", which, o.Metric, values[i])
}

// Objective returns the objective of a growing sweep. Nil means that all trials are known.
func (e *Experiment) Objective() *Objective {
	if e.grower == nil {
		return nil
	}
	return e.grower.objective()
}

// Growth says which trials are pending. It is empty if there are none.
func (e *Experiment) Growth() string {
	if e.Pending == 0 {
		return ""
	}
	return e.grower.pending(e.Pending)
}

// grower returns what adds to the first trials, and how many it may add.
func (x *expansion) grower(first int) (grower, int) {
	switch r := x.Random; {
	case r != nil && r.TPE != nil:
		return r.TPE, r.Trials*x.Seeds - first
	case r != nil && r.PBT != nil:
		return r.PBT, r.Trials * (r.PBT.Rounds - 1)
	case x.CloseCalls != nil:
		return x.CloseCalls, len(x.accepted) * (x.CloseCalls.Seeds - x.Seeds)
	}
	return nil, 0
}

// Total returns the number of trials with those that are pending. With close calls it is the
// greatest possible one.
func (e *Experiment) Total() int { return len(e.Trials) + e.Pending }

// Grow returns the experiment with the next of its pending trials. values are those of the
// objective for all trials so far; NaN stands for a trial without a value. Grow depends only
// on the experiment's file and values. The text says what was decided.
func (e *Experiment) Grow(values []float64) (grown *Experiment, decision string, err error) {
	next := *e
	next.Trials = slices.Clip(e.Trials)
	decision, err = e.grower.grow(e.sweep, &next, values)
	next.Axes = e.sweep.shown(next.Trials)
	return &next, decision, err
}

// add appends trials and numbers them.
func (e *Experiment) add(trials []Trial) {
	for _, t := range trials {
		t.Number = len(e.Trials) + 1
		e.Trials = append(e.Trials, t)
	}
}

// numbers names the trials of a range.
func numbers(first, last int) string {
	if first == last {
		return fmt.Sprintf("trial %d", first)
	}
	return fmt.Sprintf("trials %d to %d", first, last)
}

// combo returns the combination of these settings, or nil if it is invalid.
func (x *expansion) combo(point combination) *combo {
	quiet := *x
	quiet.loader = &loader{dir: x.dir, files: x.files, layers: x.layers, bad: x.bad}
	for _, c := range quiet.resolved([]combo{{combination: point}}) {
		c.id = c.settings.ID()
		return &c
	}
	return nil
}

// checkObjective checks that all combinations have the objective at key.
func (x *expansion) checkObjective(key string, o *Objective, combos []combo) {
	if slices.ContainsFunc(combos, func(c combo) bool { return !c.settings.Measures(o.Metric) }) {
		x.faultAt(key+".metric", "nothing measures %s", config.Printable(o.Metric)).
			WithHint("it needs a player of the tournament, a hook or an evaluation")
	}
}

// excludeKeys checks that other keys of the sweep are not set beside the section.
func (x *expansion) excludeKeys(section, why string, keys ...string) {
	for _, key := range keys {
		if n := x.base.Find("sweep." + key); n != nil && n.Value.Kind != config.Null {
			x.fault(n.At, "sweep."+key, "cannot be combined with %s", section).WithHint(why)
		}
	}
}

// CloseCalls repeats the settings that may be the best with more seeds, and no others.
type CloseCalls struct {
	Seeds int     `key:"seeds" range:"3..10000" flags:"required" doc:"Maximum number of seeds of a setting. It is above sweep.seeds, with which all settings begin."`
	Add   int     `key:"add" default:"1" range:"1..10000" unit:"seeds" doc:"Number of seeds that a setting gets at a time. All trials end before the next seeds are decided, so that they do not depend on timing."`
	Level float64 `key:"level" default:"0.01" range:">0..0.5" doc:"A setting gets no more seeds if Welch's test finds that it is worse than the best one with a p-value below this. A higher level saves more trials; above 0.01, the tables then set apart more than 5 % of settings that are equal."`
	Objective
}

func (c *CloseCalls) pending(n int) string {
	return "close calls add up to " + english.Plural(n, "more trial", "")
}

// grow adds seeds to the settings that are not worse than the best one. It adds none if only
// one of them is left, or if all of them have the greatest number of seeds.
func (c *CloseCalls) grow(x *expansion, next *Experiment, values []float64) (string, error) {
	seeds := map[string]int{}
	known := map[string][]float64{}
	for i, v := range values {
		group := next.Trials[i].Group
		seeds[group]++
		if !math.IsNaN(v) {
			known[group] = append(known[group], v)
		}
	}
	names, groups := make([]string, len(x.accepted)), make([][]float64, len(x.accepted))
	for i := range x.accepted {
		names[i] = x.accepted[i].group()
		groups[i] = known[names[i]]
	}
	best, open := c.open(groups)
	next.Pending = 0
	first := len(next.Trials) + 1
	for _, i := range open {
		if n := seeds[names[i]]; len(open) > 1 && n < c.Seeds {
			to := min(c.Seeds, n+c.Add)
			next.add(x.repeated(&x.accepted[i], n, to))
			next.Pending += c.Seeds - to
		}
	}
	text := fmt.Sprintf("close calls: %d of %s may have the best %s; so far %s has it, %.4g",
		len(open), english.Plural(len(groups), "setting", ""), c.Metric, names[best], stat.Mean(groups[best], nil))
	switch {
	case len(open) < 2:
		return text + ", and no call is close", nil
	case first > len(next.Trials):
		return text + fmt.Sprintf(", and they have their %d seeds", c.Seeds), nil
	}
	return text + "; more seeds: " + numbers(first, len(next.Trials)), nil
}

// open returns the group with the best mean, and all groups that are not worse by the test,
// with the best among them. Groups of fewer than two values are not worse.
func (c *CloseCalls) open(groups [][]float64) (best int, open []int) {
	gains := make([]float64, len(groups))
	for i, g := range groups {
		gains[i] = c.gain(stat.Mean(g, nil))
	}
	best = floats.MaxIdx(gains)
	for i, g := range groups {
		if i == best || !(stats.WelchP(g, groups[best]) < c.Level) {
			open = append(open, i)
		}
	}
	return best, open
}

// checkCloseCalls checks the section sweep.close_calls.
func (x *expansion) checkCloseCalls(combos []combo) {
	const path = "sweep.close_calls"
	c := x.CloseCalls
	x.checkObjective(path, &c.Objective, combos)
	x.excludeKeys(path, "it adds trials by itself", "halving", "random.tpe", "budget")
	switch {
	case len(combos) < 2:
		x.faultAt(path, "nothing to decide: want at least 2 settings")
	case x.Seeds < 2:
		x.faultAt("sweep.seeds", "want at least 2 beside %s: one seed does not show how much seeds differ", path)
	case c.Seeds <= x.Seeds:
		x.faultAt(path+".seeds", "want more than the %d seeds with which all settings begin, have %d", x.Seeds, c.Seeds)
	case c.Seeds*len(combos) > maxTrials:
		x.faultAt(path+".seeds", "want at most %d trials", maxTrials)
	}
}
