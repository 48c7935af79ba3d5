package nn

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"

	"github.com/sugarme/gotch/ts"
)

var momentum = Optimizer{Kind: "sgd", Momentum: 0.9, WeightDecay: 1e-4}

// mustTrainer trains on one thread in single precision.
func mustTrainer(t testing.TB, n *Network) *Trainer {
	return mustTrainerOn(t, n, 1)
}

func mustTrainerOn(t testing.TB, n *Network, threads int) *Trainer {
	return mustTrainerWith(t, n, momentum, TrainerOptions{Threads: threads, Precision: FP32})
}

func mustTrainerWith(t testing.TB, n *Network, o Optimizer, on TrainerOptions) *Trainer {
	t.Helper()
	x, err := NewTrainer(n, o, on)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func step(t testing.TB, x *Trainer, b *Batch, lr float64) Loss {
	t.Helper()
	l, err := x.Step(b, lr)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTrainingReducesLoss(t *testing.T) {
	for _, head := range []string{PolicyConv, PolicyConv73} {
		t.Run(head, func(t *testing.T) {
			s := tiny()
			s.PolicyHead = head
			if head == PolicyConv73 {
				s.PolicyChannels = 0
			}
			n := mustNew(t, s, 1)
			x, b := mustTrainer(t, n), randomBatch(1, s, 32)
			first := step(t, x, b, 0.05)
			want := 0.0
			for i := range b.N {
				want += math.Log(float64(b.Offsets[i+1]-b.Offsets[i])) / float64(b.N)
			}
			if math.Abs(first.Policy-want) > 0.1 {
				t.Errorf("an untrained policy's loss is %v; that of equal priors is %v", first.Policy, want)
			}
			if math.Abs(first.Total-first.Policy-first.Value) > 1e-5 {
				t.Errorf("loss %+v: the terms do not sum to the total", first)
			}
			before := mustState(t, n)["input.norm.running_mean"]
			var last Loss
			for range 60 {
				last = step(t, x, b, 0.05)
			}
			if last.Policy > first.Policy-0.1 || last.Value > first.Value/2 {
				t.Errorf("loss %+v at first, %+v at last", first, last)
			}
			if slices.Equal(before.Data, mustState(t, n)["input.norm.running_mean"].Data) {
				t.Error("training left the running statistics alone")
			}
		})
	}
}

// The loss of a batch in evaluation, by the definition, from the outputs.
func TestLossByHand(t *testing.T) {
	for _, mask := range []string{MaskLegal, MaskNone} {
		t.Run(mask, func(t *testing.T) { testLossByHand(t, mask) })
	}
}

func testLossByHand(t *testing.T, mask string) {
	s := tiny()
	o := momentum
	o.Loss.PolicyMask = mask
	x, b := mustTrainerWith(t, mustNew(t, s, 1), o, TrainerOptions{Threads: 1, Precision: FP32}), randomBatch(2, s, 8)
	for range 5 {
		step(t, x, b, 0.05)
	}
	got, accuracy, err := x.Measure(b)
	if err != nil {
		t.Fatal(err)
	}
	logits, values, _ := answers(t, x, b.Planes)
	var want Loss
	var right Accuracy
	for i := range b.N {
		row := logits[i*s.PolicySize:][:s.PolicySize]
		moves, targets := b.Indices[b.Offsets[i]:b.Offsets[i+1]], b.Policy[b.Offsets[i]:b.Offsets[i+1]]
		among := row
		if mask == MaskLegal {
			among = nil
			for _, m := range moves {
				among = append(among, row[m])
			}
		}
		sum, best := 0.0, 0
		for _, v := range among {
			sum += math.Exp(float64(v))
		}
		for j := range targets {
			if targets[j] > targets[best] {
				best = j
			}
		}
		order := slices.Sorted(slices.Values(among))
		switch place := len(among) - slices.Index(order, row[moves[best]]); {
		case place == 1:
			right.Add(Accuracy{1, 1, 1})
		case place <= 5:
			right.Add(Accuracy{1, 0, 1})
		default:
			right.Add(Accuracy{1, 0, 0})
		}
		for j, m := range moves {
			want.Policy -= float64(targets[j]) * (float64(row[m]) - math.Log(sum)) / float64(b.N)
		}
		d := float64(values[i] - b.Values[i])
		want.Value += d * d / float64(b.N)
	}
	if math.Abs(got.Policy-want.Policy) > 1e-5 || math.Abs(got.Value-want.Value) > 1e-5 {
		t.Errorf("loss %+v, by hand %+v", got, want)
	}
	if accuracy != right || right.Top1 == right.Top5 || right.Top5 == right.N {
		t.Errorf("accuracy %+v, by hand %+v", accuracy, right)
	}
}

// The total is the weighted sum of its terms, and so is its gradient: with a
// weight of 0 the parameters of a head stay as they are.
func TestLossWeights(t *testing.T) {
	s := tiny()
	n := mustNew(t, s, 1)
	x, err := NewTrainer(n, Optimizer{Loss: LossSettings{Policy: 3}}, TrainerOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	before, err := n.State()
	if err != nil {
		t.Fatal(err)
	}
	l := step(t, x, randomBatch(2, s, 8), 0.05)
	if l.Value == 0 || math.Abs(l.Total-3*l.Policy) > 1e-4 {
		t.Errorf("total %v of policy %v and value %v, want 3 times the policy", l.Total, l.Policy, l.Value)
	}
	after, err := n.State()
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for name := range before {
		same := slices.Equal(before[name].Data, after[name].Data)
		if strings.HasPrefix(name, "value.") && strings.HasSuffix(name, ".weight") && !strings.Contains(name, "bn") && !same {
			t.Errorf("%s changed", name)
		}
		if !same {
			changed++
		}
	}
	if changed == 0 {
		t.Error("nothing was learned")
	}
}

// answers are what the heads of a trainer's network say in evaluation: [N, PolicySize],
// [N] or [N, 3], and [N]; nil where there is no such head.
func answers(t testing.TB, x *Trainer, planes []uint64) (logits, values, movesLeft []float32) {
	t.Helper()
	err := each(x.shards[:1], nil, func(s *shard) {
		g := &graph{place: onCPU, params: s.views[0].params, places: x.params.places, half: x.Precision() == BF16}
		defer g.close()
		o := x.net.forward(g, planes, x.net.spec.Constant)
		values = append(values, floats(o.values)...)
		if o.logits != nil {
			logits = append(logits, floats(g.single(o.logits))...)
		}
		if o.movesLeft != nil {
			movesLeft = append(movesLeft, floats(o.movesLeft)...)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return logits, values, movesLeft
}

// One weight of 1 with a gradient of 0.5, momentum 0.9, decay 0.1, rate 0.1:
// d = 0.6, m = 0.6, w = 0.94; then d = 0.594, m = 1.134, w = 0.8266. With Nesterov momentum
// w = 1 - 0.1 (0.6 + 0.54) = 0.886; then d = 0.5886, m = 1.1286, w = 0.725566.
func TestSGDByHand(t *testing.T) {
	for nesterov, wants := range map[bool][]float64{false: {0.94, 0.8266}, true: {0.886, 0.725566}} {
		o := Optimizer{Kind: SGD, Momentum: 0.9, Nesterov: nesterov, WeightDecay: 0.1, Decayed: DecayAll}
		for i, want := range wants {
			gradients := [][]float32{{0.5}, {0.5}}[:i+1]
			if got := descend(t, o, []float32{1}, gradients, 1, 0.1)[0]; math.Abs(float64(got)-want) > 1e-6 {
				t.Errorf("nesterov %t, after step %d: %v, want %v", nesterov, i+1, got, want)
			}
		}
	}
}

// Eight steps at once, and eight with everything saved, closed and loaded after
// three, give the same bits, on one thread and on three.
func TestResumeIsBitExact(t *testing.T) {
	for _, o := range []Optimizer{momentum, {Kind: Adam, WeightDecay: 1e-4}, {Kind: AdamW, WeightDecay: 1e-2}} {
		for _, precision := range precisions() {
			for _, threads := range []int{1, 3} {
				t.Run(fmt.Sprintf("%s %s threads %d", o.Kind, precision, threads), func(t *testing.T) {
					testResume(t, tiny(), o, TrainerOptions{Threads: threads, Precision: precision})
				})
			}
		}
	}
}

// So they do in networks with attention and dropout.
func TestResumeEveryAttention(t *testing.T) {
	for _, attention := range []string{AttentionSqueeze, AttentionCBAM} {
		for _, precision := range precisions() {
			t.Run(attention+" "+precision, func(t *testing.T) {
				s := tiny()
				s.Trunk, s.Activation, s.Attention, s.Dropout = TrunkPreactivation, Mish, attention, 0.2
				testResume(t, s, momentum, TrainerOptions{Threads: 2, Precision: precision})
			})
		}
	}
}

func testResume(t *testing.T, s Spec, o Optimizer, on TrainerOptions) {
	rate := 0.01
	batch := func(i int) *Batch { return randomBatch(uint64(i), s, 16) }
	whole := mustNew(t, s, 1)
	x := mustTrainerWith(t, whole, o, on)
	for i := range 8 {
		step(t, x, batch(i), rate)
	}

	n := mustNew(t, s, 1)
	y := mustTrainerWith(t, n, o, on)
	for i := range 3 {
		step(t, y, batch(i), rate)
	}
	state, err := y.State()
	if err != nil {
		t.Fatal(err)
	}
	var file [2]bytes.Buffer
	if err := errors.Join(WriteSafetensors(&file[0], mustState(t, n), nil), WriteSafetensors(&file[1], state, nil), y.Close()); err != nil {
		t.Fatal(err)
	}
	params, _, err := parseSafetensors(file[0].Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if state, _, err = parseSafetensors(file[1].Bytes()); err != nil {
		t.Fatal(err)
	}
	n = mustNew(t, s, 99)
	if err := n.Load(params); err != nil {
		t.Fatal(err)
	}
	y = mustTrainerWith(t, n, o, on)
	if err := y.Load(state); err != nil {
		t.Fatal(err)
	}
	for i := 3; i < 8; i++ {
		step(t, y, batch(i), rate)
	}
	sameTensors(t, "network", mustState(t, whole), mustState(t, n))
	a, _ := x.State()
	b, _ := y.State()
	sameTensors(t, "optimizer", a, b)
}

// sameTensors compares tensors. Package cmp takes seconds for large ones.
func sameTensors(t *testing.T, what string, want, have Tensors) {
	t.Helper()
	if len(want) == 0 || len(want) != len(have) {
		t.Errorf("%s: %d tensors, want %d", what, len(have), len(want))
	}
	for name, w := range want {
		if h := have[name]; !slices.Equal(w.Shape, h.Shape) || !slices.Equal(w.Data, h.Data) {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// A trainer continues with the parameters that were loaded into its network.
func TestLoadReachesTrainer(t *testing.T) {
	s := tiny()
	n := mustNew(t, s, 1)
	x, b := mustTrainer(t, n), randomBatch(1, s, 16)
	start := mustState(t, n)
	want, _, err := x.Measure(b)
	if err != nil {
		t.Fatal(err)
	}
	step(t, x, b, 0.1)
	if err := n.Load(start); err != nil {
		t.Fatal(err)
	}
	if got, _, err := x.Measure(b); err != nil || got != want {
		t.Errorf("loss %+v, %v after loading, %+v before", got, err, want)
	}
}

func TestTrainerErrors(t *testing.T) {
	s := tiny()
	n := mustNew(t, s, 1)
	for _, o := range []Optimizer{{Kind: "adagrad"}, {Momentum: 1}, {WeightDecay: -1}, {Momentum: math.NaN()}, {Kind: Adam, Beta1: 1}, {Kind: AdamW, Beta1: 0.9, Beta2: -1}, {Kind: Adam, Epsilon: math.NaN()}} {
		if _, err := NewTrainer(n, o, TrainerOptions{}); err == nil || !strings.Contains(err.Error(), "optimizer") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	for want, on := range map[string]TrainerOptions{"abacus": {Device: "abacus"}, "fp8": {Precision: "fp8"}, "-1": {Threads: -1}} {
		if _, err := NewTrainer(n, momentum, on); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("trained on %+v: %v", on, err)
		}
	}
	x := mustTrainer(t, n)
	if _, err := NewTrainer(n, momentum, TrainerOptions{}); err == nil {
		t.Error("a network got two trainers")
	}
	for _, c := range []struct {
		change func(*Batch)
		want   string
	}{
		{func(b *Batch) { b.Reset() }, "no samples"},
		{func(b *Batch) { b.Planes = b.Planes[1:] }, "planes"},
		{func(b *Batch) { b.Values = b.Values[1:] }, "values"},
		{func(b *Batch) { b.Policy = b.Policy[1:] }, "targets"},
		{func(b *Batch) { b.Offsets = b.Offsets[1:] }, "offsets"},
		{func(b *Batch) { b.Offsets[1], b.Offsets[2] = b.Offsets[2]+1, b.Offsets[1] }, "end before they start"},
		{func(b *Batch) { b.Indices[0] = 40 }, "policy index 40"},
		{func(b *Batch) { b.Indices[0] = -2 }, "policy index -2"},
		{func(b *Batch) { b.Indices[0] = -1 }, "cannot express"},
		{func(b *Batch) { b.Policy[0] = float32(math.NaN()) }, "not a probability"},
		{func(b *Batch) { b.Values[3] = float32(math.Inf(1)) }, "sample 3: value"},
	} {
		b := randomBatch(1, s, 4)
		c.change(b)
		if _, err := x.Step(b, 0.1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.want, err)
		}
	}
	if _, err := x.Step(randomBatch(1, s, 4), math.NaN()); err == nil {
		t.Error("took a step of NaN")
	}
	if err := x.Load(Tensors{}); err == nil || !strings.Contains(err.Error(), "sgd.momentum") {
		t.Errorf("loaded an empty state: %v", err)
	}
	s.Dropout = 0.5
	drop := mustTrainer(t, mustNew(t, s, 1))
	step(t, drop, randomBatch(1, s, 4), 0.01)
	state, err := drop.State()
	if err != nil {
		t.Fatal(err)
	}
	delete(state, stepsKey)
	if err := drop.Load(state); err == nil || !strings.Contains(err.Error(), "steps") {
		t.Errorf("loaded a state without the number of steps: %v", err)
	}
	s.Dropout = 0
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Step(randomBatch(1, s, 4), 0.1); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("step after Close: %v", err)
	}
	if _, err := x.State(); err == nil {
		t.Error("state after Close")
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// libtorch's own errors come back as one line.
func TestLibtorchError(t *testing.T) {
	x := mustTrainer(t, mustNew(t, tiny(), 1))
	err := each(x.shards[:1], nil, func(*shard) {
		g := &graph{place: onCPU}
		defer g.close()
		g.keep(zeros(g, 2, 3).Add(zeros(g, 5), false))
	})
	if err == nil || !strings.Contains(err.Error(), "must match the size") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q", err)
	}
}

func TestDivergence(t *testing.T) {
	s := tiny()
	n := mustNew(t, s, 1)
	x, b := mustTrainer(t, n), randomBatch(1, s, 16)
	var err error
	for range 20 {
		if _, err = x.Step(b, 1e30); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrDiverged) {
		t.Errorf("error %v", err)
	}
	if _, _, err := x.Measure(b); !errors.Is(err, ErrDiverged) {
		t.Errorf("error %v", err)
	}
}

// No step leaves a tensor behind, and the process does not grow.
func TestMemory(t *testing.T) {
	s := tiny()
	n := mustNew(t, s, 1)
	handles := func() int { return len(ts.ExistingTensors) }
	before, mine := handles(), liveTensors.Load()
	x := mustTrainerOn(t, n, 2)
	b := randomBatch(1, s, 64)
	work := func(steps int) {
		for range steps {
			step(t, x, b, 1e-3)
			if _, _, err := x.Measure(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	work(50)
	held, heldMine, size := handles(), liveTensors.Load(), resident(t)
	work(300)
	if now := handles(); now != held || liveTensors.Load() != heldMine {
		t.Errorf("300 steps left %d gotch tensors, %d of ours", now-held, liveTensors.Load()-heldMine)
	}
	if grown := resident(t) - size; grown > 8<<20 {
		t.Errorf("300 steps grew the process by %d bytes", grown)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if handles() != before || liveTensors.Load() != mine {
		t.Errorf("a closed trainer left %d gotch tensors, %d of ours", handles()-before, liveTensors.Load()-mine)
	}
}

// resident is the memory of this process in bytes, without pages of files, which come and go.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var all, pages, shared int
	if _, err := fmt.Sscan(string(text), &all, &pages, &shared); err != nil {
		t.Fatal(err)
	}
	return (pages - shared) * os.Getpagesize()
}

// Micro-batches give the same bits however many devices or threads compute them, and where training
// goes on from a checkpoint.
func TestMicroBatches(t *testing.T) {
	for _, s := range []Spec{tiny(), sparseSpec(sparseCodec(t, chess.Atomic)), {Planes: 16, PolicySize: 100, Depth: 2, Width: 24, Activation: Mish, Dropout: 0.2, Value: ValueWDL}, transformers()[1]} {
		for _, o := range []Optimizer{{Kind: SGD, Momentum: 0.9, GradientClip: 1}, {Kind: Adam, WeightDecay: 1e-4}} {
			o.MicroBatches = 5
			for _, on := range []TrainerOptions{{}, {Precision: BF16}, {generic: true}, {generic: true, Precision: BF16}} {
				if on.Precision == "" {
					on.Precision = FP32
				} else if !hasBF16() {
					continue
				}
				testResume(t, s, o, on)
				on.Threads = 1
				want := microTrained(t, s, o, on)
				for _, n := range []int{2, 3, 6} {
					if on.Threads = n; on.generic {
						on.copies = n
					}
					if have := microTrained(t, s, o, on); !reflect.DeepEqual(have, want) {
						t.Errorf("%s, %s, %s: %d replicas (generic %v) give other bits than one", s.shape(), o.Kind, on.Precision, n, on.generic)
					}
				}
			}
		}
	}
}

// microTrained returns the parameters of a short training, its losses, and the optimizer's state.
func microTrained(t *testing.T, s Spec, o Optimizer, on TrainerOptions) microTraining {
	t.Helper()
	n := mustNew(t, s, 1)
	x := mustTrainerWith(t, n, o, on)
	var losses []any
	for i, size := range []int{23, 23, 3, 24} { // 3 are fewer than the micro-batches
		losses = append(losses, step(t, x, randomBatch(uint64(i), s, size), 1e-2))
	}
	if err := x.UpdateNorms(randomBatch(11, s, 23), 0.1); err != nil {
		t.Fatal(err)
	}
	loss, _, err := x.Measure(randomBatch(12, s, 23))
	if err != nil {
		t.Fatal(err)
	}
	state, err := x.State()
	if err != nil {
		t.Fatal(err)
	}
	norm, _ := x.GradientNorm()
	return microTraining{fmt.Sprint(append(losses, loss, norm)), state, mustState(t, n)} // some losses are NaN
}

// microTraining is what a training leaves.
type microTraining struct {
	losses         string
	state, network Tensors
}

// The running statistics of micro-batches, and those of batches one after the other, are the
// means of those of each.
func TestMeansOfStatistics(t *testing.T) {
	s := tiny()
	all := randomBatch(5, s, 24)
	statistics := func(o Optimizer, batches ...*Batch) Tensors {
		x := mustTrainerWith(t, mustNew(t, s, 1), o, TrainerOptions{Threads: 2, Precision: FP32})
		for i, b := range batches {
			if err := x.UpdateNorms(b, 1/float64(i+1)); err != nil {
				t.Fatal(err)
			}
		}
		return mustState(t, x.net)
	}
	part := func(from, to int) *Batch {
		b := all.part(from, to)
		b.Moves, b.Replies = b.Moves.alone(), b.Replies.alone()
		return b
	}
	if two := part(0, 2); !reflect.DeepEqual(statistics(Optimizer{MicroBatches: 8}, two), statistics(Optimizer{MicroBatches: 2}, two)) {
		t.Error("micro-batches without positions change the statistics")
	}
	micro, inTurn := statistics(Optimizer{MicroBatches: 2}, all), statistics(Optimizer{}, part(0, 12), part(12, 24))
	one, two := statistics(Optimizer{}, part(0, 12)), statistics(Optimizer{}, part(12, 24))
	n := 0
	for name, x := range micro {
		if !strings.Contains(name, "running") {
			continue
		}
		n++
		want := make([]float32, len(x.Data))
		for i := range want {
			want[i] = (one[name].Data[i] + two[name].Data[i]) / 2
		}
		compare(t, name, want, x.Data, 1e-5)
		compare(t, name, want, inTurn[name].Data, 1e-5)
	}
	if n == 0 {
		t.Error("there are no statistics")
	}
}

// A batch of equal micro-batches is a step like one of them alone, and networks without batch norm
// take the step of the whole batch.
func TestEqualMicroBatches(t *testing.T) {
	for _, s := range []Spec{tiny(), sparseSpec(sparseCodec(t, chess.Atomic))} {
		for _, on := range []TrainerOptions{{Threads: 1, Precision: FP32}, {Threads: 3, Precision: FP32}, {generic: true, copies: 2, Precision: FP32}} {
			b := gameBatch(t, 5, chess.Atomic, 12)
			all, micro := b, 3
			if s.Trunk != TrunkSparse {
				b = randomBatch(5, s, 12)
				all = repeated(b, micro)
			}
			o := momentum
			want := mustTrainerWith(t, mustNew(t, s, 1), o, TrainerOptions{Threads: 1, Precision: FP32})
			o.MicroBatches = micro
			have := mustTrainerWith(t, mustNew(t, s, 1), o, on)
			for range 3 {
				a, b := step(t, want, b, 0.01), step(t, have, all, 0.01)
				if math.Abs(a.Total-b.Total) > 1e-4 {
					t.Errorf("loss %v, want %v", b, a)
				}
			}
			if s.Trunk == TrunkSparse { // fewer positions than micro-batches
				few := gameBatch(t, 6, chess.Atomic, 2)
				step(t, want, few, 0.01)
				step(t, have, few, 0.01)
			}
			trained, there := mustState(t, want.net), mustState(t, have.net)
			for name, x := range trained {
				compare(t, name, x.Data, there[name].Data, 1e-4)
			}
		}
	}
}

// repeated returns a batch several times.
func repeated(b *Batch, times int) *Batch {
	r := &Batch{
		N: times * b.N, Planes: slices.Repeat(b.Planes, times), Values: slices.Repeat(b.Values, times), Draws: slices.Repeat(b.Draws, times),
		MovesLeft: slices.Repeat(b.MovesLeft, times), Futures: slices.Repeat(b.Futures, times),
	}
	for range times {
		for i := range b.N {
			from, to := b.Offsets[i], b.Offsets[i+1]
			r.Moves.add(b.Indices[from:to], b.Policy[from:to])
			from, to = b.Replies.Offsets[i], b.Replies.Offsets[i+1]
			r.Replies.add(b.Replies.Indices[from:to], b.Replies.Policy[from:to])
		}
	}
	return r
}
