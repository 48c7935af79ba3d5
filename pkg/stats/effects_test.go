package stats

import (
	"math"
	"slices"
	"testing"
)

// factor repeats each level count times, in order.
func factor(count int, levels ...int) (out []int) {
	for _, l := range levels {
		out = append(out, slices.Repeat([]int{l}, count)...)
	}
	return out
}

// R 4: anova(lm(weight ~ group, PlantGrowth)) prints F = 4.8461 with 2 and 27 degrees of
// freedom, p = 0.01591, and sums of squares of 3.7663 and 10.4921.
// anova(lm(breaks ~ wool + tension, warpbreaks)) prints F = 3.3393 and 7.5367 with 1 and 2 and
// 50 degrees of freedom, p = 0.073614 and 0.001378, and sums of squares of 450.7, 2034.3 and 6747.9.
func TestAnova(t *testing.T) {
	plants := []float64{
		4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14,
		4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69,
		6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26,
	}
	shares, p := anova(plants, [][]int{factor(10, 0, 1, 2)})
	near(t, "p", p[0], 0.01591, 5e-6)
	near(t, "explained", shares[0], 3.7663/(3.7663+10.4921), 5e-5)
	breaks := []float64{
		26, 30, 54, 25, 70, 52, 51, 26, 67, 18, 21, 29, 17, 12, 18, 35, 30, 36, 36, 21, 24, 18, 10, 43, 28, 15, 26,
		27, 14, 29, 19, 29, 31, 41, 20, 44, 42, 26, 19, 16, 39, 28, 21, 39, 29, 20, 21, 24, 17, 13, 15, 15, 16, 28,
	}
	wool, tension := factor(27, 0, 1), factor(9, 0, 1, 2, 0, 1, 2)
	shares, p = anova(breaks, [][]int{wool, tension})
	near(t, "p of wool", p[0], 0.073614, 5e-7)
	near(t, "p of tension", p[1], 0.001378, 5e-7)
	near(t, "explained by tension", shares[1], 2034.3/(450.7+2034.3+6747.9), 5e-5)

	// Of two factors that always vary together, neither explains more than the other.
	shares, p = anova(plants, [][]int{factor(10, 0, 1, 2), factor(10, 2, 0, 1)})
	for f := range p {
		if !math.IsNaN(p[f]) || !math.IsNaN(shares[f]) {
			t.Errorf("a factor that another one determines: %v, p = %v", shares[f], p[f])
		}
	}
	for _, y := range [][]float64{{1, 2}, {1, 1}} {
		if _, p := anova(y, [][]int{{0, 1}}); !math.IsNaN(p[0]) {
			t.Errorf("%v: p = %v", y, p[0])
		}
	}

	effects := MainEffects(breaks, [][]int{wool, tension})
	near(t, "corrected p", effects[1].P, 2*0.001378, 1e-6)
	if s := effects[1].Share; !s.Known() || s.Low > s.Value || s.High-s.Low > 0.5 {
		t.Errorf("share of the variance: %+v", s)
	}
}

func TestForestEffects(t *testing.T) {
	rng := NewRand(1)
	const n = 80
	draw := func() []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.Float64()
		}
		return x
	}
	// A number that decides most, a choice of three, and one that decides nothing.
	number, nothing, y := draw(), draw(), make([]float64, n)
	choice := [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range y {
		c := rng.IntN(3)
		choice[c][i] = 1
		y[i] = 4*number[i] + 0.8*float64(c) + 0.3*rng.NormFloat64()
	}
	features := [][][]float64{{number}, choice, {nothing}}
	all := ForestEffects(y, features, 7)
	if !slices.EqualFunc(all, ForestEffects(y, features, 7), func(a, b Effect) bool { return a == b }) {
		t.Error("the same values have other effects")
	}
	// Variances: 16/12 = 1.33, 0.43, 0.09. A forest leaves some unexplained.
	if a := all[0]; a.P != 0.01 || a.Share.Value < 0.4 || a.Share.Value > 0.85 || !a.Share.Known() {
		t.Errorf("the number that decides most: %+v", a)
	}
	if a := all[1]; a.P > 0.05 || a.Share.Value < 0.03 || a.Share.Value > all[0].Share.Value/2 {
		t.Errorf("the choice: %+v", a)
	}
	if a := all[2]; a.P < 0.2 || math.Abs(a.Share.Value) > 0.05 {
		t.Errorf("the number that decides nothing: %+v", a)
	}

	wrong := 0
	for seed := range uint64(40) {
		y := pick(draw(), rng.Perm(24))
		few := [][][]float64{{draw()[:24]}, {draw()[:24]}, {draw()[:24]}}
		if slices.ContainsFunc(ForestEffects(y, few, seed), func(e Effect) bool { return e.P < Alpha }) {
			wrong++
		}
	}
	if wrong > 4 { // 5 %, and two standard deviations
		t.Errorf("%d of 40 searches without effects have one", wrong)
	}
}

// Equal values have nothing to explain, also if their mean is not quite one of them.
func TestForestOfEqualValues(t *testing.T) {
	const n = 20
	y, x := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], x[i] = 3.3, float64(i)
	}
	for _, e := range ForestEffects(y, [][][]float64{{x}}, 1) {
		if !e.Share.Missing() || !math.IsNaN(e.P) {
			t.Errorf("%+v", e)
		}
	}
}
