package nn

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"alamos/pkg/encode"
)

// auxiliaries returns a small spec with all auxiliary heads.
func auxiliaries() Spec {
	s := tiny()
	s.OpponentPolicy, s.SoftPolicy, s.FutureBoard = true, true, 4
	return s
}

// Each auxiliary head learns a small set, in every precision, and with the operations for
// devices.
func TestAuxiliaryHeadsLearn(t *testing.T) {
	s := auxiliaries()
	options := []TrainerOptions{{Threads: 1, Precision: FP32, generic: true}}
	for _, precision := range precisions() {
		options = append(options, TrainerOptions{Threads: 2, Precision: precision})
	}
	for _, on := range options {
		t.Run(fmt.Sprintf("%s generic %t", on.Precision, on.generic), func(t *testing.T) {
			x := mustTrainerWith(t, mustNew(t, s, 7), Optimizer{Kind: Adam}, on)
			b := randomBatch(5, s, 32)
			first := step(t, x, b, 0.003)
			var last Loss
			for range 40 {
				last = step(t, x, b, 0.003)
			}
			if last.OpponentPolicy > 0.9*first.OpponentPolicy || last.SoftPolicy > first.SoftPolicy-0.01 || last.FutureBoard > 0.5*first.FutureBoard {
				t.Errorf("loss %+v at first, %+v at last", first, last)
			}
		})
	}
}

// The losses are those of their definitions, and unknown targets have none.
func TestAuxiliaryLosses(t *testing.T) {
	s := auxiliaries()
	n := mustNew(t, s, 1)
	setNoise(t, n)
	x := mustTrainerWith(t, n, Optimizer{Kind: SGD, Loss: LossSettings{Value: 2, OpponentPolicy: 3, SoftPolicy: 5, FutureBoard: 7}}, TrainerOptions{Threads: 1, Precision: FP32})
	known := encode.Sample{
		Planes: noisePlanes(s.Planes), Indices: []int32{3, 17, 30}, Policy: []float32{0.81, 0.19, 0}, Value: 1,
		Reply: 11, Future: []uint64{1 << 5, 1 << 60, 0, 1<<5 | 1<<60},
	}
	unknown := known
	unknown.Reply, unknown.Future = -1, nil
	next := encode.Sample{Indices: []int32{4, 5}, Policy: []float32{0.25, 0.75}}

	var outputs struct{ opponent, soft, future []float32 }
	err := each(x.shards[:1], nil, func(shard *shard) {
		g := &graph{place: onCPU, params: shard.views[0].params}
		defer g.close()
		o := n.forwardMaps(g, g.input(known.Planes, n.spec.Constant))
		outputs.opponent, outputs.soft = append(outputs.opponent, floats(o.opponent)...), append(outputs.soft, floats(o.soft)...)
		outputs.future = append(outputs.future, floats(o.future)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	every := make([]int32, s.PolicySize)
	for i := range every {
		every[i] = int32(i)
	}
	opponent := softmaxOf(outputs.opponent, every)
	soft := softmaxOf(outputs.soft, known.Indices)
	future := 0.0
	for square := range Squares {
		var logits []float32
		for class := range encode.SquareClasses {
			logits = append(logits, outputs.future[class*Squares+square])
		}
		class := map[int]int{5: 9, 60: 10}[square]
		future -= math.Log(softmaxOf(logits, every[:encode.SquareClasses])[class]) / Squares
	}
	roots := []float64{math.Pow(0.81, 0.25), math.Pow(0.19, 0.25)}
	softLoss := -(roots[0]*math.Log(soft[0]) + roots[1]*math.Log(soft[1])) / (roots[0] + roots[1])
	played := -math.Log(opponent[11])
	searched := -0.25*math.Log(opponent[4]) - 0.75*math.Log(opponent[5])

	for name, c := range map[string]struct {
		samples []encode.Sample
		reply   bool
		want    Loss
	}{
		"the move that was played": {[]encode.Sample{known}, false, Loss{OpponentPolicy: played, SoftPolicy: softLoss, FutureBoard: future}},
		"the search's policy":      {[]encode.Sample{known}, true, Loss{OpponentPolicy: searched, SoftPolicy: softLoss, FutureBoard: future}},
		"unknown":                  {[]encode.Sample{unknown, known}, false, Loss{OpponentPolicy: played / 2, SoftPolicy: softLoss, FutureBoard: future / 2}},
	} {
		var b Batch
		for _, sample := range c.samples {
			b.Add(&sample)
		}
		if c.reply {
			b.Reply(&next)
		}
		have, _, err := x.Measure(&b)
		if err != nil {
			t.Fatal(err)
		}
		c.want.Total = 2*have.Value + 3*c.want.OpponentPolicy + 5*c.want.SoftPolicy + 7*c.want.FutureBoard
		for i, want := range c.want.terms() {
			if i == 1 || i == 2 { // policy and value, whose losses other tests check
				continue
			}
			if v := *have.terms()[i]; math.Abs(v-*want) > 1e-5*(1+math.Abs(*want)) {
				t.Errorf("%s: term %d is %v, want %v", name, i, v, *want)
			}
		}
	}

	var b Batch
	bad := known
	bad.Reply = 40
	b.Add(&bad)
	if _, _, err := x.Measure(&b); err == nil || !strings.Contains(err.Error(), "replies: batch: sample 0: policy index 40 is out of the range 0 to 39") {
		t.Errorf("error %v", err)
	}
}

// Inference has no part of the auxiliary heads: its answers are those of the network without
// them, to the bit, and a device does not get their parameters.
func TestInferenceWithoutAuxiliaryHeads(t *testing.T) {
	plain, all := mustNew(t, tiny(), 3), mustNew(t, auxiliaries(), 3)
	for _, o := range []InferenceOptions{{Batch: 8, Precision: FP32}, {Batch: 8, Precision: FP32, generic: true}} {
		want, have := randomLeaves(1, tiny(), 8), randomLeaves(1, tiny(), 8)
		for i, n := range []*Network{plain, all} {
			if err := mustSession(t, mustModel(t, n, o)).Evaluate([][]*encode.Leaf{want, have}[i]); err != nil {
				t.Fatal(err)
			}
		}
		for i := range want {
			if answer(want[i]) != answer(have[i]) {
				t.Errorf("leaf %d: %s, want %s", i, answer(have[i]), answer(want[i]))
			}
		}
	}
	f := all.freeze(false, onCPU)
	defer f.close()
	if len(f.params) != len(plain.params) {
		t.Errorf("%d parameters on a device, want %d", len(f.params), len(plain.params))
	}
}

// Files of the network and the optimizer hold the auxiliary heads: training goes on from
// them bit for bit.
func TestResumeAuxiliaryHeads(t *testing.T) {
	for _, precision := range precisions() {
		testResume(t, auxiliaries(), momentum, TrainerOptions{Threads: 2, Precision: precision})
	}
}

func TestLayersOfAuxiliaryHeads(t *testing.T) {
	layers, err := auxiliaries().Layers()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range layers[len(layers)-9:] {
		names = append(names, fmt.Sprint(l.Name, l.Output))
	}
	want := "opponent_policy.conv[4 8 8] opponent_policy.norm[4 8 8] opponent_policy.linear[40] soft_policy.conv[4 8 8] soft_policy.norm[4 8 8] soft_policy.linear[40] future_board.conv1[16 8 8] future_board.norm1[16 8 8] future_board.conv2[13 8 8]"
	if have := strings.Join(names, " "); have != want {
		t.Errorf("layers %s\nwant   %s", have, want)
	}
}
