package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/nn"
)

// runSearch collects what a benchmark reports, as JSON reads it back.
func runSearch(t *testing.T, b Search) (begun []string, rows []map[string]any, table string) {
	t.Helper()
	var results []SearchResult
	b.Begin = func(_, _ int, next string) { begun = append(begun, next) }
	b.Result = func(r SearchResult) {
		results = append(results, r)
		rows = append(rows, jsonOf(t, r))
	}
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := len(b.Variants) * max(1, len(b.Networks)); len(results) != want {
		t.Errorf("%d results, want %d", len(results), want)
	}
	var s strings.Builder
	if err := WriteTable(&s, results); err != nil {
		t.Fatal(err)
	}
	return begun, rows, s.String()
}

func TestSearch(t *testing.T) {
	_, rows, table := runSearch(t, Search{Options: Options{Time: time.Nanosecond}, Variants: chess.Variants(), Visits: 2000})
	for i, v := range chess.Variants() {
		r := rows[i]
		if r["variant"] != v.String() || r["visits"] != 2000.0 || r["leaves"] != 1.0 {
			t.Errorf("%v", r)
		}
		for _, key := range []string{"visits_per_second", "bytes_per_visit"} {
			if x, _ := r[key].(float64); x <= 0 {
				t.Errorf("%s: %s is %v", v, key, r[key])
			}
		}
		if _, there := r["network"]; there {
			t.Errorf("%s: a network in %v", v, r)
		}
		if !strings.Contains(table, v.String()) {
			t.Errorf("%s is not in the table:\n%s", v, table)
		}
	}
}

func TestSearchWithNetworks(t *testing.T) {
	begun, rows, table := runSearch(t, Search{
		Variants: []chess.Variant{chess.Atomic, chess.Crazyhouse}, Visits: 60, Leaves: 8, Solver: true, Cache: 100, Workers: 2,
		Options: Options{Networks: []Shape{{Depth: 0, Width: 8}, {Depth: 1, Width: 8}}, PolicyHead: nn.PolicyConv, Precision: nn.FP32, Time: time.Nanosecond},
	})
	if want := []string{"atomic, 0x8", "atomic, 1x8", "crazyhouse, 0x8", "crazyhouse, 1x8"}; !slices.Equal(begun, want) {
		t.Errorf("begun %v, want %v", begun, want)
	}
	for _, r := range rows {
		fill, _ := r["batch_fill"].(float64)
		if seconds, _ := r["seconds"].(float64); r["workers"] != 2.0 || fill < 0.5 || fill > 1 || seconds <= 0 {
			t.Errorf("%v", r)
		}
	}
	if rows[1]["network"] != "1x8" || !strings.Contains(table, "2 threads") {
		t.Errorf("%v\n%s", rows[1], table)
	}
}

func TestSearchErrors(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(context.Canceled)
	b := Search{Variants: []chess.Variant{chess.Atomic}, Visits: 1000, Leaves: 1}
	if err := b.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("have error %v", err)
	}
	b.Networks, b.Workers, b.Precision = []Shape{{Depth: 0, Width: 8}}, 1, "fp8"
	if err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `no "fp8"`) {
		t.Errorf("have error %v", err)
	}
}
