package bench

import (
	"cmp"
	"context"
	"slices"
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

// minRounds is how many rounds interleave makes at least.
const minRounds = 4

// interleave measures the speed of each side like alternate, but in many short
// turns, a stretch each, until each side has used the target. Of the rounds, in
// which each side has one turn, the half counts in which the sides were fastest:
// the half that other programs disturbed least. For sides that do all the same work,
// more or less of it, and so are disturbed alike.
func interleave(ctx context.Context, target time.Duration, sides ...side) ([]float64, error) {
	type turn struct {
		work int
		took time.Duration
	}
	var rounds [][]turn
	used := make([]time.Duration, len(sides))
	mean := make([]float64, len(sides)) // speed in all rounds
	for len(rounds) < minRounds || slices.Min(used) < target {
		round := make([]turn, len(sides))
		for i, do := range sides {
			work, took, err := do(ctx)
			if err != nil {
				return nil, err
			}
			took = max(took, time.Nanosecond)
			round[i] = turn{work, took}
			used[i] += took
		}
		rounds = append(rounds, round)
	}
	for _, round := range rounds {
		for i, t := range round {
			mean[i] += float64(t.work) / used[i].Seconds()
		}
	}
	pace := func(round []turn) (sum float64) {
		for i, t := range round {
			sum += float64(t.work) / t.took.Seconds() / mean[i]
		}
		return sum
	}
	slices.SortStableFunc(rounds, func(a, b []turn) int { return cmp.Compare(pace(b), pace(a)) })
	speeds := make([]float64, len(sides))
	for i := range sides {
		work, took := 0, time.Duration(0)
		for _, round := range rounds[:(len(rounds)+1)/2] {
			work += round[i].work
			took += round[i].took
		}
		speeds[i] = float64(work) / took.Seconds()
	}
	return speeds, nil
}
