package search

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Root says how the visits of a search are shared out among the moves of its root. Kind
// gumbel is the root of Gumbel AlphaZero (Danihelka, Guez, Schrittwieser and Silver
// 2022, Policy improvement by planning with Gumbel). PUCT needs many visits until they
// are better than the priors; this is an improvement with any number of them. Below the
// root the search is PUCT. Code may leave Kind empty: Considered above 0 is gumbel.
type Root struct {
	_ struct{} `short:"kind"`

	Kind string `key:"kind" default:"puct" enum:"puct gumbel" doc:"puct selects moves at the root as everywhere in the tree. gumbel is Gumbel AlphaZero: it samples moves by their priors, compares them by sequential halving, plays the best one and trains on the improved policy. noise.weight then has no effect, nor has selfplay.temperature in full searches if root.noise is above 0; the fast ones of selfplay.playout_cap have no noise."`

	FPU RootFPU `key:"fpu" default:"same" range:"-10..10" words:"same zero" when:"kind=puct" doc:"First play urgency at the root where the search explores: the words and numbers of search.fpu, or the word same. As in KataGo it lets noise bring a new move forward."`
	// PolicyTemperature of 0 is that of the Config.
	PolicyTemperature float64 `key:"policy_temperature" default:"same" range:">0..100" words:"same=0" doc:"Softmax temperature of the policy at the root where the search explores, before noise; same means search.policy_temperature. KataGo uses 1.1 to 1.25 here and 1 below, so that self-play does not lose moves that the policy rates low."`

	Considered int     `key:"considered" default:"16" range:"1..1000" unit:"moves" when:"kind=gumbel" doc:"Number of moves sampled by their priors, without replacement."`
	CVisit     float64 `key:"c_visit" default:"50" range:"0..1e9" when:"kind=gumbel" doc:"The improved policy adds c_scale * (c_visit + visits of the most visited move) * Q to the logits, with Q from 0 to 1."`
	CScale     float64 `key:"c_scale" default:"1" range:"0..1e9" when:"kind=gumbel" doc:"Weight of Q against the logits; see c_visit."`
	Noise      float64 `key:"noise" default:"1" range:"0..1e9" when:"kind=gumbel" doc:"Scale of the Gumbel noise. 0 considers the moves with the highest priors."`
}

// halving is the search of a Gumbel root: sequential halving (Karnin, Koren and Somekh
// 2013) among the candidates. With n visits for m candidates there are log2(m) rounds
// with n/log2(m) visits each, shared evenly; the better half stays for the next round.
// Two stay to the end and get the visits that rounding leaves. All slices but candidates
// are indexed as the root's edges.
type halving struct {
	on         bool
	noisy      bool      // with noise
	logits     []float64 // logarithm of the prior, and noise
	before     []int32   // visits from the search before
	candidates []int32   // the moves left, best first

	visits, rounds int   // n and log2(m)
	target         int32 // visits, without those kept, that end the round
}

// startHalving begins the search of a root that has edges.
func (t *Tree) startHalving() {
	r, g := &t.halving, t.cfg.Root
	edges := t.edgesOf(&t.nodes[0])
	noise := g.Noise
	if t.quiet {
		noise = 0
	}
	*r = halving{on: true, noisy: noise > 0, logits: r.logits[:0], before: r.before[:0], candidates: r.candidates[:0]}
	for i := range edges {
		x := logit(&edges[i])
		if noise > 0 {
			x -= noise * math.Log(t.rng.ExpFloat64()) // Gumbel: -log of an exponential variate
		}
		r.logits = append(r.logits, x)
		r.before = append(r.before, edges[i].visits)
		r.candidates = append(r.candidates, int32(i))
	}
	slices.SortStableFunc(r.candidates, func(a, b int32) int { return cmp.Compare(r.logits[b], r.logits[a]) })
	r.candidates = r.candidates[:min(g.Considered, len(edges))]
	r.visits = max(0, t.cfg.Visits-int(t.nodes[0].visits)+t.extra)
	if t.cfg.Nodes > 0 { // kept positions count too
		r.visits = min(r.visits, max(0, t.cfg.Nodes-(len(t.nodes)-1-t.dropped)))
	}
	r.rounds = max(1, bits.Len(uint(len(r.candidates)-1)))
	r.nextRound()
}

// nextRound begins a round of the candidates.
func (r *halving) nextRound() {
	r.target += int32(max(1, r.visits/(r.rounds*len(r.candidates))))
}

// logit is the logarithm of a prior. A prior of 0 counts as the smallest number above
// it.
func logit(e *edge) float64 {
	return math.Log(max(float64(e.prior), math.SmallestNonzeroFloat32))
}

// leastVisited returns the index of the candidate that is visited next in this round, or
// none if the round is over: the best of those with the fewest visits. Moves that are proven to
// lose are not visited.
func (t *Tree) leastVisited() int32 {
	r := &t.halving
	edges := t.edgesOf(&t.nodes[0])
	next, fewest := int32(none), r.target
	for _, i := range r.candidates {
		if made := t.visitsOf(edges, i); made < fewest && t.playable(&t.nodes[0], &edges[i]) {
			next, fewest = i, made
		}
	}
	return next
}

