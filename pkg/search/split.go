package search

import (
	"errors"
	"sync"

	"alamos/pkg/encode"
)

// Split is a network that shares each batch evenly among nets and asks them all
// at once. The nets must give the same answers, as sessions of one model do; then
// the answers are those of any one of them. It is for a search that has the
// machine to itself: Config.Leaves is then the number of nets times the batch of
// each.
func Split(nets ...Net) Net { return &split{nets: nets, errs: make([]error, len(nets))} }

type split struct {
	nets []Net
	errs []error
}

func (s *split) Evaluate(leaves []*encode.Leaf) error {
	n := len(s.nets)
	if n == 0 {
		return errors.New("search: Split has no network")
	}
	var wg sync.WaitGroup
	for i, net := range s.nets {
		part := leaves[i*len(leaves)/n : (i+1)*len(leaves)/n]
		s.errs[i] = nil
		if len(part) > 0 {
			wg.Go(func() { s.errs[i] = net.Evaluate(part) })
		}
	}
	wg.Wait()
	return errors.Join(s.errs...)
}
