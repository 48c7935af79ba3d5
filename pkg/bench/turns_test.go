package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// script is a side whose stretches, of 60 units of work, take the given times, then
// the last for ever.
func script(log *[]string, name string, times ...time.Duration) side {
	return func(context.Context) (int, time.Duration, error) {
		*log = append(*log, name)
		t := times[0]
		if len(times) > 1 {
			times = times[1:]
		}
		return 60, t, nil
	}
}

func TestFailingSideEndsTurns(t *testing.T) {
	fault := errors.New("fault")
	var log []string
	_, err := interleave(t.Context(), time.Millisecond,
		script(&log, "good", time.Millisecond),
		func(context.Context) (int, time.Duration, error) { return 0, 0, fault })
	if err != fault || len(log) != 1 {
		t.Errorf("have error %v after %v", err, log)
	}
}

// The first and third round are disturbed, the one on one side, the other on both.
func TestHalfOfRoundsCounts(t *testing.T) {
	var log []string
	const ms = time.Millisecond
	speeds, err := interleave(t.Context(), 8*ms,
		script(&log, "fast", 4*ms, 2*ms, 6*ms, 1*ms),
		script(&log, "slow", 5*ms, 5*ms, 9*ms, 5*ms))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"fast", "slow", "fast", "slow", "fast", "slow", "fast", "slow"}; !slices.Equal(log, want) {
		t.Errorf("have %v, want %v", log, want)
	}
	if want := []float64{40_000, 12_000}; math.Abs(speeds[0]-want[0]) > 1e-6 || math.Abs(speeds[1]-want[1]) > 1e-6 {
		t.Errorf("have %v, want %v", speeds, want)
	}
	log = nil
	if _, err := interleave(t.Context(), 100*ms, script(&log, "fast", ms), script(&log, "slow", 5*ms)); err != nil || len(log) != 200 {
		t.Errorf("%d turns (%v), want 100 of each side", len(log), err)
	}
}

func TestDepthFitsTheSlowerSide(t *testing.T) {
	s := Position{Counts: []uint64{100, 2_000_000, 20_000_000, 200_000_000}}
	at := func(pace time.Duration) counter { // pace: of a million
		return counter{"fake", func(_ context.Context, depth int) (uint64, error) {
			time.Sleep(time.Duration(s.Counts[depth-1]/1000) * pace / 1000)
			return s.Counts[depth-1], nil
		}}
	}
	for _, test := range []struct {
		target time.Duration
		depth  int
	}{
		{time.Nanosecond, 2}, // never less than the warm-up
		{time.Second, 2},
		{8 * time.Second, 3},
		{79 * time.Second, 3},
		{80 * time.Second, 4},
		{time.Hour, 4},
	} {
		synctest.Test(t, func(t *testing.T) { // sleeping takes no time
			depth, speeds, err := s.measure(t.Context(), test.target, []counter{at(time.Millisecond), at(100 * time.Millisecond)})
			if err != nil {
				t.Fatal(err)
			}
			if depth != test.depth {
				t.Errorf("%v: depth %d, want %d", test.target, depth, test.depth)
			}
			if ratio := speeds[0] / speeds[1]; math.Round(ratio) != 100 {
				t.Errorf("%v: the slower side takes %v times as long, want 100", test.target, ratio)
			}
		})
	}
}
