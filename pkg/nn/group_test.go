package nn

import (
	"slices"
	"strings"
	"testing"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		n, workers, block int
		want              []int
	}{
		{16, 2, 8, []int{8, 8}},
		{15, 2, 8, []int{8, 7}},
		{9, 2, 8, []int{8, 1}},
		{8, 2, 8, []int{0, 8}}, // one block: the last worker is the caller's own thread
		{1, 3, 4, []int{0, 0, 1}},
		{24, 2, 8, []int{8, 16}},
		{100, 3, 8, []int{32, 32, 36}},
		{0, 2, 8, []int{0, 0}},
		{5, 1, 2, []int{5}},
	} {
		if have := share(c.n, c.workers, c.block); !slices.Equal(have, c.want) {
			t.Errorf("%d positions, %d workers, blocks of %d: have %v, want %v", c.n, c.workers, c.block, have, c.want)
		}
	}
}

// A group answers what a session answers, to the bit.
func TestGroup(t *testing.T) {
	s := tiny()
	n, _ := trained(t, s)
	m := mustModel(t, n, InferenceOptions{Batch: 4})
	want := randomLeaves(2, s, 50)
	if err := mustSession(t, m).Evaluate(want); err != nil {
		t.Fatal(err)
	}
	g, err := m.NewGroup(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1, 4, 5, 12, 13, 50} {
		leaves := randomLeaves(2, s, size)
		if err := g.Evaluate(leaves); err != nil {
			t.Fatal(err)
		}
		for i := range leaves {
			if answer(leaves[i]) != answer(want[i]) {
				t.Errorf("leaf %d of %d: another answer", i, size)
			}
		}
	}
	leaves := randomLeaves(2, s, 20)
	leaves[1].Planes = nil
	if err := g.Evaluate(leaves); err == nil || !strings.Contains(err.Error(), "leaf 1 has 0 planes") {
		t.Errorf("error %v", err)
	}
	g.Close()
	if err := g.Evaluate(want); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("closed group: error %v", err)
	}
	m.Close()
	if _, err := m.NewGroup(2); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("group of a closed model: error %v", err)
	}
}
