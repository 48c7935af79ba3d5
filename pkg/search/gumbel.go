package search

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Root says how the visits of a search are shared out among the moves of its root. Kind
// gumbel is the root of Gumbel AlphaZero (Danihelka, Guez, Schrittwieser and Silver
// 2022, Policy improvement by planning with Gumbel). PUCT needs many visits until they
// are better than the priors; this is an improvement with any number of them. Below the
// root the search is PUCT. Code may leave Kind empty: Considered above 0 is gumbel.
type Root struct {
	_ struct{} `short:"kind"`

	Kind       string  `key:"kind" default:"puct" enum:"puct gumbel" doc:"puct: as everywhere in the tree. gumbel: moves drawn by their priors are compared by sequential halving, the best is played, and what is learned is the policy that the values found imply (Gumbel AlphaZero); noise.weight then has no part in it, nor has selfplay.temperature where the draw has noise."`
	Considered int     `key:"considered" default:"16" range:"1..1000" unit:"moves" when:"kind=gumbel" doc:"Moves that are drawn, by their priors without replacement."`
	CVisit     float64 `key:"c_visit" default:"50" range:"0..1e9" when:"kind=gumbel" doc:"Values, from 0 to 1, weigh against the logarithms of priors with c_scale times c_visit and the visits of the most visited move."`
	CScale     float64 `key:"c_scale" default:"1" range:"0..1e9" when:"kind=gumbel" doc:"Weight of the values: see c_visit."`
	Noise      float64 `key:"noise" default:"1" range:"0..1e9" when:"kind=gumbel" doc:"Factor of the Gumbel noise; 0: the moves with the highest priors are considered."`
}

// race is the search of a Gumbel root: sequential halving (Karnin, Koren and Somekh
// 2013) among the moves considered. With n visits for m moves there are log2(m)
// rounds of as many visits each, shared evenly by the moves that are left, of which
// the better half goes on. Two stay to the end and have the visits that rounding
// leaves. Slices but alive are indexed as the root's edges.
type race struct {
	on    bool
	drawn bool      // with noise
	rank  []float64 // logarithm of the prior, and noise
	kept  []int32   // visits from the search before
	alive []int32   // the moves left, best first

	visits, rounds int   // n and log2(m)
	goal           int32 // visits, without those kept, that end the round
}

// startRace begins the search of a root that has edges.
func (t *Tree) startRace() {
	r, g := &t.race, t.cfg.Root
	edges := t.edgesOf(&t.nodes[0])
	noise := g.Noise
	if t.still {
		noise = 0
	}
	*r = race{on: true, drawn: noise > 0, rank: r.rank[:0], kept: r.kept[:0], alive: r.alive[:0]}
	for i := range edges {
		x := logit(&edges[i])
		if noise > 0 {
			x -= noise * math.Log(t.rng.ExpFloat64()) // Root: -log of an exponential variate
		}
		r.rank = append(r.rank, x)
		r.kept = append(r.kept, edges[i].visits)
		r.alive = append(r.alive, int32(i))
	}
	slices.SortStableFunc(r.alive, func(a, b int32) int { return cmp.Compare(r.rank[b], r.rank[a]) })
	r.alive = r.alive[:min(g.Considered, len(edges))]
	r.visits = max(0, t.cfg.Budget()-int(t.nodes[0].visits))
	r.rounds = max(1, bits.Len(uint(len(r.alive)-1)))
	r.round()
}

// round begins a round of the moves that are alive.
func (r *race) round() {
	r.goal += int32(max(1, r.visits/(r.rounds*len(r.alive))))
}

// logit is the logarithm of a prior. Those too small for a number are taken as the
// smallest one.
func logit(e *edge) float64 {
	return math.Log(max(float64(e.prior), math.SmallestNonzeroFloat32))
}

