package nn

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// headed are networks of every policy, value and dense layers, half of them with
// a head of the moves left.
func headed() []Spec {
	var all []Spec
	policies := []Spec{
		{PolicyHead: PolicyConv73, PolicySize: 50}, {PolicyHead: PolicyConv, PolicySize: 50, PolicyChannels: 3},
		{PolicyHead: PolicyAlphaZero, PolicySize: 4672}, {PolicyHead: PolicyNone},
		{PolicyHead: PolicyAlphaZero, PolicyMap: "uci2206-mover", PolicySize: 2206},
		{PolicyHead: PolicyAttention, PolicyMap: "uci2206-mover", PolicySize: 2206, PolicyChannels: 9},
		{PolicyHead: PolicyAttention, PolicyMap: "fromto4096", PolicySize: 4096},
	}
	for _, value := range []string{ValueTanh, ValueLinear, ValueWDL} {
		for _, channels := range []int{1, 5, Flat} {
			for _, hidden := range [][]int{{}, {256}, {70, 9}} {
				s := policies[len(all)%len(policies)]
				s.Planes, s.Depth, s.Width = 6, 1, 20
				s.Value, s.ValueChannels, s.ValueHidden, s.MovesLeft = value, channels, hidden, len(all)/2%2 == 0
				s.ValuePooling = len(all)%5 < 2
				all = append(all, s)
			}
		}
	}
	chesssl := Spec{
		Planes: 6, Depth: 1, Width: 20, BareInput: true, BareHeads: true, HeadKernel: kernel3,
		PolicyHead: PolicyAlphaZero, PolicyMap: "lc0-1858", PolicySize: 1858, PolicyReLU: true,
		Value: ValueWDL, ValueChannels: 5, ValueSecond: 2, ValueHidden: []int{},
		MovesLeft: true, MovesLeftChannels: 3, MovesLeftHidden: 9, MovesLeftUnit: 1,
	}
	wide, minimax := chesssl, chesssl
	wide.PolicyHead, wide.PolicyMap, wide.PolicySize, wide.PolicyReLU = PolicyConv73, "", 50, false
	wide.ValueChannels, wide.ValueSecond, wide.ValuePooling = 1, 0, true
	minimax.Trunk, minimax.BareInput, minimax.PolicyHead, minimax.PolicyMap, minimax.PolicySize, minimax.PolicyReLU = TrunkPlain, false, PolicyNone, "", 0, false
	minimax.Value, minimax.ValueChannels, minimax.ValueSecond, minimax.ValueHidden, minimax.ValueLinear = ValueLinear, Flat, 0, []int{70, 9}, true
	narrow := minimax
	narrow.ValueChannels, narrow.MovesLeftUnit = 1, 20
	return append(all, chesssl, wide, minimax, narrow)
}

func (s Spec) headsName() string {
	return fmt.Sprintf("%s %s %s %d %v %v %v", s.PolicyHead, s.PolicyMap, s.Value, s.ValueChannels, s.ValuePooling, s.ValueHidden, s.MovesLeft)
}

// Every head learns; the evaluator's does what that of the training graph does,
// and answers for each position by itself.
func TestEveryHead(t *testing.T) {
	for _, s := range headed() {
		t.Run(s.headsName(), func(t *testing.T) {
			n := mustNew(t, s, 7)
			x := mustTrainerWith(t, n, Optimizer{Kind: Adam}, TrainerOptions{Threads: 1, Precision: FP32})
			b := randomBatch(5, s, 32)
			first := step(t, x, b, 0.003)
			var last Loss
			for range 25 {
				last = step(t, x, b, 0.003)
			}
			if s.PolicySize > 0 != (last.Policy < first.Policy-0.02) || last.Value > 0.95*first.Value || s.MovesLeft != (last.MovesLeft < 0.9*first.MovesLeft) {
				t.Errorf("loss %+v at first, %+v at last", first, last)
			}
			for _, precision := range precisions() {
				testAgreement(t, n, x, InferenceOptions{Batch: 16, Precision: precision})
				testIndependence(t, n, InferenceOptions{Batch: 16, Precision: precision})
			}
		})
	}
}

