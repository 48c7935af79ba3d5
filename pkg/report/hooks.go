package report

import (
	"maps"
	"math"
	"slices"

	"alamos/pkg/stats"
)

// hookTable collects the metrics of a hook; a generation may lack some.
type hookTable struct {
	generations []int
	rows        []map[string]stats.Float
}

func (h *hookTable) add(g int, m map[string]stats.Float) {
	h.generations = append(h.generations, g)
	h.rows = append(h.rows, m)
}

// names are the metrics that occur, sorted.
func (h *hookTable) names() []string {
	all := map[string]bool{}
	for _, r := range h.rows {
		for k := range r {
			all[k] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// column has the values of a metric, NaN where a generation lacks it.
func (h *hookTable) column(name string) []float64 {
	out := make([]float64, len(h.rows))
	for i, r := range h.rows {
		out[i] = math.NaN()
		if v, ok := r[name]; ok {
			out[i] = float64(v)
		}
	}
	return out
}

func (h *hookTable) table(file string) csvTable {
	names := h.names()
	t := csvTable{name: file, head: append([]string{"generation"}, names...)}
	for i, g := range h.generations {
		row := []any{g}
		for _, n := range names {
			row = append(row, h.column(n)[i])
		}
		t.rows = append(t.rows, row)
	}
	return t
}
