package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

func TestTrain(t *testing.T) {
	var results []TrainResult
	var begun []string
	b := Train{
		Options: Options{Networks: []Shape{{Depth: 1, Width: 16}, {Depth: 0, Width: 8}}, PolicyHead: nn.PolicyConv, Precision: nn.FP32, Time: time.Nanosecond},
		Batch:   20, Threads: 2,
	}
	b.Begin = func(_, _ int, next string) { begun = append(begun, next) }
	b.Result = func(r TrainResult) { results = append(results, r) }
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1x16", "0x8"}; !slices.Equal(begun, want) || len(results) != len(want) {
		t.Fatalf("%d results of %v, want %v", len(results), begun, want)
	}
	r := jsonOf(t, results[0])
	for key, want := range map[string]any{
		"network": "1x16", "batch": 20.0, "precision": "fp32", "policy_head": "conv-linear", "threads": 2.0,
	} {
		if r[key] != want {
			t.Errorf("%s: have %v, want %v", key, r[key], want)
		}
	}
	for _, key := range []string{"positions_per_second", "bare_positions_per_second", "ratio", "fused_bare_positions_per_second", "fused_ratio", "preparation_share"} {
		if v, _ := r[key].(float64); v <= 0 {
			t.Errorf("%s: have %v", key, r[key])
		}
	}
	if v := r["preparation_share"].(float64); v >= 1 {
		t.Errorf("waited for %v of the time", v)
	}
	var table strings.Builder
	if err := WriteTable(&table, results); err != nil || strings.Count(table.String(), "conv-linear") != 2 {
		t.Errorf("%v:\n%s", err, table.String())
	}
}

func TestTrainErrors(t *testing.T) {
	b := Train{Options: Options{Networks: []Shape{{Depth: 0, Width: 8}}, Precision: "fp8"}, Batch: 2}
	if err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `0x8: trainer: precision: no "fp8"`) {
		t.Errorf("have error %v", err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	stop(enough)
	b.Precision = nn.FP32
	if err := b.Run(ctx); !errors.Is(err, enough) {
		t.Errorf("have error %v", err)
	}
}

// There is a whole number of batches, of positions that differ and targets that
// training accepts.
func TestSampleWindow(t *testing.T) {
	codec, err := encode.NewCodec("atomic16", "uci1968", chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	for batch, want := range map[int]int{100: 8100, 256: 8192, 1000: 16000} {
		set, err := sampleWindow(codec, batch)
		if err != nil {
			t.Fatal(err)
		}
		if set.Len() != want {
			t.Errorf("batches of %d: %d samples, want %d", batch, set.Len(), want)
		}
		for i := range set.Len() {
			s := set.Sample(i)
			sum := 0.0
			for _, p := range s.Policy {
				sum += float64(p)
			}
			if math.Abs(sum-1) > 1e-5 || len(s.Policy) < 20 || s.Value < -1 || s.Value > 1 {
				t.Fatalf("sample %d: %d targets with sum %v, value %v", i, len(s.Policy), sum, s.Value)
			}
		}
	}
}

// A turn has whole batches, as many as fit; its time is that of steps and waiting.
func TestEpochs(t *testing.T) {
	codec, err := encode.NewCodec("atomic16", "uci1968", chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	window, err := sampleWindow(codec, 4096)
	if err != nil {
		t.Fatal(err)
	}
	l := newEpochs(window, 4096)
	if b := l.batch(); b.N != 4096 {
		t.Errorf("a batch of %d", b.N)
	}
	const turn = 30 * time.Millisecond
	steps := 0
	work, took, err := l.learn(t.Context(), turn, func(b *nn.Batch) error {
		if b.N != 4096 {
			t.Errorf("a batch of %d", b.N)
		}
		steps++
		time.Sleep(time.Millisecond)
		return nil
	})
	if err != nil || work != steps*4096 || took < turn || l.spent != took {
		t.Errorf("work %d in %d steps, took %v of %v, error %v", work, steps, took, l.spent, err)
	}
	if epochs := (steps + fewestBatches - 1) / fewestBatches; int(l.number) != epochs {
		t.Errorf("%d steps are %d epochs of %d, have %d", steps, epochs, fewestBatches, l.number)
	}
	if most := took - time.Duration(steps)*time.Millisecond; l.waited <= 0 || l.waited > most {
		t.Errorf("waited %v, at most %v are left", l.waited, most)
	}
	fault := errors.New("fault")
	if _, _, err := l.learn(t.Context(), turn, func(*nn.Batch) error { return fault }); !errors.Is(err, fault) {
		t.Errorf("have error %v", err)
	}
}
