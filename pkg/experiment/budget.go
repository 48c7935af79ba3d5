package experiment

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"alamos/pkg/config"
)

// budget bounds a sweep; 0 is no bound.
type budget struct {
	Trials int `key:"trials" range:"1.." absent:"all" unit:"trials" doc:"Most trials, with all seeds. Combinations beyond them are left out by lot, which depends on seed; what is included stays."`
	Games  int `key:"games" range:"1.." absent:"all" unit:"games" doc:"Most games of self-play of all trials together: trials are taken in order as long as they fit."`
}

func (x *expansion) readBudget() budget {
	trials, _ := x.number("budget.trials")
	games, _ := x.number("budget.games")
	return budget{int(trials), int(games)}
}

// affordable returns the combinations that the budget allows and those that it
// leaves out. A combination is taken with all its seeds or not at all.
func (x *expansion) affordable(combos []combo) ([]combo, []Left) {
	combos, left := x.chosen(combos)
	if x.budget.Games == 0 {
		return combos, left
	}
	n := len(combos)
	for n > 0 && x.games(combos[:n]) > float64(x.budget.Games) {
		n--
	}
	if n == 0 {
		x.errs = append(x.errs, x.at("budget.games").Errorf("sweep.budget.games", "too few for the first combination, which needs %s", config.FormatFloat(x.games(combos[:1]))))
		return nil, nil
	}
	return combos[:n], append(left, leftOut(combos[n:], "sweep.budget.games")...)
}

// chosen draws lots for the places that sweep.budget.Trials allows. What is
// included has its place before any other.
func (x *expansion) chosen(combos []combo) ([]combo, []Left) {
	if x.budget.Trials == 0 || x.budget.Trials >= len(combos)*x.repeats {
		return combos, nil
	}
	places := x.budget.Trials / x.repeats
	if places == 0 {
		x.errs = append(x.errs, x.at("budget.trials").Errorf("sweep.budget.trials", "too few for the %d seeds of one combination", x.repeats))
		return combos, nil
	}
	lots := make([]int, len(combos)) // places in the list, in the order of the draw
	words := make([]string, len(combos))
	for i := range combos {
		lots[i], words[i] = i, x.lot(&combos[i])
	}
	slices.SortStableFunc(lots, func(i, j int) int {
		switch {
		case combos[i].included == combos[j].included:
			return cmp.Compare(words[i], words[j])
		case combos[i].included:
			return -1
		}
		return 1
	})
	var taken, rest []combo
	for i, c := range combos {
		if slices.Contains(lots[:places], i) {
			taken = append(taken, c)
		} else {
			rest = append(rest, c)
		}
	}
	return taken, leftOut(rest, "sweep.budget.trials")
}

func leftOut(combos []combo, why string) []Left {
	var left []Left
	for i := range combos {
		left = append(left, Left{combos[i].label(), why})
	}
	return left
}

// games returns how many games of self-play combinations need at most: with
// halving, those with the most games could always be the ones that go on. It is
// exact as far as anybody could pay for it.
func (x *expansion) games(combos []combo) float64 {
	var sum float64
	if x.halving == nil {
		for i := range combos {
			s := &combos[i].settings
			sum += float64(s.SelfPlay.Games) * float64(s.Generations)
		}
		return sum * float64(x.repeats)
	}
	var each []float64 // a trial's games of a generation, the most first
	for i := range combos {
		each = append(each, slices.Repeat([]float64{float64(combos[i].settings.SelfPlay.Games)}, x.repeats)...)
	}
	slices.Sort(each)
	slices.Reverse(each)
	trained := 0
	for _, rung := range x.halving.Rungs(combos[0].settings.Generations) {
		for _, games := range each {
			sum += games * float64(rung-trained)
		}
		trained = rung
		each = each[:x.halving.Survivors(len(each))]
	}
	return sum
}

// lot is the place of a combination in a draw of lots: it depends on the
// experiment's seed and the combination only, so that a bigger budget keeps what
// a smaller one chose.
func (x *expansion) lot(c *combo) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "sweep.budget %d %s", x.seed, c.label()))
	return hex.EncodeToString(sum[:])
}
