package nn

import (
	"errors"
	"fmt"
	"math"

	"alamos/pkg/encode"
)

// Batch is samples to learn from, in the flat form in which they go to libtorch.
type Batch struct {
	N       int
	Planes  []uint64  // [N][planes]
	Offsets []int32   // [N+1]: position i has the moves Offsets[i] to Offsets[i+1]
	Indices []int32   // policy index of each move; -1 where the target is 0
	Policy  []float32 // target of each move; a position's targets sum to 1
	Values  []float32 // [N]: target of the value

	Draws     []float32 // [N]: target of a draw's probability, at most 1 - |value|
	MovesLeft []float32 // [N]: plies to the end of the game; 0 or less: unknown
}

// Add appends a copy of a sample.
func (b *Batch) Add(s *encode.Sample) {
	if len(b.Offsets) == 0 {
		b.Offsets = append(b.Offsets, 0)
	}
	b.N++
	b.Planes = append(b.Planes, s.Planes...)
	b.Indices = append(b.Indices, s.Indices...)
	b.Policy = append(b.Policy, s.Policy...)
	b.Values = append(b.Values, s.Value)
	b.Draws = append(b.Draws, s.Drawn())
	b.MovesLeft = append(b.MovesLeft, s.MovesLeft)
	b.Offsets = append(b.Offsets, int32(len(b.Indices)))
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	*b = Batch{
		Planes: b.Planes[:0], Offsets: b.Offsets[:0], Indices: b.Indices[:0],
		Policy: b.Policy[:0], Values: b.Values[:0],
		Draws: b.Draws[:0], MovesLeft: b.MovesLeft[:0],
	}
}

// check returns an error when the batch does not fit the network.
func (b *Batch) check(s *Spec) error {
	switch {
	case b.N < 1:
		return errors.New("batch: no samples")
	case len(b.Planes) != b.N*s.Planes:
		return fmt.Errorf("batch: %d samples of %d planes need %d words, there are %d", b.N, s.Planes, b.N*s.Planes, len(b.Planes))
	case len(b.Values) != b.N || len(b.Draws) != b.N || len(b.MovesLeft) != b.N:
		return fmt.Errorf("batch: %d samples, but %d values, %d draws and %d of the moves left", b.N, len(b.Values), len(b.Draws), len(b.MovesLeft))
	case len(b.Offsets) != b.N+1 || b.Offsets[0] != 0 || int(b.Offsets[b.N]) != len(b.Indices):
		return fmt.Errorf("batch: the offsets of %d samples do not span the %d moves", b.N, len(b.Indices))
	case len(b.Policy) != len(b.Indices):
		return fmt.Errorf("batch: %d moves, but %d policy targets", len(b.Indices), len(b.Policy))
	}
	for i := range b.N {
		if b.Offsets[i] > b.Offsets[i+1] {
			return fmt.Errorf("batch: sample %d: its moves end before they start", i)
		}
		for j := b.Offsets[i]; j < b.Offsets[i+1]; j++ {
			index, target := b.Indices[j], b.Policy[j]
			switch {
			case index < -1 || int(index) >= s.PolicySize:
				return fmt.Errorf("batch: sample %d: policy index %d is out of the range 0 to %d", i, index, s.PolicySize-1)
			case !(target >= 0 && target <= 1+1e-3): // or NaN
				return fmt.Errorf("batch: sample %d: policy target %v is not a probability", i, target)
			case index == -1 && target != 0:
				return fmt.Errorf("batch: sample %d: policy target %v for a move that the policy cannot express", i, target)
			}
		}
		if v := float64(b.Values[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("batch: sample %d: value %v", i, v)
		}
		if d := float64(b.Draws[i]); !(d >= 0 && d <= 1) {
			return fmt.Errorf("batch: sample %d: the probability of a draw is %v", i, d)
		}
		if m := float64(b.MovesLeft[i]); math.IsNaN(m) || math.IsInf(m, 0) {
			return fmt.Errorf("batch: sample %d: %v moves left", i, m)
		}
	}
	return nil
}

// part is positions from to to, which share the memory of b.
func (b *Batch) part(from, to int) *Batch {
	planes := len(b.Planes) / b.N
	return &Batch{
		N: to - from, Planes: b.Planes[from*planes : to*planes], Offsets: b.Offsets[from : to+1],
		Indices: b.Indices, Policy: b.Policy, Values: b.Values[from:to],
		Draws: b.Draws[from:to], MovesLeft: b.MovesLeft[from:to],
	}
}
