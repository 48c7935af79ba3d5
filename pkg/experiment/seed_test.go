package experiment

import (
	"fmt"
	"testing"
)

func TestSeedsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for trial := range uint64(20) {
		for _, use := range []string{"network", "self-play", "split", "shuffle", "tournament"} {
			for number := range 50 {
				who := fmt.Sprint(trial, use, number)
				s := Seed(trial, use, number)
				if other, taken := seen[s]; taken {
					t.Errorf("%s and %s share a seed", who, other)
				}
				seen[s] = who
			}
		}
	}
	// Old results stay what they are.
	if s := Seed(1, "self-play", 2); s != 13781571325200019221 {
		t.Errorf("the seed of old games has become %d", s)
	}
}
