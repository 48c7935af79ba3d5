package nn

// #include "alamos.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"alamos/pkg/config"

	"github.com/sugarme/gotch/ts"
)

// Kinds of optimizers.
const (
	SGD   = "sgd"   // stochastic gradient descent with momentum
	Adam  = "adam"  // Kingma and Ba 2015; weight decay is part of the gradient
	AdamW = "adamw" // Loshchilov and Hutter 2019; weight decay is separate from the gradient
)

// Parameters that weight decay applies to.
const (
	DecayWeights = "weights"
	DecayAll     = "all"
)

// Optimizer configures the loss and the update of the parameters. Code may leave fields at
// zero: an empty Kind means SGD, and zero betas and epsilon mean their defaults.
type Optimizer struct {
	Kind         string  `key:"kind" default:"sgd" enum:"sgd adam adamw" doc:"Optimizer: sgd is stochastic gradient descent with momentum, adam is Adam (Kingma and Ba 2015), adamw is Adam with decoupled weight decay (Loshchilov and Hutter 2019)."`
	Momentum     float64 `key:"momentum" default:"0.9" range:"0..<1" when:"kind=sgd" doc:"Fraction of the previous step that is added to each step."`
	Nesterov     bool    `key:"nesterov" default:"false" when:"kind=sgd" doc:"Nesterov momentum (Sutskever et al. 2013), as in the training of Leela Chess Zero: a step goes along the gradient plus momentum times the new sum of steps. It reacts to a change of the gradient one step earlier."`
	WeightDecay  float64 `key:"weight_decay" default:"1e-4" range:"0..<1" doc:"Weight decay c: the loss includes c*|theta|^2/2. With adamw, each step shrinks the weights by c times the learning rate instead."`
	Decayed      string  `key:"decayed" default:"weights" enum:"weights all" doc:"Parameters that decay. weights: those of convolutions and dense layers. all: also biases, and the scales and shifts of batch norm, which decay shrinks without a use: they do not overfit (He et al. 2018, Bag of Tricks)."`
	GradientClip float64 `key:"gradient_clip" default:"0" range:"0..1e6" doc:"Highest norm of the gradient of all parameters together (Pascanu et al. 2013): a longer gradient is shortened to it, so that one bad batch cannot ruin the network. 0 means no limit."`
	Beta1        float64 `key:"beta1" default:"0.9" range:">0..<1" when:"kind=adam adamw" doc:"Decay rate of the running mean of the gradient."`
	Beta2        float64 `key:"beta2" default:"0.999" range:">0..<1" when:"kind=adam adamw" doc:"Decay rate of the running mean of the squared gradient."`
	Epsilon      float64 `key:"epsilon" default:"1e-8" range:">0..1" when:"kind=adam adamw" doc:"Number added to the root of the squared gradient's mean before the division by it, for numerical stability."`

	Loss LossSettings
	Seed uint64 // seed of the dropout masks
	// MicroBatches is the number of equal parts of a batch whose gradients are computed one after
	// the other, or on several devices, and added in their order. Batch norm takes the
	// statistics of each part alone. 0 means 1.
	MicroBatches int
}

// Policy masks, see [LossSettings].
const (
	MaskLegal = "legal"
	MaskNone  = "none"
)

// Losses of the moves left.
const (
	HuberError   = "huber"
	SquaredError = "squared"
)

