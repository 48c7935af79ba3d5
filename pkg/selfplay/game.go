package selfplay

import (
	"fmt"
	"math"
	"math/rand/v2"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/stats"
)

// maxThrown is the number of attempts in a row that a game may lose to
// MaxMoves before the settings are taken to be hopeless.
const maxThrown = 1000

// maxRedraws is the same for openings that end the game.
const maxRedraws = 10000

// table is a place at which games are played one after the other; its tree and
// its game keep their memory.
type table struct {
	cfg   *Config
	codec encode.Codec
	from  beginnings

	tree  *search.Tree
	game  *chess.Game
	pcg   *rand.PCG
	rng   *rand.Rand // draws openings, moves and full searches
	moves chess.MoveList

	record    *Record
	surprises []float64 // of the record's samples; only with Config.Surprise
	priors    []float64 // scratch
	full      bool      // the search of the current move is: see PlayoutCap
	before    int       // evaluations of the tree before this game
}

func newTable(cfg *Config, codec encode.Codec, from beginnings) *table {
	t := &table{cfg: cfg, codec: codec, from: from, full: true}
	t.tree = search.NewTree(cfg.Search, 0)
	t.game = chess.NewGame(chess.StartPosition(cfg.Variant))
	t.pcg = rand.NewPCG(0, 0)
	t.rng = rand.New(t.pcg)
	return t
}

// begin sets up game number.
func (t *table) begin(number int) error {
	t.record = &Record{Number: number}
	t.before = t.tree.Evaluations()
	return t.attempt()
}

// attempt starts the current game afresh with the random numbers that belong
// to its number and to the attempts made so far.
func (t *table) attempt() error {
	r := t.record
	stream := stats.Derive(t.cfg.Seed, r.Number, r.Thrown)
	t.pcg.Seed(stream, 1)
	t.tree.Seed(stats.Mix(stream))
	if err := t.open(); err != nil {
		return fmt.Errorf("self-play: game %d: %w", r.Number, err)
	}
	r.Start = t.game.Position().FEN()
	r.Moves, r.Samples, r.RootValues = r.Moves[:0], r.Samples[:0], r.RootValues[:0]
	t.surprises = t.surprises[:0]
	t.allot()
	t.tree.SetRoot(t.game)
	return nil
}

// allot draws whether the search that comes is a full one.
func (t *table) allot() {
	fast := t.cfg.PlayoutCap.Visits
	if fast == 0 {
		return // no number is drawn: games are what they were before there was a choice
	}
	visits := fast
	if t.full = t.rng.Float64() < t.cfg.PlayoutCap.Full; t.full {
		visits = t.cfg.Search.Visits
	}
	t.tree.SetVisits(visits)
	t.tree.SetExploring(t.full)
}

// open puts the position on the board with which the game begins.
func (t *table) open() error {
	o := t.cfg.Opening
	if o.Share <= 0 || t.rng.Float64() >= o.Share {
		t.game.Reset(t.from.start.Draw(t.rng))
		return nil
	}
	for range maxRedraws {
		// A number is drawn even where there is no choice: from it on, the
		// games of a seed are what they always were.
		if i := t.rng.IntN(max(1, len(t.from.openings))); len(t.from.openings) > 0 {
			t.game.Reset(t.from.openings[i])
		} else {
			t.game.Reset(t.from.start.Draw(t.rng))
		}
		if t.randomPlies(o.RandomPlies) {
			t.game.Reset(*t.game.Position())
			return nil
		}
	}
	return fmt.Errorf("%d openings of %d random plies all ended the game: use fewer", maxRedraws, o.RandomPlies)
}

// randomPlies plays n random legal moves and tells whether the game goes on
// after them.
func (t *table) randomPlies(n int) bool {
	for ; ; n-- {
		t.game.Position().LegalMoves(&t.moves)
		if t.game.Outcome(&t.moves).Over() {
			return false
		}
		if n == 0 {
			return true
		}
		t.game.Play(t.moves.At(t.rng.IntN(t.moves.Len())))
	}
}

