package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// Adam and AdamW take the steps that NumPy takes by their papers' formulas, see
// testdata/adam.py: on one shard, and on two that have parts of the gradient.
func TestAdamMatchesNumPy(t *testing.T) {
	text, err := os.ReadFile("testdata/adam.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref struct {
		Settings    struct{ Rate, Beta1, Beta2, Epsilon, Decay float64 }
		Start       []float32
		Gradients   [][]float32
		Adam, AdamW []float64
	}
	if err := json.Unmarshal(text, &ref); err != nil {
		t.Fatal(err)
	}
	set := ref.Settings
	for kind, want := range map[string][]float64{Adam: ref.Adam, AdamW: ref.AdamW} {
		for _, shards := range []int{1, 2} {
			o := Optimizer{Kind: kind, Beta1: set.Beta1, Beta2: set.Beta2, Epsilon: set.Epsilon, WeightDecay: set.Decay, Decayed: DecayAll}
			have := descend(t, o, ref.Start, ref.Gradients, shards, set.Rate)
			for i := range want {
				if d := math.Abs(float64(have[i]) - want[i]); !(d < 1e-6) {
					t.Fatalf("%s, %d shards: weight %d is %v, want %v", kind, shards, i, have[i], want[i])
				}
			}
		}
	}
}

