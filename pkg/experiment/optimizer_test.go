package experiment

import (
	"testing"

	"alamos/pkg/train"
)

// The masks of dropout go on from generation to generation with the optimizer's steps;
// where these begin anew, the masks are others.
func TestDropoutSeed(t *testing.T) {
	s := Settings{Game: Game{Variant: "atomic"}, Network: Network{Input: "atomic16", Policy: "uci1968"}}
	of, err := NewSetup(&s)
	if err != nil {
		t.Fatal(err)
	}
	first := of.Optimizer(1).Seed
	if of.Optimizer(2).Seed != first {
		t.Error("a trainer that goes on has another seed")
	}
	s.Training.Carry = train.CarryWeights
	if a, b := of.Optimizer(1).Seed, of.Optimizer(2).Seed; a == b {
		t.Error("generations that begin anew have the same masks")
	}
}
