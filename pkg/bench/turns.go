package bench

import (
	"context"
	"time"
)

// turns is how often each side has its turn.
const turns = 3

// side does one unit of its work and says how long it took, without what the
// measurement itself costs. Every unit is the same work.
type side func(ctx context.Context) (time.Duration, error)

// alternate measures the time that each side needs for a unit. The sides take
// turns; in a turn a side repeats its unit until it has used an equal share of
// the target, so that all sides are measured equally long, whatever their
// speeds. The best turn of each side, the one with the shortest mean time of a
// unit, is the one that other programs disturbed least.
func alternate(ctx context.Context, target time.Duration, sides ...side) ([]time.Duration, error) {
	best := make([]time.Duration, len(sides))
	for turn := range turns {
		for i, do := range sides {
			took, units := time.Duration(0), 0
			for units == 0 || took < target/turns {
				t, err := do(ctx)
				if err != nil {
					return nil, err
				}
				took += t
				units++
			}
			if mean := took / time.Duration(units); turn == 0 || mean < best[i] {
				best[i] = mean
			}
		}
	}
	return best, nil
}
