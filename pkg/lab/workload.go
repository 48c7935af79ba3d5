package lab

import (
	"time"

	"alamos/pkg/arena"
)

// workload is what a stage has to do.
type workload struct {
	games    int           // to play
	searches []searching   // of networks in these games
	learned  int           // games from which positions are learned, each as often as there are epochs
	thinking time.Duration // of engines with a time for each move, for each ply of a game, summed over games
}

// searching is a network that takes part in games.
type searching struct {
	of         *trial // whose network and settings it has
	games      float64
	tournament bool // whether it searches as the tournament section says
}

// workload is the games that the match of a plan has to play, those that can be
// recalled left out.
func (m *match) workload() (workload, error) {
	entrants := make([]arena.Entrant, len(m.players))
	for i, p := range m.players {
		entrants[i] = arena.Entrant{Name: p.name, Rounds: p.rounds}
	}
	c := m.collection(m.config(), entrants)
	if err := peek(m.journal(), journalHead, c.replay); err != nil {
		return workload{}, err
	}
	if err := m.recall(c, func(string, *arena.Game) error { return nil }); err != nil {
		return workload{}, err
	}
	var load workload
	missing := map[string]int{} // by player
	for pair, f := range c.wanted {
		n := 0
		planned := m.planning.games[f.key] // by matches before this one
		for i := range f.games {
			if i >= planned && !c.have[numbered{pair, i}] {
				n++
			}
		}
		m.planning.games[f.key] = max(planned, f.games)
		load.games += n
		missing[pair.A] += n
		missing[pair.B] += n
	}
	for i := range m.players {
		p := &m.players[i]
		n := missing[p.name]
		switch {
		case n == 0:
		case p.generation >= 0 || p.guest != nil: // a guest counts as a network of ours
			// It moves in half of the plies.
			load.searches = append(load.searches, searching{m.owner(p), float64(n) / 2, true})
		case p.engine != nil:
			load.thinking += time.Duration(n) * p.engine.limit.MoveTime / 2
		}
	}
	return load, nil
}
