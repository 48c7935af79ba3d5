package experiment

import (
	"fmt"
	"testing"

	"alamos/pkg/config"
	"alamos/pkg/search"
	"alamos/pkg/train"

	"github.com/google/go-cmp/cmp"
)

// pathOf writes a file of the settings by its path.
func pathOf(f config.File) string { return f.Path }

// The search of the tournament has the root of search, or its own, without exploration
// noise. Its settings read back as they are written.
func TestRoot(t *testing.T) {
	puct := search.Root{Kind: "puct"}
	for _, c := range []struct {
		file            string
		search, tourney search.Root
	}{
		{"", puct, puct},
		{"search: {root: puct}", puct, puct},
		{"search: {root: gumbel}", search.Root{Kind: "gumbel", Considered: 16, CVisit: 50, CScale: 1, Noise: 1}, search.Root{Kind: "gumbel", Considered: 16, CVisit: 50, CScale: 1, Noise: 0}},
		{"search: {root: {kind: gumbel, considered: 4, noise: 0.5}}", search.Root{Kind: "gumbel", Considered: 4, CVisit: 50, CScale: 1, Noise: 0.5}, search.Root{Kind: "gumbel", Considered: 4, CVisit: 50, CScale: 1, Noise: 0}},
		{"search: {root: gumbel}\ntournament: {search: {root: puct}}", search.Root{Kind: "gumbel", Considered: 16, CVisit: 50, CScale: 1, Noise: 1}, puct},
		{"tournament: {search: {root: {kind: gumbel, c_scale: 0.1}}}", puct, search.Root{Kind: "gumbel", Considered: 16, CVisit: 50, CScale: 0.1, Noise: 0}},
		{"search: {root: gumbel}\ntournament: {search: {root: {noise: 1, considered: 8}}}", search.Root{Kind: "gumbel", Considered: 16, CVisit: 50, CScale: 1, Noise: 1}, search.Root{Kind: "gumbel", Considered: 8, CVisit: 50, CScale: 1, Noise: 1}},
	} {
		file := []byte(fmt.Sprintf("alamos: 1\nname: x\n%s\n", c.file))
		load := func() Trial {
			e, err := Load("x.yaml", Options{ReadFile: func(string) ([]byte, error) { return file, nil }})
			if err != nil {
				t.Fatalf("%s\n%v", file, err)
			}
			return e.Trials[0]
		}
		first := load()
		file = first.Settings.YAML(pathOf)
		again := load()
		for _, trial := range []Trial{first, again} {
			s := &trial.Settings
			if diff := cmp.Diff([]search.Root{c.search, c.tourney}, []search.Root{s.Search.Root, s.Tournament.Search.Root}); diff != "" {
				t.Errorf("%s:\n%s", c.file, diff)
			}
		}
		if first.ID != again.ID {
			t.Errorf("%s: written and read it is another trial:\n%s", c.file, file)
		}
	}
}

// The dropout masks continue across generations with the optimizer's steps. If the steps
// start again, the masks have another seed.
func TestDropoutSeed(t *testing.T) {
	s := Settings{Game: Game{Variant: "atomic"}, Network: Network{Input: "atomic16", Policy: "uci1968"}}
	of, err := NewSetup(&s)
	if err != nil {
		t.Fatal(err)
	}
	first := of.Optimizer(1).Seed
	if of.Optimizer(2).Seed != first {
		t.Error("a trainer that continues has another seed")
	}
	s.Training.Carry = train.CarryWeights
	if a, b := of.Optimizer(1).Seed, of.Optimizer(2).Seed; a == b {
		t.Error("generations whose steps start again have the same masks")
	}
}
