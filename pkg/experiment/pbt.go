package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/data"
	"alamos/pkg/match"
	"alamos/pkg/stats"
)

// PBT is population-based training (Jaderberg et al., "Population Based Training of Neural
// Networks", arXiv:1711.09846, 2017). The trials of a random search are the population. They
// train for the generations of the file, round after round, and each round is a trial of its own
// that begins with the network of its parent. Between rounds, the worst trials are replaced by
// copies of the best ones, with other settings.
//
// A round depends only on the results of those before it, never on the order or time in which
// its trials end.
type PBT struct {
	Rounds   int     `key:"rounds" default:"4" range:"2..1000" unit:"rounds" doc:"Number of rounds. In each one, every member of the population trains for the file's generations."`
	Replaced float64 `key:"replaced" default:"0.2" range:">0..0.5" doc:"Fraction of the population that is replaced after a round: the worst trials. Each continues with the network and the settings of one of the best trials, drawn from as many (truncation selection)."`
	Factor   float64 `key:"factor" default:"1.2" range:">1..100" doc:"A number among the settings of a copy is multiplied or divided by this, within the bounds of its distribution. A whole number changes by at least 1."`
	Resample float64 `key:"resample" default:"0.25" range:"0..1" doc:"Probability with which a setting of a copy is drawn again instead. A choice changes only so."`
	Objective
}

func (p *PBT) pending(n int) string {
	return "population-based training continues with " + english.Plural(n, "more trial", "")
}

// grow adds the next round.
func (p *PBT) grow(x *expansion, next *Experiment, values []float64) (string, error) {
	n := x.Random.Trials
	first, round := len(values)-n, len(values)/n
	last := values[first:]
	order := match.Descending(n, func(i int) float64 { return p.gain(last[i]) }) // members, the best first
	replaced := max(1, int(p.Replaced*float64(n)))
	failed := func(i int) bool { return math.IsNaN(last[i]) }
	best := slices.DeleteFunc(slices.Clone(order[:replaced]), failed)
	if len(best) == 0 {
		return "", fmt.Errorf("sweep.random.pbt: all trials of round %d failed: there is no network to continue with", round)
	}
	taken := map[string]bool{}
	var copies []string
	for i := range n {
		rng := stats.NewRand(stats.DeriveNamed(x.seed, "sweep.random.pbt", len(values)+i))
		parent, copied := i, slices.Contains(order[n-replaced:], i) || failed(i)
		if copied {
			parent = best[rng.IntN(len(best))]
			copies = append(copies, fmt.Sprintf("%d by %d", first+i+1, first+parent+1))
		}
		point := p.settings(x, &next.Trials[first+parent], rng)
		if copied {
			point = p.explored(x, point, rng)
		}
		number := next.Trials[first+parent].Number
		c := x.combo(append(point, plainSetting("start.model", fmt.Sprintf("%s/%d@last", next.Name, number), x.at("sweep.random.pbt"))))
		if c == nil {
			return "", next.Fault("sweep.random.pbt", "", fmt.Sprintf("the settings of a copy of trial %d are invalid together: %s", number, point))
		}
		c.settings.Seed += uint64(round)
		for c.id = c.settings.ID(); taken[c.id]; c.id = c.settings.ID() { // a copy may have the settings of another trial
			c.settings.Seed += uint64(p.Rounds)
		}
		taken[c.id] = true
		trials := x.repeated(c, 0, 1)
		if slices.ContainsFunc(next.Trials, func(t Trial) bool { return t.Label == trials[0].Label }) {
			trials[0].Label += fmt.Sprintf(" seed=%d", trials[0].Settings.Seed)
		}
		trials[0].Parent = number
		next.add(trials)
		next.Pending--
	}
	i, words := p.Objective.best(last)
	return fmt.Sprintf("population-based training, round %d of %d: trial %d has %s: %s; replaced: %s",
		round, p.Rounds, first+i+1, words, next.Trials[first+i].Label, strings.Join(copies, ", ")), nil
}

// settings returns a trial's values of the drawn keys. One that did not apply to the trial is
// drawn.
func (p *PBT) settings(x *expansion, t *Trial, rng *rand.Rand) combination {
	var point combination
	for _, d := range x.Random.Draw {
		if s := t.combination.find(d.path); s != nil {
			point = append(point, *s)
		} else {
			point = append(point, d.draw(rng))
		}
	}
	return point
}

// explored changes the settings of a copy.
func (p *PBT) explored(x *expansion, point combination, rng *rand.Rand) combination {
	out := slices.Clone(point)
	for i, d := range x.Random.Draw {
		up := rng.IntN(2) == 0
		switch {
		case rng.Float64() < p.Resample:
			out[i] = d.draw(rng)
		case d.kind != "choice":
			old, _ := strconv.ParseFloat(point[i].text, 64) // it was formatted as a number
			factor, step := p.Factor, 1.0
			if !up {
				factor, step = 1/p.Factor, -1
			}
			x := old * factor
			if d.whole && math.Round(x) == old {
				x = old + step
			}
			out[i] = plainSetting(d.path, d.rounded(x), d.at)
		}
	}
	return out
}

// checkPBT checks the section sweep.random.pbt.
func (x *expansion) checkPBT(combos []combo) {
	const path = "sweep.random.pbt"
	p := x.Random.PBT
	x.checkObjective(path, &p.Objective, combos)
	x.excludeKeys(path, "pbt changes the values of all keys", "grid", "zip", "include", "exclude", "budget", "halving", "close_calls", "random.tpe")
	switch {
	case x.Random.Trials < 2:
		x.faultAt("sweep.random.trials", "want a population of at least 2 trials")
	case len(combos) != x.Random.Trials && len(x.errs) == 0:
		x.faultAt("sweep.random.trials", "want %d different members of the population, have %d: some draws differ only in keys that do not apply", x.Random.Trials, len(combos))
	case x.Random.Trials*p.Rounds > maxTrials:
		x.faultAt(path+".rounds", "want at most %d trials", maxTrials)
	case x.Seeds > 1:
		x.faultAt("sweep.seeds", "cannot be combined with %s", path).WithHint("the members of the population have settings of their own")
	}
	if p.Metric == "vs_untrained" {
		x.faultAt(path+".metric", "vs_untrained does not compare the rounds, which begin with networks of their own").
			WithHint("choose score, with fixed opponents among tournament.players")
	}
	if d := combos[0].settings.Data; d != nil && d.Kind != data.Engine && slices.Contains([]string{"loss", "policy_loss", "value_loss", "top1", "top5"}, p.Metric) {
		x.faultAt(path+".metric", "each round holds out other games of the files, which the rounds before learned from").WithHint("name other files in data.test and choose accuracy.top1, or choose score")
	}
	for _, d := range x.Random.Draw {
		if section, _, _ := strings.Cut(d.path, "."); section == "network" || section == "start" || section == "seed" {
			x.fault(d.at, "sweep.random.draw."+d.path, "cannot be drawn with %s", path).WithHint("a copy continues with the network of another trial")
		}
	}
}
