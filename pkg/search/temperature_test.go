package search_test

import (
	"math"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// Priors under a temperature are their powers, normalized; 1 and 0 leave them alone.
func TestPolicyTemperature(t *testing.T) {
	priors := func(temperature float64) []float64 {
		g := game(t, chess.Standard, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
		s := tree(t, search.Config{Visits: 50, CPuct: 1, PolicyTemperature: temperature}, 0, g, hashed{})
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		var out []float64
		for _, e := range s.Root() {
			out = append(out, e.Prior)
		}
		return out
	}
	plain := priors(0)
	for i, p := range priors(1) {
		if p != plain[i] {
			t.Fatalf("move %d: prior %v at temperature 1, want %v", i, p, plain[i])
		}
	}
	var sum float64
	for _, p := range plain {
		sum += math.Sqrt(p)
	}
	for i, p := range priors(2) {
		if want := math.Sqrt(plain[i]) / sum; math.Abs(p-want) > 1e-6 {
			t.Errorf("move %d: prior %v at temperature 2, want %v", i, p, want)
		}
	}
	cold := 0.0
	for _, p := range priors(0.01) { // powers of 100, too small for a number
		cold += p
	}
	if math.Abs(cold-1) > 1e-6 {
		t.Errorf("at temperature 0.01 the priors sum to %v", cold)
	}
	if err := (search.Config{PolicyTemperature: math.Inf(1)}).Validate(); err == nil {
		t.Error("an infinite temperature: no error")
	}
}
