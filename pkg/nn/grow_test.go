package nn

import (
	"math"
	"strings"
	"testing"

	"alamos/pkg/chess"
)

// A grown network answers as the small one did, and its copies of channels learn different
// things.
func TestGrow(t *testing.T) {
	base := Spec{Planes: 16, PolicySize: 100, Depth: 1, Width: 16, PolicyHead: PolicyConv, PolicyChannels: 4, Value: ValueWDL}
	with := func(change func(s *Spec)) Spec {
		s := base
		change(&s)
		return s
	}
	for name, test := range map[string]struct{ from, to Spec }{
		"same":    {base, base},
		"deeper":  {base, with(func(s *Spec) { s.Depth = 3 })},
		"wider":   {base, with(func(s *Spec) { s.Width = 40 })},
		"both":    {base, with(func(s *Spec) { s.Depth, s.Width = 2, 24 })},
		"heads":   {base, with(func(s *Spec) { s.MovesLeft, s.SoftPolicy, s.FutureBoard = true, true, 4 })},
		"smaller": {with(func(s *Spec) { s.MovesLeft = true }), with(func(s *Spec) { s.Width = 32 })},
		"preactivation, mish": {
			with(func(s *Spec) { s.Trunk, s.Activation = TrunkPreactivation, Mish }),
			with(func(s *Spec) { s.Trunk, s.Activation, s.Depth, s.Width = TrunkPreactivation, Mish, 3, 20 }),
		},
		"plain": {
			with(func(s *Spec) { s.Trunk, s.Depth = TrunkPlain, 3 }),
			with(func(s *Spec) { s.Trunk, s.Depth, s.Width = TrunkPlain, 3, 31 }),
		},
		"squeeze-excitation": {
			with(func(s *Spec) { s.Attention, s.AttentionReduction = AttentionSqueeze, 4 }),
			with(func(s *Spec) { s.Attention, s.AttentionReduction, s.Depth, s.Width = AttentionSqueeze, 4, 2, 28 }),
		},
		"cbam": {
			with(func(s *Spec) { s.Attention, s.AttentionReduction = AttentionCBAM, 4 }),
			with(func(s *Spec) { s.Attention, s.AttentionReduction, s.Depth, s.Width = AttentionCBAM, 4, 2, 32 }),
		},
		"flat value, convolution to 73": {
			with(func(s *Spec) {
				s.PolicyHead, s.PolicyChannels, s.ValueChannels, s.Value = PolicyConv73, 0, Flat, ValueWDL
			}),
			with(func(s *Spec) {
				s.PolicyHead, s.PolicyChannels, s.ValueChannels, s.Value, s.Width = PolicyConv73, 0, Flat, ValueWDL, 24
			}),
		},
		"means and maxima": {
			with(func(s *Spec) { s.ValueChannels, s.ValuePooling = Flat, true }),
			with(func(s *Spec) { s.ValueChannels, s.ValuePooling, s.Width = Flat, true, 24 }),
		},
		"means and maxima of a convolution, without hidden layers": {
			with(func(s *Spec) { s.ValueChannels, s.ValuePooling, s.ValueHidden = 8, true, []int{} }),
			with(func(s *Spec) { s.ValueChannels, s.ValuePooling, s.ValueHidden, s.Width = 8, true, []int{}, 24 }),
		},
		"means and maxima, without hidden layers": {
			with(func(s *Spec) { s.ValueChannels, s.ValuePooling, s.ValueHidden = Flat, true, []int{} }),
			with(func(s *Spec) { s.ValueChannels, s.ValuePooling, s.ValueHidden, s.Width = Flat, true, []int{}, 24 }),
		},
	} {
		t.Run(name, func(t *testing.T) {
			small, _ := trained(t, test.from)
			weights, err := small.State()
			if err != nil {
				t.Fatal(err)
			}
			grown, err := test.to.Grow(test.from, weights, 3)
			if err != nil {
				t.Fatal(err)
			}
			large := mustNew(t, test.to, 99)
			if err := large.Load(grown); err != nil {
				t.Fatal(err)
			}
			want, have := randomLeaves(3, small.spec, 20), randomLeaves(3, small.spec, 20)
			o := InferenceOptions{Batch: 16, Precision: FP32}
			if err := mustSession(t, mustModel(t, small, o)).Evaluate(want); err != nil {
				t.Fatal(err)
			}
			if err := mustSession(t, mustModel(t, large, o)).Evaluate(have); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if d := math.Abs(float64(want[i].Value - have[i].Value)); d > 1e-4 {
					t.Errorf("leaf %d: value %v, want %v", i, have[i].Value, want[i].Value)
				}
				for j := range want[i].Priors {
					if d := math.Abs(float64(want[i].Priors[j] - have[i].Priors[j])); d > 1e-4 {
						t.Errorf("leaf %d: prior %v, want %v", i, have[i].Priors[j], want[i].Priors[j])
					}
				}
			}

			// The first step makes copies of a channel differ, and opens new blocks.
			step(t, mustTrainer(t, large), randomBatch(5, test.to, 32), 0.05)
			after, err := large.State()
			if err != nil {
				t.Fatal(err)
			}
			for name, w := range after {
				rows := test.from.Width
				if !strings.HasSuffix(name, "conv1.weight") || !strings.HasPrefix(name, "trunk.") || w.Shape[0] == rows {
					continue
				}
				size := len(w.Data) / w.Shape[0]
				differs := false
				for i := range size {
					differs = differs || w.Data[i] != w.Data[rows*size+i]
				}
				if !differs {
					t.Errorf("%s: copies of channel 0 are equal after a step", name)
				}
			}
			if test.to.Depth > test.from.Depth {
				for name, w := range after {
					if full, err := test.to.Complete(); err == nil && full.closes(name) && allZero(w.Data) {
						t.Errorf("%s is still 0 after a step", name)
					}
				}
			}
		})
	}
}

