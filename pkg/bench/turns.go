package bench

import (
	"context"
	"time"
)

// turns is how often each side has its turn.
const turns = 3

// side does a stretch of its work and says how much that was (nodes, positions,
// evaluations) and how long it took, without what the measurement itself costs.
type side func(ctx context.Context) (work int, took time.Duration, err error)

// alternate measures the speed of each side, in units of work a second. The sides
// take turns; in a turn a side repeats its stretch until it has used an equal
// share of the target, so that all sides are measured equally long, whatever
// their speeds. The best turn of each side is the one that other programs
// disturbed least.
func alternate(ctx context.Context, target time.Duration, sides ...side) ([]float64, error) {
	best := make([]float64, len(sides))
	for range turns {
		for i, do := range sides {
			work, took := 0, time.Duration(0)
			for took == 0 || took < target/turns {
				n, t, err := do(ctx)
				if err != nil {
					return nil, err
				}
				work += n
				took += max(t, time.Nanosecond)
			}
			best[i] = max(best[i], float64(work)/took.Seconds())
		}
	}
	return best, nil
}