// LossSettings define the loss. Its weights are the factors of its terms: if all are zero,
// they are their defaults. An empty PolicyMask means MaskLegal.
type LossSettings struct {
	Policy     float64 `key:"policy" default:"1" range:"0..<1e6" when:"network.policy!=none" doc:"Weight of the policy loss, the cross-entropy with the visit distribution."`
	PolicyMask string  `key:"policy_mask" default:"legal" enum:"legal none" when:"network.policy!=none" doc:"Moves over which the policy loss and the accuracy take the softmax. legal: the legal moves, as the search does, so that the network need not learn the rules (as in the training of Leela Chess Zero). none: all moves that the policy can express, so that training also lowers illegal moves."`
	Value      float64 `key:"value" default:"1" range:"0..<1e6" doc:"Weight of the value loss: the squared error, or with wdl the cross-entropy."`
	MovesLeft  float64 `key:"moves_left" default:"1" range:"0..<1e6" when:"network.moves_left=true" doc:"Weight of the moves-left loss, which is of plies / network.moves_left_unit."`
	// MovesLeftError is huber if empty.
	MovesLeftError string `key:"moves_left_error" default:"huber" enum:"huber squared" when:"network.moves_left=true" doc:"Moves-left loss. huber: the Huber loss, quadratic up to half a unit, as in the training of Leela Chess Zero. squared: the squared error, as in ChessSL."`

	OpponentPolicy float64 `key:"opponent_policy" default:"0.15" range:"0..<1e6" when:"network.opponent_policy=true" doc:"Weight of the loss of the opponent's reply: the cross-entropy over all moves that the policy can express, since the position after the own move is not known."`
	SoftPolicy     float64 `key:"soft_policy" default:"8" range:"0..<1e6" when:"network.soft_policy=true" doc:"Weight of the loss of the soft policy, the cross-entropy over the moves of policy_mask."`
	FutureBoard    float64 `key:"future_board" default:"1" range:"0..<1e6" when:"network.future_board!=0" doc:"Weight of the loss of the later board: the cross-entropy over the 13 contents of a square, as the mean over the squares. 1 is 1/64 for each square."`
}

// Complete returns the optimizer with every default made explicit, or an error that names
// the invalid field.
func (o Optimizer) Complete() (Optimizer, error) {
	if err := errors.Join(config.Check("training.optimizer", o), config.Check("training.loss", o.Loss)); err != nil {
		return o, err
	}
	o.Kind, o.Decayed = cmp.Or(o.Kind, SGD), cmp.Or(o.Decayed, DecayWeights)
	if o.Kind != SGD {
		if o.Beta1 == 0 && o.Beta2 == 0 {
			o.Beta1, o.Beta2 = config.Default[Optimizer]("beta1"), config.Default[Optimizer]("beta2")
		}
		o.Epsilon = cmp.Or(o.Epsilon, config.Default[Optimizer]("epsilon"))
	}
	loss := config.Defaults[LossSettings]()
	mask, plies := cmp.Or(o.Loss.PolicyMask, loss.PolicyMask), cmp.Or(o.Loss.MovesLeftError, loss.MovesLeftError)
	if o.Loss.PolicyMask, o.Loss.MovesLeftError = "", ""; o.Loss == (LossSettings{}) {
		o.Loss = loss
	}
	o.Loss.PolicyMask, o.Loss.MovesLeftError = mask, plies
	return o, nil
}

// optimizer is the state of a running optimizer: its arrays for each trained parameter, and
// its number of steps. Its methods panic with a failure.
//
// C++ computes the steps, see alamos_optimizer_new. SGD equals torch.optim.SGD with its
// defaults. Adam and AdamW equal those of torch.optim.
type optimizer struct {
	kind    string
	scope   // owns the arrays
	trained []*param
	names   []string       // names of the arrays in the state: names[i].<parameter>
	arrays  [][]*ts.Tensor // indexed by names and by trained parameters; all 0 at first
	steps   int64          // completed steps, including those before a resumption, and the running one

	native *C.alamos_optimizer
}

// stepsKey is the number of steps in the state, as two numbers: its part above the lowest 20
// bits, and these. A float32 is exact to 2^24.
const (
	stepsKey  = "steps"
	stepsUnit = 1 << 20
)

