package nn

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/cpu"
)

// transformers are transformers with and without each of their parts.
func transformers() []Spec {
	var all []Spec
	for i, change := range []func(*Spec){
		func(*Spec) {},
		func(s *Spec) {
			s.Activation, s.Gating, s.Smolgen, s.SmolgenHidden, s.SmolgenSize, s.PolicyHead = Mish, true, 3, 10, 6, PolicyConv
		},
		func(s *Spec) {
			s.Position, s.PositionWidth, s.Gating, s.FeedForwardActivation = PositionDense, 5, true, SquaredReLU
			s.MovesLeft, s.Value, s.FutureBoard = true, ValueWDL, 3
		},
		func(s *Spec) {
			s.Position, s.FeedForwardActivation, s.Smolgen, s.SmolgenActivation, s.Depth = PositionDense, ReLU, 2, Mish, 3
			s.PolicyHead, s.OpponentPolicy, s.ValueSecond = PolicyAlphaZero, true, 2
		},
	} {
		s := Spec{
			Planes: 16, PolicySize: 1968, PolicyMap: "uci1968", Trunk: TrunkTransformer, Depth: 2, Width: 24, AttentionHeads: 3, FeedForward: 30,
			PolicyHead: PolicyAttention, ValueChannels: 4,
		}
		if i%2 == 1 {
			s.Value = ValueWDL
		}
		change(&s)
		all = append(all, s)
	}
	return all
}

// Every transformer learns, and its evaluator does what its graph in training does, and answers
// for each position by itself.
func TestTransformers(t *testing.T) {
	for _, s := range transformers() {
		t.Run(s.transformerName(), func(t *testing.T) {
			n := mustNew(t, s, 7)
			x := mustTrainerWith(t, n, Optimizer{Kind: Adam}, TrainerOptions{Threads: 2, Precision: FP32})
			testLearns(t, x, s, 60, 0.003)
			testAgreement(t, n, x, InferenceOptions{Batch: 16, Precision: FP32})
			testIndependence(t, n, InferenceOptions{Batch: 19, Precision: FP32}) // no multiple of the numbers in a vector register
		})
	}
}

func (s Spec) transformerName() string {
	return s.PolicyHead + " " + s.Position + " " + s.FeedForwardActivation
}

// A position's answer has the same bits at every place of a block of a wide network, also with
// OpenBLAS's kernels for AVX2, in which the last bits of a row depend on its place.
func TestWideTransformers(t *testing.T) {
	const chosen = "OPENBLAS_CORETYPE"
	if os.Getenv(chosen) == "" && cpu.X86.HasAVX2 {
		child := exec.Command(os.Args[0], "-test.run=^TestWideTransformers$")
		child.Env = append(os.Environ(), chosen+"=Haswell")
		if text, err := child.CombinedOutput(); err != nil {
			t.Errorf("with the kernels for AVX2: %v\n%s", err, text)
		}
	}
	for _, width := range []int{40, 128, 256} {
		s := transformers()[2]
		s.Width, s.AttentionHeads, s.FeedForward, s.PolicyChannels, s.ValueChannels, s.ValueHidden = width, 8, 2*width+8, width/2, 16, []int{128}
		s.Smolgen, s.SmolgenHidden, s.SmolgenSize, s.PositionWidth, s.FutureBoard = 8, 64, 32, 16, 0
		testIndependence(t, scrambled(t, s), InferenceOptions{Batch: 32, Precision: FP32})
	}
}
