package nn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

var onCPU = place{device: CPU}

func zeros(g *graph, shape ...int) *ts.Tensor {
	return g.fill(func(x []float32) { clear(x) }, shape...)
}

// onShard runs f with a graph of a trainer's only shard that records a backward
// pass.
func onShard(t *testing.T, f func(g *graph)) {
	t.Helper()
	x := mustTrainer(t, mustNew(t, tiny(), 1))
	m := newBarrier(1)
	defer freeBarrier(m)
	err := each(x.shards[:1], nil, func(s *shard) {
		g := &graph{place: onCPU, params: map[*param]*ts.Tensor{}, training: true, barrier: m}
		defer g.close()
		recordGradients(true)
		defer recordGradients(false)
		f(g)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// normal is a tensor of random numbers, with gradient.
func normal(g *graph, rng *rand.Rand, mean float64, shape ...int) *ts.Tensor {
	x := zeros(g, shape...)
	for i := range floats(x) {
		floats(x)[i] = float32(mean + rng.NormFloat64())
	}
	return g.keep(x.SetRequiresGrad(true, false))
}

// ordered is the numbers of a tensor in the order of its shape.
func ordered(g *graph, x *ts.Tensor) []float32 {
	return append([]float32(nil), floats(g.keep(x.Contiguous(false)))...)
}

func compare(t *testing.T, what string, want, have []float32, tolerance float64) {
	t.Helper()
	worst := 0.0
	for i := range want {
		worst = math.Max(worst, math.Abs(float64(want[i]-have[i])))
	}
	if len(want) != len(have) || !(worst <= tolerance) {
		t.Errorf("%s: %d and %d numbers, %v apart", what, len(want), len(have), worst)
	}
}

var activations = map[string]activation{"identity": identity, ReLU: relu, Mish: mish}

// Our norm, with the addition and the activation in it, is libtorch's batch norm
// followed by these, and so are its gradients and running statistics.
func TestNormIsBatchNorm(t *testing.T) {
	for name, act := range activations {
		for _, adds := range []bool{false, true} {
			for _, channels := range []int{1, 3, 32} {
				t.Run(fmt.Sprintf("%s, %d channels, adds %v", name, channels, adds), func(t *testing.T) {
					testNorm(t, act, channels, adds)
				})
			}
		}
	}
}

func testNorm(t *testing.T, act activation, channels int, adds bool) {
	onShard(t, func(g *graph) {
		// Each side makes the same numbers.
		side := func(ours bool) map[string][]float32 {
			rng := rand.New(rand.NewPCG(1, 2))
			l := newNorm(&declaration{}, "n", channels)
			x := normal(g, rng, 3, 7, channels, 8, 8)
			add := normal(g, rng, 0, 7, channels, 8, 8)
			weight := normal(g, rng, 0, 7, channels, 8, 8) // of y in the loss
			for _, p := range []*param{l.gamma, l.beta} {
				g.params[p] = normal(g, rng, 1, channels)
			}
			for _, p := range []*param{l.mean, l.variance} {
				g.params[p] = zeros(g, channels)
				for i := range channels {
					floats(g.params[p])[i] = 1 + rng.Float32()
				}
			}
			plus := add
			if !adds {
				plus = nil
			}
			g.library = !ours
			y := g.norm(l, x, plus, act)
			must(g.keep(g.keep(y.Mul(weight, false)).Sum(gotch.Float, false)).Backward())
			out := map[string][]float32{"y": ordered(g, y), "running mean": ordered(g, g.params[l.mean]), "running variance": ordered(g, g.params[l.variance])}
			for name, v := range map[string]*ts.Tensor{"dx": x, "dgamma": g.params[l.gamma], "dbeta": g.params[l.beta], "dadd": add} {
				if name != "dadd" || adds {
					out[name] = ordered(g, g.keep(v.Grad(false)))
				}
			}
			return out
		}
		want, have := side(false), side(true)
		for name := range want {
			scale := 0.0
			for _, v := range want[name] {
				scale = math.Max(scale, math.Abs(float64(v)))
			}
			compare(t, name, want[name], have[name], 1e-5*scale)
		}
	})
}

// Our addition with the activation is libtorch's, and so is its gradient: also far
// from zero, where e^x is as large or small as it gets.
func TestAddIsLibrarys(t *testing.T) {
	for name, act := range activations {
		t.Run(name, func(t *testing.T) {
			onShard(t, func(g *graph) {
				side := func(ours bool) map[string][]float32 {
					rng := rand.New(rand.NewPCG(1, 2))
					x, y := normal(g, rng, 0, 2, 5, 8, 8), normal(g, rng, 0, 2, 5, 8, 8)
					recordGradients(false)
					for i := range floats(x) {
						floats(x)[i] *= float32(math.Pow(10, float64(i%5)-2))
					}
					recordGradients(true)
					weight := normal(g, rng, 0, 2, 5, 8, 8)
					g.library = !ours
					z := g.add(x, y, act)
					must(g.keep(g.keep(z.Mul(weight, false)).Sum(gotch.Float, false)).Backward())
					return map[string][]float32{"z": ordered(g, z), "dx": ordered(g, g.keep(x.Grad(false))), "dy": ordered(g, g.keep(y.Grad(false)))}
				}
				want, have := side(false), side(true)
				for name := range want {
					compare(t, name, want[name], have[name], 2e-5)
				}
			})
		})
	}
}

// The loss and its gradient are those of the cross entropy to the targets written into a
// row of all moves, in which the mask removes the illegal ones. Our operation and that for
// devices agree.
func TestPolicyLossIsCrossEntropy(t *testing.T) {
	s := tiny()
	b := randomBatch(3, s, 6)
	b.Indices, b.Policy = append(b.Indices, -1), append(b.Policy, 0) // a move that the policy cannot express
	b.Offsets[6]++
	for _, legal := range []bool{false, true} {
		for _, generic := range []bool{false, true} {
			t.Run(fmt.Sprintf("legal %t generic %t", legal, generic), func(t *testing.T) {
				onShard(t, func(g *graph) {
					g.generic = generic
					logits := normal(g, rand.New(rand.NewPCG(1, 0)), 0, b.N, s.PolicySize)
					target, mask := zeros(g, b.N, s.PolicySize), zeros(g, b.N, s.PolicySize)
					if legal {
						value(-1e30)(floats(mask), nil)
					}
					for i := range b.N {
						for j := b.Offsets[i]; j < b.Offsets[i+1]; j++ {
							if b.Indices[j] >= 0 {
								at := i*s.PolicySize + int(b.Indices[j])
								floats(target)[at] += b.Policy[j]
								floats(mask)[at] = 0
							}
						}
					}
					masked := g.keep(logits.Add(mask, false))
					dense := g.keep(g.keep(target.Mul(g.keep(masked.LogSoftmax(1, gotch.Float, false)), false)).Sum(gotch.Float, false))
					want := g.keep(dense.MulScalar(g.scalar(-2.0/3), false))
					must(want.Backward())
					gradient := ordered(g, g.keep(logits.Grad(false)))
					dropGradients(handles{logits.Ctensor()})

					// A factor behind the loss reaches its gradient.
					have := g.keep(g.policyLoss(logits, &b.Moves, legal, 1.0/3).MulScalar(g.scalar(2), false))
					must(have.Backward())
					compare(t, "loss", floats(want), floats(have), 1e-5)
					compare(t, "gradient", gradient, ordered(g, g.keep(logits.Grad(false))), 1e-6)
				})
			})
		}
	}
}

// In how many shards a batch is trained changes the last bits only; the same
// number gives the same bits. A batch may have fewer positions than shards.
func TestShardsAgree(t *testing.T) {
	s := tiny()
	train := func(threads int) (Tensors, Loss) {
		n := mustNew(t, s, 1)
		x := mustTrainerOn(t, n, threads)
		var last Loss
		for i, size := range []int{17, 2, 32} {
			last = step(t, x, randomBatch(uint64(i), s, size), 0.05)
		}
		held, _, err := x.Measure(randomBatch(9, s, 11))
		if err != nil {
			t.Fatal(err)
		}
		last.Value += held.Total
		return mustState(t, n), last
	}
	want, loss := train(1)
	for _, threads := range []int{2, 3, 5} {
		have, l := train(threads)
		again, _ := train(threads)
		if math.Abs(l.Total-loss.Total) > 1e-4 || math.Abs(l.Value-loss.Value) > 1e-4 {
			t.Errorf("%d shards: loss %+v, one has %+v", threads, l, loss)
		}
		for name := range want {
			if !slices.Equal(have[name].Data, again[name].Data) {
				t.Errorf("%d shards: %s differs from run to run", threads, name)
			}
			compare(t, fmt.Sprintf("%d shards: %s", threads, name), want[name].Data, have[name].Data, 2e-4)
		}
	}
}

// A shard that fails lets no other wait for it, and the next step works.
func TestShardFails(t *testing.T) {
	s := tiny()
	x := mustTrainerOn(t, mustNew(t, s, 1), 3)
	b := randomBatch(1, s, 9)
	p := x.passes(b, true, normMomentum)[0]
	err := p.each(func(s *shard, part *part) {
		if s.index == 1 {
			panic(failure{errors.New("out of luck")})
		}
		p.t.net.forwardMaps(part.graph, part.input(p.positions(s).Planes, x.net.spec.Constant))
	})
	p.close()
	if err == nil || !strings.Contains(err.Error(), "out of luck") {
		t.Errorf("error %v", err)
	}
	step(t, x, b, 0.01)
}

// A weight goes to libtorch's memory and back, and is there what it is here.
func TestStorage(t *testing.T) {
	onShard(t, func(g *graph) {
		p := (&declaration{seed: 1}).add("w", true, uniform(1, 1), 4, 3, 3, 3)
		x := g.keep(newStorage(p, gotch.CPU))
		p.write(x, p.data)
		compare(t, "in libtorch", p.data, ordered(g, x), 0)
		back := make([]float32, len(p.data))
		p.read(back, x)
		compare(t, "back", p.data, back, 0)
	})
}
