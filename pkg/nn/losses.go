package nn

import (
	"math"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// Loss is the mean over a batch of the terms that training minimizes, and their
// weighted sum. Weight decay is not part of it. A term whose head the network
// lacks is 0.
type Loss struct {
	Total  float64
	Policy float64 // cross entropy over all moves of the policy, in nats
	Value  float64 // (z - v)^2; of ValueWDL the cross entropy over win, draw and loss, in nats
	// MovesLeft is Huber's loss of the plies left over 20, quadratic to half a unit,
	// 10 plies, where they are known; as Leela Chess Zero has it (tfprocess.py of
	// lczero-training).
	MovesLeft float64
}

// Add adds l, times a factor.
func (l *Loss) Add(m Loss, times float64) {
	l.Total += times * m.Total
	l.Policy += times * m.Policy
	l.Value += times * m.Value
	l.MovesLeft += times * m.MovesLeft
}

func (l Loss) finite() bool { return !math.IsNaN(l.Total) && !math.IsInf(l.Total, 0) }

// loss returns the weighted sum of the terms over the positions of a part, times
// scale, as a tensor to differentiate, and what tells all terms as numbers: a device is
// waited for then.
func (t *Trainer) loss(g *graph, o outputs, b *Batch, scale float64) (total *ts.Tensor, numbers func() Loss) {
	var l Loss
	var read []func()
	add := func(term *ts.Tensor, weight float64, number *float64) {
		read = append(read, func() { *number = g.number(term) })
		weighted := g.keep(term.MulScalar(g.scalar(weight), false))
		if total != nil {
			weighted = g.keep(total.Add(weighted, false))
		}
		total = weighted
	}
	if o.logits != nil {
		add(g.policyLoss(o.logits, b, scale), t.weights.Policy, &l.Policy)
	}
	if t.net.spec.Value == ValueWDL {
		add(g.wdlLoss(o.values, b, scale), t.weights.Value, &l.Value)
	} else {
		add(g.squaredLoss(o.values, b, scale), t.weights.Value, &l.Value)
	}
	if o.movesLeft != nil {
		add(g.movesLeftLoss(o.movesLeft, b, scale), t.weights.MovesLeft, &l.MovesLeft)
	}
	return total, func() Loss {
		l.Total = g.number(total)
		for _, f := range read {
			f()
		}
		return l
	}
}

// squaredLoss is the squared error of values [N], summed and multiplied by scale.
func (g *graph) squaredLoss(values *ts.Tensor, b *Batch, scale float64) *ts.Tensor {
	z := g.tensor(b.Values)
	squares := g.keep(g.keep(g.keep(values.Sub(z, false)).Square(false)).Sum(gotch.Float, false))
	return g.keep(squares.MulScalar(g.scalar(scale), false))
}

// wdlLoss is the cross entropy of logits [N, 3] to the probabilities of win, draw
// and loss, summed and multiplied by scale.
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

// movesLeftLoss is the loss of what the head of the moves left says, [N], summed
// over the positions where they are known and multiplied by scale.
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
