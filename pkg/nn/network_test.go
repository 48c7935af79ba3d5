package nn

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"alamos/pkg/encode"

	"github.com/google/go-cmp/cmp"
)

// tiny is the smallest network that has everything.
func tiny() Spec {
	return Spec{Planes: 5, Constant: []bool{false, false, false, true, false}, PolicySize: 40, Depth: 2, Width: 16, PolicyHead: PolicyConv, PolicyChannels: 4}
}

func mustNew(t testing.TB, s Spec, seed uint64) *Network {
	t.Helper()
	n, err := New(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func mustState(t testing.TB, n *Network) Tensors {
	t.Helper()
	s, err := n.State()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomPlanes draws sparse bitboards, and numbers for the constant planes.
func randomPlanes(rng *rand.Rand, s Spec) []uint64 {
	out := make([]uint64, s.Planes)
	for i := range out {
		if s.Constant != nil && s.Constant[i] {
			out[i] = uint64(math.Float32bits(rng.Float32()))
		} else {
			out[i] = rng.Uint64() & rng.Uint64() & rng.Uint64()
		}
	}
	return out
}

// randomIndices draws 1 to 40 different moves, or all.
func randomIndices(rng *rand.Rand, s Spec) []int32 {
	if s.PolicySize == 0 {
		return []int32{-1, -1, -1}
	}
	n := 1 + rng.IntN(min(40, s.PolicySize))
	out := make([]int32, n)
	for i, p := range rng.Perm(s.PolicySize)[:n] {
		out[i] = int32(p)
	}
	return out
}

func randomBatch(seed uint64, s Spec, n int) *Batch {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := &Batch{}
	for range n {
		x := encode.Sample{Planes: randomPlanes(rng, s), Indices: randomIndices(rng, s), Value: float32(rng.IntN(3) - 1), Draw: -1, MovesLeft: float32(3 + 7*b.N%100)}
		if s.PolicySize == 0 {
			x.Indices = nil
		}
		x.Policy = make([]float32, len(x.Indices))
		sum := float32(0)
		for i := range x.Policy {
			x.Policy[i] = rng.Float32()
			sum += x.Policy[i]
		}
		for i := range x.Policy {
			x.Policy[i] /= sum
		}
		if x.Reply = -1; s.OpponentPolicy {
			x.Reply = x.Indices[0]
		}
		if s.FutureBoard > 0 { // classes of 0, 1, 8 and 9
			x.Future = []uint64{x.Planes[0], 0, 0, x.Planes[1]}
		}
		b.Add(&x)
	}
	return b
}

func TestSpecErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*Spec)
		want   string
	}{
		{func(s *Spec) { s.Planes = 0 }, "planes"},
		{func(s *Spec) { s.Constant = s.Constant[:2] }, "marks of constant planes"},
		{func(s *Spec) { s.PolicySize = 0 }, "policy size: the policy head conv-linear has 0 moves"},
		{func(s *Spec) { s.PolicyHead, s.PolicyChannels = PolicyNone, 0 }, "policy size: the policy head none has 40 moves"},
		{func(s *Spec) { s.PolicyHead, s.PolicyChannels = PolicyAlphaZero, 0 }, `the policy map "alphazero4672", which the policy head conv73 needs: it has 4672 moves, not 40`},
		{func(s *Spec) { s.PolicyHead = PolicyAttention }, `the policy map "", which the policy head attention needs: no policy encoding is named ""`},
		{func(s *Spec) { s.PolicyHead = policyRows }, "rows"},
		{func(s *Spec) { s.PolicyHead, s.PolicyMap = PolicyAttention, "uci1968" }, `the policy map "uci1968", which the policy head attention needs: it has 1968 moves, not 40`},
		{func(s *Spec) { s.ValueChannels = -2 }, "network.value_channels: want"},
		{func(s *Spec) { s.ValueHidden = []int{8, 0} }, "network.value_hidden[1]: want"},
		{func(s *Spec) { s.Depth = -1 }, "depth"},
		{func(s *Spec) { s.Width = 0 }, "width"},
		{func(s *Spec) { s.Trunk = "recurrent" }, "network.trunk: want residual"},
		{func(s *Spec) { s.Trunk, s.AttentionHeads = TrunkTransformer, 5 }, "is not a multiple of its 5 heads"},
		{func(s *Spec) { s.Trunk, s.Depth = TrunkTransformer, 0 }, "a transformer needs at least 1 block"},
		{func(s *Spec) { s.Trunk, s.Attention = TrunkTransformer, AttentionSqueeze }, "no attention of channels"},
		{func(s *Spec) { s.Trunk, s.BareHeads = TrunkTransformer, true }, "have no batch norm"},
		{func(s *Spec) { s.Trunk, s.PositionWidth = TrunkTransformer, 4 }, "only with the position dense"},
		{func(s *Spec) { s.Trunk, s.SmolgenSize = TrunkTransformer, 4 }, "but not its channels"},
		{func(s *Spec) { s.Gating = true }, "only with the trunk transformer"},
		{func(s *Spec) { s.Activation = "gelu" }, "activation"},
		{func(s *Spec) { s.Attention = "all" }, "attention"},
		{func(s *Spec) { s.Attention, s.AttentionReduction = AttentionSqueeze, -1 }, "network.attention_reduction: want"},
		{func(s *Spec) { s.AttentionReduction = 4 }, "there is no attention"},
		{func(s *Spec) { s.Dropout = 1 }, "dropout"},
		{func(s *Spec) { s.Dropout = math.NaN() }, "dropout"},
		{func(s *Spec) { s.Trunk, s.Depth = TrunkPlain, 0 }, "a plain trunk needs"},
		{func(s *Spec) { s.Value = "softmax" }, "value"},
		{func(s *Spec) { s.PolicyHead = "softmax" }, "network.policy_head: want"},
		{func(s *Spec) { s.PolicyHead = PolicyConv73 }, "policy channels"},
		{func(s *Spec) { s.PolicyHead, s.PolicyChannels, s.PolicySize, s.SoftPolicy = PolicyNone, 0, 0, true }, "soft policy: there is no policy"},
		{func(s *Spec) { s.FutureBoard = -1 }, "network.future_board: want"},
	} {
		s := tiny()
		c.change(&s)
		if _, err := New(s, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.want, err)
		}
	}
}

