package search

import (
	"math/rand/v2"
	"slices"
	"unsafe"

	"alamos/pkg/chess"
)

// Tree is the search of one game. Its positions, its moves and its edges lie in
// an array each, so that a tree costs the garbage collector nothing and a visit
// allocates nothing once the arrays have grown.
//
// Most positions of a tree are visited once. They have stubs, a move and its
// prior; the edges, with what selection needs, are made when the search first
// goes on from a position. The stubs are then dead, until keep leaves them behind.
type Tree struct {
	cfg  Config
	rng  *rand.Rand
	pcg  *rand.PCG
	game *chess.Game // stands at the root between calls

	arrays
	lost  int    // nodes that forget has cut off
	spare arrays // what keep copies to

	// The step under way: see Ask.
	questions []question // of which the first asked wait for an answer
	asked     int

	still   bool // see SetExploring
	forcing bool // whether the search of this root has forced playouts
	race    race // see Root

	// See Analyze.
	analyzes bool
	among    []chess.Move

	tells       bool   // the network tells draws
	cache       *cache // nil: none
	evaluations int
	deepest     int // moves in the longest path

	legal   chess.MoveList // scratch
	weights []float64      // scratch
	sigmas  []float64      // scratch: see improve
}

// arrays are the memory of a tree.
type arrays struct {
	nodes []node // nodes[0] is the root
	stubs []stub
	edges []edge
}

// step is an edge taken and the node that it leaves.
type step struct{ node, edge int32 }

const none = -1

// node is a position, 32 bytes.
type node struct {
	sum     float64 // of the values backed up through its edges, from the view of its side to move
	visits  int32   // through its edges: the sum of N(s,b)
	pending int32   // visits through here or to here that wait for the network
	first   int32   // of its stubs or of its edges, as its state says; they are contiguous
	value   float32 // of the position itself, from the view of its side to move
	count   uint16  // legal moves
	state   state
	draw    float32 // the network's probability of a draw, where it tells one: see WDL
}

type state uint8

const (
	unknown state = iota // not evaluated
	waiting              // the network has been asked
	open                 // evaluated, no move tried: it has stubs
	wide                 // moves have been tried: it has edges
	solved               // the same, and value is the result by force (Config.Solver)
	over                 // the game is over: no moves, value by the rules
)

// exact tells whether the value of n is the result of the game.
func (n *node) exact() bool { return n.state >= solved }

// stub is a move of a position from which the search has not yet gone on,
// 8 bytes.
type stub struct {
	prior float32
	move  chess.Move
}

// edge is a move, 32 bytes. score and bonus are what selection reads, made
// when they change, which is less often than they are read.
type edge struct {
	sum    float64 // of the values backed up, from the view of the side that moves
	score  float32 // Q = sum / visits; see refresh for visits that wait and results by force
	bonus  float32 // prior / (1 + visits)
	prior  float32
	visits int32
	child  int32 // node behind the move; none until the first visit
	move   chess.Move
}

// edgesOf returns the edges of n, if it has any.
func (t *Tree) edgesOf(n *node) []edge {
	if n.state != wide && n.state != solved {
		return nil
	}
	return t.edges[n.first : n.first+int32(n.count)]
}

// stubsOf returns the stubs of n, which waits or is open.
func (t *Tree) stubsOf(n *node) []stub { return t.stubs[n.first : n.first+int32(n.count)] }

// widen gives an open node its edges.
func (t *Tree) widen(n *node) {
	stubs := t.stubsOf(n)
	n.first, n.state = int32(len(t.edges)), wide
	for _, s := range stubs {
		t.edges = append(t.edges, edge{move: s.move, prior: s.prior, bonus: s.prior, child: none})
	}
}

// NewTree makes a search without a root. The seed decides the noise at the
// root; a search without noise does not depend on it. Settings that
// Config.Validate refuses give a search that means nothing.
func NewTree(cfg Config, seed uint64) *Tree {
	t := &Tree{cfg: cfg, pcg: rand.NewPCG(0, 0)}
	t.rng = rand.New(t.pcg)
	t.questions = make([]question, max(1, cfg.Leaves))
	if cfg.Cache > 0 {
		t.cache = newCache(cfg.Cache)
	}
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
	t.reserve()
	t.clear()
	t.analyzes, t.deepest = false, 0
	if t.cache != nil {
		t.cache.clear()
	}
}

