package data

import (
	"fmt"
	"math"

	"alamos/pkg/encode"
)

// columns holds the n samples of one file.
type columns struct {
	meta    Meta
	shape   shape
	numbers int // games with different numbers

	game, ply []int32   // n
	planes    []uint64  // n * shape.planes
	offsets   []int32   // n+1: sample i has indices[offsets[i]:offsets[i+1]]
	indices   []int32   // offsets[n]
	policy    []float32 // offsets[n]
	value     []float32 // n
	draw      []float32 // n, or none
	movesLeft []float32 // n, or none
}

func (c *columns) len() int { return len(c.game) }

// sample copies sample i to s.
func (c *columns) sample(i int, s *encode.Sample) {
	s.Game, s.Ply, s.Value, s.Draw, s.MovesLeft = c.game[i], c.ply[i], c.value[i], -1, 0
	if c.draw != nil {
		s.Draw = c.draw[i]
	}
	if c.movesLeft != nil {
		s.MovesLeft = c.movesLeft[i]
	}
	s.Planes = append(s.Planes[:0], c.planes[i*c.shape.planes:(i+1)*c.shape.planes]...)
	from, to := c.offsets[i], c.offsets[i+1]
	s.Indices = append(s.Indices[:0], c.indices[from:to]...)
	s.Policy = append(s.Policy[:0], c.policy[from:to]...)
}

// sumTolerance is how far from 1 the sum of a policy may be: far above the
// rounding of float32, far below a forgotten move.
const sumTolerance = 1e-3

// check returns an error when s is not a sample of the shape.
func (h shape) check(s *encode.Sample) error {
	switch {
	case s.Game < 0 || s.Ply < 0:
		return fmt.Errorf("game %d, ply %d: want numbers from 0", s.Game, s.Ply)
	case len(s.Planes) != h.planes:
		return fmt.Errorf("game %d, ply %d: %d planes, the encoder has %d", s.Game, s.Ply, len(s.Planes), h.planes)
	case len(s.Indices) != len(s.Policy):
		return fmt.Errorf("game %d, ply %d: %d policy indices with %d targets", s.Game, s.Ply, len(s.Indices), len(s.Policy))
	case !(s.Value >= -1 && s.Value <= 1):
		return fmt.Errorf("game %d, ply %d: value %v, want -1 to 1", s.Game, s.Ply, s.Value)
	case h.has(columnDraw) && !(s.Draw <= 1 && !math.IsInf(float64(s.Draw), 0)):
		return fmt.Errorf("game %d, ply %d: probability %v of a draw, want at most 1", s.Game, s.Ply, s.Draw)
	case h.has(columnMovesLeft) && !(math.Abs(float64(s.MovesLeft)) <= math.MaxInt32):
		return fmt.Errorf("game %d, ply %d: %v plies left", s.Game, s.Ply, s.MovesLeft)
	case h.policy == 0 && len(s.Indices) > 0:
		return fmt.Errorf("game %d, ply %d: %d policy indices, but there is no policy", s.Game, s.Ply, len(s.Indices))
	case h.policy == 0:
		return nil
	}
	sum := 0.0
	for i, index := range s.Indices {
		if index < 0 || int(index) >= h.policy {
			return fmt.Errorf("game %d, ply %d: policy index %d, want 0 to %d", s.Game, s.Ply, index, h.policy-1)
		}
		p := s.Policy[i]
		if !(p >= 0) {
			return fmt.Errorf("game %d, ply %d: policy target %v, want one of at least 0", s.Game, s.Ply, p)
		}
		sum += float64(p)
	}
	if !(math.Abs(sum-1) <= sumTolerance) {
		return fmt.Errorf("game %d, ply %d: policy targets have the sum %v, want 1", s.Game, s.Ply, sum)
	}
	return nil
}
