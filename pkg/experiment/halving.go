package experiment

import (
	"encoding/json"
	"slices"
)

// Halving is successive halving: the trials of a sweep train up to the first
// rung, the best of them go on to the next, and so on to the end. Every trial
// reaches a rung before any goes on. The asynchronous kind (ASHA) would not wait,
// but then the choice would depend on which trial is done first. Trials that
// differ in their seeds only are judged each by itself.
type Halving struct {
	Metric string `json:"metric"` // "validation_loss" or "elo"
	Factor int    `json:"factor"` // one in so many goes on
	First  int    `json:"first"`  // generations before the first choice
	Games  int    `json:"games"`  // of elo: games of each pair
}

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
	e := x.sweep.find("halving")
	if e == nil || e.value.bad {
		return nil
	}
	c := &checker{bad: map[string]bool{}, whole: true}
	v, ok := halvingKeys.read(c, "sweep.halving", e.value)
	x.errs = append(x.errs, c.errs...)
	var h Halving
	if !ok || json.Unmarshal(mustJSON(v), &h) != nil {
		return nil // reported
	}
	fail := func(key, hint, format string, args ...any) {
		at := e.at
		if inner := e.value.entry(key); inner != nil {
			at = inner.at
		}
		x.errs = append(x.errs, at.errorf("sweep.halving", format, args...).hint(hint))
	}
	first := &combos[0].settings
	other := slices.IndexFunc(combos, func(c combo) bool { return c.settings.Generations != first.Generations })
	switch {
	case len(combos)*x.repeats < 2:
		fail("", "", "nothing to choose from: want at least 2 trials")
	case other >= 0:
		fail("", "", "compares trials after equal numbers of generations, but %s has %d and %s has %d",
			quoted(combos[0].label()), first.Generations, quoted(combos[other].label()), combos[other].settings.Generations)
	case h.First >= first.Generations:
		fail("first", "", "first is %d, and generations %d: the first choice would be the end", h.First, first.Generations)
	case h.Metric == "validation_loss" && slices.ContainsFunc(combos, func(c combo) bool { return c.settings.Training.Validation == 0 }):
		fail("metric", "choose metric: elo", "the validation loss needs a training.validation above 0")
	}
	return &h
}
