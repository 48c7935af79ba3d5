package data

import (
	"fmt"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Position is a position to learn from.
type Position struct {
	Game int32 // number of the game, from 0, in the order in which games are read
	Ply  int32 // plies played before it, in its game

	// At stands at the position, with its history, and is valid until the next
	// one is asked for. It is nil where the file does not tell the position, but
	// only what an encoding makes of it: see Coded.
	At *chess.Game

	// Moves are all legal moves; Policy is the target, as long, not negative, with
	// sum 1.
	Moves  []chess.Move
	Policy []float32

	// Value is what the side to move gets of the game, or is expected to get, -1 to
	// 1. Of a coded position it is white's, where its encoding predicts white's.
	Value     float32
	Draw      float32 // 0 to 1, the probability of a draw in the same; below 0: not known
	MovesLeft float32 // plies to the end of the game; 0 or less: not known

	// NoResult says that the file tells no result: Value, Draw and MovesLeft mean
	// nothing.
	NoResult bool

	// Coded is the position where the file has it encoded, otherwise nil. Moves and
	// Policy are empty then.
	Coded *Coded
}

// Coded is a sample as it stands in a file, and its encoding.
type Coded struct {
	Encoder, Policy string
	Sample          encode.Sample
}

// target makes Moves the legal moves, of which m is the one to learn. list is
// where they are made, and kept until the next position.
func (p *Position) target(list *chess.MoveList, m chess.Move) error {
	p.At.Position().LegalMoves(list)
	p.Moves = list.Slice()
	p.Policy = append(p.Policy[:0], make([]float32, len(p.Moves))...)
	for i, legal := range p.Moves {
		if legal == m {
			p.Policy[i] = 1
			return nil
		}
	}
	return fmt.Errorf("%s is no legal move of %s", m, p.At.Position().FEN())
}

// result makes the values those of a game's result.
func (p *Position) result(r chess.Result) {
	p.Value, p.Draw = float32(r), 0
	if p.At.Position().Turn() == chess.Black {
		p.Value = -p.Value
	}
	if r == chess.Draw {
		p.Draw = 1
	}
}

// encode writes the position as a sample of the codec. It reports whether the
// policy encoding, if there is one, has an index for a move with a target; without
// one the sample is not to be used. It fails where the position is there in another
// encoding only.
func (p *Position) encode(c encode.Codec, s *encode.Sample) (expressed bool, err error) {
	s.Game, s.Ply, s.Draw, s.MovesLeft = p.Game, p.Ply, p.Draw, p.MovesLeft
	if from := p.Coded; from != nil {
		if from.Encoder != c.Planes.Name() || from.Policy != c.Policy.Name() {
			return false, fmt.Errorf("the file has positions of the encodings %s and %s only, which are not converted to %s and %s",
				from.Encoder, from.Policy, c.Planes.Name(), c.Policy.Name())
		}
		s.Planes = append(s.Planes[:0], from.Sample.Planes...)
		s.Indices = append(s.Indices[:0], from.Sample.Indices...)
		s.Policy = append(s.Policy[:0], from.Sample.Policy...)
		s.Value = from.Sample.Value
		return true, nil
	}
	at := p.At.Position()
	if n := c.Planes.Count(); cap(s.Planes) < n {
		s.Planes = make([]uint64, n)
	} else {
		s.Planes = s.Planes[:n]
	}
	c.Planes.Encode(s.Planes, p.At)
	s.Value = p.Value
	if s.Value != 0 { // no -0
		s.Value *= c.Sign(at.Turn())
	}
	s.Indices, s.Policy = s.Indices[:0], s.Policy[:0]
	if c.Policy.Size() == 0 { // there is none
		return true, nil
	}
	sum, whole := float32(0), true
	for i, m := range p.Moves {
		if index := c.Policy.Index(at, m); index >= 0 {
			s.Indices = append(s.Indices, int32(index))
			s.Policy = append(s.Policy, p.Policy[i])
			sum += p.Policy[i]
		} else if p.Policy[i] > 0 {
			whole = false
		}
	}
	if !whole && sum > 0 {
		for i := range s.Policy {
			s.Policy[i] /= sum
		}
	}
	return sum > 0, nil
}
