package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"alamos/pkg/encode"
)

func mustModel(t testing.TB, n *Network, o InferenceOptions) *Model {
	t.Helper()
	m, err := n.Compile(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func mustSession(t testing.TB, m *Model) *Session {
	t.Helper()
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// precisions are those that this processor has.
func precisions() []string {
	if checkLibrary() == nil && hasBF16() {
		return []string{FP32, BF16}
	}
	return []string{FP32}
}

func randomLeaves(seed uint64, s Spec, n int) []*encode.Leaf {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]*encode.Leaf, n)
	for i := range out {
		out[i] = &encode.Leaf{Planes: randomPlanes(rng, s), Indices: randomIndices(rng, s), Sign: 1}
	}
	return out
}

// trained is a network after some steps: its batch norm and heads are no longer
// at their first values.
func trained(t testing.TB, s Spec) (*Network, *Trainer) {
	t.Helper()
	n := mustNew(t, s, 7)
	x := mustTrainer(t, n)
	b := randomBatch(5, s, 32)
	for range 25 {
		step(t, x, b, 0.05)
	}
	return n, x
}

// The evaluator agrees with gotch on the same network, for shapes on every path:
// the policy's convolution merged and not, widths that fill vectors and not.
func TestEvaluatorAgreesWithTraining(t *testing.T) {
	for _, s := range []Spec{
		{Planes: 16, PolicySize: 300, Depth: 3, Width: 32},
		{Planes: 16, PolicySize: 100, Depth: 1, Width: 80},
		{Planes: 21, PolicySize: 100, Depth: 2, Width: 24, PolicyHead: PolicyConv, PolicyChannels: 5},
		{Planes: 1, PolicySize: 2, Depth: 0, Width: 1, PolicyHead: PolicyConv, PolicyChannels: 1},
		tiny(),
	} {
		n, x := trained(t, s)
		for _, precision := range precisions() {
			t.Run(fmt.Sprintf("%dx%d %s %s", s.Depth, s.Width, n.spec.PolicyHead, precision), func(t *testing.T) {
				testAgreement(t, n, x, InferenceOptions{Batch: 16, Precision: precision})
			})
		}
	}
}

// boundedByHand is the value of the output x of a linear value head.
func boundedByHand(x float64) float64 {
	inside := max(-0.9, min(0.9, x))
	return inside + 0.1*(x-inside)/(0.1+math.Abs(x-inside))
}

// testAgreement compares the answers of an evaluator with the outputs of the
// training graph.
func testAgreement(t *testing.T, n *Network, x *Trainer, o InferenceOptions) {
	t.Helper()
	s, precision := n.spec, o.Precision
	m := mustModel(t, n, o)
	leaves := randomLeaves(3, s, 40)
	leaves[1].Sign = -1
	leaves[2].Indices = append(leaves[2].Indices, -1)
	leaves[3].Indices = nil
	if err := mustSession(t, m).Evaluate(leaves); err != nil {
		t.Fatal(err)
	}
	var planes []uint64
	for _, l := range leaves {
		planes = append(planes, l.Planes...)
	}
	logits, values, left := answers(t, x, planes)
	near := func(i int, what string, have, want float64) {
		t.Helper()
		if d := math.Abs(have - want); !(d <= tolerance(precision, 1e-4, 0.05)) {
			t.Errorf("leaf %d: %s %v, want %v", i, what, have, want)
		}
	}
	agree := 0
	for i, l := range leaves {
		switch want := float64(values[i%len(values)]); s.Value {
		case ValueWDL:
			wdl := softmaxOf(values[3*i:][:3], []int32{0, 1, 2})
			if l.Sign < 0 {
				slices.Reverse(wdl)
			}
			for k := range wdl {
				near(i, "win, draw, loss", float64(l.WDL[k]), wdl[k])
			}
			near(i, "value", float64(l.Value), wdl[0]-wdl[2])
		case ValueLinear:
			near(i, "value", float64(l.Value), float64(l.Sign)*boundedByHand(want))
		default:
			near(i, "value", float64(l.Value), float64(l.Sign)*want)
		}
		if left != nil {
			near(i, "units of moves left", float64(l.MovesLeft)/float64(m.spec.MovesLeftUnit), max(0, float64(left[i])))
		}
		var want []float64
		switch {
		case s.PolicySize > 0:
			want = softmaxOf(logits[i*s.PolicySize:][:s.PolicySize], l.Indices)
		default:
			for range l.Indices {
				want = append(want, 1/float64(len(l.Indices)))
			}
		}
		if len(l.Priors) != len(want) {
			t.Fatalf("leaf %d: %d priors, want %d", i, len(l.Priors), len(want))
		}
		for j := range want {
			near(i, "prior", float64(l.Priors[j]), want[j])
		}
		if len(want) == 0 || best(l.Priors) == best(want) {
			agree++
		}
	}
	if agree < len(leaves)*9/10 {
		t.Errorf("the best move agrees in %d of %d leaves", agree, len(leaves))
	}
}

func tolerance(precision string, fp32, bf16 float64) float64 {
	if precision == BF16 {
		return bf16
	}
	return fp32
}

func best[T float32 | float64](v []T) int { return slices.Index(v, slices.Max(v)) }

// softmaxOf is the softmax over the listed logits; index -1 has 0.
func softmaxOf(logits []float32, indices []int32) []float64 {
	out := make([]float64, len(indices))
	sum := 0.0
	for i, index := range indices {
		if index >= 0 {
			out[i] = math.Exp(float64(logits[index]))
			sum += out[i]
		}
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// answer is a leaf's answer as bits.
func answer(l *encode.Leaf) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%08x %08x %08x:", math.Float32bits(l.Value), math.Float32bits(l.WDL[1]), math.Float32bits(l.MovesLeft))
	for _, p := range l.Priors {
		fmt.Fprintf(&b, " %08x", math.Float32bits(p))
	}
	return b.String()
}

// A leaf's answer has the same bits alone, in any company, at any place, in
// another session and in a model compiled again.
func TestAnswersDoNotDependOnTheBatch(t *testing.T) {
	s := Spec{Planes: 16, PolicySize: 300, Depth: 2, Width: 64}
	n, _ := trained(t, s)
	for _, precision := range precisions() {
		t.Run(precision, func(t *testing.T) {
			testIndependence(t, n, InferenceOptions{Batch: 16, Precision: precision})
		})
	}
}

func testIndependence(t *testing.T, n *Network, o InferenceOptions) {
	t.Helper()
	s := n.spec
	m := mustModel(t, n, o)
	e := mustSession(t, m)
	want := make([]string, 48)
	leaves := randomLeaves(9, s, len(want))
	if err := e.Evaluate(leaves); err != nil {
		t.Fatal(err)
	}
	for i, l := range leaves {
		want[i] = answer(l)
	}
	check := func(e *Session, order []int) {
		t.Helper()
		part := make([]*encode.Leaf, len(order))
		for i, o := range order {
			part[i] = leaves[o]
			part[i].Value, part[i].WDL, part[i].MovesLeft, part[i].Priors = 0, [3]float32{}, 0, nil
		}
		if err := e.Evaluate(part); err != nil {
			t.Fatal(err)
		}
		for i, o := range order {
			if answer(part[i]) != want[o] {
				t.Errorf("leaf %d, at %d of %d: another answer", o, i, len(order))
			}
		}
	}
	rng := rand.New(rand.NewPCG(4, 4))
	for _, fill := range []int{1, 2, 3, 7, 15, 16, 17, 31, 48} {
		check(e, rng.Perm(len(leaves))[:fill])
	}
	check(mustSession(t, m), rng.Perm(len(leaves)))
	check(mustSession(t, mustModel(t, n, o)), rng.Perm(len(leaves)))
}

// Sessions of one model work at the same time without disturbing each other.
func TestParallelSessions(t *testing.T) {
	s := tiny()
	n, _ := trained(t, s)
	m := mustModel(t, n, InferenceOptions{Batch: 8})
	want := randomLeaves(2, s, 64)
	if err := mustSession(t, m).Evaluate(want); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 4 {
		e := mustSession(t, m)
		wait.Go(func() {
			for range 20 {
				got := randomLeaves(2, s, 64)
				if err := e.Evaluate(got); err != nil {
					t.Error(err)
					return
				}
				for i := range got {
					if answer(got[i]) != answer(want[i]) {
						t.Errorf("leaf %d: another answer", i)
						return
					}
				}
			}
		})
	}
	wait.Wait()
}

// A model is a copy: it does not see later training.
func TestModelIsFrozen(t *testing.T) {
	s := tiny()
	n, x := trained(t, s)
	e := mustSession(t, mustModel(t, n, InferenceOptions{Batch: 8}))
	leaves := randomLeaves(2, s, 8)
	if err := e.Evaluate(leaves); err != nil {
		t.Fatal(err)
	}
	before := answer(leaves[0])
	step(t, x, randomBatch(8, s, 16), 0.1)
	if err := e.Evaluate(leaves); err != nil {
		t.Fatal(err)
	}
	if answer(leaves[0]) != before {
		t.Error("training changed a model")
	}
}

func TestUntrainedNetworkHasNoOpinion(t *testing.T) {
	s := Spec{Planes: 16, PolicySize: 300, Depth: 4, Width: 32}
	e := mustSession(t, mustModel(t, mustNew(t, s, 1), InferenceOptions{Precision: FP32}))
	leaves := randomLeaves(1, s, 20)
	if err := e.Evaluate(leaves); err != nil {
		t.Fatal(err)
	}
	for i, l := range leaves {
		if math.Abs(float64(l.Value)) > 0.05 {
			t.Errorf("leaf %d: value %v", i, l.Value)
		}
		for _, p := range l.Priors {
			if equal := 1 / float64(len(l.Priors)); float64(p) < equal/2 || float64(p) > equal*2 {
				t.Errorf("leaf %d: prior %v of %d moves", i, p, len(l.Priors))
			}
		}
	}
}

func TestInferenceErrors(t *testing.T) {
	s := tiny()
	n := mustNew(t, s, 1)
	for _, c := range []struct {
		o    InferenceOptions
		want string
	}{
		{InferenceOptions{Batch: -1}, "batch"},
		{InferenceOptions{Precision: "int4"}, `no "int4"`},
		{InferenceOptions{Device: "abacus"}, `no "abacus"`},
	} {
		if _, err := n.Compile(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c.o, err)
		}
	}
	m := mustModel(t, n, InferenceOptions{Batch: 4})
	if m.Batch() != 4 || !slices.Contains(precisions(), m.Precision()) {
		t.Errorf("batch %d, precision %s", m.Batch(), m.Precision())
	}
	e := mustSession(t, m)
	for _, c := range []struct {
		change func(*encode.Leaf)
		want   string
	}{
		{func(l *encode.Leaf) { l.Planes = l.Planes[1:] }, "leaf 2 has 4 planes"},
		{func(l *encode.Leaf) { l.Indices[0] = 40 }, "leaf 2: policy index 40"},
		{func(l *encode.Leaf) { l.Indices[0] = -2 }, "policy index -2"},
	} {
		leaves := randomLeaves(1, s, 3)
		c.change(leaves[2])
		if err := e.Evaluate(leaves); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.want, err)
		}
	}
	if err := e.Evaluate(nil); err != nil {
		t.Error(err)
	}
	m.Close()
	if _, err := m.NewSession(); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("session of a closed model: %v", err)
	}
	if err := e.Evaluate(randomLeaves(1, s, 3)); err != nil {
		t.Errorf("a session outlives its model's Close: %v", err)
	}
	e.Close()
	e.Close()
	if err := e.Evaluate(randomLeaves(1, s, 3)); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("closed session: %v", err)
	}
}

