package train

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"alamos/pkg/data"
	"alamos/pkg/nn"
)

// Averaging changes nothing in the weights that training continues with. The average is
// between them, is the first ones before there are more, and is what is validated.
func TestAverage(t *testing.T) {
	set, seeds := noise(t), Seeds{1, 2}
	cfg := settings(4)
	cfg.Select = SelectLast
	plain := newPupil(t, constant)
	plain.learn(t, cfg, set, seeds)

	p := newPupil(t, constant)
	cfg.Average = &Average{Every: 32, Decay: 0.8}
	epochs := p.learn(t, cfg, set, seeds)
	p.same(t, "training with an average", plain.snap(t))
	if len(p.state.Average) == 0 || reflect.DeepEqual(p.state.Average, p.snap(t).Network) {
		t.Fatal("the average is that of the last weights alone")
	}
	if err := p.net.Load(p.state.Average); err != nil {
		t.Fatal(err)
	}
	held := Config{Epochs: 1, Batch: cfg.Batch}
	r := generation{cfg: held, tr: p.tr, window: set}
	_, r.held = data.Split(set, seeds.Split, cfg.Validation, false)
	var e Epoch
	if err := r.validate(t.Context(), &e); err != nil {
		t.Fatal(err)
	}
	if last := epochs[len(epochs)-1]; !reflect.DeepEqual(e.Validation, last.Validation) {
		t.Errorf("the average has the loss %+v, the epoch %+v", e.Validation, last.Validation)
	}
	if state, err := p.state.Restarted(constant); err != nil || state.Average != nil {
		t.Errorf("a restart keeps the average, or fails: %v", err)
	}
}

// The first weights have equal parts; then the decay counts. A batch adds weights once, if it passes
// a multiple of the interval.
func TestWeightsOfAverage(t *testing.T) {
	for _, c := range []struct {
		decay   float64
		batches [][2]int // samples before and after
		want    []float64
	}{
		// Shares of 1, 1/2, 1/3, 1/4, and then of 1/4 instead of 1/5.
		{0.75, [][2]int{{7, 12}, {12, 17}, {17, 22}, {22, 27}, {27, 32}, {37, 42}, {42, 47}, {47, 52}}, []float64{0, 0, 1, 1, 2.0/3 + 4.0/3, 0.75*2 + 0.25*5, 0.75*2 + 0.25*5, 0.75*2.75 + 0.25*7}},
		// Batches of more samples than the interval.
		{0.9, [][2]int{{0, 25}, {25, 50}, {50, 75}}, []float64{0, 0.5, 1}},
	} {
		p := newPupil(t, constant)
		r := generation{cfg: Config{Average: &Average{Every: 10, Decay: c.decay}}, net: p.net}
		const name = "value.linear2.bias"
		for k, batch := range c.batches {
			w := p.snap(t).Network
			w[name].Data[0] = float32(k)
			if err := p.net.Load(w); err != nil {
				t.Fatal(err)
			}
			if err := r.addToAverage(batch[0], batch[1]); err != nil {
				t.Fatal(err)
			}
			if have := float64(r.state.Average[name].Data[0]); math.Abs(have-c.want[k]) > 1e-6 {
				t.Errorf("decay %v, after %d batches the average is %v, want %v", c.decay, k+1, have, c.want[k])
			}
		}
	}
}

// With an interval longer than an epoch the average is the last weights, but for the
// statistics of batch norm, which are measured again.
func TestAverageOfOne(t *testing.T) {
	cfg := settings(1)
	cfg.Average = &Average{Every: 1_000_000_000, Decay: 0.9}
	p := newPupil(t, constant)
	p.learn(t, cfg, noise(t), Seeds{1, 2})
	measured := false
	for name, x := range p.snap(t).Network {
		same := reflect.DeepEqual(x, p.state.Average[name])
		if strings.Contains(name, "running") {
			measured = measured || !same
		} else if !same {
			t.Errorf("%s differs", name)
		}
	}
	if !measured {
		t.Error("no statistics were measured")
	}
}

func TestBlend(t *testing.T) {
	p := newPupil(t, constant)
	now, mean := p.snap(t).Network, nn.Tensors{}
	for name, x := range now {
		mean[name] = nn.Tensor{Shape: x.Shape, Data: make([]float32, len(x.Data))}
		for i := range x.Data {
			mean[name].Data[i] = float32(i)
		}
	}
	before := mean.Clone()
	if err := p.net.BlendInto(mean, 0.25); err != nil {
		t.Fatal(err)
	}
	for name, x := range now {
		for i, x := range x.Data {
			if have, want := float64(mean[name].Data[i]), 0.25*float64(x)+0.75*float64(before[name].Data[i]); math.Abs(have-want) > 1e-6*max(1, want) {
				t.Fatalf("%s: number %d is %v, want %v", name, i, have, want)
			}
		}
	}
}
