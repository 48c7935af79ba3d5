package experiment

import (
	"slices"

	"alamos/pkg/config"
)

// Halving is successive halving: the trials of a sweep train up to the first
// rung, the best of them go on to the next, and so on to the end. Every trial
// reaches a rung before any goes on. The asynchronous kind (ASHA) would not wait,
// but then the choice would depend on which trial is done first. Trials that
// differ in their seeds only are judged each by itself.
type Halving struct {
	Metric string `key:"metric" default:"validation_loss" enum:"validation_loss elo" doc:"What decides: the lowest validation loss of the newest generation, or the highest Elo in a match of every pair of trials."`
	Factor int    `key:"factor" default:"3" range:"2..1000" doc:"One in this many goes on, and trains this many times as long."`
	First  int    `key:"first" default:"1" range:"1.." unit:"generations" doc:"Generations before the first choice."`
	Games  int    `key:"games" default:"20" range:"1.." unit:"games" when:"metric=elo" doc:"Games of each pair of trials."`
}

// Metrics of successive halving.
const (
	ByLoss = "validation_loss"
	ByElo  = "elo"
)

// Rungs returns after how many generations the trials are compared, in rising
// order; the last rung is the end, where nothing is chosen any more.
func (h *Halving) Rungs(generations int) []int {
	var rungs []int
	for g := h.First; g < generations; g *= h.Factor {
		rungs = append(rungs, g)
	}
	return append(rungs, generations)
}

// Survivors returns how many of n trials go on from a rung: one in Factor,
// rounded down, but at least one.
func (h *Halving) Survivors(n int) int { return max(1, n/h.Factor) }

// readHalving reads sweep.halving and reports what does not fit the combinations.
func (x *expansion) readHalving(combos []combo) *Halving {
	e := x.sweep.Find("halving")
	if e == nil || e.Value.Bad {
		return nil
	}
	c := &config.Reader{Bad: map[string]bool{}, Whole: true}
	values, ok := readSection(c, "sweep.halving", e.Value)
	x.errs = append(x.errs, c.Errs...)
	if !ok {
		return nil // reported
	}
	var h Halving
	config.Of[Halving]().Fill(&h, values)
	fail := func(key, hint, format string, args ...any) {
		at := e.At
		if inner := e.Value.Entry(key); inner != nil {
			at = inner.At
		}
		x.errs = append(x.errs, at.Errorf("sweep.halving", format, args...).WithHint(hint))
	}
	first := &combos[0].settings
	other := slices.IndexFunc(combos, func(c combo) bool { return c.settings.Generations != first.Generations })
	switch {
	case len(combos)*x.repeats < 2:
		fail("", "", "nothing to choose from: want at least 2 trials")
	case other >= 0:
		fail("", "", "compares trials after equal numbers of generations, but %s has %d and %s has %d",
			config.Quoted(combos[0].label()), first.Generations, config.Quoted(combos[other].label()), combos[other].settings.Generations)
	case h.First >= first.Generations:
		fail("first", "", "first is %d, and generations %d: the first choice would be the end", h.First, first.Generations)
	case h.Metric == ByLoss && slices.ContainsFunc(combos, func(c combo) bool { return c.settings.Training.Validation == 0 }):
		fail("metric", "choose metric: elo", "the validation loss needs a training.validation above 0")
	}
	return &h
}
