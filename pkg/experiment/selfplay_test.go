package experiment

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/selfplay"
)

// The choices of self-play that may be absent are those that are played with.
func TestSelfPlay(t *testing.T) {
	var s Settings
	of := &Setup{settings: &s}
	if got := of.SelfPlay(1); got.PlayoutCap != (selfplay.PlayoutCap{}) || got.Surprise != 0 || got.ValueMix != 0 {
		t.Errorf("choices are on without a word: %+v", got)
	}
	s.SelfPlay.PlayoutCap = &PlayoutCap{Full: 0.25, Visits: 40}
	s.SelfPlay.Surprise, s.SelfPlay.ValueMix = 0.5, 0.125
	got := of.SelfPlay(1)
	if got.Surprise != 0.5 || got.ValueMix != 0.125 {
		t.Errorf("surprise %v, value mix %v", got.Surprise, got.ValueMix)
	}
	if diff := cmp.Diff(selfplay.PlayoutCap{Full: 0.25, Visits: 40}, got.PlayoutCap); diff != "" {
		t.Error(diff)
	}
}
