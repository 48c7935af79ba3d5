package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"alamos/pkg/arena"
	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// Tournament is the result of a trial's tournament.
type Tournament struct {
	Players []PlayerResult   `json:"players"` // in the order of the experiment
	Cross   [][]arena.Record `json:"cross"`   // Cross[i][j]: how i did against j
}

// PlayerResult is one player's row.
type PlayerResult struct {
	Name       string `json:"name"`
	Generation int    `json:"generation"` // of a checkpoint, 0 the untrained network; -1: no checkpoint
	Samples    int    `json:"samples"`    // that the checkpoint was trained on
	arena.Standing
	Elo     float `json:"elo"`
	EloLow  float `json:"elo_low"`
	EloHigh float `json:"elo_high"`
}

const randomName = "random"

// checkpointName is the name of a checkpoint as a player.
func checkpointName(g int) string {
	if g == 0 {
		return "untrained"
	}
	return "gen-" + strconv.Itoa(g)
}

// ranking has the indices of the players, the best score first.
func (r *Tournament) ranking() []int {
	order := make([]int, len(r.Players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := share(r.Players[a].Standing), share(r.Players[b].Standing)
		switch {
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

// against is the share of points that player i made against the named one, NaN
// where they did not meet.
func (r *Tournament) against(i int, name string) float64 {
	j := r.find(name)
	if j < 0 {
		return nan
	}
	return r.Cross[i][j].Share()
}
