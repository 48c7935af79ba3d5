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
	if got := tr.selfplayConfig(1); got.PlayoutCap != (selfplay.PlayoutCap{}) || got.Surprise != 0 || got.ValueMix != 0 {
		t.Errorf("choices are on without a word: %+v", got)
	}
	tr.Settings.Search.Visits = 400
	tr.Settings.SelfPlay.PlayoutCap = &experiment.PlayoutCap{Full: 0.25, Visits: 40}
	tr.Settings.SelfPlay.Surprise, tr.Settings.SelfPlay.ValueMix = 0.5, 0.125
	got := tr.selfplayConfig(1)
	if got.Surprise != 0.5 || got.ValueMix != 0.125 {
		t.Errorf("surprise %v, value mix %v", got.Surprise, got.ValueMix)
	}
	if diff := cmp.Diff(selfplay.PlayoutCap{Full: 0.25, Visits: 40}, got.PlayoutCap); diff != "" {
		t.Error(diff)
	}
	// A probe has fewer visits, in the same proportion.
	if quick := quickConfig(tr); quick.Search.Visits != quickVisits || quick.PlayoutCap.Visits*10 > quickVisits || quick.PlayoutCap.Visits == 0 {
		t.Errorf("a probe has %d visits, %d in fast searches", quick.Search.Visits, quick.PlayoutCap.Visits)
	}
}
