package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"

	"alamos/pkg/encode"
	"alamos/pkg/stats"
)

// Loss holds the terms that training minimizes, as means over a batch, and their weighted
// sum. It excludes weight decay. A term is 0 if the network lacks its head.
type Loss struct {
	Total  float64
	Policy float64 // cross entropy over the moves of LossSettings.PolicyMask, in nats
	Value  float64 // (z - v)^2; with ValueWDL the cross entropy over win, draw and loss, in nats
	// MovesLeft is the Huber loss of the plies left, in units of 20 plies, over the
	// positions where they are known. It is quadratic up to half a unit (10 plies), as in
	// Leela Chess Zero (tfprocess.py of lczero-training).
	MovesLeft float64
}

// Add adds m, multiplied by times.
func (l *Loss) Add(m Loss, times float64) {
	l.Total += times * m.Total
	l.Policy += times * m.Policy
	l.Value += times * m.Value
	l.MovesLeft += times * m.MovesLeft
}

// lossJSON is the JSON form of [Loss], where NaN is null.
type lossJSON struct {
	Total     stats.Float `json:"total"`
	Policy    stats.Float `json:"policy"`
	Value     stats.Float `json:"value"`
	MovesLeft stats.Float `json:"moves_left,omitempty"`
}

// MarshalJSON returns an object with the terms. Unmeasured terms (NaN) are null.
func (l Loss) MarshalJSON() ([]byte, error) {
	return json.Marshal(lossJSON{stats.Float(l.Total), stats.Float(l.Policy), stats.Float(l.Value), stats.Float(l.MovesLeft)})
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (l *Loss) UnmarshalJSON(b []byte) error {
	var j lossJSON
	err := json.Unmarshal(b, &j)
	*l = Loss{float64(j.Total), float64(j.Policy), float64(j.Value), float64(j.MovesLeft)}
	return err
}

func (l Loss) finite() bool { return !math.IsNaN(l.Total) && !math.IsInf(l.Total, 0) }

// terms are the tensors of a Loss. A term is nil if the network lacks its head.
type terms struct{ total, policy, value, movesLeft *ts.Tensor }

// read waits for the device and reads the numbers.
func (t *terms) read(g *graph) Loss {
	return Loss{g.number(t.total), g.number(t.policy), g.number(t.value), g.number(t.movesLeft)}
}

// terms returns the terms of the loss over the positions of a part, multiplied by scale. The total is
// their weighted sum, to differentiate.
func (t *Trainer) terms(g *graph, o outputs, b *Batch, scale float64) (l terms) {
	add := func(term *ts.Tensor, weight float64) *ts.Tensor {
		weighted := g.keep(term.MulScalar(g.scalar(weight), false))
		if l.total != nil {
			weighted = g.keep(l.total.Add(weighted, false))
		}
		l.total = weighted
		return term
	}
	if o.logits != nil {
		l.policy = add(g.policyLoss(o.logits, b, t.legal(), scale), t.loss.Policy)
	}
	if t.net.spec.Value == ValueWDL {
		l.value = add(g.wdlLoss(o.values, b, scale), t.loss.Value)
	} else {
		l.value = add(g.squaredLoss(o.values, b, scale), t.loss.Value)
	}
	if o.movesLeft != nil {
		l.movesLeft = add(g.movesLeftLoss(o.movesLeft, b, scale), t.loss.MovesLeft)
	}
	return l
}

// squaredLoss returns the squared error of values [N], summed and multiplied by scale.
func (g *graph) squaredLoss(values *ts.Tensor, b *Batch, scale float64) *ts.Tensor {
	z := g.tensor(b.Values)
	squares := g.keep(g.keep(g.keep(values.Sub(z, false)).Square(false)).Sum(gotch.Float, false))
	return g.keep(squares.MulScalar(g.scalar(scale), false))
}

// wdlLoss returns the cross entropy of logits [N, 3] to the probabilities of win, draw and
// loss, summed and multiplied by scale.
func (g *graph) wdlLoss(logits *ts.Tensor, b *Batch, scale float64) *ts.Tensor {
	wdl := make([]float32, 0, 3*b.N)
	for i, v := range b.Values {
		d := b.Draws[i]
		wdl = append(wdl, (1+v-d)/2, d, (1-v-d)/2)
	}
	target := g.keep(g.tensor(wdl).View([]int64{int64(b.N), 3}, false))
	logs := g.keep(logits.LogSoftmax(1, gotch.Float, false))
	sum := g.keep(g.keep(logs.Mul(target, false)).Sum(gotch.Float, false))
	return g.keep(sum.MulScalar(g.scalar(-scale), false))
}

// movesLeftLoss returns the loss of the predicted moves left [N], summed over the positions
// where they are known and multiplied by scale.
func (g *graph) movesLeftLoss(left *ts.Tensor, b *Batch, scale float64) *ts.Tensor {
	const sum, delta = 2, 10.0 / movesLeftUnit // sum: libtorch's Reduction::Sum
	known, target := make([]float32, b.N), make([]float32, b.N)
	for i, plies := range b.MovesLeft {
		if plies > 0 {
			known[i], target[i] = 1, plies/movesLeftUnit
		}
	}
	left = g.keep(left.Mul(g.tensor(known), false))
	return g.keep(g.keep(left.HuberLoss(g.tensor(target), sum, delta, false)).MulScalar(g.scalar(scale), false))
}

// Accuracy counts how often the policy prefers the best move. The best move has the highest
// target, because it was played or visited most; the first wins a tie. The policy's choice
// is among the moves of LossSettings.PolicyMask.
type Accuracy struct {
	N    int `json:"positions"` // positions with a target
	Top1 int `json:"top1"`      // the best move has the highest score
	Top5 int `json:"top5"`      // at most four other moves have a higher score
}

func (a *Accuracy) Add(b Accuracy) {
	a.N += b.N
	a.Top1 += b.Top1
	a.Top5 += b.Top5
}

// Count adds a position with the targets of its legal moves, by policy index, and the
// policy's scores of all moves. legal restricts the policy's choice to the legal moves.
func (a *Accuracy) Count(indices []int32, targets, scores []float32, legal bool) {
	best, most := int32(-1), float32(0)
	for i, target := range targets {
		if target > most {
			best, most = indices[i], target
		}
	}
	if best < 0 {
		return
	}
	more := 0
	count := func(i int32) {
		// An earlier move wins a tie, so that a uniform policy is not always right.
		if x := scores[i]; x > scores[best] || x == scores[best] && i < best {
			more++
		}
	}
	if legal {
		for _, i := range indices {
			if i >= 0 {
				count(i)
			}
		}
	} else {
		for i := range scores {
			count(int32(i))
		}
	}
	a.N++
	if more < 1 {
		a.Top1++
	}
	if more < 5 {
		a.Top5++
	}
}

// Shares returns the counts as fractions of N. They are NaN if N is 0.
func (a *Accuracy) Shares() (top1, top5 float64) {
	return float64(a.Top1) / float64(a.N), float64(a.Top5) / float64(a.N)
}

// accuracy compares logits [N, PolicySize] with the targets of a batch.
func (g *graph) accuracy(logits *ts.Tensor, b *Batch, legal bool) Accuracy {
	all := floats(g.host(g.keep(g.single(logits).Contiguous(false))))
	size := len(all) / b.N
	var a Accuracy
	for i := range b.N {
		from, to := b.Offsets[i], b.Offsets[i+1]
		a.Count(b.Indices[from:to], b.Policy[from:to], all[i*size:][:size], legal)
	}
	return a
}

// Batch holds training samples in the flat form that libtorch reads.
type Batch struct {
	N       int
	Planes  []uint64  // [N][planes]
	Offsets []int32   // [N+1]: the legal moves of position i are at Offsets[i] up to Offsets[i+1]
	Indices []int32   // policy index of each legal move; -1 for a move without an index
	Policy  []float32 // target of each move; a position's targets sum to 1
	Values  []float32 // [N]: target of the value

	Draws     []float32 // [N]: target of the draw probability, at most 1 - |value|
	MovesLeft []float32 // [N]: plies to the end of the game; 0 or less means unknown
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

// Reset empties the batch but keeps its memory.
func (b *Batch) Reset() {
	*b = Batch{
		Planes: b.Planes[:0], Offsets: b.Offsets[:0], Indices: b.Indices[:0],
		Policy: b.Policy[:0], Values: b.Values[:0],
		Draws: b.Draws[:0], MovesLeft: b.MovesLeft[:0],
	}
}

// check returns an error if the batch does not fit the network.
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
			case !(target >= 0 && target <= 1+1e-3): // also catches NaN
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

// part returns the positions [from, to). They share the memory of b.
func (b *Batch) part(from, to int) *Batch {
	planes := len(b.Planes) / b.N
	return &Batch{
		N: to - from, Planes: b.Planes[from*planes : to*planes], Offsets: b.Offsets[from : to+1],
		Indices: b.Indices, Policy: b.Policy, Values: b.Values[from:to],
		Draws: b.Draws[from:to], MovesLeft: b.MovesLeft[from:to],
	}
}
