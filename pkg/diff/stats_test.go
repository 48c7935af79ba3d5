package diff

import (
	"math"
	"testing"

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

// A t of 2.776445 with 4 degrees of freedom has p = 0.05, as every table says.
func TestMean(t *testing.T) {
	e := mean([]float64{1, 2, 3, 4, 5})
	near(t, "mean", e.Value, 3, 1e-12)
	near(t, "half of the interval", e.High-e.Value, 2.776445*math.Sqrt(2.5/5), 1e-6)
	if one := mean([]float64{3}); known(one.Interval) || one.Value != 3 {
		t.Errorf("mean of one value: %+v", one)
	}
}

func TestMannWhitney(t *testing.T) {
	// Hollander and Wolfe (1973), p. 69: R's wilcox.test(x, y, alternative = "g")
	// prints W = 35, p-value = 0.1272; two-sided it is twice that, 0.2544.
	x := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	y := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	near(t, "p", mannWhitney(x, y), 0.2544, 5e-5)
	// Three against three, all apart: 2 of 20 choices.
	near(t, "p", mannWhitney([]float64{1, 2, 3}, []float64{4, 5, 6}), 0.1, 1e-12)
	near(t, "p of equal values", mannWhitney([]float64{1, 1}, []float64{1, 1}), 1, 0)
	if p := mannWhitney(nil, y); !math.IsNaN(p) {
		t.Errorf("p of nothing is %v", p)
	}
	// R 4: wilcox.test(extra ~ group, data = sleep, exact = FALSE) prints W = 25.5,
	// p-value = 0.06933; with ties counted out exactly it is 0.0640 (coin::wilcox_test).
	near(t, "p with ties", mannWhitney(sleep1, sleep2), 0.0663, 0.004)
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
	e := jackknife(stat.Correlation(lsat, gpa, nil), without)
	near(t, "correlation", e.Value, 0.776, 5e-4)
	near(t, "standard error", (e.High-e.Value)/2.144787, 0.1425, 5e-5) // t of 14 degrees of freedom

	// Of a mean the jackknife is the textbook's interval.
	for i := range without {
		without[i] = stat.Mean(append(append([]float64{}, lsat[:i]...), lsat[i+1:]...), nil)
	}
	e, m := jackknife(stat.Mean(lsat, nil), without), mean(lsat)
	near(t, "lower end", e.Low, m.Low, 1e-9)
	near(t, "p", e.P, m.P, 1e-9)
}
