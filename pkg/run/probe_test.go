package run

import (
	"testing"

	"alamos/pkg/experiment"
	"alamos/pkg/selfplay"
)

// A probe has fewer visits than the games that it stands for, in the same proportion.
func TestQuickConfig(t *testing.T) {
	s := experiment.Settings{Game: experiment.Game{Variant: "atomic"}, Network: experiment.Network{Input: "atomic16", Policy: "uci1968"}}
	s.Search.Visits = 400
	s.SelfPlay.PlayoutCap = selfplay.PlayoutCap{Full: 0.25, Visits: 40}
	of, err := experiment.NewSetup(&s)
	if err != nil {
		t.Fatal(err)
	}
	quick := quickConfig(&Trial{Settings: &s, Setup: of})
	if quick.Search.Visits != quickVisits || quick.PlayoutCap.Visits*10 > quickVisits || quick.PlayoutCap.Visits == 0 {
		t.Errorf("a probe has %d visits, %d in fast searches", quick.Search.Visits, quick.PlayoutCap.Visits)
	}
}
