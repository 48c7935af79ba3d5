package search

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"unsafe"

	"alamos/pkg/chess"
)

// Tree is the search of one game. Its nodes, stubs and edges lie in one array each, so
// that a tree costs the garbage collector nothing and a visit allocates nothing once the
// arrays have grown.
//
// Most nodes of a tree are visited once. They have stubs: a move and its prior. The edges,
// with what selection needs, are made when the search first expands a move of the node.
// The stubs are then garbage until keepSubtree copies the tree.
type Tree struct {
	cfg  Config
	rng  *rand.Rand
	pcg  *rand.PCG
	game *chess.Game // stands at the root between calls

	arrays
	dropped int    // nodes that dropRequests has cut off
	spare   arrays // where keepSubtree copies to

	// The current step: see Select.
	requests []request // of which the first pending wait for an evaluation
	pending  int

	patience       int     // see SetPatience
	extra          int     // visits kept from the search before that do not count; see Config.FreshVisits
	quiet          bool    // no exploration: see SetExploring
	hasSquares     bool    // see arrays
	forcesPlayouts bool    // whether the search of this root has forced playouts
	halving        halving // see Root

	// See Analyze.
	analysis bool
	only     []chess.Move

	hasWDL      bool   // the network predicts draws
	cache       *cache // nil: none
	evaluations int
	depth       int // moves in the longest path

	legal   chess.MoveList // scratch
	weights []float64      // scratch
	sigmas  []float64      // scratch: see completeQ
}

// arrays are the memory of a tree.
type arrays struct {
	nodes []node // nodes[0] is the root
	stubs []stub
	edges []edge
	// squares are the sums of the squares of the values backed up through the edges of each
	// node, if the search needs them; otherwise empty.
	squares []float64
}

// step is an edge taken and the node that it leaves.
type step struct{ node, edge int32 }

const none = -1

// node is a position, 32 bytes.
type node struct {
	sum         float64 // of the values backed up through its edges, from the view of its side to move
	visits      int32   // through its edges: the sum of N(s,b)
	pending     int32   // visits through or to this node that wait for the network
	first       int32   // of its stubs or of its edges, as its state says; they are contiguous
	value       float32 // of the position itself, from the view of its side to move
	count       uint16  // legal moves
	state       state
	unevaluated bool    // expanded without the network: its priors are equal
	draw        float32 // the network's probability of a draw, if it predicts one: see WDL
}

type state uint8

const (
	unvisited state = iota // not evaluated
	waiting                // the network is evaluating it
	evaluated              // no move visited: it has stubs
	expanded               // moves have been visited: it has edges
	repeated               // a draw by Config.TwofoldDraws: no moves
	proven                 // expanded, and value is the proven result (Config.Solver)
	terminal               // the game is over: no moves, value by the rules
)

// exact reports whether the value of n is the result of the game.
func (n *node) exact() bool { return n.state >= proven }

// stub is a move of a node without edges, 8 bytes.
type stub struct {
	prior float32
	move  chess.Move
}

// edge is a move, 32 bytes. Selection reads score and bonus; they are computed when they
// change, which is less often than they are read.
type edge struct {
	sum    float64 // of the values backed up, from the view of the side that moves
	score  float32 // Q = sum / visits; see refresh for pending visits and proven results
	bonus  float32 // prior / (1 + visits)
	prior  float32
	visits int32
	child  int32 // node behind the move; none until the first visit
	move   chess.Move
}

// edgesOf returns the edges of n, if it has any.
func (t *Tree) edgesOf(n *node) []edge {
	if n.state != expanded && n.state != proven {
		return nil
	}
	return t.edges[n.first : n.first+int32(n.count)]
}

// stubsOf returns the stubs of n, which is waiting or evaluated.
func (t *Tree) stubsOf(n *node) []stub { return t.stubs[n.first : n.first+int32(n.count)] }

