package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"alamos/pkg/arena"
)

// Tournament is the result of a trial's tournament.
type Tournament struct {
	Players []PlayerResult   `json:"players"` // in the order of the experiment
	Cross   [][]arena.Record `json:"cross"`   // Cross[i][j]: how i did against j
	Anchor  string           `json:"anchor"`  // the player whose Elo is 0; empty: the mean
}

// PlayerResult is one player's row.
type PlayerResult struct {
	Generation int `json:"generation"` // of a checkpoint, 0 the untrained network; -1: no checkpoint
	Samples    int `json:"samples"`    // that the checkpoint was trained on
	arena.Standing
	Elo     float `json:"elo"` // NaN where no games connect the player to the others
	EloLow  float `json:"elo_low"`
	EloHigh float `json:"elo_high"`
}

// result is the result of the trial's tournament, nil where none is played, even
// if there was one before the experiment was changed.
func (t *trial) result() (*Tournament, error) {
	s := t.manifest.stage(tournamentStage)
	if s == nil || t.Settings.Tournament.Rounds == 0 || len(t.contestants()) < 2 {
		return nil, nil
	}
	var out Tournament
	return &out, s.facts(&out)
}

// summary lists the players, the best first.
func (r *Tournament) summary() string {
	var parts []string
	for _, i := range r.ranking() {
		parts = append(parts, fmt.Sprintf("%s %.0f %%", r.Players[i].Name, 100*share(r.Players[i].Standing)))
	}
	return "score: " + strings.Join(parts, ", ")
}

// share is the share of the points that a player made.
func share(s arena.Standing) float64 { return s.Score() / float64(max(1, s.Games())) }

// ranking has the indices of the players, the best score first.
func (r *Tournament) ranking() []int {
	order := make([]int, len(r.Players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := share(r.Players[a].Standing), share(r.Players[b].Standing); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return order
}

// find returns the index of a player by name, or -1.
func (r *Tournament) find(name string) int {
	return slices.IndexFunc(r.Players, func(p PlayerResult) bool { return p.Name == name })
}

// against is the share of the points that player i made against the named
// one, NaN where they did not meet.
func (r *Tournament) against(i int, name string) float64 {
	j := r.find(name)
	if j < 0 || r.Cross[i][j].Games() == 0 {
		return nan
	}
	return r.Cross[i][j].Score() / float64(r.Cross[i][j].Games())
}

var nan = math.NaN()
