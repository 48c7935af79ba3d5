package nn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sugarme/gotch/ts"
)

// What is measured is the backward pass of the whole network: every parameter gets
// the same gradient from our operations and from libtorch's, on one thread, where
// both have the statistics of the same positions.
func TestBareGradients(t *testing.T) {
	s := tiny()
	for _, head := range []string{PolicyConv73, PolicyConv, PolicyAlphaZero, PolicyAttention} {
		s.PolicyHead, s.PolicyChannels = head, 0
		if head == PolicyAlphaZero || head == PolicyAttention {
			s.PolicyMap, s.PolicySize, s.ValuePooling = "uci2206-mover", 2206, true
		}
		gradients := func(o BarePassOptions) map[string][]float32 {
			o.TrainerOptions = TrainerOptions{Threads: 1, Precision: FP32}
			x := mustBare(t, s, 9, o)
			out := make(map[string][]float32)
			for range 2 { // the second pass does not add to the first
				if err := x.Run(); err != nil {
					t.Fatal(err)
				}
			}
			err := each(x.trainer.shards, nil, func(s *shard) {
				var g graph
				defer g.close()
				for _, p := range x.trainer.net.params {
					if p.trained {
						out[p.name] = ordered(&g, g.keep(s.views[0].params[p].Grad(false)))
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		want := gradients(BarePassOptions{})
		for what, o := range map[string]BarePassOptions{"ours": {Fused: true}, "whole": {Whole: true}} {
			have := gradients(o)
			for name := range want {
				scale := 0.0
				for _, v := range want[name] {
					scale = max(scale, float64(v), float64(-v))
				}
				if scale == 0 {
					t.Errorf("%s: no gradient", name)
				}
				compare(t, what+": "+name, want[name], have[name], 1e-4*scale)
			}
		}
	}
}

// Every way to pass works in every precision with more threads than one, leaves the
// parameters as they were and nothing in memory.
func TestBareLeavesNothing(t *testing.T) {
	for _, precision := range precisions() {
		for _, o := range []BarePassOptions{{}, {Fused: true}, {Whole: true}} {
			o.TrainerOptions = TrainerOptions{Threads: 2, Precision: precision}
			t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
				handles, mine := len(ts.ExistingTensors), liveTensors.Load()
				x := mustBare(t, tiny(), 9, o)
				var held int64
				for i := range 3 {
					if err := x.Run(); err != nil {
						t.Fatal(err)
					}
					if now := liveTensors.Load(); i > 0 && now != held {
						t.Errorf("a pass left %d tensors", now-held)
					} else {
						held = now
					}
				}
				var g graph
				for _, p := range x.trainer.net.params {
					compare(t, p.name, p.data, ordered(&g, x.trainer.params.full[p]), 0)
				}
				g.close()
				checkRounded(t, x.trainer.params)
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
				if now := len(ts.ExistingTensors); now != handles || liveTensors.Load() != mine {
					t.Errorf("closed, it left %d gotch tensors, %d of ours", now-handles, liveTensors.Load()-mine)
				}
				if err := x.Run(); err == nil || !strings.Contains(err.Error(), "closed") {
					t.Errorf("closed, error %v", err)
				}
			})
		}
	}
}

func TestBareErrors(t *testing.T) {
	s := tiny()
	b := randomBatch(1, s, 3)
	bad := s
	bad.Planes = 0
	for want, f := range map[string]func() (*BarePass, error){
		"for shards": func() (*BarePass, error) { return NewBarePass(s, b, BarePassOptions{Fused: true, Whole: true}) },
		"fp8": func() (*BarePass, error) {
			return NewBarePass(s, b, BarePassOptions{TrainerOptions: TrainerOptions{Precision: "fp8"}})
		},
		"planes":     func() (*BarePass, error) { return NewBarePass(bad, b, BarePassOptions{}) },
		"no samples": func() (*BarePass, error) { return NewBarePass(s, new(Batch), BarePassOptions{}) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
}

func mustBare(t *testing.T, s Spec, n int, o BarePassOptions) *BarePass {
	t.Helper()
	x, err := NewBarePass(s, randomBatch(1, s, n), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}
