package encode

import (
	"math"
	"slices"

	"alamos/pkg/chess"
)

// Codec is an input encoding and a move encoding: the interface of a network to chess.
type Codec struct {
	Planes *Planes
	Policy *Policy
}

// NewCodec finds both encodings by name and checks that they can express the
// variant.
func NewCodec(planes, policy string, v chess.Variant) (Codec, error) {
	var c Codec
	var err error
	if c.Planes, err = PlanesOf(planes, v); err != nil {
		return Codec{}, err
	}
	if c.Policy, err = PolicyOf(policy, v); err != nil {
		return Codec{}, err
	}
	return c, c.Supports(v)
}

// Supports returns an error when one of the encodings cannot express the
// variant.
func (c Codec) Supports(v chess.Variant) error {
	if err := c.Planes.Supports(v); err != nil {
		return err
	}
	return c.Policy.Supports(v)
}

// Leaf is a request to a network, one position, and the network's evaluation. Its slices
// are reused for the next request and grow when they must.
type Leaf struct {
	// The request. Indices has the policy index of each legal move in the
	// order of the move list; -1 stands for a move that the policy cannot
	// express, whose prior is 0. Sign is -1 when the network predicts
	// white's score and black is to move, otherwise 1.
	Planes  []uint64
	Indices []int32
	Sign    float32

	// The evaluation. Priors are the softmax over the indices that are not -1:
	// as long as Indices, not negative, with sum 1. Value is in [-1, 1]
	// from the view of the side to move: Sign times the network's output.
	Priors []float32
	Value  float32
	// Of networks that predict them, from the view of the side to move: the
	// probabilities of win, draw and loss, and the plies left in the game.
	WDL       [3]float32
	MovesLeft float32
}

// Prepare writes the request for the current position of g, whose legal moves are moves,
// and makes room for the evaluation. Many goroutines may call it at once, each with a leaf
// of its own.
func (c Codec) Prepare(l *Leaf, g *chess.Game, moves []chess.Move) {
	l.Planes = resize(l.Planes, c.Planes.Count())
	c.Planes.Encode(l.Planes, g)
	l.Indices = c.Indices(l.Indices, g.Position(), moves)
	l.Priors = resize(l.Priors, len(moves))
	l.Sign = c.Sign(g.Position().Turn())
}

// Indices writes the policy index of each move to dst, grown when it must,
// and returns it with the length of moves.
func (c Codec) Indices(dst []int32, p *chess.Position, moves []chess.Move) []int32 {
	dst = resize(dst, len(moves))
	for i, m := range moves {
		dst[i] = int32(c.Policy.Index(p, m))
	}
	return dst
}

// Sign is the factor between a score from the view of the side to move and
// the score that the network predicts: -1 when the network predicts white's
// score and turn is Black, otherwise 1.
func (c Codec) Sign(turn chess.Color) float32 {
	if turn == chess.Black && c.Planes.White() {
		return -1
	}
	return 1
}

// Sample is a position to learn from: (state, pi, z).
type Sample struct {
	Game, Ply int32    // number of the game in its generation; plies played before
	Planes    []uint64 // the position, packed as the encoding does

	// Indices are the legal moves that the policy can express. Policy is their target: as
	// long, not negative, with sum 1.
	Indices []int32
	Policy  []float32

	// Value is the result of the game, 1, 0 or -1, or a mixture of it and the
	// value of the search, from the view that the encoding predicts: white's if
	// Planes.White(), otherwise that of the side to move.
	Value float32

	// Draw is the probability of a draw in the target; negative: unknown. See [Sample.Drawn].
	Draw float32

	// MovesLeft is the number of plies to the end of the game; 0 or less: unknown.
	MovesLeft float32

	// Reply is the opponent's next move: its policy index in the position after the move that
	// was played, where the opponent is to move. Negative: unknown, or the policy has no index.
	Reply int32

	// Future is a later board, see [Codec.Continue]; empty: unknown.
	Future []uint64
}

// Future has a number of bits for the class of each square: bit k of the class of square s
// is bit s of word k. The classes are 0 for an empty square, 1 to 6 for a pawn, knight,
// bishop, rook, queen or king of the side whose score the network predicts, and 7 to 12 for
// the other side's. The squares are as the planes show them.
const (
	FutureWords   = 4
	SquareClasses = 13
)

// Continue sets Reply, and Future to the board that many plies later, or to the final board if
// the game ended before. With 0 plies there is none. p is the position of s, and moves are
// the moves of the game from there on.
func (c Codec) Continue(s *Sample, p *chess.Position, moves []chess.Move, plies int) {
	s.Reply, s.Future = -1, s.Future[:0]
	if len(moves) < 2 && plies == 0 {
		return
	}
	later := *p
	for i, m := range moves {
		if i == 1 {
			s.Reply = int32(c.Policy.Index(&later, m))
		}
		if i >= max(1, plies) {
			break
		}
		later.Play(m)
	}
	if plies == 0 {
		return
	}
	own := p.Turn()
	if c.Planes.White() {
		own = chess.White
	}
	s.Future = resize(s.Future, FutureWords)
	clear(s.Future)
	var boards [pieceBoards]uint64
	PieceBoards(boards[:], &later, own)
	for i, board := range boards {
		for k := range s.Future {
			if (i+1)>>k&1 == 1 {
				s.Future[k] |= board
			}
		}
	}
	switch {
	case c.Planes.White():
	case !ofRules(c.Planes):
		turnBoards(s.Future, view(p))
	case own == chess.Black:
		_, ranks := p.Variant().Size()
		reverseRanks(s.Future, ranks)
	}
}

// Drawn is the probability of a draw in the target, in [0, 1-|Value|]: then
// (1+Value-Drawn)/2 is that of a win. If only Value is known it is the highest possible
// one, which is exact if Value is a result.
func (s *Sample) Drawn() float32 {
	most := max(0, 1-float32(math.Abs(float64(s.Value))))
	if s.Draw < 0 {
		return most
	}
	return min(s.Draw, most)
}

func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
