package lab

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/experiment"
	"alamos/pkg/selfplay"
	"alamos/pkg/store"
)

// The choices of self-play that may be absent are those that are played with.
func TestSelfplayConfig(t *testing.T) {
	tr := &trial{run: &run{}, Trial: &store.Trial{}}
	if got := tr.selfplayConfig(1); got.PlayoutCap != (selfplay.PlayoutCap{}) {
		t.Errorf("searches are capped without a word: %+v", got.PlayoutCap)
	}
	tr.Settings.Search.Visits = 400
	tr.Settings.SelfPlay.PlayoutCap = &experiment.PlayoutCap{Full: 0.25, Visits: 40}
	got := tr.selfplayConfig(1)
	if diff := cmp.Diff(selfplay.PlayoutCap{Full: 0.25, Visits: 40}, got.PlayoutCap); diff != "" {
		t.Error(diff)
	}
	// A probe has fewer visits, in the same proportion.
	if quick := quickConfig(tr); quick.Search.Visits != quickVisits || quick.PlayoutCap.Visits*10 > quickVisits || quick.PlayoutCap.Visits == 0 {
		t.Errorf("a probe has %d visits, %d in fast searches", quick.Search.Visits, quick.PlayoutCap.Visits)
	}
}
