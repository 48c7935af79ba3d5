package nn

import (
	"fmt"
	"unsafe"

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

// optimizer is an optimizer at work. Its methods panic with a failure.
type optimizer interface {
	// step is the part of a shard in a step of the first so many shards, on its
	// thread. It reads the gradients of all of them.
	step(shard, shards int, lr float64)
	state() Tensors
	load(Tensors) error
	close()
}

// sgd is stochastic gradient descent with momentum: with gradient g,
// d = g + decay*w; m = momentum*m + d; w = w - lr*m. It is torch.optim.SGD with
// its defaults.
type sgd struct {
	o       Optimizer
	scope   // owns the momenta
	trained []*param
	momenta []*ts.Tensor // of trained

	handles sgdHandles
}

func newSGD(o Optimizer, params *parameters, shards []*shard) *sgd {
	s := &sgd{o: o}
	for _, p := range params.all {
		if !p.trained {
			continue
		}
		m := s.keep(newStorage(p))
		clear(floats(m))
		s.trained = append(s.trained, p)
		s.momenta = append(s.momenta, m)
		s.handles.momenta = append(s.handles.momenta, m.Ctensor())
		s.handles.weights = append(s.handles.weights, params.full[p].Ctensor())
		var half unsafe.Pointer
		if x := params.half[p]; x != nil {
			half = x.Ctensor()
		}
		s.handles.halves = append(s.handles.halves, half)
	}
	for _, x := range shards {
		s.handles.leaves = append(s.handles.leaves, x.leaves...)
	}
	return s
}

func (s *sgd) step(shard, shards int, lr float64) {
	sgdStep(shard, shards, &s.handles, s.o, lr)
}

// momentumKey is the name of a parameter's momentum in the state.
func momentumKey(p *param) string { return "sgd.momentum." + p.name }

func (s *sgd) state() Tensors {
	t := make(Tensors, len(s.trained))
	for i, p := range s.trained {
		data := make([]float32, len(p.data))
		p.read(data, s.momenta[i])
		t[momentumKey(p)] = floatTensor(p.shape, data)
	}
	return t
}

func (s *sgd) load(t Tensors) error {
	shapes := make(map[string][]int, len(s.trained))
	for _, p := range s.trained {
		shapes[momentumKey(p)] = p.shape
	}
	if err := t.match(shapes); err != nil {
		return err
	}
	for i, p := range s.trained {
		data := make([]float32, len(p.data))
		copyFloats(data, t[momentumKey(p)].Data)
		p.write(s.momenta[i], data)
	}
	return nil
}
