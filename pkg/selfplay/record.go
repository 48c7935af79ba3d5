package selfplay

import (
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Record is a finished game.
type Record struct {
	Number  int
	Start   string // FEN of the position it began with
	Moves   []chess.Move
	Outcome chess.Outcome

	// Samples are the positions to learn from, in the order of the game: those
	// of all moves, or of the moves with a full search (see PlayoutCap), each once,
	// or as often as Config.Surprise has it.
	Samples []encode.Sample

	// RootValues are the values of the searches, one a move, -1 to 1 from
	// the view of the side to move.
	RootValues []float32

	Thrown      int // attempts thrown away before this one, being too long
	Evaluations int // positions evaluated by the network, thrown attempts included
}

// Stats sums up a call of Play: what it did, finished or not.
type Stats struct {
	Games       int // finished
	Thrown      int // attempts thrown away
	Plies       int // of finished games
	Evaluations int // positions evaluated by the network, in all games
	Batches     int // calls of the network

	Elapsed time.Duration // of the whole call
	Network time.Duration // inside the network, summed over workers
}

func (s *Stats) add(o Stats) {
	s.Games += o.Games
	s.Thrown += o.Thrown
	s.Plies += o.Plies
	s.Evaluations += o.Evaluations
	s.Batches += o.Batches
	s.Network += o.Network
}
