package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// tinySelfPlay is self-play with a network that takes no time to speak of.
func tinySelfPlay() SelfPlay {
	return SelfPlay{
		Options: Options{Networks: []Shape{{Depth: 0, Width: 16}, {Depth: 1, Width: 16}}, PolicyHead: nn.PolicyConv, Time: 20 * time.Millisecond},
		Variant: chess.Atomic, Visits: 4, Batch: 8, Workers: 2,
	}
}

func TestSelfPlay(t *testing.T) {
	for _, games := range []int{0, 20} {
		s := tinySelfPlay()
		s.Games = games
		var results []SelfPlayResult
		s.Result = func(r SelfPlayResult) { results = append(results, r) }
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(results) != 2 {
			t.Fatalf("%d games: %d results of 2 networks", games, len(results))
		}
		for i, r := range results {
			if r.Network != s.Networks[i].String() || r.Speed <= 0 || r.Bare <= 0 || r.Games <= 0 || r.Whole != (games > 0) {
				t.Errorf("%d games: have %+v", games, r)
			}
			// No place stays free while there are games to begin.
			if full := r.Fill == 1; full != (games == 0) || r.Fill > 1 || r.Fill < 0.2 {
				t.Errorf("%d games: fill %v", games, r.Fill)
			}
			if have := jsonOf(t, r)["bare_evaluations_per_second"].(float64); have <= 0 {
				t.Errorf("the network alone: %v", have)
			}
		}
		var table strings.Builder
		if err := WriteTable(&table, results); err != nil || strings.Count(table.String(), "\n") != 6 {
			t.Errorf("%s%v", table.String(), err)
		}
	}
}

func TestSelfPlayInterrupted(t *testing.T) {
	for _, games := range []int{0, 1 << 20} {
		ctx, cancel := context.WithCancel(t.Context())
		s := tinySelfPlay()
		s.Games, s.Time = games, time.Hour
		s.Begin = func(int, int, string) { time.AfterFunc(20*time.Millisecond, cancel) }
		if err := s.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%d games: have error %v", games, err)
		}
	}
}

// breaking is a network that fails at its third batch.
type breaking struct{ batches *int }

var errBroken = errors.New("broken")

func (b breaking) Evaluate(leaves []*encode.Leaf) error {
	if *b.batches++; *b.batches == 3 {
		return errBroken
	}
	return search.Indifferent{}.Evaluate(leaves)
}

// A network that fails ends the measurement with its error, and nobody waits for
// the worker that had it.
func TestFailingNetworkEndsSelfPlay(t *testing.T) {
	s := tinySelfPlay()
	codec, err := codecFor(s.Variant, s.Networks[0])
	if err != nil {
		t.Fatal(err)
	}
	model, err := s.model(codec, s.Networks[0], s.Batch)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	var r SelfPlayResult
	err = s.steady(t.Context(), model, []search.Net{search.Indifferent{}, breaking{new(int)}}, codec, &r)
	if !errors.Is(err, errBroken) {
		t.Errorf("have error %v", err)
	}
}

func TestCodecForEveryVariant(t *testing.T) {
	rules := chess.RulesOf(chess.Atomic)
	rules.Name = "mine"
	mine, err := chess.Define(rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range append(chess.Variants(), mine) {
		if _, err := codecFor(v, Shape{}); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}
