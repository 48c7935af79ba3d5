package nn

import (
	"fmt"
	"testing"
)

// shapes are networks of every trunk with every activation and attention.
func shapes() []Spec {
	var all []Spec
	for _, trunk := range []string{TrunkResidual, TrunkPreactivation, TrunkPlain} {
		for _, act := range []string{ReLU, Mish} {
			all = append(all, Spec{
				Planes: 16, PolicySize: 100, Trunk: trunk, Depth: 2, Width: 24, Activation: act,
				PolicyHead: PolicyConv, PolicyChannels: 5,
			})
		}
	}
	return all
}

func (s Spec) shape() string { return fmt.Sprintf("%s %s", s.Trunk, s.Activation) }

// Every network learns, and its evaluator, on oneDNN and on libtorch, does what
// its graph in training does.
func TestEveryShape(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.shape(), func(t *testing.T) {
			n := mustNew(t, s, 7)
			x, b := mustTrainer(t, n), randomBatch(5, s, 32)
			first := step(t, x, b, 0.05)
			var last Loss
			for range 30 {
				last = step(t, x, b, 0.05)
			}
			if last.Policy > first.Policy-0.1 || last.Value > first.Value/2 {
				t.Errorf("loss %+v at first, %+v at last", first, last)
			}
			for _, precision := range precisions() {
				for _, libtorch := range []bool{false, true} {
					testAgreement(t, n, x, InferenceOptions{Batch: 16, Precision: precision, libtorch: libtorch})
				}
			}
		})
	}
}
