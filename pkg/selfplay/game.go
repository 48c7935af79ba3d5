package selfplay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/stats"
)

// maxThrown is the number of consecutive attempts of a game that may exceed MaxMoves before
// Play returns an error.
const maxThrown = 1000

// maxRedraws is the same limit for openings that end the game.
const maxRedraws = 10000

// gameSlot plays one game after another. Its tree and its game reuse their memory.
type gameSlot struct {
	cfg   *Config
	codec encode.Codec
	from  beginnings

	tree  *search.Tree
	game  *chess.Game
	pcg   *rand.PCG
	rng   *rand.Rand // draws openings, moves and full searches
	moves chess.MoveList

	record  *Record
	weights []float64  // of the record's samples, see Decided
	priors  []float64  // scratch memory
	full    bool       // whether the current move has a full search and becomes a sample, see PlayoutCap
	weight  float64    // of that sample, see Decided
	opening int        // plies that are drawn from the policy, see Opening
	forked  chess.Move // that a fork does not begin with; 0 in other games
	before  int        // the tree's evaluations before this game
}

func newGameSlot(cfg *Config, codec encode.Codec, from beginnings) *gameSlot {
	g := &gameSlot{cfg: cfg, codec: codec, from: from, full: true}
	g.tree = search.NewTree(cfg.Search, 0)
	g.game = chess.NewGame(chess.StartPosition(cfg.Variant))
	g.pcg = rand.NewPCG(0, 0)
	g.rng = rand.New(g.pcg)
	return g
}

// begin sets up the game with this number.
func (g *gameSlot) begin(number int) error {
	g.record = &Record{Number: number}
	g.before = g.tree.Evaluations()
	return g.attempt()
}

// attempt restarts the current game. Its random numbers depend on the game's number and the
// number of attempts.
func (g *gameSlot) attempt() error {
	r := g.record
	stream := stats.Derive(g.cfg.Seed, r.Number, r.Thrown)
	g.pcg.Seed(stream, 1)
	g.tree.Seed(stats.Mix(stream))
	if err := g.open(); err != nil {
		return fmt.Errorf("self-play: game %d: %w", r.Number, err)
	}
	r.Start = g.game.Position().FEN()
	r.Moves, r.Samples, r.RootValues, r.Roots = r.Moves[:0], r.Samples[:0], r.RootValues[:0], r.Roots[:0]
	g.weights = g.weights[:0]
	g.planSearch(0)
	g.tree.SetRoot(g.game)
	return nil
}

// planSearch draws whether the search of the move at a ply is full. In the opening there is none.
func (g *gameSlot) planSearch(ply int) {
	fast := g.cfg.PlayoutCap.Visits
	visits := fast
	switch {
	case ply < g.opening:
		g.full, visits = false, 0
	case fast == 0: // draw no number, so that games without fast searches keep their random streams
		g.full = true
	default:
		g.full = g.rng.Float64() < g.cfg.PlayoutCap.Full
	}
	if g.full {
		d := &g.cfg.Decided
		reduction := d.reduction(g.record.RootValues[min(g.opening, ply):])
		visits = g.cfg.Search.Visits
		visits += int(math.Round(reduction * float64(d.Visits-visits)))
		g.weight = 1 + reduction*(d.Weight-1)
	}
	g.tree.SetVisits(visits)
	g.tree.SetExploring(g.full)
	g.tree.SetReuse(g.cfg.Search.TreeReuse && !(g.full && fast > 0))
}

// open sets up the start position of the game.
func (g *gameSlot) open() error {
	o := g.cfg.Opening
	g.opening, g.forked = 0, 0
	if o.ForkShare > 0 && len(g.cfg.Forks) > 0 && g.rng.Float64() < o.ForkShare {
		g.fork(&g.cfg.Forks[g.rng.IntN(len(g.cfg.Forks))])
		return nil
	}
	if o.Share <= 0 || g.rng.Float64() >= o.Share {
		g.game.Reset(g.from.start.Draw(g.rng))
		return nil
	}
	for range maxRedraws {
		// Always draw a number, so that the later random numbers of a seed do not depend on
		// the openings.
		if i := g.rng.IntN(max(1, len(g.from.openings))); len(g.from.openings) > 0 {
			g.game.Reset(g.from.openings[i])
		} else {
			g.game.Reset(g.from.start.Draw(g.rng))
		}
		if g.game.RandomPlies(o.RandomPlies, g.rng) {
			g.game.Reset(*g.game.Position())
			if o.PolicyPlies > 0 {
				g.opening = g.rng.IntN(o.PolicyPlies + 1)
			}
			return nil
		}
	}
	return fmt.Errorf("%d openings of %d random plies all ended the game: use fewer", maxRedraws, o.RandomPlies)
}

