package nn

import (
	"cmp"
	"errors"
	"fmt"
	"unsafe"

	"alamos/pkg/config"

	"github.com/sugarme/gotch/ts"
)

// Kinds of optimizers.
const (
	SGD   = "sgd"   // stochastic gradient descent with momentum
	Adam  = "adam"  // Kingma and Ba 2015; weight decay is part of the gradient
	AdamW = "adamw" // Loshchilov and Hutter 2019: weights decay by themselves
)

// Optimizer says what is minimized, and how gradients change parameters. Code may leave
// fields at zero: an empty Kind is SGD, no betas and epsilon are their defaults.
type Optimizer struct {
	Kind        string  `key:"kind" default:"sgd" enum:"sgd adam adamw" doc:"Algorithm of the steps: stochastic gradient descent with momentum; adam (Kingma and Ba 2015); adamw, with the weight decay apart from the gradient (Loshchilov and Hutter 2019)."`
	Momentum    float64 `key:"momentum" default:"0.9" range:"0..<1" when:"kind=sgd" doc:"Momentum."`
	WeightDecay float64 `key:"weight_decay" default:"1e-4" range:"0..<1" doc:"Weight decay, added to the gradient: c in c*|theta|^2/2 of all trained parameters; with adamw the weights shrink by it times the learning rate."`
	Beta1       float64 `key:"beta1" default:"0.9" range:">0..<1" when:"kind=adam adamw" doc:"Share of the running mean of the gradient that a step keeps."`
	Beta2       float64 `key:"beta2" default:"0.999" range:">0..<1" when:"kind=adam adamw" doc:"Share of the running mean of its square that a step keeps."`
	Epsilon     float64 `key:"epsilon" default:"1e-8" range:">0..1" when:"kind=adam adamw" doc:"What is added to the root of that mean before the division by it."`

	Weights Weights
	Seed    uint64 // of the masks of dropout
}

// Weights are the factors of the terms in the total loss; the zero Weights are 1
// each.
type Weights struct {
	Policy    float64 `key:"policy" default:"1" range:"0..<1e6" doc:"Weight of the cross-entropy between visits and policy; nothing where there is no policy."`
	Value     float64 `key:"value" default:"1" range:"0..<1e6" doc:"Weight of the squared error of the value; with wdl of the cross-entropy of win, draw and loss."`
	MovesLeft float64 `key:"moves_left" default:"1" range:"0..<1e6" doc:"Weight of the error of the moves left, where network.moves_left is true: Huber's, of plies over 20, quadratic to 10 plies, as in the training of Leela Chess Zero."`
}

// Complete returns the optimizer with every default made explicit, or an error
// that names the field at fault.
func (o Optimizer) Complete() (Optimizer, error) {
	if err := errors.Join(config.Check("training.optimizer", o), config.Check("training.loss", o.Weights)); err != nil {
		return o, err
	}
	o.Kind = cmp.Or(o.Kind, SGD)
	if o.Kind != SGD {
		if o.Beta1 == 0 && o.Beta2 == 0 {
			o.Beta1, o.Beta2 = 0.9, 0.999
		}
		o.Epsilon = cmp.Or(o.Epsilon, 1e-8)
	}
	if o.Weights == (Weights{}) {
		o.Weights = config.Defaults[Weights]()
	}
	return o, nil
}

// optimizer is an optimizer at work. Its methods panic with a failure.
type optimizer interface {
	// begin comes before the parts of a step.
	begin()
	// step is the part of a shard in a step of the first so many shards, on its
	// thread. It reads the gradients of all of them.
	step(shard, shards int, lr float64)
	state() Tensors
	load(Tensors) error
	close()
}

// newOptimizer starts a complete optimizer from nothing.
func newOptimizer(o Optimizer, params *parameters, shards []*shard) optimizer {
	if o.Kind == SGD {
		return newSGD(o, params, shards)
	}
	return newAdam(o, params, shards)
}

// moments are the arrays of numbers that an optimizer keeps for each trained
// parameter.
type moments struct {
	o       Optimizer
	scope   // owns the arrays
	trained []*param
	names   []string       // of the arrays in the state: names[i].<parameter>
	arrays  [][]*ts.Tensor // of names and of trained; all 0 at first

	handles stepHandles
}

