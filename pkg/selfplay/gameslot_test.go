package selfplay

import (
	"math"
	"math/rand/v2"
	"testing"

	"alamos/pkg/encode"
)

func TestRootOf(t *testing.T) {
	s := encode.Sample{Ply: 3, Policy: []float32{0.5, 0.25, 0, 0.25}}
	near := func(have, want float64) bool { return math.Abs(have-want) < 1e-9 }
	have := rootOf(&s, []float64{0.25, 0.25, 0.25, 0.25})
	if have.Ply != 3 || !near(have.KL, 0.5*math.Ln2) || !near(have.PriorEntropy, 2*math.Ln2) || !near(have.TargetEntropy, 1.5*math.Ln2) {
		t.Errorf("%+v", have)
	}
	if have := rootOf(&s, []float64{0.5, 0.25, 0, 0.25}); have.KL != 0 || have.PriorEntropy != have.TargetEntropy {
		t.Errorf("the search found what the network expected: %+v", have)
	}
	// A move that was ruled out gives a large divergence, not an infinite one.
	if have := rootOf(&s, []float64{0, 0.5, 0.25, 0.25}); !(have.KL > 5 && have.KL < 20) {
		t.Errorf("a move without a prior: %+v", have)
	}
}

// Over many draws, samples are there as often as their weights say, worked out by
// hand, and there is none that the draws could not give.
func TestRepeat(t *testing.T) {
	for _, c := range []struct {
		share              float64
		weights, surprises []float64
		want               []float64
	}{
		{0.5, []float64{1, 1, 1, 1}, []float64{0, 1, 0, 3}, []float64{0.5, 1, 0.5, 2}},
		{0.5, []float64{1, 1}, []float64{0.2, 0.2}, []float64{1, 1}},
		{1, []float64{1, 1, 1}, []float64{0, 0.1, 0.3}, []float64{0, 0.75, 2.25}},
		{0.5, []float64{1, 1, 1}, []float64{0, 0, 0}, []float64{1, 1, 1}},
		{0, []float64{1, 0.25, 0}, []float64{3, 2, 1}, []float64{1, 0.25, 0}},
		{0.5, []float64{1, 1, 1}, []float64{math.NaN(), 0.2, 0.6}, []float64{1, 0.75, 1.25}},
		{0.5, []float64{1, 0.5, 0.5}, []float64{0.2, 0.2, 0}, []float64{0.5 + 2.0/3, 0.25 + 1.0/3, 0.25}},
	} {
		table := &gameSlot{cfg: &Config{Surprise: c.share, Decided: Decided{Visits: 1}}, rng: rand.New(rand.NewPCG(1, 2)), weights: c.weights}
		mean := make([]float64, len(c.want))
		const draws = 20_000
		for range draws {
			r := &Record{Samples: make([]encode.Sample, len(c.want))}
			for i := range r.Samples {
				r.Samples[i].Ply = int32(i)
				r.Roots = append(r.Roots, Root{KL: c.surprises[i]})
			}
			table.weightSamples(r)
			count := make([]int, len(c.want))
			last := int32(0)
			for _, s := range r.Samples {
				count[s.Ply]++
				if s.Ply < last {
					t.Fatalf("%v: the order of the game is lost", c)
				}
				last = s.Ply
			}
			for i, n := range count {
				if w := c.want[i]; float64(n) < math.Floor(w) || float64(n) > math.Ceil(w) {
					t.Fatalf("%v: sample %d is there %d times", c, i, n)
				}
				mean[i] += float64(n) / draws
			}
		}
		for i := range mean {
			if math.Abs(mean[i]-c.want[i]) > 0.02 {
				t.Errorf("%v: sample %d is there %.3f times on average", c, i, mean[i])
			}
		}
	}
}

func TestReduction(t *testing.T) {
	d := Decided{Value: 0.8, Plies: 3, Visits: 5}
	for _, c := range []struct {
		values []float32
		want   float64
	}{
		{nil, 0},
		{[]float32{1, -1}, 0}, // not long enough
		{[]float32{1, -1, 1}, 1},
		{[]float32{-1, 1, -1}, 1},
		{[]float32{1, 1, 1}, 0},       // each side thinks that it wins
		{[]float32{-0.8, 0.9, -1}, 0}, // the least counts
		{[]float32{0.95, -0.9, 0.95}, 0.25},
		{[]float32{0, -0.9, 1, -0.9}, 0.25}, // the last three count
	} {
		if have := d.reduction(c.values); math.Abs(have-c.want) > 1e-6 {
			t.Errorf("%v: %v, want %v", c.values, have, c.want)
		}
	}
	if off := (&Decided{Value: 0.8, Plies: 3}).reduction([]float32{1, -1, 1}); off != 0 {
		t.Errorf("%v without the setting", off)
	}
}
