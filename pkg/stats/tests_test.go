package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat"
)

func near(t *testing.T, what string, have, want, within float64) {
	t.Helper()
	if !(math.Abs(have-want) <= within) {
		t.Errorf("%s is %.8g, want %.8g", what, have, want)
	}
}

// Hours of sleep gained with two drugs (Student, 1908), as R has them.
var (
	sleep1 = []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	sleep2 = []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
)

// R 4: t.test(extra ~ group, data = sleep) prints p-value = 0.07939 and
// -3.3654832 0.2054832, of group 1 less group 2.
func TestWelch(t *testing.T) {
	e := Welch(sleep1, sleep2)
	near(t, "difference", e.Value, 1.58, 1e-12)
	near(t, "lower end", e.Low, -0.2054832, 1e-7)
	near(t, "upper end", e.High, 3.3654832, 1e-7)
	near(t, "p", e.P, 0.07939, 5e-6)
	near(t, "p alone", WelchP(sleep1, sleep2), e.P, 1e-9)
	if p := WelchP([]float64{1}, []float64{2, 3}); !math.IsNaN(p) {
		t.Errorf("p of one value: %v", p)
	}

	// 1, 2, 3 and 4, 5, 9 by hand: variances 1 and 7, errors 1/3 and 7/3, so t is
	// 4 / sqrt(8/3) and the degrees of freedom (8/3)^2 / (1/18 + 49/18) = 2.56.
	e = Welch([]float64{1, 2, 3}, []float64{4, 5, 9})
	near(t, "difference", e.Value, 4, 1e-12)
	near(t, "p", e.P, student(4, math.Sqrt(8./3), 2.56).P, 1e-12)
	for _, none := range []Difference{Welch([]float64{1}, []float64{2, 3}), Welch([]float64{1, 1}, []float64{2, 2})} {
		if none.Low < none.High || !math.IsNaN(none.P) {
			t.Errorf("a test of what cannot be tested: %+v", none)
		}
	}
}

// R 4: power.t.test(delta = d, sd = 1, power = p) prints n = 16.71, 63.77, 25.52 and 22.02.
func TestSampleSize(t *testing.T) {
	for _, c := range []struct {
		effect, power float64
		want          int
	}{{1, 0.8, 17}, {0.5, 0.8, 64}, {0.8, 0.8, 26}, {1, 0.9, 23}, {100, 0.8, 2}} {
		if have := SampleSize(-3*c.effect, 3, 0.05, c.power); have != c.want {
			t.Errorf("%v deviations: %d, want %d", c.effect, have, c.want)
		}
	}
	if have := SampleSize(1e-9, 1, 0.05, 0.8); have != math.MaxInt32 {
		t.Errorf("a difference of nearly nothing: %d", have)
	}
}

// R 4: p.adjust(c(0.01, 0.04, 0.03, 0.5), "holm") prints 0.04 0.09 0.09 0.50.
func TestHolm(t *testing.T) {
	nan := math.NaN()
	have, want := Holm([]float64{0.01, nan, 0.04, 0.03, 0.5}), []float64{0.04, nan, 0.09, 0.09, 0.5}
	if d := cmp.Diff(want, have, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	if have := Holm([]float64{0.9, 0.8}); have[0] != 1 || have[1] != 1 {
		t.Errorf("%v", have)
	}
}

// Of two measurements of one thing, 5 % differ.
func TestApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 0
	for range 4000 {
		a, b := Around(rng.NormFloat64(), Normal95), Around(2*rng.NormFloat64(), 2*Normal95)
		d := Apart(a, b)
		if (d.P < Alpha) != (d.Low > 0 || d.High < 0) {
			t.Fatalf("p %v of %+v", d.P, d.Interval)
		}
		if d.P < Alpha {
			n++
		}
	}
	if n < 160 || n > 240 {
		t.Errorf("%d of 4000 differ", n)
	}
	// Intervals whose sides differ: the p-value is of the side of 0.
	low, high := Share(48, 80), Share(56, 70)
	for _, d := range []Difference{Apart(low, high), Apart(high, low)} {
		sign := math.Copysign(1, d.Value)
		near(t, "difference", sign*d.Value, 0.2, 1e-12)
		near(t, "end at 0", min(math.Abs(d.Low), math.Abs(d.High)), 0.05243, 1e-5)
		near(t, "end away from 0", max(math.Abs(d.Low), math.Abs(d.High)), 0.33387, 1e-5)
		near(t, "p", d.P, 0.0079, 1e-4)
	}
	if d := Apart(Exactly(1), Around(3, 1)); !math.IsNaN(d.P) || d.Value != 2 {
		t.Errorf("%+v", d)
	}
}

