package bench

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// side does a stretch of its work. It returns the amount of work (nodes, positions,
// evaluations) and the time it took, without the cost of the measurement.
type side func(ctx context.Context) (work int, took time.Duration, err error)

// minRounds is the minimum number of rounds of interleave.
const minRounds = 4

// interleave measures the speed of each side in units of work per second. The sides take
// turns of one stretch each, in rounds, until each side has used the target. Only the faster
// half of the rounds counts, because other programs disturbed it least.
func interleave(ctx context.Context, target time.Duration, sides ...side) ([]float64, error) {
	type turn struct {
		work int
		took time.Duration
	}
	var rounds [][]turn
	used := make([]time.Duration, len(sides))
	mean := make([]float64, len(sides)) // speed of each side over all rounds
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

// sideBySide makes a side from work that several goroutines do in parallel, each until the
// turn ends. The time is the mean of theirs: the last one to end is not slower, it only
// began its last unit later.
func sideBySide(turn time.Duration, do []func() (work int, err error)) side {
	return func(ctx context.Context) (int, time.Duration, error) {
		work, spent, errs := make([]int, len(do)), make([]time.Duration, len(do)), make([]error, len(do))
		var start, end sync.WaitGroup
		start.Add(1)
		for i, f := range do {
			end.Go(func() {
				start.Wait()
				began := time.Now()
				for errs[i] == nil && (work[i] == 0 || spent[i] < turn) {
					var n int
					if n, errs[i] = f(); errs[i] == nil {
						errs[i] = context.Cause(ctx)
					}
					work[i] += n
					spent[i] = time.Since(began)
				}
			})
		}
		start.Done()
		end.Wait()
		total, sum := 0, time.Duration(0)
		for i := range do {
			if errs[i] != nil {
				return 0, 0, errs[i]
			}
			total += work[i]
			sum += spent[i]
		}
		return total, sum / time.Duration(len(do)), nil
	}
}
