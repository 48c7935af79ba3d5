package search

import (
	"math"
	"testing"
)

// The factor of the growing weight multiplies the logarithm alone; without it the weight
// is AlphaZero's.
func TestCFactor(t *testing.T) {
	grown := math.Log((1 + 100 + 50.0) / 50)
	for factor, want := range map[float64]float64{0: grown + 2, 1: grown + 2, 3: 3*grown + 2} {
		c := Config{CBase: 50, CInit: 2, CFactor: factor}
		if have := c.cpuct(100); have != want {
			t.Errorf("factor %v: %v, want %v", factor, have, want)
		}
	}
	if c := (Config{CPuct: 1.5, CFactor: 3}); c.cpuct(100) != 1.5 {
		t.Error("the factor counts without a base")
	}
}