// A t of 2.776445 with 4 degrees of freedom has p = 0.05, as every table says.
func TestPaired(t *testing.T) {
	e := Paired([]float64{1, 2, 3, 4, 5})
	near(t, "mean", e.Value, 3, 1e-12)
	near(t, "half of the interval", e.High-e.Value, 2.776445*math.Sqrt(2.5/5), 1e-6)
	if one := Paired([]float64{3}); one.Known() || one.Value != 3 {
		t.Errorf("mean of one value: %+v", one)
	}
}

func TestMannWhitney(t *testing.T) {
	// Hollander and Wolfe (1973), p. 69: R's wilcox.test(x, y, alternative = "g")
	// prints W = 35, p-value = 0.1272; two-sided it is twice that, 0.2544.
	x := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	y := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	near(t, "p", MannWhitney(x, y), 0.2544, 5e-5)
	// Three against three, all apart: 2 of 20 choices.
	near(t, "p", MannWhitney([]float64{1, 2, 3}, []float64{4, 5, 6}), 0.1, 1e-12)
	near(t, "p of equal values", MannWhitney([]float64{1, 1}, []float64{1, 1}), 1, 0)
	// With ties, by counting: 6 of 126 choices have ranks at most as low, on one side.
	near(t, "p of ties on one side", MannWhitney([]float64{100, 100, 100, 100, 100}, []float64{100, 98, 97, 95}), 12.0/126, 1e-12)
	near(t, "p of nearly equal values", MannWhitney([]float64{1, 1}, []float64{1, 1, 2}), 1, 1e-12)
	if p := MannWhitney(nil, y); !math.IsNaN(p) {
		t.Errorf("p of nothing is %v", p)
	}
	// R 4: wilcox.test(extra ~ group, data = sleep, exact = FALSE) prints W = 25.5,
	// p-value = 0.06933; with ties counted out exactly it is 0.0640 (coin::wilcox_test).
	near(t, "p with ties", MannWhitney(sleep1, sleep2), 0.0663, 0.004)
}

// The law school data of Efron (1982): the correlation 0.776 has the jackknife
// standard error 0.1425.
func TestJackknife(t *testing.T) {
	lsat := []float64{576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594}
	gpa := []float64{3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96}
	without := make([]float64, len(lsat))
	for i := range lsat {
		x := append(append([]float64{}, lsat[:i]...), lsat[i+1:]...)
		y := append(append([]float64{}, gpa[:i]...), gpa[i+1:]...)
		without[i] = stat.Correlation(x, y, nil)
	}
	e := Jackknife(stat.Correlation(lsat, gpa, nil), without)
	near(t, "correlation", e.Value, 0.776, 5e-4)
	near(t, "standard error", (e.High-e.Value)/2.144787, 0.1425, 5e-5) // t of 14 degrees of freedom

	// Of a mean the jackknife is the textbook's interval.
	for i := range without {
		without[i] = stat.Mean(append(append([]float64{}, lsat[:i]...), lsat[i+1:]...), nil)
	}
	e, m := Jackknife(stat.Mean(lsat, nil), without), Paired(lsat)
	near(t, "lower end", e.Low, m.Low, 1e-9)
	near(t, "p", e.P, m.P, 1e-9)
}

func TestGain(t *testing.T) {
	for better, want := range map[Better]float64{Higher: 2, Lower: -2, Neither: 2} {
		if have := better.Gain(2); have != want {
			t.Errorf("%q: a gain of %v, want %v", better, have, want)
		}
	}
}
