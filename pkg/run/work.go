package run

import (
	"context"
	"time"

	"alamos/pkg/match"
)

// Prospect is what a plan of several matches knows: how long games take, and how many
// of them the matches before will have played.
type Prospect struct {
	estimator *Estimator
	games     map[string]int // of a pair, by gamesKey
}

// NewProspect is before the first match.
func NewProspect(e *Estimator) *Prospect { return &Prospect{e, map[string]int{}} }

// work is the games that the match of a plan has to play, those that can be recalled
// left out.
func (m *Match) work(ctx context.Context) (Work, error) {
	entrants := make([]match.Entry, len(m.Players))
	for i, p := range m.Players {
		entrants[i] = match.Entry{Name: p.name, Rounds: p.Rounds}
	}
	c := m.collection(m.config(), entrants)
	if err := Peek(m.journal(), journalHead, c.replay); err != nil {
		return Work{}, err
	}
	if err := m.recall(c, func(string, *match.Game) error { return nil }); err != nil {
		return Work{}, err
	}
	var load Load
	missing := map[string]int{} // by player
	for pair, f := range c.wanted {
		n := 0
		planned := m.Prospect.games[f.key] // by matches before this one
		for i := range f.games {
			if i >= planned && !c.have[numbered{pair, i}] {
				n++
			}
		}
		m.Prospect.games[f.key] = max(planned, f.games)
		load.Games += n
		missing[pair.A] += n
		missing[pair.B] += n
	}
	for i := range m.Players {
		p := &m.Players[i]
		n := missing[p.name]
		switch {
		case n == 0:
		case p.generation() >= 0 || p.external != nil:
			// It moves in half of the plies.
			load.Searches = append(load.Searches, Search{Of: m.owner(p), Games: float64(n) / 2, Tournament: true})
		case p.engine != nil:
			load.Thinking += time.Duration(n) * p.engine.Limit.MoveTime / 2
		}
	}
	return m.Prospect.estimator.Work(ctx, m.Trial, load)
}
