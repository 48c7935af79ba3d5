package nn

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// shapes are networks of every trunk with every activation and attention.
func shapes() []Spec {
	var all []Spec
	for _, trunk := range []string{TrunkResidual, TrunkPreactivation, TrunkPlain} {
		for _, act := range []string{ReLU, Mish} {
			for _, attention := range []string{AttentionNone, AttentionSqueeze, AttentionShift, AttentionCBAM} {
				s := Spec{
					Planes: 16, PolicySize: 100, Trunk: trunk, Depth: 2, Width: 24, Activation: act,
					Attention: attention, PolicyHead: PolicyConv, PolicyChannels: 5,
				}
				if attention != AttentionNone {
					s.AttentionReduction = 4
				}
				all = append(all, s)
			}
		}
	}
	return all
}

func (s Spec) shape() string { return fmt.Sprintf("%s %s %s", s.Trunk, s.Activation, s.Attention) }

// Every network learns; its evaluator, on oneDNN and on libtorch, does what its
// graph in training does, and answers for each position by itself.
func TestEveryShape(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.shape(), func(t *testing.T) {
			n := mustNew(t, s, 7)
			x := mustTrainer(t, n)
			testLearns(t, x, s, 25, 0.05)
			for _, precision := range precisions() {
				testAgreement(t, n, x, InferenceOptions{Batch: 16, Precision: precision})
				testIndependence(t, n, InferenceOptions{Batch: 16, Precision: precision})
			}
			testAgreement(t, n, x, InferenceOptions{Batch: 16, Precision: FP32, libtorch: true})
		})
	}
}

// testLearns trains on one batch until its losses are much lower.
func testLearns(t *testing.T, x *Trainer, s Spec, steps int, rate float64) {
	t.Helper()
	b := randomBatch(5, s, 32)
	first := step(t, x, b, rate)
	var last Loss
	for range steps {
		last = step(t, x, b, rate)
	}
	if last.Policy > first.Policy-0.1 || last.Value > first.Value/2 {
		t.Errorf("loss %+v at first, %+v at last", first, last)
	}
}

// noise is the same function as in testdata/trunks.py.
func noise(name string, n int) []float64 {
	h := fnv.New32a()
	h.Write([]byte(name))
	out := make([]float64, n)
	for i := range out {
		x := h.Sum32() + uint32(i)*2654435761
		x ^= x >> 15
		x *= 2246822519
		x ^= x >> 13
		out[i] = float64(x)/(1<<32) - 0.5
	}
	return out
}

// setNoise gives a network the parameters of testdata/trunks.py.
func setNoise(t *testing.T, n *Network) {
	t.Helper()
	state := mustState(t, n)
	for name, x := range state {
		size := len(x.Data)
		scale := 1.0
		if len(x.Shape) > 1 {
			scale = math.Sqrt(24 * float64(x.Shape[0]) / float64(size))
		}
		data := make([]float32, size)
		for i, v := range noise(name, size) {
			if len(x.Shape) == 1 && (strings.HasSuffix(name, ".weight") || strings.HasSuffix(name, ".running_var")) {
				v++
			}
			data[i] = float32(v * scale)
		}
		state[name] = Tensor{x.Shape, data}
	}
	if err := n.Load(state); err != nil {
		t.Fatal(err)
	}
}

// noisePlanes are the planes of testdata/trunks.py, so many.
func noisePlanes(n int) []uint64 {
	planes := make([]uint64, n)
	for i, v := range noise("planes", 64*n) {
		if v > 0.2 {
			planes[i/64] |= 1 << (i % 64)
		}
	}
	return planes
}

