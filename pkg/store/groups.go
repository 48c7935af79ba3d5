package store

import (
	"slices"

	"alamos/pkg/stats"
)

// Group is trials that differ in nothing but their seeds: one point of a sweep,
// measured several times.
type Group struct {
	Name   string // of its trials, without the seed
	Trials []*Trial
}

// Groups puts trials of equal settings together, in the order in which the first
// of each stands.
func Groups(trials []*Trial) []Group {
	var groups []Group
	at := map[string]int{}
	for _, t := range trials {
		i, ok := at[t.Group]
		if !ok {
			i = len(groups)
			at[t.Group] = i
			name := t.Group
			if name == "" {
				name = t.Settings.Name
			}
			groups = append(groups, Group{Name: name})
		}
		groups[i].Trials = append(groups[i].Trials, t)
	}
	return groups
}

// Measure is a metric of the group, see [Trial.Measure]: the mean over its seeds.
// A single trial keeps the interval of its own games.
func (g Group) Measure(name string) (stats.Interval, error) {
	if len(g.Trials) == 1 {
		return g.Trials[0].Measure(name)
	}
	values := make([]float64, len(g.Trials))
	for i, t := range g.Trials {
		m, err := t.Measure(name)
		if err != nil {
			return stats.Unknown(), err
		}
		values[i] = m.Value
	}
	m := stats.Mean(values)
	if slices.Contains([]string{"score", "vs_untrained", "vs_random"}, name) && m.Known() {
		m.Low, m.High = max(0, m.Low), min(1, m.High) // no share lies beyond
	}
	return m, nil
}