// Parameters that are not numbers, or give values that are not, are found.
func TestDamagedParameters(t *testing.T) {
	s := tiny()
	n := mustNew(t, s, 1)
	x := mustState(t, n)
	nan, huge := float32(math.NaN()), float32(1e38)
	x["input.norm.bias"] = Tensor{[]int{16}, slices.Repeat([]float32{nan}, 16)}
	if err := n.Load(x); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Compile(InferenceOptions{}); err == nil || !strings.Contains(err.Error(), "input.norm.bias") {
		t.Errorf("NaN: error %v", err)
	}

	x = mustState(t, mustNew(t, s, 1))
	x["value.linear1.bias"] = Tensor{[]int{256}, slices.Repeat([]float32{huge}, 256)}
	x["value.linear2.weight"] = Tensor{[]int{1, 256}, slices.Repeat([]float32{huge, -huge}, 128)}
	if err := n.Load(x); err != nil {
		t.Fatal(err)
	}
	for _, p := range precisions() {
		e := mustSession(t, mustModel(t, n, InferenceOptions{Batch: 4, Precision: p}))
		if err := e.Evaluate(randomLeaves(1, s, 3)); err == nil || !strings.Contains(err.Error(), "not a number") {
			t.Errorf("%s: error %v", p, err)
		}
	}
}

