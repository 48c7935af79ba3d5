package search

import (
	"fmt"
	"math"
	"unsafe"
)

// Sizes of what a tree is made of, in bytes.
const (
	SizeofNode = unsafe.Sizeof(node{})
	SizeofStub = unsafe.Sizeof(stub{})
	SizeofEdge = unsafe.Sizeof(edge{})
)

// Check returns an error when the tree contradicts itself. Between steps no visit
// waits, and every number that is kept for selection is what it would be if it
// were computed anew.
func (t *Tree) Check() error {
	seen := make(map[int32]bool)
	var check func(at int32) error
	check = func(at int32) error {
		n := &t.nodes[at]
		switch {
		case seen[at]:
			return fmt.Errorf("node %d has two parents", at)
		case n.pending != 0:
			return fmt.Errorf("node %d: %d visits wait", at, n.pending)
		case n.state == waiting:
			return fmt.Errorf("node %d waits", at)
		case n.state == repeated && (!t.cfg.TwofoldDraws || at == 0):
			return fmt.Errorf("node %d is drawn by a second occurrence", at)
		case n.state == proven && !t.cfg.Solver:
			return fmt.Errorf("node %d is solved without a solver", at)
		case at == 0 && n.state == evaluated:
			return fmt.Errorf("the root has no edges")
		}
		seen[at] = true
		visits, sum, squares, best, all := int32(0), 0.0, 0.0, float32(-1), true
		for k, e := range t.edgesOf(n) {
			if (e.child == none) != (e.visits == 0) || e.visits < 0 {
				return fmt.Errorf("node %d, edge %d: child %d with %d visits", at, k, e.child, e.visits)
			}
			was := e
			if e.visits > 0 {
				t.refresh(&e)
			} else {
				e.bonus = e.prior
			}
			if e != was {
				return fmt.Errorf("node %d, edge %d is %+v, want %+v", at, k, was, e)
			}
			visits += e.visits
			sum += e.sum
			if e.child == none {
				all = false
				continue
			}
			if err := check(e.child); err != nil {
				return err
			}
			child := &t.nodes[e.child]
			if t.hasSquares {
				own := float64(child.value)
				squares += t.squares[e.child] + float64(e.visits-child.visits)*own*own
			}
			if went := child.visits; went > e.visits || went == e.visits && child.state != proven {
				return fmt.Errorf("node %d, edge %d: %d visits, %d of them went on", at, k, e.visits, child.visits)
			}
			if child.exact() {
				best = max(best, -child.value)
				if want := -float64(child.value) * float64(e.visits); t.cfg.Solver && math.Abs(e.sum-want) > 1e-6 {
					return fmt.Errorf("node %d, edge %d has the sum %v, but its result is proven: want %v", at, k, e.sum, want)
				}
			} else {
				all = false
				// Its own value counts for the visits that ended there, its moves' for those that went on.
				if want := -(float64(child.value)*float64(e.visits-child.visits) + child.sum); math.Abs(e.sum-want) > 1e-6 {
					return fmt.Errorf("node %d, edge %d has the sum %v, the node below %v", at, k, e.sum, want)
				}
			}
		}
		if visits != n.visits {
			return fmt.Errorf("node %d has %d visits, its edges %d", at, n.visits, visits)
		}
		if math.Abs(sum-n.sum) > 1e-6 {
			return fmt.Errorf("node %d has the sum %v, its edges %v", at, n.sum, sum)
		}
		// A proof changes values that were backed up before.
		if t.hasSquares && !t.cfg.Solver && math.Abs(squares-t.squares[at]) > 1e-6 {
			return fmt.Errorf("node %d has the squares %v, its edges %v", at, t.squares[at], squares)
		}
		if known := best == 1 || all && visits > 0; t.cfg.Solver && len(t.edgesOf(n)) > 0 && (known != (n.state == proven) || known && best != n.value) {
			return fmt.Errorf("node %d: state %d, value %v; its moves reach %v (all known: %v)", at, n.state, n.value, best, all)
		}
		return nil
	}
	return check(0)
}

// Waiting is the number of visits that wait anywhere in the tree.
func (t *Tree) Waiting() (n int) {
	for i := range t.nodes {
		n += int(t.nodes[i].pending)
	}
	return n
}

// Nodes is the number of positions below the root.
func (t *Tree) Nodes() int { return len(t.nodes) - 1 - t.dropped }
