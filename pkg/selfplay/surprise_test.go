package selfplay_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/selfplay"
)

// Weighting by surprise changes how often samples are there, and neither the games
// nor what the samples say.
func TestSurpriseKeepsGames(t *testing.T) {
	for _, capped := range []selfplay.PlayoutCap{{}, {Full: 0.5, Visits: 5}} {
		cfg := config()
		cfg.PlayoutCap = capped
		plain := play(t, cfg, 1)
		cfg.Surprise = 0.5
		records := play(t, cfg, 2)
		cfg.Parallel = 1
		if again := play(t, cfg, 1); !reflect.DeepEqual(records, again) {
			t.Error("other samples with other workers")
		}
		before, after, twice, never := 0, 0, 0, 0
		for i, r := range records {
			if !slices.Equal(r.Moves, plain[i].Moves) || !slices.Equal(r.RootValues, plain[i].RootValues) {
				t.Fatalf("game %d is another one", i)
			}
			times := map[int32]int{}
			for _, s := range r.Samples {
				at := slices.IndexFunc(plain[i].Samples, func(p encode.Sample) bool { return reflect.DeepEqual(p, s) })
				if at < 0 {
					t.Fatalf("game %d: a sample of ply %d that says something new", i, s.Ply)
				}
				if times[s.Ply]++; times[s.Ply] == 2 {
					twice++
				}
			}
			never += len(plain[i].Samples) - len(times)
			before += len(plain[i].Samples)
			after += len(r.Samples)
		}
		if twice == 0 || never == 0 {
			t.Errorf("%d samples are there twice and %d not at all: nothing was weighted", twice, never)
		}
		if off := math.Abs(float64(after-before)) / float64(before); off > 0.15 {
			t.Errorf("%d samples of %d", after, before)
		}
	}
}

// The value of a sample is the mixture of the result and the value of the search,
// in the view of the encoding. The probability of a draw comes from the result alone.
func TestValueMix(t *testing.T) {
	cfg := config()
	plain := play(t, cfg, 1)
	cfg.ValueMix = 0.25
	mixed := play(t, cfg, 2)
	between := 0
	for i, r := range mixed {
		if !slices.Equal(r.Moves, plain[i].Moves) {
			t.Fatalf("game %d is another one", i)
		}
		p, err := chess.ParseFEN(cfg.Variant, r.Start)
		if err != nil {
			t.Fatal(err)
		}
		turn := p.Turn()
		for ply, s := range r.Samples {
			q := r.RootValues[ply] // for the side to move; atomic16 keeps white's view
			if turn == chess.Black {
				q = -q
			}
			if want := 0.75*float64(r.Outcome.Result) + 0.25*float64(q); math.Abs(float64(s.Value)-want) > 1e-6 {
				t.Errorf("game %d, ply %d: value %v, want %v", i, ply, s.Value, want)
			}
			if s.Value != plain[i].Samples[ply].Value {
				between++
			}
			drawn := float32(0)
			if r.Outcome.Result == chess.Draw {
				drawn = 1 - float32(math.Abs(float64(s.Value)))
			}
			if s.Drawn() != drawn {
				t.Errorf("game %d, ply %d: value %v, %v: a draw with probability %v, want %v", i, ply, s.Value, r.Outcome.Result, s.Drawn(), drawn)
			}
			turn = turn.Other()
		}
	}
	if between == 0 {
		t.Error("no value differs from the result")
	}
}

// The value of the search may be that of its best move instead of the mean.
func TestSearchValue(t *testing.T) {
	cfg := config()
	cfg.ValueMix, cfg.SearchValue = 1, "best"
	records := play(t, cfg, 2)
	more, less := 0, 0
	for _, r := range records {
		for ply, s := range r.Samples {
			searched := float64(r.RootValues[ply]) // the mean
			best := float64(s.Value)
			if (strings.Contains(r.Start, " b ")) == (ply%2 == 0) {
				best = -best // atomic16 keeps White's view
			}
			switch {
			case best > searched:
				more++
			case best < searched:
				less++
			}
		}
	}
	if more < 5*less || more == 0 {
		t.Errorf("the best move is worth more than the mean in %d positions and less in %d", more, less)
	}
}