// Trunks give what the formulas of the papers give, computed with NumPy.
func TestTrunksAgainstNumPy(t *testing.T) {
	text, err := os.ReadFile("testdata/trunks.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Trunk, Activation, Attention string
		Maps                         []float64 // every seventh number
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != len(shapes()) {
		t.Errorf("%d references of %d shapes", len(cases), len(shapes()))
	}
	const positions = 2
	for _, c := range cases {
		s := Spec{Planes: 4, PolicySize: 2, Trunk: c.Trunk, Depth: 2, Width: 5, Activation: c.Activation, Attention: c.Attention, PolicyHead: PolicyConv}
		if s.Attention != AttentionNone {
			s.AttentionReduction = 2
		}
		t.Run(s.shape(), func(t *testing.T) {
			n := mustNew(t, s, 1)
			setNoise(t, n)
			planes := noisePlanes(positions * s.Planes)
			x := mustTrainer(t, n)
			err := each(x.shards[:1], nil, func(sh *shard) {
				g := &graph{place: onCPU, params: sh.views[0].params}
				defer g.close()
				maps := g.input(planes, n.spec.Constant)
				maps = g.forward(n.trunk, maps)
				for i, v := range ordered(g, maps) {
					if i%7 == 0 && math.Abs(float64(v)-c.Maps[i/7]) > 1e-5*(1+math.Abs(c.Maps[i/7])) {
						t.Errorf("number %d is %v, want %v", i, v, c.Maps[i/7])
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The gradients of all parameters are those that libtorch's own operations give.
func TestGradientsOfEveryShape(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.shape(), func(t *testing.T) {
			n := mustNew(t, s, 1)
			setNoise(t, n)
			x := mustTrainer(t, n)
			planes := randomBatch(3, s, 9).Planes
			side := func(library bool) map[string][]float32 {
				out := make(map[string][]float32)
				m := newBarrier(1)
				defer freeBarrier(m)
				err := each(x.shards[:1], m, func(sh *shard) {
					g := &graph{place: onCPU, params: sh.views[0].params, training: true, barrier: m, library: library}
					defer g.close()
					dropGradients(sh.views[0].leaves)
					recordGradients(true)
					defer recordGradients(false)
					maps := g.input(planes, n.spec.Constant)
					maps = g.forward(n.trunk, maps)
					weight := normal(g, rand.New(rand.NewPCG(1, 2)), 0, 9, s.Width, 8, 8)
					must(g.keep(g.keep(maps.Mul(weight, false)).Sum(gotch.Float, false)).Backward())
					for _, p := range n.params {
						if p.trained && !strings.HasPrefix(p.name, "policy") && !strings.HasPrefix(p.name, "value") {
							out[p.name] = ordered(g, g.keep(sh.views[0].params[p].Grad(false)))
						}
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			want, have := side(true), side(false)
			for name := range want {
				scale := 0.0
				for _, v := range want[name] {
					scale = math.Max(scale, math.Abs(float64(v)))
				}
				if s.Trunk == TrunkPreactivation && strings.HasSuffix(name, "linear3.bias") {
					scale = 10 // the norms that follow take it away: there is none but for rounding
				}
				if scale == 0 {
					t.Errorf("%s has no gradient", name)
				}
				compare(t, name, want[name], have[name], 1e-4*scale)
			}
		})
	}
}

// With dropout the masks depend on seed, step and position, not on the number of
// threads; so do gradients.
func TestDropout(t *testing.T) {
	s := shapes()[16] // plain
	s.Dropout = 0.25
	train := func(seed uint64, threads, steps int) Tensors {
		n := mustNew(t, s, 1)
		o := momentum
		o.Seed = seed
		x, err := NewTrainer(n, o, TrainerOptions{Threads: threads, Precision: FP32})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		for i := range steps {
			step(t, x, randomBatch(uint64(i), s, 8), 0.05)
		}
		return mustState(t, n)
	}
	numbers := func(x Tensor) []float32 {
		v := x.Data
		return v
	}
	want := train(1, 1, 3)
	for name, x := range train(1, 3, 3) {
		compare(t, "three threads: "+name, numbers(want[name]), numbers(x), 2e-4)
	}
	other := train(2, 1, 3)["trunk.0.conv.weight"]
	if slices.Equal(other.Data, want["trunk.0.conv.weight"].Data) {
		t.Error("another seed has the same masks")
	}

	d := newDropout("trunk.0", &s)
	mask := make([]float32, 40*1000)
	d.fill(mask, masks{seed: 1, step: 5, first: 3}, 40)
	dropped := 0
	for _, v := range mask {
		switch v {
		case 0:
			dropped++
		case float32(1 / 0.75):
		default:
			t.Fatalf("a mask of %v", v)
		}
	}
	if share := float64(dropped) / float64(len(mask)); math.Abs(share-0.25) > 0.01 {
		t.Errorf("the share %v is dropped, want 0.25", share)
	}
	part := make([]float32, 40)
	d.fill(part, masks{seed: 1, step: 5, first: 10}, 40)
	compare(t, "another part of the batch", mask[7*40:8*40], part, 0)
	for what, m := range map[string]masks{"step": {seed: 1, step: 6, first: 3}, "seed": {seed: 2, step: 5, first: 3}} {
		again := make([]float32, len(mask))
		d.fill(again, m, 40)
		same := 0
		for i := range mask {
			if mask[i] == again[i] {
				same++
			}
		}
		// Two independent masks agree in 0.75^2 + 0.25^2 of their numbers.
		if share := float64(same) / float64(len(mask)); math.Abs(share-0.625) > 0.01 {
			t.Errorf("another %s: the share %v is the same, want 0.625", what, share)
		}
	}
}

// Dropout leaves channels out in training only.
func TestDropoutIsForTraining(t *testing.T) {
	s := shapes()[16]
	s.Dropout = 0.5
	x := mustTrainer(t, mustNew(t, s, 1))
	err := each(x.shards[:1], nil, func(*shard) {
		d := newDropout("x", &s)
		for _, training := range []bool{false, true} {
			g := &graph{place: onCPU, training: training, params: map[*param]*ts.Tensor{}}
			maps := g.keep(zeros(g, 3, 8, 8, 8).AddScalar(g.scalar(1), false))
			zeros := 0
			for i, v := range ordered(g, d.forward(g, maps)) {
				if v == 0 {
					zeros++
				}
				if v != 1 && !training || v != 0 && v != 2 && training {
					t.Errorf("number %d is %v, training %v", i, v, training)
				}
			}
			if training && (zeros == 0 || zeros%Squares != 0) {
				t.Errorf("%d zeros: want whole channels", zeros)
			}
			g.close()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