// visitsOf is the number of visits of the root's move i in this search, pending ones
// included.
func (t *Tree) visitsOf(edges []edge, i int32) int32 {
	e := &edges[i]
	if e.child == none {
		return 0
	}
	return e.visits + t.nodes[e.child].pending - t.halving.before[i]
}

// candidate returns the edge of the root n that is visited next. No visit is pending when
// a round ends (see hasRoom). Candidates that are proven to lose are dropped; if none is left,
// the best of the other moves take their places.
func (t *Tree) candidate(n *node) int32 {
	r, edges := &t.halving, t.edgesOf(n)
	for {
		if i := t.leastVisited(); i != none {
			return n.first + i
		}
		most := max(2, len(r.candidates)/2)
		playable := func(i int32) bool { return t.playable(n, &edges[i]) }
		r.candidates = slices.DeleteFunc(r.candidates, func(i int32) bool { return !playable(i) })
		if len(r.candidates) == 0 {
			most = t.cfg.Root.Considered
			for i := range int32(len(edges)) {
				if playable(i) { // there is one, or the root would be proven
					r.candidates = append(r.candidates, i)
				}
			}
		}
		t.completeQ()
		score := func(i int32) float64 { return r.logits[i] + t.sigmas[i] }
		slices.SortStableFunc(r.candidates, func(a, b int32) int { return cmp.Compare(score(b), score(a)) })
		r.candidates = r.candidates[:min(most, len(r.candidates))]
		r.nextRound()
	}
}

