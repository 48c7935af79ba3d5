package selfplay

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// packed is a Record in JSON without what its moves determine. What has a number for each move is
// in bytes, all of them little endian.
type packed struct {
	Number, Thrown, Evaluations int
	Start                       string
	Outcome                     chess.Outcome
	Moves                       []byte // 4 for each ply
	RootValues                  []byte // a float32 for each ply
	Roots                       []byte // packedRootSize for each search
	// Samples has, for each sample, its ply in 4 bytes, its value and its chance of a draw as
	// float32, and the number of moves with a probability in 2 bytes. For each of these follow its
	// place among the moves that the policy encoding can express, in 2 bytes, and a float32.
	Samples []byte
}

// packedRootSize is the size of a root: its ply in 4 bytes, and three float64.
const packedRootSize = 4 + 3*8

var little = binary.LittleEndian

// Pack returns the record as text, without the positions of its samples. [Config.Unpack] makes
// them again from the moves.
func (r *Record) Pack() ([]byte, error) {
	p := packed{Number: r.Number, Thrown: r.Thrown, Evaluations: r.Evaluations, Start: r.Start, Outcome: r.Outcome}
	p.Moves, _ = binary.Append(nil, little, r.Moves) // never fails for slices of numbers
	p.RootValues, _ = binary.Append(nil, little, r.RootValues)
	float := func(b []byte, x float32) []byte { return little.AppendUint32(b, math.Float32bits(x)) }
	for _, root := range r.Roots {
		p.Roots = little.AppendUint32(p.Roots, uint32(root.Ply))
		for _, x := range []float64{root.KL, root.PriorEntropy, root.TargetEntropy} {
			p.Roots = little.AppendUint64(p.Roots, math.Float64bits(x))
		}
	}
	for i := range r.Samples {
		s := &r.Samples[i]
		head := len(p.Samples)
		p.Samples = float(float(little.AppendUint32(p.Samples, uint32(s.Ply)), s.Value), s.Draw)
		p.Samples = append(p.Samples, 0, 0)
		n := 0
		for at, x := range s.Policy {
			if x != 0 {
				p.Samples = float(little.AppendUint16(p.Samples, uint16(at)), x)
				n++
			}
		}
		little.PutUint16(p.Samples[head+12:], uint16(n))
	}
	return json.Marshal(p)
}

// packedReader reads numbers. After the end of its bytes it fails.
type packedReader struct {
	b      []byte
	failed bool
}

func (r *packedReader) next(n int) []byte {
	if r.failed = r.failed || len(r.b) < n; r.failed {
		return make([]byte, n)
	}
	var b []byte
	b, r.b = r.b[:n], r.b[n:]
	return b
}

func (r *packedReader) uint16() uint16   { return little.Uint16(r.next(2)) }
func (r *packedReader) uint32() uint32   { return little.Uint32(r.next(4)) }
func (r *packedReader) float32() float32 { return math.Float32frombits(r.uint32()) }
func (r *packedReader) float64() float64 { return math.Float64frombits(little.Uint64(r.next(8))) }
func (r *packedReader) more() bool       { return len(r.b) > 0 && !r.failed }

// maxPlies is the length of a game that Unpack takes at most, unless max_moves allows more. The
// rules end most games before.
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

// Peek returns the record that [Record.Pack] packed without its samples. It checks nothing.
func Peek(text []byte) (*Record, error) {
	var p packed
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("self-play: a record: %w", err)
	}
	return p.record(), nil
}

// record returns the record without its samples.
func (p *packed) record() *Record {
	r := &Record{Number: p.Number, Thrown: p.Thrown, Evaluations: p.Evaluations, Start: p.Start, Outcome: p.Outcome}
	for of := (packedReader{b: p.Moves}); of.more(); {
		r.Moves = append(r.Moves, chess.Move(of.uint32()))
	}
	for of := (packedReader{b: p.RootValues}); of.more(); {
		r.RootValues = append(r.RootValues, of.float32())
	}
	for of := (packedReader{b: p.Roots}); of.more(); {
		r.Roots = append(r.Roots, Root{int(int32(of.uint32())), of.float64(), of.float64(), of.float64()})
	}
	return r
}

