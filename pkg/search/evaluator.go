package search

import (
	"context"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Evaluator is all that a search knows of a network. A leaf is prepared while the game
// stands at it, and evaluated later, together with others.
type Evaluator interface {
	// Prepare encodes the current position of g in l; moves are its legal moves.
	// Many goroutines may call it at once, each with a leaf of its own.
	Prepare(l *encode.Leaf, g *chess.Game, moves []chess.Move)

	// Evaluate fills Priors, in the order of the moves, and Value of prepared
	// leaves.
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

// Uniform is the evaluator that knows nothing: equal priors, value 0. A search with it
// sees only the ends of games.
type Uniform struct{}

func (Uniform) Prepare(l *encode.Leaf, _ *chess.Game, moves []chess.Move) {
	l.Priors = slices.Grow(l.Priors[:0], len(moves))[:len(moves)]
	equal(l)
}

// equal gives all moves of a leaf the same prior, and its position the value 0.
func equal(l *encode.Leaf) {
	share := 1 / float32(len(l.Priors))
	for i := range l.Priors {
		l.Priors[i] = share
	}
	l.Value = 0
}

func (Uniform) Evaluate([]*encode.Leaf) error { return nil }

// Indifferent is a network that knows nothing: it gives all moves and positions equal values.
type Indifferent struct{}

func (Indifferent) Evaluate(leaves []*encode.Leaf) error {
	for _, l := range leaves {
		equal(l)
	}
	return nil
}

// Run searches all trees until each is Done, in lock-step: each step selects leaves in
// every unfinished tree, evaluates them as one batch and backs them up. A canceled
// context ends it within a step; the trees are then unfinished but sound.
func Run(ctx context.Context, trees []*Tree, e Evaluator) error {
	var s Stepper
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		leaves, err := s.Step(trees, e)
		if err != nil || leaves == 0 {
			return err
		}
	}
}

// Stepper makes the steps of a lock-step search and keeps the memory that they
// need. Its zero value is ready for use by one goroutine.
type Stepper struct {
	leaves []*encode.Leaf
	trees  []*Tree // that selected leaves
}

// Step selects leaves in every tree that is not Done, evaluates them as one batch and
// backs them up. It returns the number of leaves; 0 means that all trees are Done.
func (s *Stepper) Step(trees []*Tree, e Evaluator) (int, error) {
	leaves := s.Select(trees, e)
	if len(leaves) == 0 {
		return 0, nil
	}
	if err := e.Evaluate(leaves); err != nil {
		return 0, err
	}
	return len(leaves), s.Backup()
}

// Select is the first half of Step: it returns the leaves to evaluate, which are
// valid until the next Select. Visits that need no network are completed on the way, so
// that every unfinished tree has a place in every batch.
func (s *Stepper) Select(trees []*Tree, e Evaluator) []*encode.Leaf {
	s.leaves, s.trees = s.leaves[:0], s.trees[:0]
	for _, t := range trees {
		before := len(s.leaves)
		if s.leaves = t.Select(e, s.leaves); len(s.leaves) > before {
			s.trees = append(s.trees, t)
		}
	}
	return s.leaves
}

// Backup is the second half of Step, after the leaves have been evaluated.
func (s *Stepper) Backup() error {
	for _, t := range s.trees {
		if err := t.Backup(); err != nil {
			return err
		}
	}
	return nil
}