// start starts a complete optimizer with zero arrays.
// leaves are the trained parameters, for each shard of each micro-batch.
func (x *optimizer) start(o Optimizer, params *parameters, leaves []handles) {
	x.kind, x.names = o.Kind, []string{"adam.mean", "adam.square"}
	beta1, kind := o.Beta1, C.ALAMOS_ADAM
	switch o.Kind {
	case SGD:
		x.names, beta1, kind = []string{"sgd.momentum"}, o.Momentum, C.ALAMOS_SGD
	case AdamW:
		kind = C.ALAMOS_ADAMW
	}
	x.arrays = make([][]*ts.Tensor, len(x.names))
	moments := make([]handles, 2)
	var weights, halves handles
	var decays []bool
	for _, p := range params.all {
		if !p.trained {
			continue
		}
		x.trained = append(x.trained, p)
		for i := range x.names {
			a := x.keep(newStorage(p, params.gotch()))
			p.write(a, make([]float32, p.size()))
			x.arrays[i] = append(x.arrays[i], a)
			moments[i] = append(moments[i], a.Ctensor())
		}
		weights = append(weights, params.full[p].Ctensor())
		halves = append(halves, optional(params.half[p]))
		decays = append(decays, o.Decayed == DecayAll || len(p.shape) > 1 && !p.scales) // biases and norms have one dimension
	}
	must(message(C.alamos_optimizer_new(C.int(kind), flag(params.generic), C.int(len(leaves)), C.int(len(weights)),
		weights.first(), halves.first(), slices.Concat(leaves...).first(), moments[0].first(), moments[1].first(),
		bytesOf(marks(decays)), C.double(beta1), C.double(o.Beta2), C.double(o.Epsilon), C.double(o.WeightDecay),
		flag(o.Nesterov), C.double(o.GradientClip), &x.native)))
}

// step runs a shard's part of a step on the shard's thread. The first `shards` shards take
// part, and each reads all gradients. begin must run before the parts. The
// shards wait for each other at the barrier, which may be nil if the optimizer does not clip
// gradients. step returns the norm of the gradient before it is clipped, NaN if it is not
// measured.
func (x *optimizer) step(b barrier, shard, shards int, rate float64) float64 {
	var norm C.double
	must(message(C.alamos_optimizer_step(x.native, b, C.int(shard), C.int(shards), C.int64_t(x.steps), C.double(rate), &norm)))
	return float64(norm)
}

func (x *optimizer) begin() { x.steps++ }

func (x *optimizer) close() {
	C.alamos_optimizer_free(x.native)
	x.native = nil
	x.scope.close()
}

// each calls f for every array, with its name in the state.
func (x *optimizer) each(f func(name string, p *param, array *ts.Tensor)) {
	for i, name := range x.names {
		for k, p := range x.trained {
			f(name+"."+p.name, p, x.arrays[i][k])
		}
	}
}

func (x *optimizer) state() Tensors {
	t := Tensors{stepsKey: {[]int{2}, []float32{float32(x.steps / stepsUnit), float32(x.steps % stepsUnit)}}}
	x.each(func(name string, p *param, array *ts.Tensor) {
		data := make([]float32, len(p.data))
		p.read(data, array)
		t[name] = Tensor{slices.Clone(p.shape), data}
	})
	return t
}

func (x *optimizer) load(t Tensors) error {
	shapes := map[string][]int{stepsKey: {2}}
	x.each(func(name string, p *param, _ *ts.Tensor) { shapes[name] = p.shape })
	if err := t.match(shapes); err != nil {
		return err
	}
	high, low := t[stepsKey].Data[0], t[stepsKey].Data[1]
	if !(high >= 0 && high < 1<<40 && low >= 0 && low < stepsUnit) {
		return fmt.Errorf("tensor %s: %v and %v are not a number of steps", stepsKey, high, low)
	}
	x.steps = int64(high)*stepsUnit + int64(low)
	x.each(func(name string, p *param, array *ts.Tensor) { p.write(array, t[name].Data) })
	return nil
}
