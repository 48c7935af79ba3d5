package search

import (
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Evaluator is all that a search knows of a network. A question is prepared
// while the game stands at the leaf and answered later, together with others.
type Evaluator interface {
	// Prepare writes the question about the current position of g to l;
	// moves are its legal moves. It is called for one position at a time
	// by a goroutine, but may be called by many goroutines at once.
	Prepare(l *encode.Leaf, g *chess.Game, moves []chess.Move)

	// Evaluate answers prepared questions: Priors, in the order of the
	// moves, and Value.
	Evaluate(leaves []*encode.Leaf) error
}

// Net is the half of an Evaluator that a network is.
type Net interface {
	Evaluate(leaves []*encode.Leaf) error
}

// NewEvaluator is the network n behind the codec c.
func NewEvaluator(c encode.Codec, n Net) Evaluator { return netEvaluator{c, n} }

type netEvaluator struct {
	encode.Codec
	Net
}

// Uniform is the evaluator that knows nothing: all moves alike, all positions
// equal. A search with it sees only what the rules say about the ends of
// games.
type Uniform struct{}

func (Uniform) Prepare(l *encode.Leaf, _ *chess.Game, moves []chess.Move) {
	l.Priors = slices.Grow(l.Priors[:0], len(moves))[:len(moves)]
	share := 1 / float32(len(moves))
	for i := range l.Priors {
		l.Priors[i] = share
	}
	l.Value = 0
}

func (Uniform) Evaluate([]*encode.Leaf) error { return nil }