// next returns the index of the move that is visited next in this round, or none
// where the round has ended: of those with the fewest visits the best.
func (t *Tree) next() int32 {
	r := &t.race
	edges := t.edgesOf(&t.nodes[0])
	next, fewest := int32(none), r.goal
	for _, i := range r.alive {
		if made := t.made(edges, i); made < fewest {
			next, fewest = i, made
		}
	}
	return next
}

// made is the number of visits that the root's move i has had in this race, those
// that wait included.
func (t *Tree) made(edges []edge, i int32) int32 {
	e := &edges[i]
	if e.child == none {
		return 0
	}
	return e.visits + t.nodes[e.child].pending - t.race.kept[i]
}

// contender returns the edge of the root n that is visited next. No visit waits where
// a round ends (see more).
func (t *Tree) contender(n *node) int32 {
	r := &t.race
	for {
		if i := t.next(); i != none {
			return n.first + i
		}
		t.improve()
		score := func(i int32) float64 { return r.rank[i] + t.sigmas[i] }
		slices.SortStableFunc(r.alive, func(a, b int32) int { return cmp.Compare(score(b), score(a)) })
		if len(r.alive) > 2 {
			r.alive = r.alive[:max(2, len(r.alive)/2)]
		}
		r.round()
	}
}

// improve writes sigma of each move of the root to t.sigmas:
//
//	(CVisit + max over b of N(b)) * CScale * q
//
// q, from 0 for a loss to 1 for a win, is the value of the move; of one that was not
// visited it is the mixed value of appendix D of the paper,
//
//	(v + (sum of N) * (sum of P(b) q(b)) / (sum of P(b))) / (1 + (sum of N))
//
// with v the network's value of the root, and the sums of P over the moves visited.
func (t *Tree) improve() {
	root := &t.nodes[0]
	edges := t.edgesOf(root)
	t.sigmas = t.sigmas[:0]
	most := int32(0)
	var priors, weighed float64
	for i := range edges {
		e := &edges[i]
		q := (1 + t.public(e).Q) / 2
		t.sigmas = append(t.sigmas, q)
		if e.visits > 0 {
			// A prior of nothing must not hide the only value there is.
			p := math.Exp(logit(e))
			priors += p
			weighed += p * q
			most = max(most, e.visits)
		}
	}
	mixed := (1 + float64(root.value)) / 2
	if n := float64(root.visits); n > 0 {
		mixed = (mixed + n*weighed/priors) / (1 + n)
	}
	scale := (t.cfg.Root.CVisit + float64(most)) * t.cfg.Root.CScale
	for i := range edges {
		if edges[i].visits == 0 {
			t.sigmas[i] = mixed
		}
		t.sigmas[i] *= scale
	}
}

// improved writes the policy that the search implies, softmax(log P + sigma) over the
// moves that may be played (see fit), to t.weights.
func (t *Tree) improved() {
	root := &t.nodes[0]
	edges := t.edgesOf(root)
	t.improve()
	t.weights = t.weights[:0]
	highest := math.Inf(-1)
	for i := range edges {
		x := math.Inf(-1)
		if t.fit(root, &edges[i]) {
			x = logit(&edges[i]) + t.sigmas[i]
		}
		t.weights = append(t.weights, x)
		highest = max(highest, x)
	}
	var sum float64
	for i, x := range t.weights {
		t.weights[i] = math.Exp(x - highest)
		sum += t.weights[i]
	}
	for i := range t.weights {
		t.weights[i] /= sum
	}
}

// winner is the index of the move that won the race: of those with the most visits
// that may be played, the one with the highest rank and value.
func (t *Tree) winner() int {
	root := &t.nodes[0]
	edges := t.edgesOf(root)
	t.improve()
	best, most, highest := 0, int32(-1), math.Inf(-1)
	for i := range edges {
		made := t.made(edges, int32(i))
		score := t.race.rank[i] + t.sigmas[i]
		if t.fit(root, &edges[i]) && (made > most || made == most && score > highest) {
			best, most, highest = i, made, score
		}
	}
	return best
}
