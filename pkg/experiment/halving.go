package experiment

import (
	"encoding/json"
	"slices"
)

// Halving is successive halving: the trials of a sweep train up to the first
// rung, the best of them go on to the next, and so on to the end. Every trial
// reaches a rung before any goes on. The asynchronous kind (ASHA) would not wait,
// but then the choice would depend on which trial is done first.
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

// halving reads sweep.halving and reports what does not fit the trials.
func (l *loader) halving(t *tree, trials []Trial) *Halving {
	e := t.find("sweep.halving")
	if e == nil || e.value.bad {
		return nil
	}
	c := &checker{bad: map[string]bool{}, whole: true}
	v, ok := halvingKeys.read(c, "sweep.halving", e.value)
	l.errs = append(l.errs, c.errs...)
	var h Halving
	if !ok || json.Unmarshal(mustJSON(v), &h) != nil || len(trials) == 0 {
		return nil // reported, here or beside the trials
	}
	fail := func(key, hint, format string, args ...any) {
		at := e.at
		if inner := e.value.entry(key); inner != nil {
			at = inner.at
		}
		l.errs = append(l.errs, at.errorf("sweep.halving", format, args...).hint(hint))
	}
	first := &trials[0].Settings
	other := slices.IndexFunc(trials, func(t Trial) bool { return t.Settings.Generations != first.Generations })
	switch {
	case len(trials) < 2:
		fail("", "", "nothing to choose from: want at least 2 trials")
	case other >= 0:
		fail("", "", "compares trials after equal numbers of generations, but %s has %d and %s has %d",
			quoted(trials[0].Label), first.Generations, quoted(trials[other].Label), trials[other].Settings.Generations)
	case h.First >= first.Generations:
		fail("first", "", "the first choice, after %d generations, would be the end: there are %d", h.First, first.Generations)
	case h.Metric == "validation_loss" && slices.ContainsFunc(trials, func(t Trial) bool { return t.Settings.Training.Validation == 0 }):
		fail("metric", "choose metric: elo", "the validation loss needs a training.validation above 0")
	}
	return &h
}
