package run

import (
	"time"

	"alamos/pkg/data"

	"alamos/pkg/store"
)

// Load is what a stage has to do.
type Load struct {
	Games    int      // to play
	Searches []Search // of networks in these games
	Learned  int      // games from which positions are learned, each as often as there are epochs
	// Positions that are learned from beside those of games, as often; NaN: nobody knows.
	Positions float64
	Asked     int           // evaluations of the trial's network beside games
	Import    *Import       // nil: none
	Thinking  time.Duration // of engines with a time for each move, for each ply of a game, summed over games
}

// Import is of a chunk of data.
type Import struct {
	In        store.Inputs // of its stage
	Set       *data.Source
	Positions float64 // NaN: nobody knows
}

// Search is by a network that takes part in games.
type Search struct {
	Of         *Trial // whose network and settings it has
	Games      float64
	Tournament bool // whether it searches as the tournament section says
}
