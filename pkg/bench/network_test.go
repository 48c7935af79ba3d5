package bench

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

func TestNetwork(t *testing.T) {
	for _, together := range []bool{false, true} {
		var results []NetworkResult
		var begun []string
		b := Network{
			Options: Options{Networks: []Shape{{Depth: 1, Width: 16}, {Depth: 0, Width: 8}}, PolicyHead: nn.PolicyConv, Precision: nn.FP32, Time: time.Nanosecond},
			Batches: []int{3, 20}, Workers: 2, Together: together,
		}
		b.Begin = func(_, _ int, next string) { begun = append(begun, next) }
		b.Result = func(r NetworkResult) { results = append(results, r) }
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []string{"1x16, batch 3", "1x16, batch 20", "0x8, batch 3", "0x8, batch 20"}; !slices.Equal(begun, want) || len(results) != len(want) {
			t.Fatalf("%d results of %v, want %v", len(results), begun, want)
		}
		r := jsonOf(t, results[1])
		for key, want := range map[string]any{
			"network": "1x16", "batch": 20.0, "precision": "fp32", "policy_head": "conv-linear", "workers": 2.0, "together": together,
		} {
			if r[key] != want {
				t.Errorf("%s: have %v, want %v", key, r[key], want)
			}
		}
		for _, key := range []string{"positions_per_second", "bare_positions_per_second", "ratio"} {
			if v, _ := r[key].(float64); v <= 0 {
				t.Errorf("%s: have %v", key, r[key])
			}
		}
		var table strings.Builder
		if err := WriteTable(&table, results); err != nil || strings.Count(table.String(), "conv-linear") != 4 {
			t.Errorf("%v:\n%s", err, table.String())
		}
	}
}

func TestNetworkErrors(t *testing.T) {
	b := Network{Options: Options{Networks: []Shape{{Depth: 0, Width: 8}}, Precision: "fp8"}, Batches: []int{2}, Workers: 1}
	if err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `0x8, batch 2: inference: precision: no "fp8"`) {
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

// Work is that of all, time the mean of theirs.
func TestSideBySide(t *testing.T) {
	slow := func() (int, error) { time.Sleep(2 * time.Millisecond); return 5, nil }
	quick := func() (int, error) { return 1, nil }
	work, took, err := sideBySide(time.Millisecond, []func() (int, error){slow, quick})(t.Context())
	if err != nil || work < 6 || took < 1500*time.Microsecond {
		t.Errorf("work %d in %v, error %v", work, took, err)
	}
	fault := errors.New("fault")
	if _, _, err := sideBySide(time.Millisecond, []func() (int, error){quick, func() (int, error) { return 0, fault }})(t.Context()); err != fault {
		t.Errorf("have error %v", err)
	}
}

func TestSamplePositions(t *testing.T) {
	codec, err := encode.NewCodec("atomic16", "uci1968", chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	batches := samplePositions(codec, 1, 25)
	for _, batch := range batches {
		if len(batch) != 25 {
			t.Errorf("a batch of %d", len(batch))
		}
		for _, l := range batch {
			if n := len(l.Indices); n < 30 || n > 40 {
				t.Errorf("a position with %d moves", n)
			}
			text, _ := json.Marshal(l.Planes)
			seen[string(text)] = true
		}
	}
	if want := len(batches) * 25; len(seen) < want*9/10 {
		t.Errorf("%d positions differ, of %d", len(seen), want)
	}
}

// jsonOf is a result as JSON reads it back.
func jsonOf(t *testing.T, result any) map[string]any {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	r := map[string]any{}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}
