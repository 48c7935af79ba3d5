package encode

import (
	"errors"
	"fmt"
	"math/bits"
)

// Mirror reflects samples: the a-file becomes the h-file. But for castling, the rules of
// every variant are the same on a reflected board, so a reflected sample is as good as the
// sample.
type Mirror struct {
	planes  *Planes
	indices []int32 // of the reflected moves, by policy index; -1: no piece can make the move
}

// NewMirror returns an error if samples of the codec do not show whether a side may castle.
func NewMirror(c Codec) (*Mirror, error) {
	if c.Planes.castling == nil {
		if ofRules(c.Planes) {
			return nil, errors.New("the rules are not the same on a reflected board, or it has not eight files")
		}
		return nil, fmt.Errorf("encoding %s has no planes of castling rights, with which a position cannot be reflected", c.Planes.Name())
	}
	return &Mirror{c.Planes, ReflectedMoves(c.Policy)}, nil
}

// ReflectedMoves returns the index of the reflected move for each policy index, or -1 for an
// index that no piece can use.
func ReflectedMoves(p *Policy) (indices []int32) {
	moves := p.moves()
	index := map[string]int32{"": -1}
	for i, move := range moves {
		if move != "" {
			index[move] = int32(i)
		}
	}
	for _, move := range moves {
		indices = append(indices, index[seen(move, leftRight)])
	}
	return indices
}

// Reflects reports whether the position of a sample can be reflected: neither side may
// castle.
func (m *Mirror) Reflects(s *Sample) bool {
	for _, i := range m.planes.castling {
		if s.Planes[i] != 0 {
			return false
		}
	}
	return true
}

// Reflect writes the reflection of s to dst, whose memory it reuses. They share Policy.
func (m *Mirror) Reflect(dst, s *Sample) {
	planes, indices, future := resize(dst.Planes, len(s.Planes)), resize(dst.Indices, len(s.Indices)), resize(dst.Future, len(s.Future))
	*dst = *s
	dst.Planes, dst.Indices, dst.Future, dst.Reply = planes, indices, future, m.index(s.Reply)
	for i, word := range s.Planes {
		if !m.planes.constant[i] {
			word = ReflectBoard(word)
		}
		planes[i] = word
	}
	for i, index := range s.Indices {
		indices[i] = m.index(index)
	}
	for i, word := range s.Future {
		future[i] = ReflectBoard(word)
	}
}

// index returns the policy index of a reflected move.
func (m *Mirror) index(i int32) int32 {
	if i < 0 {
		return i
	}
	return m.indices[i]
}

// ReflectBoard exchanges left and right of a bitboard. The bits of a byte are the squares of a
// rank.
func ReflectBoard(board uint64) uint64 { return bits.ReverseBytes64(bits.Reverse64(board)) }