// fork sets up a random position of a game.
func (g *gameSlot) fork(f *Fork) {
	ply := g.rng.IntN(len(f.Moves))
	g.game.Reset(f.Start)
	for _, m := range f.Moves[:ply] {
		g.game.Play(m)
	}
	g.game.Reset(*g.game.Position())
	g.opening, g.forked = 1, f.Moves[ply]
}

// choose returns the move that the finished search of a ply plays.
func (g *gameSlot) choose(ply int) chess.Move {
	if ply > 0 || g.forked == 0 {
		power := g.cfg.Temperature.at(ply)
		if ply < g.opening { // drawn from the policy
			power = 1
		}
		return g.tree.Choose(power, g.rng)
	}
	other := slices.DeleteFunc(g.tree.Root(), func(e search.Edge) bool { return e.Move == g.forked || e.Prior == 0 })
	if len(other) == 0 { // the only move
		return g.forked
	}
	total := 0.0
	for _, e := range other {
		total += e.Prior
	}
	draw := g.rng.Float64() * total
	for _, e := range other {
		if draw -= e.Prior; draw < 0 {
			return e.Move
		}
	}
	return other[len(other)-1].Move // rounding left draw at the very end
}

// move plays the move chosen by the finished search. If it ends the game, move returns the
// record, otherwise nil.
func (g *gameSlot) move() (*Record, error) {
	r := g.record
	ply := g.game.Ply()
	m := g.choose(ply)
	if m == 0 {
		return nil, fmt.Errorf("self-play: game %d, ply %d: the search has no move in %s", r.Number, ply, g.game.Position().FEN())
	}
	r.Moves = append(r.Moves, m)
	if g.full {
		if s, ok := g.sample(); ok {
			r.Samples = append(r.Samples, s)
			root := rootOf(&s, g.priors)
			if !g.tree.Evaluated() {
				root.KL, root.PriorEntropy = math.NaN(), math.NaN()
			}
			r.Roots = append(r.Roots, root)
			g.weights = append(g.weights, g.weight)
		}
	}
	r.RootValues = append(r.RootValues, float32(g.tree.Value()))

	g.game.Play(m)
	g.game.Position().LegalMoves(&g.moves)
	o := g.game.Outcome(&g.moves)
	if !o.Over() && g.cfg.Adjudicate != nil {
		result, err := g.cfg.Adjudicate(r)
		if err != nil {
			return nil, fmt.Errorf("self-play: game %d, ply %d: adjudicating: %w", r.Number, ply+1, err)
		}
		if result != chess.Unfinished {
			o = chess.Outcome{Result: result, Reason: chess.Adjudication}
		}
	}
	if long := g.cfg.MaxMoves > 0 && g.game.Ply() >= 2*g.cfg.MaxMoves; long && !o.Over() {
		if g.cfg.LongGames == discardLongGames {
			r.Thrown++
			if r.Thrown == maxThrown {
				return nil, fmt.Errorf("self-play: game %d: %d attempts in a row were longer than max_moves %d: raise it, or keep long games (selfplay.long_games)", r.Number, maxThrown, g.cfg.MaxMoves)
			}
			return nil, g.attempt()
		}
		o = chess.Outcome{Result: chess.Draw, Reason: chess.MoveLimit}
	}
	if o.Over() {
		r.Outcome = o
		r.Evaluations = g.tree.Evaluations() - g.before
		g.setTargets(r)
		g.weightSamples(r)
		return r, nil
	}
	g.planSearch(ply + 1)
	g.tree.Advance(m)
	return nil, nil
}

