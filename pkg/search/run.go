package search

import (
	"context"

	"alamos/pkg/encode"
)

// Run searches all trees until each is Done, in lock-step: each round descends
// every unfinished tree to a leaf, evaluates all leaves as one batch and takes
// the answers up. A canceled context ends it within a round; the trees are
// then unfinished but sound.
func Run(ctx context.Context, trees []*Tree, e Evaluator) error {
	var s Stepper
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		asked, err := s.Step(trees, e)
		if err != nil || asked == 0 {
			return err
		}
	}
}

// Stepper does rounds of a lock-step search and keeps the memory that they
// need. Its zero value is ready for use, by one goroutine.
type Stepper struct {
	leaves []*encode.Leaf
	asking []*Tree
}

// Step asks every tree that is not Done, evaluates the leaves of all as one batch
// and takes the answers up. It returns the number of leaves; 0 means that all
// trees are Done.
func (s *Stepper) Step(trees []*Tree, e Evaluator) (int, error) {
	leaves := s.Ask(trees, e)
	if len(leaves) == 0 {
		return 0, nil
	}
	if err := e.Evaluate(leaves); err != nil {
		return 0, err
	}
	return len(leaves), s.Answer()
}

// Ask is the first half of Step: it returns the leaves to evaluate, which are
// valid until the next Ask. Visits that need no network are made on the way, so
// that every unfinished tree has a place in every batch.
func (s *Stepper) Ask(trees []*Tree, e Evaluator) []*encode.Leaf {
	s.leaves, s.asking = s.leaves[:0], s.asking[:0]
	for _, t := range trees {
		before := len(s.leaves)
		if s.leaves = t.Ask(e, s.leaves); len(s.leaves) > before {
			s.asking = append(s.asking, t)
		}
	}
	return s.leaves
}

// Answer is the second half of Step, after the leaves have been evaluated.
func (s *Stepper) Answer() error {
	for _, t := range s.asking {
		if err := t.Answer(); err != nil {
			return err
		}
	}
	return nil
}
