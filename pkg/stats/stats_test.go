package stats_test

import (
	"math"
	"testing"

	"alamos/pkg/stats"
)

var nan = math.NaN()

func TestInterval(t *testing.T) {
	// Student's own example (1908, section IX): hours of sleep gained with
	// the first drug; the quantile of 9 degrees of freedom is 2.2622.
	mean, low, high, n := stats.Interval([]float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, nan, 0.0, 2.0})
	if n != 10 || math.Abs(mean-0.75) > 1e-12 || math.Abs(low+0.5298) > 1e-4 || math.Abs(high-2.0298) > 1e-4 {
		t.Errorf("have %v, %v to %v of %d; want 0.75, -0.5298 to 2.0298 of 10", mean, low, high, n)
	}
	if mean, low, high, n := stats.Interval([]float64{nan, 3}); mean != 3 || !math.IsNaN(low) || !math.IsNaN(high) || n != 1 {
		t.Errorf("of one: %v, %v to %v of %d", mean, low, high, n)
	}
	if mean, low, high, n := stats.Interval(nil); !math.IsNaN(mean) || !math.IsNaN(low) || !math.IsNaN(high) || n != 0 {
		t.Errorf("of none: %v, %v to %v of %d", mean, low, high, n)
	}
}