// descend steps weights along gradients, which all shards have an equal part of.
func descend(t *testing.T, o Optimizer, start []float32, gradient [][]float32, shards int, rate float64) []float32 {
	t.Helper()
	o, err := o.Complete()
	if err != nil {
		t.Fatal(err)
	}
	x := mustTrainer(t, mustNew(t, tiny(), 1)) // for its thread
	var have []float32
	err = each(x.shards, nil, func(*shard) {
		p := &param{name: "w", shape: []int{len(start)}, data: start, trained: true}
		var weights parameters
		defer weights.close()
		weights.start(&Network{params: []*param{p}}, false, onCPU)
		var all shard
		defer all.close()
		all.start(&weights, shards, false)
		var leaves []handles
		for _, view := range all.views {
			leaves = append(leaves, view.leaves)
		}
		var opt optimizer
		defer opt.close()
		opt.start(o, &weights, leaves)
		for _, g := range gradient {
			var s scope
			for _, view := range all.views {
				dropGradients(view.leaves)
				slope := s.keep(ts.Empty([]int64{int64(len(g))}, gotch.Float, gotch.CPU))
				for i := range g {
					floats(slope)[i] = g[i] / float32(shards)
				}
				recordGradients(true)
				must(s.keep(s.keep(view.params[p].Mul(slope, false)).Sum(gotch.Float, false)).Backward())
				recordGradients(false)
			}
			s.close()
			opt.begin()
			for i := range all.views {
				opt.step(nil, i, shards, rate)
			}
		}
		have = append(have, floats(weights.full[p])...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return have
}

// What one kind of optimizer saved is not taken by another, and a state without
// its count of steps by none.
func TestOptimizerState(t *testing.T) {
	s := tiny()
	states := map[string]Tensors{}
	for _, kind := range []string{SGD, Adam, AdamW} {
		x, err := NewTrainer(mustNew(t, s, 1), Optimizer{Kind: kind}, TrainerOptions{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		step(t, x, randomBatch(1, s, 8), 0.01)
		if states[kind], err = x.State(); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(x.Load(states[kind]), x.Close()); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	x, err := NewTrainer(mustNew(t, s, 1), Optimizer{Kind: Adam}, TrainerOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Load(states[SGD]); err == nil || !strings.Contains(err.Error(), "there is no tensor adam.") {
		t.Errorf("adam loaded the state of sgd: %v", err)
	}
	delete(states[Adam], stepsKey)
	if err := x.Load(states[Adam]); err == nil || !strings.Contains(err.Error(), stepsKey) {
		t.Errorf("a state without steps: %v", err)
	}
	states[AdamW][stepsKey] = Tensor{[]int{2}, []float32{0, -1}}
	if err := x.Load(states[AdamW]); err == nil || !strings.Contains(err.Error(), "0 and -1 are not a number of steps") {
		t.Errorf("a state of -1 steps: %v", err)
	}
}

// A weight out of range is named, with its number.
func TestLossWeightOutOfRange(t *testing.T) {
	_, err := Optimizer{Loss: LossSettings{Policy: 1, Value: 1e30, MovesLeft: 1}}.Complete()
	if want := "training.loss.value: want a number of at least 0 and below 1000000, have 1e+30"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// moved returns how far a step of rate 1 moves each trained parameter, by name.
func moved(t *testing.T, s Spec, o Optimizer, on TrainerOptions) Tensors {
	t.Helper()
	n := mustNew(t, s, 1)
	x := mustTrainerWith(t, n, o, on)
	before := mustState(t, n)
	step(t, x, randomBatch(1, s, 8), 1)
	moved := Tensors{}
	for name, after := range mustState(t, n) {
		if strings.Contains(name, "running") {
			continue
		}
		for i := range after.Data {
			after.Data[i] = before[name].Data[i] - after.Data[i]
		}
		moved[name] = after
	}
	return moved
}

var everyPath = map[string]TrainerOptions{
	"one shard":    {Threads: 1, Precision: FP32},
	"three shards": {Threads: 3, Precision: FP32},
	"for devices":  {Precision: FP32, generic: true},
}

// A gradient that is longer than the limit is shortened to it; a shorter one is as it was.
func TestGradientClip(t *testing.T) {
	for name, on := range everyPath {
		t.Run(name, func(t *testing.T) {
			free, squares := moved(t, tiny(), Optimizer{}, on), 0.0
			for _, x := range free {
				for _, v := range x.Data {
					squares += float64(v) * float64(v)
				}
			}
			norm := math.Sqrt(squares)
			for _, clip := range []float64{0, 2 * norm, norm / 2} {
				x := mustTrainerWith(t, mustNew(t, tiny(), 1), Optimizer{GradientClip: clip}, on)
				if have, _ := x.GradientNorm(); !math.IsNaN(have) {
					t.Errorf("the norm is %v before the first step", have)
				}
				step(t, x, randomBatch(1, tiny(), 8), 1)
				if have, clipped := x.GradientNorm(); math.Abs(have-norm) > 1e-5*norm || clipped != (clip == norm/2) {
					t.Errorf("limit %v: the norm is %v, clipped: %v; the step was as long as %v", clip, have, clipped, norm)
				}
			}
			half := moved(t, tiny(), Optimizer{GradientClip: norm / 2}, on)
			for name, x := range moved(t, tiny(), Optimizer{GradientClip: 2 * norm}, on) {
				compare(t, name+" below the limit", free[name].Data, x.Data, 0)
				for i := range x.Data {
					x.Data[i] /= 2
				}
				compare(t, name+" above the limit", x.Data, half[name].Data, 1e-5*norm)
			}
		})
	}
}

// Weight decay shrinks the weights of convolutions and dense layers, and all other
// parameters only if it shall.
func TestDecayed(t *testing.T) {
	start := mustState(t, mustNew(t, tiny(), 1))
	for name, on := range everyPath {
		for _, o := range []Optimizer{{Kind: SGD, Decayed: DecayWeights}, {Kind: SGD, Decayed: DecayAll}, {Kind: AdamW, Decayed: DecayWeights}, {Kind: AdamW, Decayed: DecayAll}} {
			decayed := o.Decayed
			t.Run(name+" "+o.Kind+" "+decayed, func(t *testing.T) {
				free := moved(t, tiny(), o, on)
				others := 0.0
				o.WeightDecay = 0.5
				for name, x := range moved(t, tiny(), o, on) {
					want := make([]float32, len(x.Data))
					for i := range want {
						want[i] = free[name].Data[i]
						if decayed == DecayAll || len(x.Shape) > 1 {
							want[i] += 0.5 * start[name].Data[i]
						} else {
							others += math.Abs(float64(start[name].Data[i]))
						}
					}
					compare(t, name, want, x.Data, 1e-5)
				}
				if decayed == DecayWeights && others == 0 {
					t.Error("all biases and norms are 0: nothing was tested")
				}
			})
		}
	}
}

// The scales and shifts of a gating do not decay, though they are two-dimensional.
func TestGatesDoNotDecay(t *testing.T) {
	s, on := transformers()[1], TrainerOptions{Threads: 1, Precision: FP32}
	free, gates := moved(t, s, Optimizer{Kind: AdamW}, on), 0
	for name, x := range moved(t, s, Optimizer{Kind: AdamW, WeightDecay: 0.5}, on) {
		if strings.Contains(name, "gates") {
			gates++
			compare(t, name, free[name].Data, x.Data, 1e-6)
		}
	}
	if gates != 2 {
		t.Errorf("%d tensors of gates, want 2", gates)
	}
}

// The operations for devices take the same steps as ours.
func TestOptimizersAgree(t *testing.T) {
	for _, o := range []Optimizer{
		{Momentum: 0.9, Nesterov: true, WeightDecay: 1e-2, GradientClip: 0.5},
		{Kind: Adam, WeightDecay: 1e-2, GradientClip: 0.5},
		{Kind: AdamW, WeightDecay: 1e-2},
	} {
		states := map[string]Tensors{}
		for name, on := range everyPath {
			s := tiny()
			n := mustNew(t, s, 1)
			x := mustTrainerWith(t, n, o, on)
			for i := range 3 {
				step(t, x, randomBatch(uint64(i), s, 8), 1e-3)
			}
			states[name] = mustState(t, n)
		}
		for _, name := range []string{"three shards", "for devices"} {
			for p, want := range states["one shard"] {
				compare(t, fmt.Sprintf("%s: %s of %+v", name, p, o), want.Data, states[name][p].Data, 1e-4)
			}
		}
	}
}
