package match

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Another implementation's numbers, of tests with alpha = beta = 0.05.
func TestSPRTGolden(t *testing.T) {
	for _, c := range []struct {
		pairs      Pentanomial
		elo0, elo1 float64
		model      string
		llr        float64
	}{
		{Pentanomial{379, 10170, 21828, 10640, 343}, 0, 2, Normalized, 2.9455},
		{Pentanomial{39, 8843, 26675, 9240, 44}, 0.5, 2.5, Normalized, 2.9417},
		{Pentanomial{172, 2752, 5656, 2885, 227}, 0, 3, Normalized, 2.9026},
		{Pentanomial{172, 2752, 5656, 2885, 227}, 0, 3, Logistic, 3.9685},
	} {
		s := SPRT{Elo0: c.elo0, Elo1: c.elo1, Model: c.model, Alpha: 0.05, Beta: 0.05}
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
		test := s.Test(c.pairs)
		llr := float64(test.LLR)
		near(t, "LLR", llr, c.llr, 1e-3)
		if (test.Verdict == Accept1) != (llr >= test.Upper) || test.Verdict == Accept0 {
			t.Errorf("%+v", test)
		}
		// Seen from the other side it is the other hypothesis.
		s.Elo0, s.Elo1 = -s.Elo1, -s.Elo0
		p := c.pairs
		p[0], p[1], p[3], p[4] = p[4], p[3], p[1], p[0]
		near(t, "LLR of the other player", float64(s.Test(p).LLR), -llr, 1e-6)
	}
}

func TestPentanomialGolden(t *testing.T) {
	r := NewResults([]string{"a", "b"})
	for k, n := range []int{172, 2752, 5656, 2885, 227} {
		x := float64(k) / 2
		addPairs(t, r, 0, 1, repeated(n, min(x, 1), max(0, x-1))...)
	}
	s, _, err := r.statistics()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "Elo", s.Elo.Value, 3.61, 0.005)
	near(t, "its half interval", (s.Elo.High-s.Elo.Low)/2, 2.48, 0.005)
	near(t, "normalized Elo", s.Normalized.Value, 6.49, 0.005)
	near(t, "its half interval", (s.Normalized.High-s.Normalized.Low)/2, 4.45, 0.005)
	near(t, "LOS", float64(s.LOS), 0.99787, 5e-5)
}

func TestPentanomialAdd(t *testing.T) {
	var p Pentanomial
	for _, points := range []float64{0, 0.5, 1, 1, 1, 1.5, 2} {
		p.add(points)
	}
	if p != (Pentanomial{1, 1, 3, 1, 1}) || p.Pairs() != 7 {
		t.Error(p)
	}
}

// Best fits meet their conditions, and no distribution near them that does so too
// is likelier.
func TestFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Pentanomial
		for i := range p {
			p[i] = rapid.IntRange(0, 1000).Draw(t, "count")
		}
		d := p.distribution()
		mean := rapid.Float64Range(0.05, 0.95).Draw(t, "mean")
		q := distribution{p: d.fitMean(mean)}
		sum := 0.0
		for _, x := range q.p {
			sum += x
		}
		if have, _ := q.moments(); math.Abs(sum-1) > 1e-9 || math.Abs(have-mean) > 1e-9 {
			t.Fatalf("%v: sums to %v, mean %v, want %v", q.p, sum, have, mean)
		}
		// Moves along (1, -2, 1) leave sum and mean.
		likelihood := func(q [5]float64) (l float64) {
			for i := range q {
				l += d.p[i] * math.Log(q[i])
			}
			return l
		}
		for i := range 3 {
			for _, by := range []float64{1e-4, -1e-4} {
				other := q.p
				step := by * min(q.p[i], q.p[i+1], q.p[i+2])
				other[i], other[i+1], other[i+2] = other[i]+step, other[i+1]-2*step, other[i+2]+step
				if likelihood(other) > likelihood(q.p)+1e-12 {
					t.Fatalf("%v is likelier than %v", other, q.p)
				}
			}
		}
	})
	for _, ratio := range []float64{-0.5, -0.01, 0, 0.02, 0.7} {
		d := Pentanomial{30, 200, 400, 250, 40}.distribution()
		q := distribution{p: d.fitRatio(ratio)}
		mean, deviation := q.moments()
		near(t, "ratio", (mean-0.5)/deviation, ratio, 1e-9)
	}
}