// completeQ writes sigma of each move of the root to t.sigmas:
//
//	(CVisit + max over b of N(b)) * CScale * q
//
// q, from 0 for a loss to 1 for a win, is the value of the move. A move without visits
// has the mixed value of appendix D of the paper,
//
//	(v + (sum of N) * (sum of P(b) q(b)) / (sum of P(b))) / (1 + (sum of N))
//
// with v the network's value of the root, and the sums of P over the moves visited.
func (t *Tree) completeQ() {
	root := &t.nodes[0]
	edges := t.edgesOf(root)
	t.sigmas = t.sigmas[:0]
	most := int32(0)
	var priors, weighed float64
	for i := range edges {
		e := &edges[i]
		q := (1 + t.export(e).Q) / 2
		t.sigmas = append(t.sigmas, q)
		if e.visits > 0 {
			// A prior of 0 must not hide the only value there is.
			p := exp(logit(e))
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

// improvedPolicy writes the policy that the search implies, softmax(log P + sigma) over
// the playable moves, to t.weights.
func (t *Tree) improvedPolicy() {
	root := &t.nodes[0]
	edges := t.edgesOf(root)
	t.completeQ()
	t.weights = t.weights[:0]
	highest := math.Inf(-1)
	for i := range edges {
		x := math.Inf(-1)
		if t.playable(root, &edges[i]) {
			x = logit(&edges[i]) + t.sigmas[i]
		}
		t.weights = append(t.weights, x)
		highest = max(highest, x)
	}
	var sum float64
	for i, x := range t.weights {
		t.weights[i] = exp(x - highest)
		sum += t.weights[i]
	}
	for i := range t.weights {
		t.weights[i] /= sum
	}
}

// halvingBest is the index of the move that sequential halving found best: of the playable
// moves with the most visits, the one with the highest logit and value.
func (t *Tree) halvingBest() int {
	root := &t.nodes[0]
	edges := t.edgesOf(root)
	t.completeQ()
	best, most, highest := 0, int32(-1), math.Inf(-1)
	for i := range edges {
		made := t.visitsOf(edges, int32(i))
		score := t.halving.logits[i] + t.sigmas[i]
		if t.playable(root, &edges[i]) && (made > most || made == most && score > highest) {
			best, most, highest = i, made, score
		}
	}
	return best
}

// Forced playouts and policy target pruning (Wu 2019, Accelerating Self-Play Learning in
// Go, section 3.2): noise makes the search try moves with small priors; forced playouts
// give these moves enough visits to be judged; pruning removes the visits that the search
// would not have made by itself from the policy target and from the choice of the move.

// forcedSquared is the square of the number of visits that a move of the root must have
// once it has one, with this number of visits to the root: k P(a) sum over b of N(s,b).
func (t *Tree) forcedSquared(e *edge, visits int32) float64 {
	return t.cfg.ForcedPlayouts * float64(e.prior) * float64(visits)
}

// forcedMove returns the first edge of the root n that has visits, but fewer than it is
// forced to have, or none. It skips edges that are proven lost, and edges whose child
// waits for the network, which would only end the step.
func (t *Tree) forcedMove(n *node) int32 {
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if e.child == none || math.IsInf(float64(e.score), -1) {
			continue
		}
		child := &t.nodes[e.child]
		made := float64(e.visits + child.pending)
		if child.state != waiting && made*made < t.forcedSquared(e, n.visits+n.pending) {
			return n.first + int32(i)
		}
	}
	return none
}

// prunedVisits is the number of visits of the root's edge e without those that were only
// forced. best is the most visited edge, which keeps all. From another edge, up to the
// forced number are removed as long as PUCT would still select best with the final
// values; a single visit that is left is removed too.
func (t *Tree) prunedVisits(e, best *edge) float64 {
	n := float64(e.visits)
	if !t.forcesPlayouts || e == best {
		return n
	}
	root := &t.nodes[0]
	scale := t.exploration(0, float64(root.visits))
	puct := func(e *edge, visits float64) float64 {
		return float64(e.score) + scale*float64(e.prior)/(1+visits)
	}
	most := puct(best, float64(best.visits))
	least := math.Ceil(n - math.Sqrt(t.forcedSquared(e, root.visits)))
	kept := n
	for kept > max(0, least) && puct(e, kept-1) < most {
		kept--
	}
	if kept == 1 && kept < n {
		return 0
	}
	return kept
}

// RootFPU is the first play urgency of the root: Config.FPU unless it has its Own.
type RootFPU struct {
	Own bool
	FPU
}

// same is the word for a RootFPU without its own value.
const same = "same"

// MarshalText writes the word same, or what an FPU writes.
func (f RootFPU) MarshalText() ([]byte, error) {
	if !f.Own {
		return []byte(same), nil
	}
	return f.FPU.MarshalText()
}

// UnmarshalText reads what MarshalText writes.
func (f *RootFPU) UnmarshalText(b []byte) error {
	*f = RootFPU{Own: string(b) != same}
	if !f.Own {
		return nil
	}
	return f.FPU.UnmarshalText(b)
}

// applyRootTemperature changes the priors of the root, which has edges, from
// Config.PolicyTemperature to the root's own.
func (t *Tree) applyRootTemperature() {
	if t.cfg.Root.PolicyTemperature == 0 || t.quiet {
		return
	}
	applyTemperature(t.edgesOf(&t.nodes[0]), cmp.Or(t.cfg.PolicyTemperature, 1)/t.cfg.Root.PolicyTemperature)
}

// addNoise mixes Dirichlet noise into the priors of the root, which has edges, and
// reports whether there is any.
func (t *Tree) addNoise() bool {
	weight := t.cfg.Noise.Weight
	if weight <= 0 || t.quiet {
		return false
	}
	edges := t.edgesOf(&t.nodes[0])
	noise := dirichlet(t.rng, t.cfg.Noise.Alpha, len(edges))
	for i := range edges {
		e := &edges[i]
		e.prior = float32((1-weight)*float64(e.prior) + weight*noise[i])
		e.bonus = e.prior / float32(1+e.visits) // no visit waits
	}
	return true
}

// dirichlet draws n numbers of sum 1 from the symmetric Dirichlet
// distribution: gamma variates of shape alpha divided by their sum. They are
// kept as logarithms, because variates of a small shape underflow.
func dirichlet(rng *rand.Rand, alpha float64, n int) []float64 {
	x := make([]float64, n)
	highest := math.Inf(-1)
	for i := range x {
		x[i] = logGamma(rng, alpha)
		highest = max(highest, x[i])
	}
	var sum float64
	for i := range x {
		x[i] = exp(x[i] - highest)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
	return x
}

// logGamma draws the logarithm of a gamma variate of the given shape and
// scale 1 by the method of Marsaglia and Tsang (A Simple Method for Generating
// Gamma Variables, 2000): exact, by rejection. A shape below 1 is one above
// it, boosted by a uniform variate.
func logGamma(rng *rand.Rand, shape float64) float64 {
	boost := 0.0
	if shape < 1 {
		boost = math.Log(1-rng.Float64()) / shape
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < x*x/2+d*(1-v+math.Log(v)) {
			return boost + math.Log(d*v)
		}
	}
}

// pow returns x^y for x in [0, 1], in a third of math.Pow's time.
func pow(x, y float64) float64 { return exp(y * math.Log(x)) }

// The coefficients of r^0, r^2, ... r^12 in r coth(r/2), from the Bernoulli numbers.
const (
	coth0  = 2.
	coth2  = 1. / 6
	coth4  = -1. / 360
	coth6  = 1. / 15120
	coth8  = -1. / 604800
	coth10 = 1. / 23950080
	coth12 = -691. / 653837184000
)

// ln2High has so few digits that a multiple of it is exact.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = math.Ln2 - ln2High
)

// exp returns e^x for x up to 709, within 2 units in the last place. It gives the same bits on
// every processor, so that a search does; those of [math.Exp] depend on whether the processor
// has fused operations. The conversions keep the compiler from using them.
//
// It is 2^k e^r with x = k ln 2 + r and e^r = 1 + 2r / (r coth(r/2) - r), |r| < 0.35.
func exp(x float64) float64 {
	if x < -708 { // the limit of numbers with all digits
		return 0
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := x - float64(k*ln2High) - float64(k*ln2Low)
	s := float64(r * r)
	y := float64(s*coth12) + coth10
	y = float64(s*y) + coth8
	y = float64(s*y) + coth6
	y = float64(s*y) + coth4
	y = float64(s*y) + coth2
	y = float64(s*y) + coth0
	return (1 + 2*r/(y-r)) * math.Float64frombits(uint64(1023+int64(k))<<52)
}
