package report

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Successive halving compares trials on the way. Only those of the last rung have trained to
// the end and have played, so only they compete for marks and for the answer of a sweep.

// finalists returns the trials that lost no comparison.
func finalists(trials []*store.Trial) []*store.Trial {
	return slices.DeleteFunc(slices.Clone(trials), (*store.Trial).Dropped)
}

// competing returns the measures of the groups that lost no comparison. The others are
// unknown.
func competing(groups []store.Group, m *measured) *measured {
	out := &measured{slices.Clone(m.values), slices.Clone(m.seeds)}
	for i, g := range groups {
		if g.Trials[0].Dropped() {
			out.values[i], out.seeds[i] = stats.Unknown(), nil
		}
	}
	return out
}

// rungOf returns the rung that a trial has reached, from 1: that in which it was dropped, or
// the one for which it trains or has trained.
func rungOf(x *store.Experiment, t *store.Trial) int {
	rungs := x.Halving.Rungs(t.Declared.Settings.Generations)
	switch e := t.Manifest.Ended; {
	case e != nil && e.Rung > 0:
		return e.Rung
	case e != nil: // a stop rule ended it
		return len(rungs)
	}
	reached, _ := slices.BinarySearch(rungs, max(1, t.Done()))
	return reached + 1
}

// answer says in Markdown which setting of the sweep is better, or which one won the
// successive halving. It is empty if the results do not say.
func (r *Report) answer() string {
	if text := answer(finalists(r.Trials)); text != "" || len(r.rungs) == 0 {
		return text
	}
	last := r.rungs[len(r.rungs)-1]
	_, settings := last.Place("")
	winner := last.Ranking[0]
	second := slices.IndexFunc(last.Ranking, func(x store.RungTrial) bool { return x.Setting != winner.Setting })
	if last.Survivors != 1 || len(r.rungs) < len(r.Halving.Rungs(r.Experiment.Trials[0].Settings.Generations))-1 || second < 0 || winner.Mean.Missing() {
		return ""
	}
	name := func(x store.RungTrial) string {
		if x.Setting != "" {
			return x.Setting
		}
		return x.Label
	}
	m := metricOf(last.Metric)
	text := fmt.Sprintf("**Answer.** %s won the successive halving. Its %s was the best of %d after %s: %s, before %s with %s.",
		name(winner), m.label, settings, english.Plural(last.Generation, "generation", ""), Measured(winner.Mean), name(last.Ranking[second]), Measured(last.Ranking[second].Mean))
	lead := winner.Mean.Minus(last.Ranking[second].Mean)
	switch {
	case !hasInterval(lead):
		text += " Its noise is not known, so the lead may be chance."
	case lead.Low <= 0 && lead.High >= 0:
		text += fmt.Sprintf(" The lead of %s may be chance.", Measured(lead))
	default:
		text += fmt.Sprintf(" The 95 %% interval of the lead, %s, excludes 0.", Ends(lead))
	}
	if len(last.Ranking) == settings {
		text += " With one seed for a setting, this is about these networks, not about the settings."
	}
	return text
}
