package search

import (
	"math/rand/v2"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Tree is the search of one game. All nodes lie in one array and all edges in
// another, so that a tree costs the garbage collector nothing and a visit
// allocates nothing once the arrays have grown.
//
// Nodes are in the order of their creation, and the edges of a node are
// contiguous, node after node in the same order. So a child comes after its
// parent in both arrays, which keep relies on.
type Tree struct {
	cfg  Config
	rng  *rand.Rand
	pcg  *rand.PCG
	game *chess.Game // stands at the root between calls

	nodes []node // nodes[0] is the root
	edges []edge

	// question is the leaf that waits for an answer. Several leaves of one
	// tree in a batch would need a slice of these and a virtual loss along
	// their paths; nothing else here would change.
	question question

	moves       chess.MoveList // scratch
	evaluations int
}

// question is an unanswered visit.
type question struct {
	leaf encode.Leaf
	node int32  // waiting node; none: nothing was asked
	path []step // from the root to the node
}

// step is an edge taken and the node that it leaves.
type step struct{ node, edge int32 }

const none = -1

// node is a position, 32 bytes.
type node struct {
	sum    float64 // of the values backed up through its edges, from the view of its side to move
	visits int32   // through its edges: the sum of N(s,b)
	first  int32   // its edges are edges[first : first+count]
	up     int32   // edge that leads here; scratch of keep
	value  float32 // of the position itself, from the view of its side to move
	count  uint16
	state  state
	marked bool // to be kept; scratch of keep
}

type state uint8

const (
	unknown  state = iota // not evaluated
	open                  // evaluated by the network: edges have priors
	terminal              // the game is over: no edges, value by the rules
)

// edge is a move, 32 bytes. score and bonus are what selection reads, made
// when they change, which is less often than they are read.
type edge struct {
	sum    float64 // of the values backed up, from the view of the side that moves
	score  float32 // Q = sum / visits
	bonus  float32 // prior / (1 + visits)
	prior  float32
	visits int32
	child  int32 // node behind the move; none until the first visit
	move   chess.Move
}

// edges returns the edges of n.
func (t *Tree) edgesOf(n *node) []edge {
	return t.edges[n.first : n.first+int32(n.count)]
}

// NewTree makes a search without a root. The seed decides the noise at the
// root; a search without noise does not depend on it. Settings that
// Config.Validate refuses give a search that means nothing.
func NewTree(cfg Config, seed uint64) *Tree {
	t := &Tree{cfg: cfg, pcg: rand.NewPCG(0, 0)}
	t.rng = rand.New(t.pcg)
	t.Seed(seed)
	t.clear()
	return t
}

// Seed starts the tree's random numbers again.
func (t *Tree) Seed(seed uint64) { t.pcg.Seed(seed, 0x616c616d6f73) }

// SetRoot starts a new search at the current position of g, with its history.
// The tree makes a copy: g stays the caller's.
func (t *Tree) SetRoot(g *chess.Game) {
	if t.game == nil {
		t.game = g.Clone()
	} else {
		t.game.CopyFrom(g)
	}
	t.clear()
}

// Advance plays the legal move m at the root. With Config.TreeReuse the search
// goes on with what it knows about the position reached, otherwise it starts
// anew. Random numbers go on in either case.
func (t *Tree) Advance(m chess.Move) {
	t.question.node = none
	child := int32(none)
	if t.cfg.TreeReuse {
		for _, e := range t.edgesOf(&t.nodes[0]) {
			if e.move == m {
				child = e.child
				break
			}
		}
	}
	t.game.Play(m)
	if child == none {
		t.clear()
		return
	}
	t.keep(child)
	if t.nodes[0].state == open {
		t.addNoise()
	}
}

// clear leaves a root about which nothing is known.
func (t *Tree) clear() {
	t.question.node = none
	t.nodes = append(t.nodes[:0], node{})
	t.edges = t.edges[:0]
}

// keep makes root the root and moves its subtree to the front of the arrays,
// in place and in one pass: whatever is kept moves forward, and a node's
// children, which come after it, are still where they were when it is moved.
func (t *Tree) keep(root int32) {
	t.nodes[root].marked = true
	var nodes, edges int32
	for i := root; i < int32(len(t.nodes)); i++ {
		n := t.nodes[i]
		if !n.marked {
			continue
		}
		n.marked = false
		copy(t.edges[edges:], t.edgesOf(&n))
		n.first = edges
		for k, e := range t.edgesOf(&n) {
			if e.child != none {
				t.nodes[e.child].marked = true
				t.nodes[e.child].up = edges + int32(k)
			}
		}
		edges += int32(n.count)
		if i != root {
			t.edges[n.up].child = nodes
		}
		t.nodes[nodes] = n
		nodes++
	}
	t.nodes = t.nodes[:nodes]
	t.edges = t.edges[:edges]
}
