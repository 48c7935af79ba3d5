package experiment

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The search of the tournament has the root of search, or its own, without the noise
// that is for exploring; whatever it is, it is written so that it is read again.
func TestRoot(t *testing.T) {
	puct := Root{Kind: "puct"}
	for _, c := range []struct {
		file            string
		search, tourney Root
	}{
		{"", puct, puct},
		{"search: {root: puct}", puct, puct},
		{"search: {root: gumbel}", Root{"gumbel", 16, 50, 1, 1}, Root{"gumbel", 16, 50, 1, 0}},
		{"search: {root: {kind: gumbel, considered: 4, noise: 0.5}}", Root{"gumbel", 4, 50, 1, 0.5}, Root{"gumbel", 4, 50, 1, 0}},
		{"search: {root: gumbel}\ntournament: {search: {root: puct}}", Root{"gumbel", 16, 50, 1, 1}, puct},
		{"tournament: {search: {root: {kind: gumbel, c_scale: 0.1}}}", puct, Root{"gumbel", 16, 50, 0.1, 0}},
		{"search: {root: gumbel}\ntournament: {search: {root: {noise: 1, considered: 8}}}", Root{"gumbel", 16, 50, 1, 1}, Root{"gumbel", 8, 50, 1, 1}},
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
		file = first.Settings.YAML()
		again := load()
		for _, trial := range []Trial{first, again} {
			s := &trial.Settings
			if diff := cmp.Diff([]Root{c.search, c.tourney}, []Root{s.Search.Root, s.Tournament.Search.Root}); diff != "" {
				t.Errorf("%s:\n%s", c.file, diff)
			}
		}
		if first.ID != again.ID {
			t.Errorf("%s: written and read it is another trial:\n%s", c.file, file)
		}
	}
}
