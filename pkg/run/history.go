package run

import (
	"strings"

	"alamos/pkg/store"
)

// history is what earlier runs on this machine tell.
type history struct {
	speeds  map[string]*measured // by networkKey
	games   map[string]*played   // by gamesPlayedKey
	imports map[string]*imported // by importKey
}

// imported sums up chunks of data.
type imported struct{ positions, seconds float64 }

// measured sums up the work that a network has done.
type measured struct{ evaluations, playing, positions, training float64 }

// mean is the mean speed, NaN where nothing was measured.
func (m *measured) mean() *speed {
	if m == nil {
		m = &measured{}
	}
	return &speed{rate{perSecond: m.evaluations / m.playing}, rate{perSecond: m.positions / m.training}} // 0/0 is NaN
}

// played sums up games.
type played struct{ games, plies, evaluations float64 }

// recall reads what the trials below the results' root tell, once.
func (e *Estimator) recall(t *Trial) {
	if e.known != nil {
		return
	}
	e.known = &history{map[string]*measured{}, map[string]*played{}, map[string]*imported{}}
	for m := range t.Shelf.Manifests() {
		if m.Machine.CPU == t.Machine.CPU && m.Machine.Cores == t.Machine.Cores {
			e.known.add(m)
		}
	}
}

// add adds what a trial tells.
func (h *history) add(m *store.Manifest) {
	first := m.Stage(store.UntrainedStage)
	if first == nil {
		return
	}
	network := networkKey(first.Inputs)
	if h.speeds[network] == nil {
		h.speeds[network] = &measured{}
	}
	v := h.speeds[network]
	samples := map[string]int{} // by generation
	for _, s := range m.Stages {
		if g, isData := strings.CutPrefix(s.Name, "data "); isData && s.From == "" {
			var row store.Generation
			if s.Decode(&row) != nil || row.Seconds <= 0 {
				continue
			}
			samples[g] = row.Samples
			key := importKey(s.Inputs)
			if h.imports[key] == nil {
				h.imports[key] = &imported{}
			}
			h.imports[key].positions += float64(row.Samples)
			h.imports[key].seconds += row.Seconds
			continue
		}
		g, isSelfPlay := strings.CutPrefix(s.Name, "self-play ")
		if !isSelfPlay || s.From != "" {
			continue
		}
		var row store.Generation
		if s.Decode(&row) != nil || row.PerSecond <= 0 || row.Games == 0 {
			continue
		}
		samples[g] = row.Samples
		v.evaluations += float64(row.Evaluations)
		v.playing += float64(row.Evaluations) / row.PerSecond
		key := gamesPlayedKey(s.Inputs)
		if h.games[key] == nil {
			h.games[key] = &played{}
		}
		h.games[key].games += float64(row.Games)
		h.games[key].plies += row.MeanPlies() * float64(row.Games)
		h.games[key].evaluations += float64(row.Evaluations)
	}
	for _, s := range m.Stages {
		if !strings.HasPrefix(s.Name, "training ") || s.From != "" || s.Seconds <= 0 {
			continue
		}
		var rows []store.Epoch
		if s.Decode(&rows) != nil {
			continue
		}
		for k := range s.Inputs {
			if g, ok := strings.CutPrefix(k, "samples "); ok {
				v.positions += float64(samples[g] * len(rows))
			}
		}
		v.training += s.Seconds
	}
}
