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

// Step descends every tree that is not Done to one leaf, evaluates the leaves
// as one batch and backs them up. It returns the number of leaves; 0 means
// that all trees are Done. Visits that need no network are made on the way, so
// that every unfinished tree has a place in every batch.
func (s *Stepper) Step(trees []*Tree, e Evaluator) (int, error) {
	s.leaves, s.asking = s.leaves[:0], s.asking[:0]
	for _, t := range trees {
		for !t.Done() {
			if l := t.Descend(e); l != nil {
				s.leaves, s.asking = append(s.leaves, l), append(s.asking, t)
				break
			}
		}
	}
	if len(s.leaves) == 0 {
		return 0, nil
	}
	if err := e.Evaluate(s.leaves); err != nil {
		return 0, err
	}
	for i, t := range s.asking {
		if err := t.Backup(s.leaves[i]); err != nil {
			return 0, err
		}
	}
	return len(s.leaves), nil
}