// The thesis' network, 33 million parameters, counted by hand.
func TestThesisParameters(t *testing.T) {
	n := mustNew(t, Spec{Planes: 16, PolicySize: 1968, Depth: 20, Width: 256}, 1)
	conv := func(in, out, k int) int { return in*out*k*k + 2*out }
	want := conv(16, 256, 3) + 40*conv(256, 256, 3) +
		conv(256, 256, 1) + 256*73 + 73 + 4672*1968 + 1968 +
		conv(256, 1, 1) + 64*256 + 256 + 256 + 1
	if got := trainedParameters(n); got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
}

func TestNewIsDeterministic(t *testing.T) {
	a := mustState(t, mustNew(t, tiny(), 1))
	sameTensors(t, "again", a, mustState(t, mustNew(t, tiny(), 1)))
	b := mustState(t, mustNew(t, tiny(), 2))
	if cmp.Equal(a["input.conv.weight"], b["input.conv.weight"]) {
		t.Error("another seed gave the same weights")
	}
	deeper := tiny()
	deeper.Depth++
	c := mustState(t, mustNew(t, deeper, 1))
	for _, name := range []string{"trunk.0.conv1.weight", "policy.linear.bias"} {
		if !cmp.Equal(a[name], c[name]) {
			t.Errorf("another block changed %s", name)
		}
	}
}

func TestInitialVariance(t *testing.T) {
	n := mustNew(t, Spec{Planes: 16, PolicySize: 10, Depth: 1, Width: 64, PolicyHead: PolicyConv}, 3)
	w := n.trunk[1].conv.weight.data
	var sum, square float64
	for _, x := range w {
		sum += float64(x)
		square += float64(x) * float64(x)
	}
	mean, variance := sum/float64(len(w)), square/float64(len(w))
	want := 2.0 / (64 * 9)
	if math.Abs(mean) > 4*math.Sqrt(want/float64(len(w))) || math.Abs(variance/want-1) > 0.03 {
		t.Errorf("mean %v, variance %v, want 0 and %v", mean, variance, want)
	}
}

func TestLoad(t *testing.T) {
	a, b := mustNew(t, tiny(), 1), mustNew(t, tiny(), 2)
	want := mustState(t, a)
	if err := b.Load(want); err != nil {
		t.Fatal(err)
	}
	sameTensors(t, "loaded", want, mustState(t, b))
	for _, c := range []struct {
		change func(Tensors)
		want   string
	}{
		{func(x Tensors) { delete(x, "input.conv.weight") }, "no tensor input.conv.weight"},
		{func(x Tensors) { x["more"] = x["input.norm.bias"] }, "tensor more belongs to another"},
		{func(x Tensors) { x["input.norm.bias"] = Tensor{[]int{2}, make([]float32, 2)} }, "want shape [16], have [2]"},
	} {
		x := mustState(t, mustNew(t, tiny(), 3))
		c.change(x)
		if err := b.Load(x); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.want, err)
		}
	}
	sameTensors(t, "after a failed Load", want, mustState(t, b))
}

// trainedParameters returns the number of trained parameters.
func trainedParameters(n *Network) int {
	sum := 0
	for _, p := range n.params {
		if p.trained {
			sum += len(p.data)
		}
	}
	return sum
}