// Outputs and losses of heads are those of their definitions, computed with NumPy.
func TestHeadsAgainstNumPy(t *testing.T) {
	text, err := os.ReadFile("testdata/heads.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Policy, Value string
		Channels      int
		Hidden        []int
		MovesLeft     bool `json:"moves_left"`
		Outputs       []float64
		Loss          float64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		s := Spec{Planes: 4, Width: 5, Value: c.Value, ValueChannels: c.Channels, ValueHidden: c.Hidden, MovesLeft: c.MovesLeft, PolicyHead: c.Policy}
		switch c.Policy {
		case PolicyConv:
			s.PolicySize, s.PolicyChannels = 60, 3
		case PolicyConv73:
			s.PolicySize = 60
		case PolicyAlphaZero:
			s.PolicySize = 4672
		}
		t.Run(s.headsName(), func(t *testing.T) {
			n := mustNew(t, s, 1)
			setNoise(t, n)
			all := momentum
			all.Loss.PolicyMask = MaskNone
			x := mustTrainerWith(t, n, all, TrainerOptions{Threads: 1, Precision: FP32})
			var b Batch
			for i, target := range []encode.Sample{{Value: 0.25, Draw: 0.375, MovesLeft: 47}, {Value: -0.5, Draw: -1}} {
				target.Planes = noisePlanes(2 * s.Planes)[i*s.Planes:][:s.Planes]
				if s.PolicySize > 0 {
					target.Indices, target.Policy = []int32{3, 57}, []float32{0.25, 0.75}
				}
				b.Add(&target)
			}
			loss, _, err := x.Measure(&b)
			if err != nil {
				t.Fatal(err)
			}
			have, every, term := []float32(nil), 1, loss.Value
			logits, values, left := answers(t, x, b.Planes)
			switch {
			case c.Policy != "":
				have, every, term = logits, 31, loss.Policy
			case c.MovesLeft:
				have, term = left, loss.MovesLeft
			default:
				have = values
			}
			if len(c.Outputs) != (len(have)+every-1)/every {
				t.Fatalf("%d outputs, %d references", len(have), len(c.Outputs))
			}
			for i, want := range c.Outputs {
				if v := float64(have[i*every]); math.Abs(v-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("output %d is %v, want %v", i*every, v, want)
				}
			}
			if math.Abs(term-c.Loss) > 1e-5*(1+c.Loss) {
				t.Errorf("loss %v, want %v", term, c.Loss)
			}
		})
	}
}

// A network of before there was a choice of value heads is what it was: the same
// parameters, by name and value.
func TestDefaultHeads(t *testing.T) {
	s := tiny()
	plain := mustState(t, mustNew(t, s, 1))
	s.Value, s.ValueChannels, s.ValueHidden = ValueTanh, 1, []int{256}
	explicit := mustState(t, mustNew(t, s, 1))
	for name, x := range plain {
		if y, ok := explicit[name]; !ok || !slices.Equal(x.Data, y.Data) {
			t.Errorf("%s differs", name)
		}
	}
	for name, shape := range map[string][]int{
		"value.conv.weight": {1, 16, 1, 1}, "value.linear1.weight": {256, 64}, "value.linear2.weight": {1, 256}, "value.linear2.bias": {1},
	} {
		if have := plain[name].Shape; fmt.Sprint(have) != fmt.Sprint(shape) {
			t.Errorf("%s has the shape %v, want %v", name, have, shape)
		}
	}
}

