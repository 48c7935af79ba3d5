package search

import (
	"errors"
	"fmt"
	"math"

	"alamos/pkg/encode"
)

// question is a visit that waits for an answer.
type question struct {
	leaf  encode.Leaf
	path  []step // from the root to the node
	node  int32
	known bool // answered from the cache
	key   key  // in the cache
}

// Ask begins a step: it walks to positions that need the network until
// Config.Leaves of them wait, and appends the questions about them, which e has
// prepared, to dst. When they have been answered, Answer ends the step. Visits
// that need no network (the game is over there, or see Config.ExpandAt) are made
// on the way. Ask appends nothing only when the tree is Done.
//
// While a visit waits it counts against its moves (see refresh), so that the next
// one goes elsewhere. Where one ends nevertheless at a position that waits, the
// step ends too, with fewer leaves: that is rare but near the root of a new tree.
//
// Questions that were not answered are forgotten by the next Ask.
func (t *Tree) Ask(e Evaluator, dst []*encode.Leaf) []*encode.Leaf {
	t.forget()
	for !t.Done() {
		for t.more() && t.visit(e) {
		}
		if t.Done() { // solved meanwhile
			t.forget()
			break
		}
		unknown := len(dst)
		for i := range t.questions[:t.asked] {
			if q := &t.questions[i]; !q.known {
				dst = append(dst, &q.leaf)
			}
		}
		if len(dst) > unknown {
			break
		}
		t.accept()
	}
	return dst
}

// more tells whether the step has room for another visit. A round of a race ends
// the step, since who goes on depends on the answers.
func (t *Tree) more() bool {
	if t.race.on && t.asked > 0 && t.next() == none {
		return false
	}
	if root := &t.nodes[0]; root.state == open || root.state == wide {
		return t.asked < len(t.questions) && int(root.visits)+t.asked < t.cfg.Visits && !t.full()
	}
	return t.nodes[0].state == unknown
}

// visit makes a visit, which is completed or waits for its answer. It returns
// false where it led to a position that waits already, and then leaves no trace.
func (t *Tree) visit(e Evaluator) bool {
	q := &t.questions[t.asked]
	q.node, q.path = t.descend(q.path[:0])
	n := &t.nodes[q.node]
	if n.state == waiting {
		t.back(q.path)
		return false
	}
	if n.state == unknown {
		t.meet(n)
	}
	if n.state == waiting && t.cfg.Solver && t.cfg.Lookahead > 0 {
		q.path = t.strike(q.node, q.path)
		n = &t.nodes[q.node]
		if n.state != waiting {
			t.back(q.path)
			t.backup(q.path, -1) // the last position is lost for its side to move
			return true
		}
	}
	if n.state == waiting {
		e.Prepare(&q.leaf, t.game, t.legal.Slice())
		if t.cache != nil {
			q.key = keyOf(t.game.Position(), &q.leaf)
			q.known = t.cache.get(q.key, &q.leaf)
		}
	}
	t.back(q.path)
	if n.state == waiting {
		t.wait(q.path, 1)
		t.asked++
	} else {
		t.backup(q.path, float64(n.value))
	}
	return true
}

// wait changes the number of visits along a path that wait for the network.
func (t *Tree) wait(path []step, by int32) {
	if len(t.questions) == 1 {
		return // there is no other visit that could see it
	}
	t.nodes[0].pending += by
	for _, s := range path {
		e := &t.edges[s.edge]
		t.nodes[e.child].pending += by
		t.refresh(e)
	}
}

// Answer ends the step: it takes the answers to the questions of Ask up the tree,
// in their order. An answer that makes no sense (numbers that are none, as from a
// network whose training diverged; too few priors; a value beyond 1) is an error,
// and all answers of the step are then forgotten.
func (t *Tree) Answer() error {
	if t.asked == 0 {
		return errors.New("search: Answer without a question: call Ask first")
	}
	for i := range t.questions[:t.asked] {
		q := &t.questions[i]
		if err := checkAnswer(&q.leaf, int(t.nodes[q.node].count)); err != nil {
			t.forget()
			return err
		}
	}
	t.accept()
	return nil
}

func checkAnswer(l *encode.Leaf, moves int) error {
	if len(l.Priors) != moves {
		return fmt.Errorf("search: the evaluator gave %d priors for %d moves", len(l.Priors), moves)
	}
	for _, p := range l.Priors {
		if !(p >= 0 && p <= 1.001) {
			return fmt.Errorf("search: the evaluator gave the prior %v: want 0 to 1 (a network whose training diverged gives NaN)", p)
		}
	}
	if !(l.Value >= -1 && l.Value <= 1) {
		return fmt.Errorf("search: the evaluator gave the value %v: want -1 to 1 (a network whose training diverged gives NaN)", l.Value)
	}
	return nil
}

// accept takes the answers of the step up the tree.
func (t *Tree) accept() {
	t.release()
	for i := range t.questions[:t.asked] {
		q := &t.questions[i]
		n := &t.nodes[q.node]
		stubs := t.stubsOf(n)
		for i := range stubs {
			stubs[i].prior = q.leaf.Priors[i]
		}
		if T := t.cfg.PolicyTemperature; T != 0 && T != 1 {
			temper(stubs, 1/T)
		}
		n.value, n.draw, n.state = q.leaf.Value, q.leaf.WDL[1], open
		t.tells = t.tells || q.leaf.WDL != [3]float32{}
		if !q.known {
			t.evaluations++
			if t.cache != nil {
				t.cache.put(q.key, &q.leaf)
			}
		}
		if q.node == 0 {
			t.ready()
		}
		t.backup(q.path, float64(q.leaf.Value))
	}
	t.asked = 0
}

// temper raises priors to a power and divides them by their sum. They are taken relative
// to the highest, so that no power makes nothing of all of them.
func temper(stubs []stub, power float64) {
	var highest float32
	for i := range stubs {
		highest = max(highest, stubs[i].prior)
	}
	if highest == 0 {
		return // priors of nothing stay
	}
	var sum float64
	for i := range stubs {
		p := math.Pow(float64(stubs[i].prior)/float64(highest), power)
		stubs[i].prior = float32(p)
		sum += p
	}
	for i := range stubs {
		stubs[i].prior = float32(float64(stubs[i].prior) / sum)
	}
}

// release ends the waiting of all visits, which leaves no trace of it.
func (t *Tree) release() {
	for i := range t.questions[:t.asked] {
		t.wait(t.questions[i].path, -1)
	}
}

// forget drops the questions of the step. Their positions become unknown again.
func (t *Tree) forget() {
	t.release()
	for i := range t.questions[:t.asked] {
		path := t.questions[i].path
		if len(path) == 0 {
			t.clear()
			return
		}
		t.edges[path[len(path)-1].edge].child = none
		t.lost++
	}
	t.asked = 0
}
