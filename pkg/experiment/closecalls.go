package experiment

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize/english"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"alamos/pkg/stats"
)

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
		x.fault(x.at(path), path, "nothing to decide: want at least 2 settings")
	case x.Seeds < 2:
		x.fault(x.at("sweep.seeds"), "sweep.seeds", "want at least 2 beside %s: one seed does not show how much seeds differ", path)
	case c.Seeds <= x.Seeds:
		x.fault(x.at(path+".seeds"), path+".seeds", "want more than the %d seeds with which all settings begin, have %d", x.Seeds, c.Seeds)
	case c.Seeds*len(combos) > maxTrials:
		x.fault(x.at(path+".seeds"), path+".seeds", "want at most %d trials", maxTrials)
	}
}
