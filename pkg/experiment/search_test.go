package experiment

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/search"
)

// A search of an experiment is the search that is run: every key has its place.
func TestSearch(t *testing.T) {
	s := Search{
		Visits: 3, Nodes: 1000, CPuct: 1.5, CBase: 100, CInit: 2, FPU: 0.25, ExpandAt: 4, Leaves: 8, Cache: 1000, Solver: true,
		TreeReuse: true, Noise: Noise{Alpha: 0.5, Weight: 0.125}, ForcedPlayouts: 2, PolicyTemperature: 1.5,
	}
	want := search.Config{
		Visits: 3, Nodes: 1000, CPuct: 1.5, CBase: 100, CInit: 2, FPU: search.FPU{Parent: true, Reduction: 0.25}, ExpandAt: 4, Leaves: 8, Cache: 1000, Solver: true,
		TreeReuse: true, Noise: search.Noise{Alpha: 0.5, Weight: 0.125}, ForcedPlayouts: 2, PolicyTemperature: 1.5,
	}
	if diff := cmp.Diff(want, SetupSearch(&s)); diff != "" {
		t.Error(diff)
	}
	if err := want.Validate(); err != nil {
		t.Error(err)
	}
	s.Root = Root{Kind: RootGumbel, Considered: 8, CVisit: 30, CScale: 0.5, Noise: 1}
	want.Root = search.Root{Considered: 8, CVisit: 30, CScale: 0.5, Noise: 1}
	if diff := cmp.Diff(want, SetupSearch(&s)); diff != "" {
		t.Error(diff)
	}
	s.FPU = FPUZero
	if got := SetupSearch(&s).FPU; got != (search.FPU{}) {
		t.Errorf("the word zero is %+v", got)
	}
}