// BenchmarkEvaluate reports positions a second of full batches with 35 moves a
// position, for one session and for two in parallel.
func BenchmarkEvaluate(b *testing.B) {
	for _, size := range [][2]int{{2, 32}, {5, 32}, {6, 64}, {10, 128}} {
		s := Spec{Planes: 16, PolicySize: 1968, Depth: size[0], Width: size[1]}
		n := mustNew(b, s, 1)
		for _, precision := range precisions() {
			for _, batch := range []int{16, 32, 64} {
				m := mustModel(b, n, InferenceOptions{Batch: batch, Precision: precision})
				for _, sessions := range []int{1, 2} {
					b.Run(fmt.Sprintf("net=%dx%d/%s/batch=%d/sessions=%d", size[0], size[1], precision, batch, sessions), func(b *testing.B) {
						benchmarkEvaluate(b, m, sessions)
					})
				}
			}
		}
	}
}

func benchmarkEvaluate(b *testing.B, m *Model, sessions int) {
	rng := rand.New(rand.NewPCG(1, 1))
	each := make([]*Session, sessions)
	leaves := make([][]*encode.Leaf, sessions)
	for i := range each {
		each[i] = mustSession(b, m)
		leaves[i] = randomLeaves(uint64(i), m.spec, m.batch)
		for _, l := range leaves[i] {
			l.Indices = l.Indices[:0]
			for range 35 {
				l.Indices = append(l.Indices, int32(rng.IntN(m.spec.PolicySize)))
			}
		}
	}
	b.ResetTimer()
	var wait sync.WaitGroup
	for i, e := range each {
		wait.Go(func() {
			for range b.N {
				if err := e.Evaluate(leaves[i]); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wait.Wait()
	b.ReportMetric(float64(b.N*sessions*m.batch)/b.Elapsed().Seconds(), "positions/s")
}

// BenchmarkStep reports positions a second of training, batch 256.
func BenchmarkStep(b *testing.B) {
	for _, size := range [][2]int{{2, 32}, {6, 64}} {
		for _, head := range []string{PolicyConv73, PolicyConv} {
			b.Run(fmt.Sprintf("net=%dx%d/%s", size[0], size[1], head), func(b *testing.B) {
				s := Spec{Planes: 16, PolicySize: 1968, Depth: size[0], Width: size[1], PolicyHead: head}
				x := mustTrainerOn(b, mustNew(b, s, 1), 0)
				batch := randomBatch(1, s, 256)
				step(b, x, batch, 0.01)
				b.ResetTimer()
				for range b.N {
					step(b, x, batch, 0.01)
				}
				b.ReportMetric(float64(b.N*batch.N)/b.Elapsed().Seconds(), "positions/s")
			})
		}
	}
}