// A sparse network may get more features and more king buckets.
func TestGrowSparse(t *testing.T) {
	from := sparseSpec(sparseCodec(t, chess.Atomic))
	from.MovesLeft = true
	small := trainedSparse(t, from, chess.Atomic)
	for name, change := range map[string]func(s *Spec){
		"value":   func(s *Spec) { s.Width = 160 },
		"policy":  func(s *Spec) { s.PolicyWidth = 96 },
		"buckets": func(s *Spec) { s.KingBuckets = 16 },
		"all":     func(s *Spec) { s.Width, s.PolicyWidth, s.KingBuckets, s.SoftPolicy = 96, 64, 8, true },
	} {
		to := from
		change(&to)
		grown, err := to.Grow(from, mustState(t, small), 3)
		if err != nil {
			t.Fatal(err)
		}
		large := mustNew(t, to, 99)
		if err := large.Load(grown); err != nil {
			t.Fatal(err)
		}
		on := TrainerOptions{Threads: 1}
		o := Optimizer{Loss: LossSettings{Policy: 1, Value: 1, MovesLeft: 1}}
		x := mustTrainerWith(t, large, o, on)
		b := gameBatch(t, 8, chess.Atomic, 300)
		want, _, err := mustTrainerWith(t, small, o, on).Measure(b)
		if err != nil {
			t.Fatal(err)
		}
		have, _, err := x.Measure(b)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(have.Total-want.Total) > 1e-4 || math.Abs(have.Policy-want.Policy) > 1e-4 {
			t.Errorf("%s: loss %+v, want %+v", name, have, want)
		}
		step(t, x, b, 0.05)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if err := small.trainer.Close(); err != nil {
			t.Fatal(err)
		}
		table := mustState(t, large)["features.weight"]
		columns, differs := table.Shape[1], false
		for i := 0; i < len(table.Data) && to.Width > from.Width; i += columns {
			differs = differs || table.Data[i] != table.Data[i+from.Width]
		}
		if differs != (to.Width > from.Width) {
			t.Errorf("%s: copies of feature 0 are equal after a step", name)
		}
	}
	to := from
	to.KingBuckets = 2
	if _, err := to.Grow(from, mustState(t, small), 1); err == nil || err.Error() != "network.king_buckets: the model has 4: want as many or more, have 2" {
		t.Errorf("fewer buckets: %v", err)
	}
}

func allZero(x []float32) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

func TestGrowErrors(t *testing.T) {
	base := Spec{Planes: 16, PolicySize: 100, Depth: 2, Width: 16, PolicyHead: PolicyConv, PolicyChannels: 4}
	weights, err := mustNew(t, base, 1).State()
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(s *Spec){
		"network.depth: the model has 2 blocks: want as many or more, have 1":                                                        func(s *Spec) { s.Depth = 1 },
		"network.width: the model has 16 channels: want as many or more, have 8":                                                     func(s *Spec) { s.Width = 8 },
		"network.input: the model has other input planes":                                                                            func(s *Spec) { s.Planes = 17 },
		"network.policy: the model has another encoding of moves":                                                                    func(s *Spec) { s.PolicySize = 101 },
		`network.value: the model has "tanh", the experiment "wdl": only depth, width and the heads that no search uses may differ`:  func(s *Spec) { s.Value = ValueWDL },
		`network.policy_channels: the model has 4, the experiment 5: only depth, width and the heads that no search uses may differ`: func(s *Spec) { s.PolicyChannels = 5 },
	} {
		s := base
		change(&s)
		if _, err := s.Grow(base, weights, 1); err == nil || err.Error() != want {
			t.Errorf("have %v\nwant %s", err, want)
		}
	}
	for want, change := range map[string]func(from, to *Spec){
		"network.depth: a plain trunk cannot get more blocks": func(from, to *Spec) { from.Trunk, to.Trunk, to.Depth = TrunkPlain, TrunkPlain, 3 },
		"network.depth: a residual trunk with mish cannot":    func(from, to *Spec) { from.Activation, to.Activation, to.Depth = Mish, Mish, 3 },
		"network.width: cbam compares means of all channels":  func(from, to *Spec) { from.Attention, to.Attention, to.Width = AttentionCBAM, AttentionCBAM, 24 },
	} {
		from, to := base, base
		change(&from, &to)
		if _, err := to.Grow(from, weights, 1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("have %v\nwant %s", err, want)
		}
	}
	delete(weights, "input.conv.weight")
	if _, err := base.Grow(base, weights, 1); err == nil || !strings.Contains(err.Error(), "input.conv.weight") {
		t.Errorf("damaged model: %v", err)
	}
}