// Results of few kinds of pairs speak for the hypothesis that is nearer to them.
func TestSPRTOfOneSide(t *testing.T) {
	for _, c := range []struct {
		pairs      Pentanomial
		elo0, elo1 float64
		better     bool // than both hypotheses, otherwise worse
	}{
		{Pentanomial{5}, 0, 5, false}, {Pentanomial{5}, 0, 50, false}, {Pentanomial{0, 0, 0, 0, 5}, 0, 5, true},
		{Pentanomial{30, 5, 1}, 0, 50, false}, {Pentanomial{0, 0, 0, 1, 99}, -10, -5, true}, {Pentanomial{0, 0, 50}, 0, 50, false},
		{Pentanomial{0, 0, 50}, -50, 0, true}, {Pentanomial{0, 7}, -5, 5, false}, {Pentanomial{1000}, 0, 2, false},
	} {
		for _, model := range []string{Logistic, Normalized} {
			x := SPRT{Elo0: c.elo0, Elo1: c.elo1, Model: model, Alpha: 0.05, Beta: 0.05}.Test(c.pairs)
			if llr := float64(x.LLR); !(llr > 0 == c.better) || llr == 0 || math.IsInf(llr, 0) {
				t.Errorf("%v, %s Elo of %v or %v: LLR %v", c.pairs, model, c.elo0, c.elo1, x.LLR)
			}
		}
	}
}

// The test errs as often as it says, or more rarely: a player of strength Elo0 is
// hardly ever found to have Elo1, and it ends.
func TestSPRTErrs(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.05}
	for _, c := range []struct {
		elo  float64
		want string
	}{{0, Accept0}, {60, Accept1}} {
		r := rand.New(rand.NewPCG(1, uint64(c.elo)))
		wrong := 0
		const tests = 400
		for range tests {
			var p Pentanomial
			v := Undecided
			for v == Undecided {
				game := func() float64 { // a third of the games are drawn
					switch x := r.Float64(); {
					case x < 1./3:
						return 0.5
					case x < 1./3+2./3*((scoreOf(c.elo)-1./6)*1.5):
						return 1
					}
					return 0
				}
				p.add(game() + game())
				v = s.Test(p).Verdict
			}
			if v != c.want {
				wrong++
			}
		}
		t.Logf("Elo %v: %d of %d tests err", c.elo, wrong, tests)
		if wrong > tests/10 {
			t.Errorf("Elo %v: %d of %d tests err, want about one in twenty", c.elo, wrong, tests)
		}
	}
}

func TestSPRTValidate(t *testing.T) {
	for _, s := range []SPRT{{}, {Elo0: 1, Elo1: 0, Alpha: 0.05, Beta: 0.05}, {Elo1: 1, Alpha: 0, Beta: 0.05}, {Elo1: 1, Alpha: 0.05, Beta: 0.6}, {Elo1: math.Inf(1), Alpha: 0.05, Beta: 0.05}, {Elo0: math.NaN(), Elo1: 1, Alpha: 0.05, Beta: 0.05}, {Elo1: 232, Model: Normalized, Alpha: 0.05, Beta: 0.05}} {
		if s.Validate() == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	if s := (SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05}).Test(Pentanomial{}); s.LLR != 0 || s.Verdict != Undecided {
		t.Errorf("no games: %+v", s)
	}
	if s, _, _ := NewResults([]string{"a", "b"}).statistics(); !math.IsNaN(float64(s.LOS)) || !math.IsNaN(s.Elo.Low) || !s.Normalized.Missing() {
		t.Errorf("no games: %+v", s)
	}
}
