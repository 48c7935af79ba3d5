package bench

import (
	"regexp"
	"testing"

	"alamos/pkg/chess"
)

// The counts are other engines'.
func TestSpeedSetCounts(t *testing.T) {
	limit := uint64(10_000_000)
	if testing.Short() {
		limit = 500_000
	}
	for _, s := range SpeedSet() {
		t.Run(s.Variant.String()+"/"+s.Name, func(t *testing.T) {
			t.Parallel()
			p, err := s.parse()
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range s.Counts {
				if want > limit {
					break
				}
				if have := chess.Perft(&p, i+1); have != want {
					t.Fatalf("depth %d: have %d, want %d", i+1, have, want)
				}
			}
		})
	}
}

func TestSpeedSetIsWhole(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9-]+$`)
	seen := map[string]bool{}
	first := map[chess.Variant]Position{}
	var order []chess.Variant
	for _, s := range SpeedSet() {
		if id := s.Variant.String() + " " + s.Name; seen[id] {
			t.Errorf("%s is there twice", id)
		} else {
			seen[id] = true
		}
		if !name.MatchString(s.Name) {
			t.Errorf("%s: name %q does not suit a command line", s.Variant, s.Name)
		}
		if _, ok := first[s.Variant]; !ok {
			first[s.Variant] = s
			order = append(order, s.Variant)
		} else if order[len(order)-1] != s.Variant {
			t.Errorf("%s %s is apart from the others of its variant", s.Variant, s.Name)
		}
		if n := s.Counts[len(s.Counts)-1]; n < 10_000_000 {
			t.Errorf("%s %s: %d sequences at most are counted too fast to be timed", s.Variant, s.Name, n)
		}
	}
	for _, v := range chess.Variants() {
		s, ok := first[v]
		if !ok {
			t.Errorf("%s has no position", v)
			continue
		}
		start := chess.StartPosition(v)
		if p, err := s.parse(); err != nil || p != start || s.Name != "start" {
			t.Errorf("%s begins with %s, %s (%v), not with the start position", v, s.Name, s.FEN, err)
		}
	}
}

func TestFirstDepthOfSoMany(t *testing.T) {
	s := Position{Counts: []uint64{20, 400, 8902}}
	for nodes, want := range map[uint64]int{0: 1, 20: 1, 21: 2, 400: 2, 8902: 3, 9000: 3} {
		if have := s.at(nodes); have != want {
			t.Errorf("%d: depth %d, want %d", nodes, have, want)
		}
	}
}
