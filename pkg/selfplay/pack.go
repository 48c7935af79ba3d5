package selfplay

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// packed is a Record without what its moves determine.
type packed struct {
	Number, Thrown, Evaluations int
	Start                       string
	Moves                       []chess.Move
	Outcome                     chess.Outcome
	RootValues                  []float32
	Roots                       []Root
	Samples                     []packedSample
}

// packedSample has the policy of the moves that the policy encoding can express, in the order of
// the move list.
type packedSample struct {
	Ply         int32
	Value, Draw float32
	Policy      []float32
}

// Pack returns the record in JSON, without the positions of its samples. [Config.Unpack] makes
// them again from the moves.
func (r *Record) Pack() ([]byte, error) {
	p := packed{r.Number, r.Thrown, r.Evaluations, r.Start, r.Moves, r.Outcome, r.RootValues, r.Roots, nil}
	for i := range r.Samples {
		s := &r.Samples[i]
		p.Samples = append(p.Samples, packedSample{s.Ply, s.Value, s.Draw, s.Policy})
	}
	return json.Marshal(p)
}

// maxPlies is the length of a game that Unpack takes at most. The rules end games before.
const maxPlies = 1 << 14

// Unpack returns the record that [Record.Pack] packed. It plays the moves and refuses a record
// that no game of this self-play can have, whatever the network is.
func (c *Config) Unpack(codec encode.Codec, text []byte) (*Record, error) {
	var p packed
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("self-play: a record: %w", err)
	}
	r, err := c.unpack(codec, &p)
	if err != nil {
		return nil, fmt.Errorf("self-play: the record of game %d: %w", p.Number, err)
	}
	return r, nil
}

func (c *Config) unpack(codec encode.Codec, p *packed) (*Record, error) {
	r := &Record{
		Number: p.Number, Thrown: p.Thrown, Evaluations: p.Evaluations, Start: p.Start,
		Moves: p.Moves, Outcome: p.Outcome, RootValues: p.RootValues, Roots: p.Roots,
	}
	start, err := chess.ParseFEN(c.Variant, p.Start)
	switch {
	case err != nil:
		return nil, err
	case p.Number < 0 || p.Number >= c.Games:
		return nil, fmt.Errorf("want a number below %d", c.Games)
	case len(p.Moves) > maxPlies || len(p.RootValues) != len(p.Moves) || len(p.Roots) > len(p.Moves):
		return nil, fmt.Errorf("%d moves, %d values, %d searches", len(p.Moves), len(p.RootValues), len(p.Roots))
	case p.Thrown < 0 || p.Thrown >= maxThrown || p.Evaluations < 0:
		return nil, fmt.Errorf("%d attempts thrown away, %d evaluations", p.Thrown, p.Evaluations)
	case slices.ContainsFunc(p.RootValues, func(v float32) bool { return !isValue(v) }):
		return nil, fmt.Errorf("values %v", p.RootValues)
	}
	searched := map[int32]bool{}
	for i, root := range p.Roots {
		if root.Ply < 0 || root.Ply >= len(p.Moves) || i > 0 && root.Ply <= p.Roots[i-1].Ply || !(root.KL >= 0 && root.PriorEntropy >= 0 && root.TargetEntropy >= 0) {
			return nil, fmt.Errorf("search %d: %+v", i, root)
		}
		searched[int32(root.Ply)] = true
	}
	game, samples := chess.NewGame(start), p.Samples
	var moves chess.MoveList
	for ply := 0; ; ply++ {
		game.Position().LegalMoves(&moves)
		o := game.Outcome(&moves)
		if ply == len(p.Moves) {
			if err := c.ends(o, p.Outcome, ply); err != nil {
				return nil, err
			}
			break
		}
		if o.Over() || !moves.Contains(p.Moves[ply]) {
			return nil, fmt.Errorf("ply %d: %v is no move of %s", ply, p.Moves[ply], game.Position().FEN())
		}
		for ; len(samples) > 0 && int(samples[0].Ply) == ply; samples = samples[1:] { // policy surprise repeats samples
			s, err := unpackSample(codec, game, &moves, &samples[0])
			if err != nil || !searched[s.Ply] {
				return nil, fmt.Errorf("ply %d: a sample that no search has made (%v)", ply, err)
			}
			s.Game = int32(p.Number)
			r.Samples = append(r.Samples, s)
		}
		game.Play(p.Moves[ply])
	}
	if len(samples) > 0 {
		return nil, fmt.Errorf("a sample of ply %d out of order", samples[0].Ply)
	}
	for i := range r.Samples {
		s := &r.Samples[i]
		left := len(p.Moves) - int(s.Ply)
		s.MovesLeft = float32(left)
		codec.Continue(s, game.Back(left), p.Moves[s.Ply:], c.Future)
	}
	return r, nil
}

// isValue reports whether x is a value, from -1 to 1 but for rounding.
func isValue(x float32) bool { return x >= -1.001 && x <= 1.001 }

// ends returns an error unless a game whose rules say have after a ply can end as want says.
func (c *Config) ends(have, want chess.Outcome, ply int) error {
	ok := have == want
	switch {
	case have.Over():
	case want.Reason == chess.MoveLimit:
		ok = want.Result == chess.Draw && c.MaxMoves > 0 && ply >= 2*c.MaxMoves && c.LongGames != discardLongGames
	case want.Reason == chess.Adjudication:
		ok = (c.Script != nil || c.Adjudicate != nil) && want.Result >= chess.BlackWins && want.Result <= chess.WhiteWins
	default:
		ok = false
	}
	if !ok {
		return fmt.Errorf("it ends with %v after %d plies, where the rules say %v", want, ply, have)
	}
	return nil
}

// unpackSample returns a sample of the current position of a game, without what follows.
func unpackSample(codec encode.Codec, game *chess.Game, moves *chess.MoveList, p *packedSample) (encode.Sample, error) {
	s := encode.Sample{Ply: p.Ply, Value: p.Value, Draw: p.Draw, Policy: p.Policy, Planes: make([]uint64, codec.Planes.Count())}
	codec.Planes.Encode(s.Planes, game)
	s.Indices = slices.DeleteFunc(codec.Indices(nil, game.Position(), moves.Slice()), func(i int32) bool { return i < 0 })
	if s.Policy == nil {
		s.Policy = []float32{}
	}
	if len(p.Policy) != len(s.Indices) || !isValue(p.Value) || !isValue(p.Draw) {
		return s, fmt.Errorf("value %v, draw %v, %d probabilities of %d moves", p.Value, p.Draw, len(p.Policy), len(s.Indices))
	}
	total := 0.0
	for _, x := range p.Policy {
		if !(x >= 0 && x <= 1.001) {
			return s, fmt.Errorf("the probability %v", x)
		}
		total += float64(x)
	}
	if total != 0 && math.Abs(total-1) > 1e-3 {
		return s, fmt.Errorf("probabilities with the sum %v", total)
	}
	return s, nil
}