// makeEdges gives an evaluated node its edges. Only they have the temperature of the policy, as
// most nodes never get edges.
func (t *Tree) makeEdges(n *node) {
	stubs := t.stubsOf(n)
	n.first, n.state = int32(len(t.edges)), expanded
	t.edges = roomFor(t.edges, len(stubs))
	for _, s := range stubs {
		t.edges = append(t.edges, edge{move: s.move, prior: s.prior, bonus: s.prior, child: none})
	}
	if power := 1 / cmp.Or(t.cfg.PolicyTemperature, 1); power != 1 {
		applyTemperature(t.edgesOf(n), power)
	}
}

// NewTree makes a search without a root. The seed decides the noise at the root; a
// search without noise does not depend on it. The Config must be valid.
func NewTree(cfg Config, seed uint64) *Tree {
	t := &Tree{cfg: cfg, pcg: rand.NewPCG(0, 0), hasSquares: cfg.needsSquares()}
	t.rng = rand.New(t.pcg)
	t.requests = make([]request, max(1, cfg.Leaves))
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
// The tree copies g.
func (t *Tree) SetRoot(g *chess.Game) {
	if t.game == nil {
		t.game = g.Clone()
	} else {
		t.game.CopyFrom(g)
	}
	t.reserve()
	t.clear()
	t.analysis, t.depth = false, 0
	if t.cache != nil {
		t.cache.clear()
	}
}

// Analyze is SetRoot for analysis: the search continues even if repetition, fifty moves
// or material have drawn the game. If moves are given, which must be legal, the root has
// only these.
func (t *Tree) Analyze(g *chess.Game, moves ...chess.Move) {
	t.SetRoot(g)
	t.analysis = true
	t.only = append(t.only[:0], moves...)
}

// Follow makes the current position of g the root of an analysis. If g continues the game
// of the present root, the search keeps what it knows, as Advance does. Otherwise, and if
// it knows only that the game is drawn there, it starts again, as Analyze does.
func (t *Tree) Follow(g *chess.Game) {
	if t.game == nil || len(t.only) > 0 || *t.game.Start() != *g.Start() {
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
	if len(now) == len(before) {
		t.again()
	}
	if t.nodes[0].state == terminal {
		t.Analyze(g)
	}
}

// again begins another search of the same root, whose noise stays as it is.
func (t *Tree) again() {
	t.dropRequests()
	root := &t.nodes[0]
	if t.cfg.FreshVisits {
		t.extra = int(root.visits)
	}
	if root.state == expanded && t.cfg.Root.Considered > 0 && t.cfg.Budget() < Unlimited {
		t.startHalving()
	}
}

// SetVisits changes Config.Visits from now on.
func (t *Tree) SetVisits(n int) { t.cfg.Visits = n }

// Patience is a usual value of SetPatience: a few hundredths of a second.
const Patience = 1 << 16

// SetPatience has Select end after this many visits that needed no network, so that its caller can
// look at a clock; 0, as at first, means never. Select may then append nothing though the tree is
// not Done.
func (t *Tree) SetPatience(n int) { t.patience = n }

// SetReuse changes Config.TreeReuse from now on.
func (t *Tree) SetReuse(on bool) { t.cfg.TreeReuse = on }

// SetExploring turns exploration for learning on or off, from the next root on: the noise of
// the Config, its forced playouts, and the noise, first play urgency and policy
// temperature of its Root. It is on at first.
func (t *Tree) SetExploring(on bool) { t.quiet = !on }

// reserve makes room for the visits of a search, so that a tree of usual size is not copied
// while it grows.
func (t *Tree) reserve() {
	const most, moves = 1 << 14, 24
	n := min(t.cfg.Visits+1, most)
	t.nodes = slices.Grow(t.nodes[:0], n)
	t.stubs = slices.Grow(t.stubs[:0], n*moves)
}

// Advance plays the legal move m at the root. With Config.TreeReuse the search keeps what
// it knows about the position reached, otherwise it starts again. The stream of random
// numbers continues in either case.
func (t *Tree) Advance(m chess.Move) {
	t.dropRequests()
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
	t.only, t.depth = t.only[:0], max(0, t.depth-1)
	t.forcesPlayouts, t.halving.on = false, false
	if child == none || t.nodes[child].state == repeated {
		t.clear()
		t.depth = 0
		return
	}
	t.keepSubtree(child)
	if t.cfg.FreshVisits {
		t.extra = int(t.nodes[0].visits)
	}
	t.prepareRoot()
}

// prepareRoot prepares a root that has been evaluated for its search.
func (t *Tree) prepareRoot() {
	root := &t.nodes[0]
	if root.state == evaluated {
		t.makeEdges(root)
	}
	gumbel := t.cfg.Root.Considered > 0 && t.cfg.Budget() < Unlimited
	known := root.state == proven && len(t.edgesOf(root)) > 0 // a proven root makes no visits, but Target and Choose of a Gumbel root need startHalving
	if root.state != expanded && !(known && gumbel) {
		return
	}
	t.applyRootTemperature()
	if gumbel {
		t.startHalving()
	} else {
		t.forcesPlayouts = t.addNoise() && t.cfg.ForcedPlayouts > 0
	}
}

// clear leaves an unvisited root.
func (t *Tree) clear() {
	t.pending, t.dropped, t.extra, t.forcesPlayouts, t.halving.on = 0, 0, 0, false, false
	t.nodes, t.squares = t.nodes[:0], t.squares[:0]
	t.stubs = t.stubs[:0]
	t.edges = t.edges[:0]
	t.addNode(node{})
}

// addNode appends a node and returns its index.
func (t *Tree) addNode(n node) int32 {
	t.nodes = append(roomFor(t.nodes, 1), n)
	if t.hasSquares {
		t.squares = append(roomFor(t.squares, 1), 0)
	}
	return int32(len(t.nodes) - 1)
}

// roomFor returns s with room for n more. It doubles what is full: append grows a large slice by
// a quarter, and would copy a tree of many visits five times.
func roomFor[S []E, E any](s S, n int) S {
	if cap(s)-len(s) >= n {
		return s
	}
	return slices.Grow(s, max(n, len(s)))
}

// keepSubtree makes the given node the root: it copies the tree below it, level by level,
// to the spare arrays, which then replace the others.
func (t *Tree) keepSubtree(root int32) {
	to := &t.spare
	to.nodes, to.squares = to.nodes[:0], to.squares[:0]
	to.stubs, to.edges = to.stubs[:0], to.edges[:0]
	t.keepNode(root)
	for i := 0; i < len(to.nodes); i++ {
		switch n := &to.nodes[i]; n.state {
		case evaluated:
			stubs := t.stubsOf(n)
			n.first = int32(len(to.stubs))
			to.stubs = append(roomFor(to.stubs, len(stubs)), stubs...)
		case expanded, proven:
			edges := t.edgesOf(n)
			n.first = int32(len(to.edges))
			to.edges = append(roomFor(to.edges, len(edges)), edges...)
			edges = to.edges[n.first:]
			for k := range edges {
				if e := &edges[k]; e.child != none {
					e.child = t.keepNode(e.child)
				}
			}
		}
	}
	large := t.cfg.Bytes > 0 && t.Bytes() > t.cfg.Bytes/4 // too much to keep beside the tree
	t.arrays, t.spare, t.dropped = t.spare, t.arrays, 0
	if large {
		t.spare = arrays{}
	}
}

// keepNode copies a node to the spare arrays and returns its index there.
func (t *Tree) keepNode(i int32) int32 {
	to := &t.spare
	to.nodes = append(roomFor(to.nodes, 1), t.nodes[i])
	if t.hasSquares {
		to.squares = append(roomFor(to.squares, 1), t.squares[i])
	}
	return int32(len(to.nodes) - 1)
}

// Bytes is the memory that holds what the tree knows.
func (t *Tree) Bytes() int {
	return len(t.nodes)*int(unsafe.Sizeof(node{})) + len(t.stubs)*int(unsafe.Sizeof(stub{})) + len(t.edges)*int(unsafe.Sizeof(edge{})) + 8*len(t.squares)
}
