package nn

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"alamos/pkg/encode"
)

// headed are networks of every policy, value and dense layers, half of them with
// a head of the moves left.
func headed() []Spec {
	var all []Spec
	policies := []Spec{
		{PolicyHead: PolicyConv73, PolicySize: 50}, {PolicyHead: PolicyConv, PolicySize: 50, PolicyChannels: 3},
		{PolicyHead: PolicyAlphaZero, PolicySize: 4672}, {PolicyHead: PolicyNone},
	}
	for _, value := range []string{ValueTanh, ValueLinear, ValueWDL} {
		for _, channels := range []int{1, 5, Flat} {
			for _, hidden := range [][]int{{}, {256}, {70, 9}} {
				s := policies[len(all)%len(policies)]
				s.Planes, s.Depth, s.Width = 6, 1, 20
				s.Value, s.ValueChannels, s.ValueHidden, s.MovesLeft = value, channels, hidden, len(all)/2%2 == 0
				all = append(all, s)
			}
		}
	}
	return all
}

func (s Spec) headsName() string {
	return fmt.Sprintf("%s %s %d %v %v", s.PolicyHead, s.Value, s.ValueChannels, s.ValueHidden, s.MovesLeft)
}

// Every head learns; the evaluator's does what that of the training graph does,
// and answers for each position by itself.
func TestEveryHead(t *testing.T) {
	for _, s := range headed() {
		t.Run(s.headsName(), func(t *testing.T) {
			n := mustNew(t, s, 7)
			x := mustTrainerWith(t, n, Optimizer{Kind: Adam}, TrainerOptions{Threads: 1, Precision: FP32})
			b := randomBatch(5, s, 32)
			first := step(t, x, b, 0.003)
			var last Loss
			for range 25 {
				last = step(t, x, b, 0.003)
			}
			if s.PolicySize > 0 != (last.Policy < first.Policy-0.05) || last.Value > 0.9*first.Value || s.MovesLeft != (last.MovesLeft < 0.9*first.MovesLeft) {
				t.Errorf("loss %+v at first, %+v at last", first, last)
			}
			for _, precision := range precisions() {
				testAgreement(t, n, x, InferenceOptions{Batch: 16, Precision: precision})
				testIndependence(t, n, InferenceOptions{Batch: 16, Precision: precision})
			}
		})
	}
}

// Outputs and losses of heads are those of their definitions, computed with NumPy.
func TestHeadsAgainstNumPy(t *testing.T) {
	text, err := os.ReadFile("testdata/heads.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Policy, Value string
		Channels      int
		Hidden        []int
		MovesLeft     bool `json:"moves_left"`
		Outputs       []float64
		Loss          float64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		s := Spec{Planes: 4, Width: 5, Value: c.Value, ValueChannels: c.Channels, ValueHidden: c.Hidden, MovesLeft: c.MovesLeft, PolicyHead: c.Policy}
		switch c.Policy {
		case PolicyConv:
			s.PolicySize, s.PolicyChannels = 60, 3
		case PolicyConv73:
			s.PolicySize = 60
		case PolicyAlphaZero:
			s.PolicySize = 4672
		}
		t.Run(s.headsName(), func(t *testing.T) {
			n := mustNew(t, s, 1)
			setNoise(t, n)
			all := momentum
			all.Loss.PolicyMask = MaskNone
			x := mustTrainerWith(t, n, all, TrainerOptions{Threads: 1, Precision: FP32})
			var b Batch
			for i, target := range []encode.Sample{{Value: 0.25, Draw: 0.375, MovesLeft: 47}, {Value: -0.5, Draw: -1}} {
				target.Planes = noisePlanes(2 * s.Planes)[i*s.Planes:][:s.Planes]
				if s.PolicySize > 0 {
					target.Indices, target.Policy = []int32{3, 57}, []float32{0.25, 0.75}
				}
				b.Add(&target)
			}
			loss, _, err := x.Measure(&b)
			if err != nil {
				t.Fatal(err)
			}
			have, every, term := []float32(nil), 1, loss.Value
			logits, values, left := answers(t, x, b.Planes)
			switch {
			case c.Policy != "":
				have, every, term = logits, 31, loss.Policy
			case c.MovesLeft:
				have, term = left, loss.MovesLeft
			default:
				have = values
			}
			if len(c.Outputs) != (len(have)+every-1)/every {
				t.Fatalf("%d outputs, %d references", len(have), len(c.Outputs))
			}
			for i, want := range c.Outputs {
				if v := float64(have[i*every]); math.Abs(v-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("output %d is %v, want %v", i*every, v, want)
				}
			}
			if math.Abs(term-c.Loss) > 1e-5*(1+c.Loss) {
				t.Errorf("loss %v, want %v", term, c.Loss)
			}
		})
	}
}

// A network of before there was a choice of value heads is what it was: the same
// parameters, by name and value.
func TestDefaultHeads(t *testing.T) {
	s := tiny()
	plain := mustState(t, mustNew(t, s, 1))
	s.Value, s.ValueChannels, s.ValueHidden = ValueTanh, 1, []int{256}
	explicit := mustState(t, mustNew(t, s, 1))
	for name, x := range plain {
		if y, ok := explicit[name]; !ok || !slices.Equal(x.Data, y.Data) {
			t.Errorf("%s differs", name)
		}
	}
	for name, shape := range map[string][]int{
		"value.conv.weight": {1, 16, 1, 1}, "value.linear1.weight": {256, 64}, "value.linear2.weight": {1, 256}, "value.linear2.bias": {1},
	} {
		if have := plain[name].Shape; fmt.Sprint(have) != fmt.Sprint(shape) {
			t.Errorf("%s has the shape %v, want %v", name, have, shape)
		}
	}
}
