package nn

import (
	"testing"

	"github.com/sugarme/gotch"
)

// checkRounded says when a copy in bf16 is not the parameter, rounded.
func checkRounded(t *testing.T, x *parameters) {
	t.Helper()
	g := graph{half: true}
	defer g.close()
	for p, half := range x.half {
		want := g.single(g.keep(x.full[p].Totype(gotch.BFloat16, false)))
		compare(t, p.name+" in bf16", ordered(&g, want), ordered(&g, g.single(half)), 0)
	}
}

// What is computed with follows the parameters: at first, after steps, and after
// others were loaded.
func TestRoundedParameters(t *testing.T) {
	for _, precision := range precisions() {
		s := tiny()
		n := mustNew(t, s, 1)
		x := mustTrainerWith(t, n, momentum, TrainerOptions{Precision: precision, Threads: 3})
		if have := len(x.params.half) > 0; have != (precision == BF16) {
			t.Errorf("%s: %d copies in bf16", precision, len(x.params.half))
		}
		checkRounded(t, x.params)
		for i := range 3 {
			step(t, x, randomBatch(uint64(i), s, 13), 0.05)
		}
		checkRounded(t, x.params)
		if err := n.Load(mustState(t, mustNew(t, s, 2))); err != nil {
			t.Fatal(err)
		}
		checkRounded(t, x.params)
	}
}