func (c *Config) unpack(codec encode.Codec, p *packed) (*Record, error) {
	r := p.record()
	start, err := chess.ParseFEN(c.Variant, p.Start)
	switch {
	case err != nil:
		return nil, err
	case p.Number < 0 || p.Number >= c.Games:
		return nil, fmt.Errorf("want a number below %d", c.Games)
	case len(p.Moves) > 4*max(maxPlies, 2*c.MaxMoves) || len(p.Moves)%4 != 0 || len(p.RootValues) != len(p.Moves) || len(p.Roots)%packedRootSize != 0:
		return nil, fmt.Errorf("%d bytes of moves, %d of values, %d of searches", len(p.Moves), len(p.RootValues), len(p.Roots))
	case p.Thrown < 0 || p.Thrown >= maxThrown || p.Evaluations < 0:
		return nil, fmt.Errorf("%d attempts thrown away, %d evaluations", p.Thrown, p.Evaluations)
	}
	if slices.ContainsFunc(r.RootValues, func(v float32) bool { return !isValue(v) }) {
		return nil, errors.New("a search value is not between -1 and 1")
	}
	searched := map[int32]bool{}
	for i, root := range r.Roots {
		priors := root.KL >= 0 && root.PriorEntropy >= 0 || math.IsNaN(root.KL) && math.IsNaN(root.PriorEntropy)
		if root.Ply < 0 || root.Ply >= len(r.Moves) || i > 0 && root.Ply <= r.Roots[i-1].Ply || !priors || !(root.TargetEntropy >= 0) {
			return nil, fmt.Errorf("search %d (%+v): want plies in order and numbers of at least 0", i, root)
		}
		searched[int32(root.Ply)] = true
	}
	game, samples := chess.NewGame(start), packedReader{b: p.Samples}
	if len(p.Samples) > 0 {
		r.Samples = make([]encode.Sample, 0, len(r.Roots))
	}
	var moves chess.MoveList
	for ply := 0; ; ply++ {
		game.Position().LegalMoves(&moves)
		o := game.Outcome(&moves)
		if ply == len(r.Moves) {
			if err := c.ends(o, p.Outcome, ply); err != nil {
				return nil, err
			}
			break
		}
		if o.Over() || !moves.Contains(r.Moves[ply]) {
			return nil, fmt.Errorf("ply %d: %v is no move of %s", ply, r.Moves[ply], game.Position().FEN())
		}
		for len(samples.b) >= 4 && little.Uint32(samples.b) == uint32(ply) { // policy surprise repeats samples
			s, err := unpackSample(codec, game, &moves, &samples)
			if err != nil || !searched[s.Ply] {
				return nil, fmt.Errorf("ply %d: a sample that no search has made (%v)", ply, err)
			}
			s.Game = int32(p.Number)
			r.Samples = append(r.Samples, s)
		}
		game.Play(r.Moves[ply])
	}
	if len(samples.b) > 0 {
		return nil, fmt.Errorf("%d bytes of samples out of order", len(samples.b))
	}
	for i := range r.Samples {
		s := &r.Samples[i]
		left := len(r.Moves) - int(s.Ply)
		s.MovesLeft = movesLeft(r.Outcome, left)
		codec.Continue(s, game.Back(left), r.Moves[s.Ply:], c.Future)
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
func unpackSample(codec encode.Codec, game *chess.Game, moves *chess.MoveList, p *packedReader) (encode.Sample, error) {
	s := encode.Sample{Ply: int32(p.uint32()), Value: p.float32(), Draw: p.float32(), Planes: make([]uint64, codec.Planes.Count())}
	codec.Planes.Encode(s.Planes, game)
	s.Indices = slices.DeleteFunc(codec.Indices(nil, game.Position(), moves.Slice()), func(i int32) bool { return i < 0 })
	s.Policy = make([]float32, len(s.Indices))
	if !isValue(s.Value) || !isValue(s.Draw) {
		return s, fmt.Errorf("value %v, draw %v", s.Value, s.Draw)
	}
	total := 0.0
	for n := p.uint16(); n > 0; n-- {
		at, x := int(p.uint16()), p.float32()
		if p.failed || at >= len(s.Policy) || s.Policy[at] != 0 || !(x > 0 && x <= 1.001) {
			return s, fmt.Errorf("the probability %v of move %d of %d", x, at, len(s.Policy))
		}
		s.Policy[at] = x
		total += float64(x)
	}
	if p.failed {
		return s, errors.New("it is cut off")
	}
	if total != 0 && math.Abs(total-1) > 1e-3 {
		return s, fmt.Errorf("probabilities with the sum %v", total)
	}
	return s, nil
}