// Analyze is SetRoot for somebody who wants an answer whatever the position: the
// search is of these moves only, legal ones, or of all with none, and goes on where
// repetition, fifty moves or material have drawn the game.
func (t *Tree) Analyze(g *chess.Game, moves ...chess.Move) {
	t.SetRoot(g)
	t.analyzes = true
	t.among = append(t.among[:0], moves...)
}

// Follow makes the current position of g the root, for somebody who wants an answer
// whatever the position. Where g goes on from the root of before the search does so
// too, as Advance; otherwise, and where what was known of the position is that the
// game is drawn there, it starts anew, as Analyze.
func (t *Tree) Follow(g *chess.Game) {
	if t.game == nil || len(t.among) > 0 || *t.game.Start() != *g.Start() {
		t.Analyze(g)
		return
	}
	before, now := t.game.Moves(), g.Moves()
	if len(before) > len(now) || !slices.Equal(before, now[:len(before)]) {
		t.Analyze(g)
		return
	}
	for _, m := range now[len(before):] {
		t.Advance(m)
	}
	if t.nodes[0].state == over {
		t.Analyze(g)
	}
}

// SetVisits changes Config.Visits from now on.
func (t *Tree) SetVisits(n int) { t.cfg.Visits = n }

// SetExploring says whether the searches from the next root on, that of SetRoot or
// Advance, explore for the sake of learning, as they do unless told otherwise: with
// the noise of the Config, its forced playouts and the noise of its Gumbel root.
func (t *Tree) SetExploring(on bool) { t.still = !on }

// reserve makes room for the visits of a search, as far as it is known, so that
// a large tree is not copied again and again while it grows.
func (t *Tree) reserve() {
	const most, moves = 1 << 20, 24
	n := min(t.cfg.Visits+1, most)
	t.nodes = slices.Grow(t.nodes[:0], n)
	t.stubs = slices.Grow(t.stubs[:0], n*moves)
}

// Advance plays the legal move m at the root. With Config.TreeReuse the search
// goes on with what it knows about the position reached, otherwise it starts
// anew. Random numbers go on in either case.
func (t *Tree) Advance(m chess.Move) {
	t.forget()
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
	t.among, t.deepest = t.among[:0], max(0, t.deepest-1)
	t.forcing, t.race.on = false, false
	if child == none {
		t.clear()
		return
	}
	t.keep(child)
	t.ready()
}

// ready makes a root that has been evaluated ready for its search.
func (t *Tree) ready() {
	root := &t.nodes[0]
	if root.state == open {
		t.widen(root)
	}
	switch {
	case root.state != wide:
	case t.cfg.Root.Considered > 0:
		t.startRace()
	default:
		t.forcing = t.addNoise() && t.cfg.ForcedPlayouts > 0
	}
}

// clear leaves a root about which nothing is known.
func (t *Tree) clear() {
	t.asked, t.lost, t.forcing, t.race.on = 0, 0, false, false
	t.nodes = append(t.nodes[:0], node{})
	t.stubs = t.stubs[:0]
	t.edges = t.edges[:0]
}

// keep makes root the root: it copies the part of the tree below it, level by
// level, to the spare arrays, which take the place of the others.
func (t *Tree) keep(root int32) {
	to := &t.spare
	to.nodes = append(to.nodes[:0], t.nodes[root])
	to.stubs, to.edges = to.stubs[:0], to.edges[:0]
	for i := 0; i < len(to.nodes); i++ {
		switch n := &to.nodes[i]; n.state {
		case open:
			stubs := t.stubsOf(n)
			n.first = int32(len(to.stubs))
			to.stubs = append(to.stubs, stubs...)
		case wide, solved:
			edges := t.edgesOf(n)
			n.first = int32(len(to.edges))
			to.edges = append(to.edges, edges...)
			edges = to.edges[n.first:]
			for k := range edges {
				if e := &edges[k]; e.child != none {
					to.nodes = append(to.nodes, t.nodes[e.child])
					e.child = int32(len(to.nodes) - 1)
				}
			}
		}
	}
	t.arrays, t.spare, t.lost = t.spare, t.arrays, 0
}

// Bytes is the memory that holds what the tree knows.
func (t *Tree) Bytes() int {
	return len(t.nodes)*int(unsafe.Sizeof(node{})) + len(t.stubs)*int(unsafe.Sizeof(stub{})) + len(t.edges)*int(unsafe.Sizeof(edge{}))
}
