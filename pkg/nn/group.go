package nn

import (
	"errors"
	"sync"

	"alamos/pkg/encode"
)

// Group evaluates the leaves of one caller on several threads. It is for a caller
// that is alone on the machine, as a search for one game is: where there are
// many, a Session each is faster, since none waits for another.
type Group struct {
	model    *Model
	sessions []*Session
}

// NewGroup makes a group of so many sessions of the model. It works best when it
// is asked about as many leaves at a time as all their batches hold: a group of
// two whose model has a batch of 8 is for 16.
func (m *Model) NewGroup(threads int) (*Group, error) {
	g := &Group{model: m}
	for range max(1, threads) {
		s, err := m.NewSession()
		if err != nil {
			g.Close()
			return nil, err
		}
		g.sessions = append(g.sessions, s)
	}
	return g, nil
}

// Evaluate is [Session.Evaluate]: the answers are the same to the bit.
func (g *Group) Evaluate(leaves []*encode.Leaf) error {
	var wait sync.WaitGroup
	errs := make([]error, len(g.sessions))
	parts := share(len(leaves), len(g.sessions), g.model.block)
	for i, n := range parts {
		part := leaves[:n]
		leaves = leaves[n:]
		switch {
		case i == len(parts)-1: // on this thread: it has nothing else to do
			errs[i] = g.sessions[i].Evaluate(part)
		case n > 0:
			wait.Go(func() { errs[i] = g.sessions[i].Evaluate(part) })
		}
	}
	wait.Wait()
	return errors.Join(errs...)
}

// share divides n positions among workers, in whole blocks as far as there are.
func share(n, workers, block int) []int {
	parts := make([]int, workers)
	blocks := (n + block - 1) / block
	for i := range parts {
		parts[i] = min(n, (blocks+i)/workers*block)
		n -= parts[i]
	}
	return parts
}

// Close frees the sessions.
func (g *Group) Close() {
	for _, s := range g.sessions {
		s.Close()
	}
}
