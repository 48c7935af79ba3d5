package selfplay

import (
	"math"
	"math/rand/v2"
	"testing"

	"alamos/pkg/encode"
)

func TestSurprise(t *testing.T) {
	s := encode.Sample{Policy: []float32{0.5, 0.25, 0, 0.25}}
	priors := []float64{0.25, 0.25, 0.25, 0.25}
	if have, want := surprise(&s, priors), 0.5*math.Ln2; math.Abs(have-want) > 1e-9 {
		t.Errorf("surprise %v, want %v", have, want)
	}
	if have := surprise(&s, []float64{0.5, 0.25, 0, 0.25}); have != 0 {
		t.Errorf("surprise %v by what was expected", have)
	}
	// A move that was ruled out is surprising, not infinitely so.
	if have := surprise(&s, []float64{0, 0.5, 0.25, 0.25}); !(have > 5 && have < 20) {
		t.Errorf("surprise %v by a move without a prior", have)
	}
}

// Over many draws, samples are there as often as their weights say, worked out by
// hand, and there is none that the draws could not give.
func TestRepeat(t *testing.T) {
	for _, c := range []struct {
		share     float64
		surprises []float64
		want      []float64
	}{
		{0.5, []float64{0, 1, 0, 3}, []float64{0.5, 1, 0.5, 2}},
		{0.5, []float64{0.2, 0.2}, []float64{1, 1}},
		{1, []float64{0, 0.1, 0.3}, []float64{0, 0.75, 2.25}},
		{0.5, []float64{0, 0, 0}, []float64{1, 1, 1}},
	} {
		table := &gameSlot{cfg: &Config{Surprise: c.share}, rng: rand.New(rand.NewPCG(1, 2)), surprises: c.surprises}
		mean := make([]float64, len(c.want))
		const draws = 20_000
		for range draws {
			r := &Record{Samples: make([]encode.Sample, len(c.want))}
			for i := range r.Samples {
				r.Samples[i].Ply = int32(i)
			}
			table.repeat(r)
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
