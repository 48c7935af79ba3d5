package nn

import (
	"fmt"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// Optimizer says what is minimized, and how gradients change parameters.
type Optimizer struct {
	Kind        string  // "sgd"; "" is the same
	Momentum    float64 // at least 0, below 1
	WeightDecay float64 // of all trained parameters: c in c*|theta|^2/2
	Weights     Weights
}

// Weights are the factors of the terms in the total loss; the zero Weights are
// 1 and 1.
type Weights struct{ Policy, Value float64 }

func (o Optimizer) check() error {
	switch {
	case o.Kind != "" && o.Kind != "sgd":
		return fmt.Errorf("optimizer: kind: no %q; there is sgd", o.Kind)
	case !(o.Momentum >= 0 && o.Momentum < 1):
		return fmt.Errorf("optimizer: momentum: want at least 0 and below 1, have %v", o.Momentum)
	case !(o.WeightDecay >= 0 && o.WeightDecay < 1):
		return fmt.Errorf("optimizer: weight decay: want at least 0 and below 1, have %v", o.WeightDecay)
	case !(o.Weights.Policy >= 0 && o.Weights.Policy < 1e6 && o.Weights.Value >= 0 && o.Weights.Value < 1e6):
		return fmt.Errorf("optimizer: weights of the loss: want at least 0 and below 1e6, have %v and %v", o.Weights.Policy, o.Weights.Value)
	}
	return nil
}

// optimizer is an optimizer at work. Its methods run on the trainer's thread
// without gradient mode, and panic with a failure.
type optimizer interface {
	step(lr float64) // uses the gradients and sets them to zero
	state() Tensors
	load(Tensors) error
	close()
}

// sgd is stochastic gradient descent with momentum: with gradient g,
// d = g + decay*w; m = momentum*m + d; w = w - lr*m. It is torch.optim.SGD with
// its defaults.
type sgd struct {
	o     Optimizer
	scope // owns the momenta
	slots []slot
}

// slot is a parameter with its momentum.
type slot struct {
	param            *param
	weight, momentum *ts.Tensor
}

func newSGD(o Optimizer, params []*param, tensors map[*param]*ts.Tensor) *sgd {
	s := &sgd{o: o}
	for _, p := range params {
		if p.trained {
			m := s.keep(ts.Zeros(int64s(p.shape), gotch.Float, gotch.CPU))
			s.slots = append(s.slots, slot{p, tensors[p], m})
		}
	}
	return s
}

func (s *sgd) step(lr float64) {
	var c scope
	defer c.close()
	momentum, decay, rate := c.scalar(s.o.Momentum), c.scalar(s.o.WeightDecay), c.scalar(lr)
	for _, p := range s.slots {
		p.update(momentum, decay, rate)
	}
}

func (p slot) update(momentum, decay, rate *ts.Scalar) {
	var c scope
	defer c.close()
	g := c.keep(p.weight.Grad(false))
	d := c.keep(p.weight.MulScalar(decay, false))
	must(d.Add_(g))
	must(p.momentum.MulScalar_(momentum))
	must(p.momentum.Add_(d))
	must(p.weight.Sub_(c.keep(p.momentum.MulScalar(rate, false))))
	must(g.Zero_())
}

// momentumKey is the name of a parameter's momentum in the state.
func momentumKey(p *param) string { return "sgd.momentum." + p.name }

func (s *sgd) state() Tensors {
	t := make(Tensors, len(s.slots))
	for _, p := range s.slots {
		t[momentumKey(p.param)] = floatTensor(p.param.shape, floats(p.momentum))
	}
	return t
}

func (s *sgd) load(t Tensors) error {
	shapes := make(map[string][]int, len(s.slots))
	for _, p := range s.slots {
		shapes[momentumKey(p.param)] = p.param.shape
	}
	if err := t.match(shapes); err != nil {
		return err
	}
	for _, p := range s.slots {
		copyFloats(floats(p.momentum), t[momentumKey(p.param)].Data)
	}
	return nil
}