// sample returns the sample of the current position, and leaves the priors of its moves in
// g.priors. Its policy target covers all legal moves that the policy encoding can express.
// Its value is that of the search; setTargets adds the result later. There is no sample if the policy
// encoding can express no move of the target.
func (g *gameSlot) sample() (s encode.Sample, ok bool) {
	p := g.game.Position()
	s = encode.Sample{
		Game:   int32(g.record.Number),
		Ply:    int32(g.game.Ply()),
		Planes: make([]uint64, g.codec.Planes.Count()),
	}
	g.codec.Planes.Encode(s.Planes, g.game)
	value := g.tree.Value()
	if g.cfg.SearchValue == bestValue {
		value = g.tree.BestValue()
	}
	s.Value = g.codec.Sign(p.Turn()) * float32(value)
	s.Draw = 1
	if g.cfg.LongGames == searchLongGames { // otherwise setTargets has no use for it, and WDL walks the whole tree
		if wdl, ok := g.tree.WDL(); ok {
			s.Draw = float32(wdl[1])
		}
	}
	edges, target := g.tree.Root(), g.tree.Target()
	g.priors = g.priors[:0]
	s.Indices = make([]int32, 0, len(edges))
	total := 0.0
	for k, e := range edges {
		if i := g.codec.Policy.Index(p, e.Move); i >= 0 {
			target[len(s.Indices)] = target[k]
			s.Indices = append(s.Indices, int32(i))
			total += target[k]
			g.priors = append(g.priors, e.Prior)
		}
	}
	s.Policy = make([]float32, len(s.Indices))
	if total > 0 { // perhaps too small for float32
		for i := range s.Policy {
			s.Policy[i] = float32(target[i] / total)
		}
	}
	return s, total > 0 || g.codec.Policy.Size() == 0
}

// setTargets adds the game's result, the number of plies left and what was played to its samples,
// which have the values of their searches, and mixes the values according to ValueMix.
func (g *gameSlot) setTargets(r *Record) {
	mix, known := g.cfg.ValueMix, g.cfg.HasResult(r.Outcome)
	if !known {
		mix = 1
	}
	first := g.game.Start().Turn()
	for i := range r.Samples {
		s := &r.Samples[i]
		result := float64(r.Outcome.Result)
		blackMoves := (first == chess.Black) == (s.Ply%2 == 0)
		if blackMoves && !g.codec.Planes.White() {
			result = -result
		}
		s.Value = float32((1-mix)*result + mix*float64(s.Value))
		// A search value says nothing about draws: a value of 0 is not a sign of a draw. The
		// result gives the draw probability, as far as the value leaves room for it (see
		// [encode.Sample.Drawn]); without a result, the search does if the network predicts draws.
		room := 1 - float32(math.Abs(float64(s.Value)))
		switch {
		case !known:
			s.Draw = min(s.Draw, room)
		case r.Outcome.Result == chess.Draw:
			s.Draw = room
		default:
			s.Draw = 0
		}
		left := g.game.Ply() - int(s.Ply)
		s.MovesLeft = movesLeft(r.Outcome, left)
		g.codec.Continue(s, g.game.Back(left), r.Moves[s.Ply:], g.cfg.Future)
	}
}

// movesLeft returns the target of the plies left; 0, which is unknown, if the game was cut off.
func movesLeft(o chess.Outcome, left int) float32 {
	if o.Reason == chess.MoveLimit {
		return 0
	}
	return float32(left)
}

// leastPrior is the lower bound for priors in the divergence. It keeps the divergence of a
// target with a move of prior 0 finite.
const leastPrior = 1e-8

// rootOf compares the target of a new sample with the priors of the same moves.
func rootOf(s *encode.Sample, priors []float64) Root {
	r := Root{Ply: int(s.Ply)}
	for i, target := range s.Policy {
		if p := float64(target); p > 0 {
			r.KL += p * math.Log(p/max(priors[i], leastPrior))
			r.TargetEntropy -= p * math.Log(p)
		}
		if p := priors[i]; p > 0 {
			r.PriorEntropy -= p * math.Log(p)
		}
	}
	r.KL = max(0, r.KL)
	return r
}

// weightSamples repeats each sample of a finished game according to its weight: policy surprise
// weighting, as in KataGo (docs/KataGoMethods.md). Let w(i) be the weights of the samples by
// Decided, 1 without it, and D(i) their divergences. Then sample i is written
//
//	(1 - share) * w(i) + share * (sum of all w) * w(i) D(i) / (sum of all w D)
//
// times on average: the integer part of it, and once more with the probability of the
// fraction. A sample without a divergence is written w(i) times, and takes no part in the
// sums. The expected number of samples is the sum of all w.
func (g *gameSlot) weightSamples(r *Record) {
	share := g.cfg.Surprise
	if share == 0 && g.cfg.Decided.Visits == 0 {
		return // all weights are 1: skip the random numbers
	}
	var weights, divergences float64
	for i, w := range g.weights {
		if kl := r.Roots[i].KL; !math.IsNaN(kl) {
			weights += w
			divergences += w * kl
		}
	}
	var all []encode.Sample
	for i, s := range r.Samples {
		times := g.weights[i]
		if kl := r.Roots[i].KL; divergences > 0 && !math.IsNaN(kl) {
			times *= 1 - share + share*weights*kl/divergences
		}
		for times += g.rng.Float64(); times >= 1; times-- {
			all = append(all, s)
		}
	}
	r.Samples = all
}
