package estimate

import (
	"time"

	"alamos/pkg/stage"
)

// Load is what a stage has to do.
type Load struct {
	Games    int           // to play
	Searches []Search      // of networks in these games
	Learned  int           // games from which positions are learned, each as often as there are epochs
	Thinking time.Duration // of engines with a time for each move, for each ply of a game, summed over games
}

// Search is by a network that takes part in games.
type Search struct {
	Of         *stage.Trial // whose network and settings it has
	Games      float64
	Tournament bool // whether it searches as the tournament section says
}