// onBoard returns the outputs of the graph for two positions, and the state of the network.
func onBoard(t *testing.T, s Spec) (logits, values []float32, maps [2][][Squares]float64, state Tensors) {
	t.Helper()
	n := mustNew(t, s, 1)
	setNoise(t, n)
	x := mustTrainerWith(t, n, momentum, TrainerOptions{Threads: 1, Precision: FP32})
	planes := noisePlanes(2 * s.Planes)
	logits, values, _ = answers(t, x, planes)
	err := each(x.shards[:1], nil, func(sh *shard) {
		g := &graph{place: onCPU, params: sh.views[0].params}
		defer g.close()
		for i, v := range ordered(g, g.forward(n.trunk, g.input(planes, n.spec.Constant))) {
			p, c := i/(Squares*s.Width), i/Squares%s.Width
			if i%Squares == 0 {
				maps[p] = append(maps[p], [Squares]float64{})
			}
			maps[p][c][i%Squares] = float64(v)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return logits, values, maps, mustState(t, n)
}

// convolved is a convolution, with a bias or a norm and ReLU.
func convolved(state Tensors, maps [][Squares]float64, conv, norm string) [][Squares]float64 {
	out := convolution(state, maps, conv, norm)
	if norm != "" {
		rectify(out)
	}
	return out
}

// convolution is a convolution with a bias or a norm.
func convolution(state Tensors, maps [][Squares]float64, conv, norm string) [][Squares]float64 {
	w := state[conv+".weight"]
	kernel := w.Shape[3]
	out := make([][Squares]float64, w.Shape[0])
	for o := range out {
		for s := range Squares {
			for i := range maps {
				for k := range kernel * kernel {
					y, x := s/8+k/kernel-kernel/2, s%8+k%kernel-kernel/2
					if y >= 0 && y < 8 && x >= 0 && x < 8 {
						out[o][s] += float64(w.Data[(o*len(maps)+i)*kernel*kernel+k]) * maps[i][8*y+x]
					}
				}
			}
			if norm == "" {
				out[o][s] += float64(state[conv+".bias"].Data[o])
				continue
			}
			at := func(name string) float64 { return float64(state[norm+"."+name].Data[o]) }
			out[o][s] = (out[o][s]-at("running_mean"))/math.Sqrt(at("running_var")+1e-5)*at("weight") + at("bias")
		}
	}
	return out
}

func rectify(maps [][Squares]float64) {
	for i := range maps {
		for s, x := range maps[i] {
			maps[i][s] = max(0, x)
		}
	}
}

// linear is a dense layer.
func linear(state Tensors, x []float64, name string) (out []float64) {
	w := state[name+".weight"].Data
	for o, sum := range state[name+".bias"].Data {
		out = append(out, float64(sum))
		for i, v := range x {
			out[o] += float64(w[o*len(x)+i]) * v
		}
	}
	return out
}

// ChessSL's heads: 3x3 convolutions, ReLU after the maps of moves, no ReLU between the two
// convolutions of the value; and the dense layers of the minimax paper, without ReLU.
func TestHeadsOfPapersByDefinition(t *testing.T) {
	list := encode.LC01858Moves()
	s := Spec{
		Planes: 4, Depth: 0, Width: 5, HeadKernel: kernel3, BareHeads: true,
		PolicyHead: PolicyAlphaZero, PolicyMap: "lc0-1858", PolicySize: len(list), PolicyReLU: true,
		Value: ValueLinear, ValueChannels: 3, ValueSecond: 2, ValueHidden: []int{4, 3}, ValueLinear: true,
	}
	near := func(what string, have float32, want float64) {
		t.Helper()
		if math.Abs(float64(have)-want) > 1e-4*(1+math.Abs(want)) {
			t.Errorf("%s: %v, want %v", what, have, want)
		}
	}
	logits, values, boards, state := onBoard(t, s)
	negative := 0
	for p, board := range boards {
		moves := convolution(state, convolved(state, board, "policy.conv1", "policy.norm1"), "policy.conv2", "policy.norm2")
		for i, m := range map[string]int{"a1a2": 0, "e2e4": 1, "h1h8": 6, "a1b2": 7, "g7f6": 35, "b1c3": 56} {
			x := moves[m][int(i[0]-'a')+8*int(i[1]-'1')]
			if x < 0 {
				negative++
			}
			near(i, logits[p*len(list)+slices.Index(list, i)], max(0, x))
		}
		maps := convolution(state, convolution(state, board, "value.conv", "value.norm"), "value.conv2", "")
		rectify(maps)
		x := linear(state, append(slices.Clone(maps[0][:]), maps[1][:]...), "value.linear1")
		x = linear(state, linear(state, x, "value.linear2"), "value.linear3")
		near("value", values[p], x[0])
	}
	if negative == 0 {
		t.Error("no map of moves is negative: ReLU is not tested")
	}
}

// Without the activation after the input, maps may be negative. They are the same otherwise.
func TestBareInput(t *testing.T) {
	s := Spec{Planes: 4, Depth: 0, Width: 5, PolicyHead: PolicyNone}
	_, _, rectified, _ := onBoard(t, s)
	s.BareInput = true
	_, _, bare, _ := onBoard(t, s)
	negative := 0
	for p := range bare {
		for c := range bare[p] {
			for s, x := range bare[p][c] {
				if x < 0 {
					negative++
				}
				if max(0, x) != rectified[p][c][s] {
					t.Fatalf("%v without the activation, %v with it", x, rectified[p][c][s])
				}
			}
		}
	}
	if negative == 0 {
		t.Error("no map is negative: nothing was tested")
	}
}

// Moves left of 47 plies, predicted as out units of 20 plies or of one. A position with
// unknown plies counts nothing.
func TestMovesLeftLoss(t *testing.T) {
	for _, c := range []struct {
		unit int
		kind string
		want func(out float64) float64 // of the known position
	}{
		{20, HuberError, func(out float64) float64 { return 0.5 * (math.Abs(out-2.35) - 0.25) }}, // out is far from 2.35
		{20, SquaredError, func(out float64) float64 { return (out - 2.35) * (out - 2.35) }},
		{1, SquaredError, func(out float64) float64 { return (out - 47) * (out - 47) }},
	} {
		s := Spec{Planes: 4, Depth: 0, Width: 5, PolicyHead: PolicyNone, MovesLeft: true, MovesLeftUnit: c.unit}
		o := momentum
		o.Loss.MovesLeftError = c.kind
		x := mustTrainerWith(t, mustNew(t, s, 1), o, TrainerOptions{Threads: 1, Precision: FP32})
		var b Batch
		for i, plies := range []float32{47, 0} {
			b.Add(&encode.Sample{Planes: noisePlanes(8)[4*i:][:4], Draw: -1, MovesLeft: plies})
		}
		_, _, left := answers(t, x, b.Planes)
		loss, _, err := x.Measure(&b)
		if err != nil {
			t.Fatal(err)
		}
		if want := c.want(float64(left[0])) / 2; math.Abs(loss.MovesLeft-want) > 1e-4*want {
			t.Errorf("%s of units of %d: the loss of %v is %v, want %v", c.kind, c.unit, left[0], loss.MovesLeft, want)
		}
	}
}

// With moves_left_relu training sees max(0, x) of the outputs x without it.
func TestMovesLeftReLU(t *testing.T) {
	const n = 64
	planes := noisePlanes(4 * n)
	var outputs [2][]float32
	for i, rectified := range []bool{false, true} {
		s := Spec{Planes: 4, Depth: 0, Width: 5, PolicyHead: PolicyNone, MovesLeft: true, MovesLeftReLU: rectified}
		_, _, outputs[i] = answers(t, mustTrainerWith(t, mustNew(t, s, 1), momentum, TrainerOptions{Threads: 1, Precision: FP32}), planes)
	}
	positive := 0
	for i, x := range outputs[0] {
		if outputs[1][i] != max(0, x) {
			t.Errorf("position %d: %v became %v", i, x, outputs[1][i])
		}
		if x > 0 {
			positive++
		}
	}
	if positive == 0 || positive == n {
		t.Errorf("%d of %d outputs are positive: want some and not all", positive, n)
	}
}

// The heads that share weights between squares give each move of the list what their
// definitions say, for its squares and its promotion or drop.
func TestSharedWeightsByDefinition(t *testing.T) {
	list := encode.UCI2206Moves()
	square := func(s string) int { return int(s[0]-'a') + 8*int(s[1]-'1') }
	for _, head := range []string{PolicyAlphaZero, PolicyAttention} {
		s := Spec{Planes: 4, Depth: 0, Width: 5, PolicyHead: head, PolicyMap: "uci2206-mover", PolicySize: len(list)}
		if head == PolicyAttention {
			s.PolicyChannels = 3
		}
		logits, _, boards, state := onBoard(t, s)
		for p, board := range boards {
			logit := func(m string) float64 { // of attention
				x := convolved(state, board, "policy.conv", "policy.norm")
				query, key := convolved(state, x, "policy.query", ""), convolved(state, x, "policy.key", "")
				pieces := convolved(state, key, "policy.pieces", "")
				if m[1] == '@' {
					return pieces[4+strings.IndexByte("PNBRQ", m[0])][square(m[2:])]
				}
				sum := 0.0
				for c := range query {
					sum += query[c][square(m)] * key[c][square(m[2:])] / math.Sqrt(3)
				}
				if i := strings.Index("nbrk", m[4:]); m[4:] != "" && i >= 0 {
					sum += pieces[i][square(m[2:])]
				}
				return sum
			}
			if head == PolicyAlphaZero {
				x := convolved(state, convolved(state, board, "policy.conv1", "policy.norm1"), "policy.conv2", "")
				logit = func(m string) float64 {
					return x[map[string]int{
						"a1a2": 0, "e2e4": 1, "h1h8": 6, "a1b2": 7, "g7f6": 35, "h8a8": 48, "b1c3": 56, "c2b4": 63,
						"a7a8q": 0, "b7c8q": 7, "e7d8n": 64, "e7e8n": 65, "e7f8b": 69, "e7e8r": 71, "a7b8k": 75, "a7a8k": 74,
						"P@a2": 76, "N@h8": 77, "Q@d4": 80,
					}[m]][square(m[2*strings.Count(m, "@"):])]
				}
			}
			for _, m := range []string{
				"a1a2", "e2e4", "h1h8", "a1b2", "g7f6", "h8a8", "b1c3", "c2b4", "a7a8q", "b7c8q", "e7d8n", "e7e8n", "e7f8b", "e7e8r", "a7b8k", "a7a8k", "P@a2", "N@h8", "Q@d4",
			} {
				have := float64(logits[p*len(list)+slices.Index(list, m)])
				if want := logit(m); math.Abs(have-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("%s, position %d: %s has logit %v, want %v", head, p, m, have, want)
				}
			}
		}
	}
}

// A policy by planes of moves is made for boards of every size.
func TestConv73OfSmallBoards(t *testing.T) {
	v, err := chess.ParseVariant(smallBoard)
	if err != nil {
		t.Fatal(err)
	}
	c := sparseCodec(t, v)
	s := Spec{Input: c.Planes.Name(), Planes: c.Planes.Count(), PolicyMap: c.Policy.Name(), PolicySize: c.Policy.Size(), Depth: 1, Width: 16, PolicyHead: PolicyConv73}
	x := mustTrainer(t, mustNew(t, s, 1))
	if loss := step(t, x, gameBatch(t, 1, v, 16), 0.01); math.IsNaN(loss.Policy) || loss.Policy == 0 {
		t.Errorf("%+v", loss)
	}
}

// A pooled value head reads the means and the maxima over the squares.
func TestValuePoolingByDefinition(t *testing.T) {
	for _, channels := range []int{3, Flat} {
		s := Spec{Planes: 4, Depth: 0, Width: 5, PolicyHead: PolicyNone, Value: ValueLinear, ValueChannels: channels, ValuePooling: true, ValueHidden: []int{}}
		_, values, boards, state := onBoard(t, s)
		for p, maps := range boards {
			if channels != Flat {
				maps = convolved(state, maps, "value.conv", "value.norm")
			}
			want := float64(state["value.linear1.bias"].Data[0])
			for c, x := range maps {
				sum := 0.0
				for _, v := range x {
					sum += v
				}
				want += float64(state["value.linear1.weight"].Data[c])*sum/Squares + float64(state["value.linear1.weight"].Data[len(maps)+c])*slices.Max(x[:])
			}
			if have := float64(values[p]); math.Abs(have-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("%d channels, position %d: %v, want %v", channels, p, have, want)
			}
		}
	}
}

// A higher output of a linear head is a higher value, however high it is.
func TestLinearValueIsBounded(t *testing.T) {
	s := tiny()
	s.Value, s.ValueHidden = ValueLinear, []int{}
	n := mustNew(t, s, 1)
	state := mustState(t, n)
	weight := state["value.linear1.weight"]
	clear(weight.Data)
	for _, o := range []InferenceOptions{{Precision: FP32}, onDevice(CPU, FP32)} {
		last := float32(-1)
		for _, x := range []float32{-30, -2, -1.01, -1, -0.95, -0.9, -0.5, 0, 0.9, 1, 1.01, 2, 30} {
			state["value.linear1.bias"] = Tensor{[]int{1}, []float32{x}}
			if err := n.Load(state); err != nil {
				t.Fatal(err)
			}
			leaves := randomLeaves(1, s, 1)
			if err := mustSession(t, mustModel(t, n, o)).Evaluate(leaves); err != nil {
				t.Fatal(err)
			}
			have := leaves[0].Value
			if have <= last || have >= 1 || math.Abs(float64(have)-boundedByHand(float64(x))) > 1e-6 {
				t.Errorf("%+v: output %v has value %v after %v", o, x, have, last)
			}
			last = have
		}
	}
}

// Weights of shared heads do not grow with the list of moves.
func TestParametersOfHeads(t *testing.T) {
	for _, c := range []struct {
		head, policy string
		size, want   int
	}{
		{PolicyAlphaZero, "", 4672, 32*32 + 2*32 + 33*73},
		{PolicyAlphaZero, "uci1968", 1968, 32*32 + 2*32 + 33*73},
		{PolicyAlphaZero, "uci2206-mover", 2206, 32*32 + 2*32 + 33*81},
		{PolicyAlphaZero, "fromto4096", 4096, 32*32 + 2*32 + 33*64},
		{PolicyAttention, "lc0-1858", 1858, 32*32 + 2*32 + 2*33*32 + 33*3},
		{PolicyAttention, "fromto4096", 4096, 32*32 + 2*32 + 2*33*32},
	} {
		layers, err := Spec{Planes: 4, Depth: 1, Width: 32, PolicyHead: c.head, PolicyMap: c.policy, PolicySize: c.size}.Layers()
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, l := range layers {
			if strings.HasPrefix(l.Name, "policy.") {
				sum += l.Parameters
			}
		}
		if sum != c.want {
			t.Errorf("%s of %s: %d parameters, want %d", c.head, c.policy, sum, c.want)
		}
	}
}
