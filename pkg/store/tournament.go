package store

import (
	"math"
	"slices"

	"alamos/pkg/match"
	"alamos/pkg/stats"
)

// Tournament is the result of a trial's tournament.
type Tournament struct {
	Players []PlayerResult   `json:"players"` // in the order of the experiment
	Cross   [][]match.Record `json:"cross"`   // Cross[i][j]: how i did against j
	White   [][]match.Record `json:"white"`   // White[i][j]: how i did as White against j
	Anchor  string           `json:"anchor"`  // the player whose Elo is 0; empty: the mean

	FirstMove stats.Interval `json:"first_move"` // the advantage of White, in Elo
}

// PlayerResult is one player's row.
type PlayerResult struct {
	Generation int `json:"generation"` // of a checkpoint, 0 the untrained network; -1: no checkpoint
	Samples    int `json:"samples"`    // that the checkpoint was trained on
	match.Standing
	Elo stats.Interval `json:"elo"` // unknown where no games connect the player to the others
}

// Share is the share of the points that a player made.
func Share(s match.Standing) float64 { return s.Score() / float64(max(1, s.Games())) }

// Ranking has the indices of the players, the best score first.
func (r *Tournament) Ranking() []int {
	order := make([]int, len(r.Players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := Share(r.Players[a].Standing), Share(r.Players[b].Standing); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return order
}

// Find returns the index of a player by name, or -1.
func (r *Tournament) Find(name string) int {
	return slices.IndexFunc(r.Players, func(p PlayerResult) bool { return p.Name == name })
}

// Against is the share of the points that player i made against the named
// one, NaN where they did not meet.
func (r *Tournament) Against(i int, name string) float64 {
	j := r.Find(name)
	if j < 0 || r.Cross[i][j].Games() == 0 {
		return nan
	}
	return r.Cross[i][j].Score() / float64(r.Cross[i][j].Games())
}

var nan = math.NaN()