// move plays the move that the finished search of the tree decided, and
// returns the record when that ended the game, otherwise nil.
func (t *table) move() (*Record, error) {
	r := t.record
	ply := t.game.Ply()
	m := t.tree.Choose(t.cfg.Temperature.at(ply), t.rng)
	if m == 0 {
		return nil, fmt.Errorf("self-play: game %d, ply %d: the search has no move in %s", r.Number, ply, t.game.Position().FEN())
	}
	r.Moves = append(r.Moves, m)
	if t.full {
		r.Samples = append(r.Samples, t.sample())
	}
	r.RootValues = append(r.RootValues, float32(t.tree.Value()))

	t.game.Play(m)
	t.game.Position().LegalMoves(&t.moves)
	o := t.game.Outcome(&t.moves)
	if !o.Over() && t.cfg.Adjudicate != nil {
		result, err := t.cfg.Adjudicate(r)
		if err != nil {
			return nil, fmt.Errorf("self-play: game %d, ply %d: adjudicating: %w", r.Number, ply+1, err)
		}
		if result != chess.Unfinished {
			o = chess.Outcome{Result: result, Reason: chess.Adjudication}
		}
	}
	if o.Over() {
		r.Outcome = o
		r.Evaluations = t.tree.Evaluations() - t.before
		t.settle(r)
		t.repeat(r)
		return r, nil
	}
	if t.cfg.MaxMoves > 0 && t.game.Ply() >= 2*t.cfg.MaxMoves {
		r.Thrown++
		if r.Thrown == maxThrown {
			return nil, fmt.Errorf("self-play: game %d: %d attempts in a row were longer than max_moves %d: raise it", r.Number, maxThrown, t.cfg.MaxMoves)
		}
		return nil, t.attempt()
	}
	t.allot()
	t.tree.Advance(m)
	return nil, nil
}

// sample is what there is to learn from the search of the current position:
// its target over all legal moves. The result comes when it is known. Moves
// that the policy cannot express are left out.
func (t *table) sample() encode.Sample {
	p := t.game.Position()
	s := encode.Sample{
		Game:   int32(t.record.Number),
		Ply:    int32(t.game.Ply()),
		Planes: make([]uint64, t.codec.Planes.Count()),
	}
	t.codec.Planes.Encode(s.Planes, t.game)
	edges, target := t.tree.Root(), t.tree.Target()
	t.priors = t.priors[:0]
	s.Indices = make([]int32, 0, len(edges))
	s.Policy = make([]float32, 0, len(edges))
	total := 0.0
	for k, e := range edges {
		if i := t.codec.Policy.Index(p, e.Move); i >= 0 {
			s.Indices = append(s.Indices, int32(i))
			s.Policy = append(s.Policy, float32(target[k]))
			total += target[k]
			if t.cfg.Surprise > 0 {
				t.priors = append(t.priors, e.Prior)
			}
		}
	}
	if total > 0 {
		for i := range s.Policy {
			s.Policy[i] /= float32(total)
		}
	}
	if t.cfg.Surprise > 0 {
		t.surprises = append(t.surprises, surprise(&s, t.priors))
	}
	return s
}

// settle writes the result of the game into its samples, how far away it was, and
// the values of the searches as far as ValueMix says.
func (t *table) settle(r *Record) {
	white := float32(r.Outcome.Result)
	first := t.game.Start().Turn()
	for i := range r.Samples {
		s := &r.Samples[i]
		turn := first
		if s.Ply%2 == 1 {
			turn = turn.Other()
		}
		s.Value = white
		if turn == chess.Black && !t.codec.Planes.White() {
			s.Value = -white
		}
		s.Draw = 0
		if r.Outcome.Result == chess.Draw {
			s.Draw = 1
		}
		s.MovesLeft = float32(t.game.Ply() - int(s.Ply))
		if mix := t.cfg.ValueMix; mix > 0 {
			searched := t.codec.Sign(turn) * r.RootValues[s.Ply]
			s.Value = float32((1-mix)*float64(s.Value) + mix*float64(searched))
			// The search tells who stands better, not how often such games are drawn:
			// an even value is no sign of a draw. That the result alone tells, as far
			// as the value leaves room for it (see [encode.Sample.Drawn]).
			s.Draw = min(s.Draw, 1-float32(math.Abs(float64(s.Value))))
		}
	}
}