func newMoments(o Optimizer, params *parameters, shards []*shard, names ...string) *moments {
	m := &moments{o: o, names: names, arrays: make([][]*ts.Tensor, len(names))}
	m.handles.moments, m.handles.generic = make([]handles, len(names)), params.generic
	for _, p := range params.all {
		if !p.trained {
			continue
		}
		m.trained = append(m.trained, p)
		for i := range names {
			a := m.keep(newStorage(p, params.device))
			p.write(a, make([]float32, p.size()))
			m.arrays[i] = append(m.arrays[i], a)
			m.handles.moments[i] = append(m.handles.moments[i], a.Ctensor())
		}
		m.handles.weights = append(m.handles.weights, params.full[p].Ctensor())
		var half unsafe.Pointer
		if x := params.half[p]; x != nil {
			half = x.Ctensor()
		}
		m.handles.halves = append(m.handles.halves, half)
	}
	for _, x := range shards {
		m.handles.leaves = append(m.handles.leaves, x.leaves...)
	}
	return m
}

// each calls f for every array, with its name in the state.
func (m *moments) each(f func(name string, p *param, array *ts.Tensor)) {
	for i, name := range m.names {
		for k, p := range m.trained {
			f(name+"."+p.name, p, m.arrays[i][k])
		}
	}
}

func (m *moments) state() Tensors {
	t := make(Tensors, len(m.names)*len(m.trained))
	m.each(func(name string, p *param, array *ts.Tensor) {
		data := make([]float32, len(p.data))
		p.read(data, array)
		t[name] = floatTensor(p.shape, data)
	})
	return t
}

// shapes are those of the state.
func (m *moments) shapes() map[string][]int {
	shapes := make(map[string][]int)
	m.each(func(name string, p *param, _ *ts.Tensor) { shapes[name] = p.shape })
	return shapes
}

// fill takes the arrays from a state that matches shapes.
func (m *moments) fill(t Tensors) {
	m.each(func(name string, p *param, array *ts.Tensor) {
		data := make([]float32, len(p.data))
		copyFloats(data, t[name].Data)
		p.write(array, data)
	})
}

// sgd is stochastic gradient descent with momentum: with gradient g,
// d = g + decay*w; m = momentum*m + d; w = w - lr*m. It is torch.optim.SGD with
// its defaults.
type sgd struct{ *moments }

func newSGD(o Optimizer, params *parameters, shards []*shard) *sgd {
	return &sgd{newMoments(o, params, shards, "sgd.momentum")}
}

func (s *sgd) begin() {}

func (s *sgd) step(shard, shards int, lr float64) {
	sgdStep(shard, shards, &s.handles, s.o, lr)
}

func (s *sgd) load(t Tensors) error {
	if err := t.match(s.shapes()); err != nil {
		return err
	}
	s.fill(t)
	return nil
}

// adam is Adam, or AdamW: torch.optim.Adam and AdamW with their defaults. Its
// arrays are the running means of the gradient and of its square.
type adam struct {
	*moments
	steps int64 // taken, or being taken
}

// stepsKey has the number of steps in the state, a float32 as all there is: it is
// exact to 2^24 steps, and long before that the means have no bias left that a
// float could tell.
const stepsKey = "adam.steps"

func newAdam(o Optimizer, params *parameters, shards []*shard) *adam {
	return &adam{moments: newMoments(o, params, shards, "adam.mean", "adam.square")}
}

func (a *adam) begin() { a.steps++ }

func (a *adam) step(shard, shards int, lr float64) {
	adamStep(shard, shards, &a.handles, a.o, a.steps, lr)
}

func (a *adam) state() Tensors {
	t := a.moments.state()
	t[stepsKey] = floatTensor([]int{1}, []float32{float32(a.steps)})
	return t
}

func (a *adam) load(t Tensors) error {
	shapes := a.shapes()
	shapes[stepsKey] = []int{1}
	if err := t.match(shapes); err != nil {
		return err
	}
	var steps [1]float32
	copyFloats(steps[:], t[stepsKey].Data)
	if !(steps[0] >= 0 && steps[0] < 1<<62) {
		return fmt.Errorf("tensor %s: %v steps", stepsKey, steps[0])
	}
	a.fill(t)
	a.steps = int64(steps[0])
	return nil
}
