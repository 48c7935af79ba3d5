package nn

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// leelas are networks that Leela Chess Zero can have, and some that it can after a change of
// their form.
func leelas() map[string]Spec {
	planes, err := encode.PlanesByName(leelaInput)
	must(err)
	form := func(change func(*Spec)) Spec {
		s := Spec{
			Planes: planes.Count(), Constant: planes.Constant(), PolicySize: leelaMoves, PolicyMap: leelaPolicy,
			Depth: 2, Width: 24, PolicyHead: PolicyConv, PolicyChannels: 5, ValueChannels: 4, ValueHidden: []int{20},
		}
		change(&s)
		return s
	}
	return map[string]Spec{
		"classical": form(func(*Spec) {}),
		"squeeze-and-excitation with a shift, convolution, wdl, moves left": form(func(s *Spec) {
			s.Attention, s.AttentionReduction, s.Value, s.MovesLeft = AttentionShift, 3, ValueWDL, true
			s.PolicyHead, s.PolicyChannels, s.HeadKernel = PolicyAlphaZero, 0, kernelP
		}),
		"squeeze-and-excitation, small convolution, moves left by one": form(func(s *Spec) {
			s.Attention, s.AttentionReduction, s.MovesLeft, s.MovesLeftUnit = AttentionSqueeze, 16, true, 1
			s.PolicyHead, s.PolicyChannels = PolicyAlphaZero, 0
		}),
		"attention body": form(func(s *Spec) {
			s.Trunk, s.AttentionHeads, s.FeedForward, s.Activation, s.FeedForwardActivation = TrunkTransformer, 3, 20, Mish, SquaredReLU
			s.PolicyHead, s.PolicyChannels, s.Value, s.MovesLeft, s.Gating = PolicyAttention, 12, ValueWDL, true, true
			s.Smolgen, s.SmolgenHidden, s.SmolgenSize, s.SmolgenActivation = 3, 14, 7, Swish
		}),
		"attention body with a dense position": form(func(s *Spec) {
			s.Trunk, s.AttentionHeads, s.FeedForward, s.FeedForwardActivation = TrunkTransformer, 4, 20, Mish
			s.PolicyHead, s.PolicyChannels, s.Value, s.Position, s.PositionWidth = PolicyAttention, 12, ValueWDL, PositionDense, 6
		}),
		"two linear functions": form(func(s *Spec) { s.PolicyHead, s.PolicyChannels = PolicyConv73, 0 }),
	}
}

func leelaFile(t testing.TB, n *Network) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := checkpointOf(t, n, leelaInput, leelaPolicy, chess.Standard).WriteLeela(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// leavesOf are n positions of random games of chess with all their moves.
func leavesOf(t testing.TB, n int) (leaves []*encode.Leaf) {
	t.Helper()
	c, err := encode.NewCodec(leelaInput, leelaPolicy, chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 0))
	for len(leaves) < n {
		randomGame(rng, chess.Standard, func(g *chess.Game, moves []chess.Move) {
			if len(leaves) < n && rng.IntN(3) == 0 {
				l := &encode.Leaf{}
				c.Prepare(l, g, moves)
				leaves = append(leaves, l)
			}
		})
	}
	return leaves
}

// A network that was written for Leela Chess Zero and read again is the same, but for the
// rounding of its weights.
func TestLeelaRoundTrip(t *testing.T) {
	for name, s := range leelas() {
		t.Run(name, func(t *testing.T) {
			n := scrambled(t, s)
			file := leelaFile(t, n)
			if !bytes.Equal(file, leelaFile(t, n)) {
				t.Error("the same network gives another file")
			}
			path := filepath.Join(t.TempDir(), "net"+LeelaExt)
			if err := os.WriteFile(path, file, 0o644); err != nil {
				t.Fatal(err)
			}
			c, err := ReadCheckpoint(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, v, err := c.Codec(); err != nil || v != chess.Standard {
				t.Errorf("variant %v, %v", v, err)
			}
			again := mustNew(t, c.Spec, 2)
			if err := again.Load(c.Network); err != nil {
				t.Fatal(err)
			}
			want, have := leavesOf(t, 100), leavesOf(t, 100)
			o := InferenceOptions{Precision: FP32}
			if err := mustSession(t, mustModel(t, n, o)).Evaluate(want); err != nil {
				t.Fatal(err)
			}
			if err := mustSession(t, mustModel(t, again, o)).Evaluate(have); err != nil {
				t.Fatal(err)
			}
			worst, least, most, prior := 0.0, 1.0, -1.0, 0.0
			near := func(a, b, unit float32) { worst = max(worst, math.Abs(float64(a-b)/float64(unit))) }
			for i, w := range want {
				h := have[i]
				near(w.Value, h.Value, 1)
				for k := range w.WDL {
					near(w.WDL[k], h.WDL[k], 1)
				}
				near(w.MovesLeft, h.MovesLeft, 100)
				for k := range w.Priors {
					near(w.Priors[k], h.Priors[k], 1)
					prior = max(prior, float64(w.Priors[k]))
				}
				least, most = min(least, float64(w.Value)), max(most, float64(w.Value))
			}
			if worst > 2e-3 || prior < 0.2 || most-least < 100*worst {
				t.Errorf("outputs are %g apart; the highest prior is %.2f, values are %.2f to %.2f", worst, prior, least, most)
			}
			if twice := checkpointOf(t, again, leelaInput, leelaPolicy, chess.Standard); twice.WriteLeela(&bytes.Buffer{}) != nil {
				t.Error("it cannot be written again")
			}
		})
	}
}

// Training goes on with a network that was read as with the network itself: the norms are still
// there.
func TestLeelaKeepsNorms(t *testing.T) {
	s := leelas()["classical"]
	n := scrambled(t, s)
	c, err := unpackLeela(bytes.NewReader(leelaFile(t, n)))
	if err != nil {
		t.Fatal(err)
	}
	again := mustNew(t, c.Spec, 2)
	if err := again.Load(c.Network); err != nil {
		t.Fatal(err)
	}
	b := randomBatch(5, s, 32)
	want := step(t, mustTrainerWith(t, n, Optimizer{}, TrainerOptions{Threads: 1, Precision: FP32}), b, 0)
	have := step(t, mustTrainerWith(t, again, Optimizer{}, TrainerOptions{Threads: 1, Precision: FP32}), b, 0)
	if math.Abs(want.Total-have.Total) > 2e-3*want.Total {
		t.Errorf("loss %v, of the network that was read %v", want.Total, have.Total)
	}
}

// Leela Chess Zero itself (lc0 909a408, its backend eigen) gave these outputs for the files. Its
// priors have names only where no other move has the same one in a ten thousandth.
func TestLeelaAgainstLC0(t *testing.T) {
	for _, name := range []string{"classical", "residual", "map", "dense"} {
		t.Run(name, func(t *testing.T) { testAgainstLC0(t, "testdata/leela/"+name) })
	}
}

func testAgainstLC0(t *testing.T, files string) {
	c, err := ReadCheckpoint(files + LeelaExt)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(files + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var positions []struct {
		FEN                    string
		Value, Draw, MovesLeft float64
		Priors                 map[string]float64
	}
	if err := json.Unmarshal(text, &positions); err != nil {
		t.Fatal(err)
	}
	n := mustNew(t, c.Spec, 1)
	if err := n.Load(c.Network); err != nil {
		t.Fatal(err)
	}
	s := mustSession(t, mustModel(t, n, InferenceOptions{Precision: FP32}))
	codec, _, err := c.Codec()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range positions {
		p, err := chess.ParseFEN(chess.Standard, x.FEN)
		if err != nil {
			t.Fatal(err)
		}
		var list chess.MoveList
		p.LegalMoves(&list)
		l := &encode.Leaf{}
		codec.Prepare(l, chess.NewGame(p), list.Slice())
		if err := s.Evaluate([]*encode.Leaf{l}); err != nil {
			t.Fatal(err)
		}
		named := 0
		for i, m := range list.Slice() {
			want, has := x.Priors[m.String()]
			if !has {
				continue
			}
			named++
			if d := math.Abs(want - float64(l.Priors[i])); d > 1e-5 {
				t.Errorf("%s, %s: prior %v, want %v", x.FEN, m, l.Priors[i], want)
			}
		}
		if named != len(x.Priors) || named < 3*len(list.Slice())/5 {
			t.Errorf("%s: %d of %d named moves are legal, of %d", x.FEN, named, len(x.Priors), len(list.Slice()))
		}
		if math.Abs(x.Value-float64(l.Value)) > 1e-5 || math.Abs(x.Draw-float64(l.WDL[1])) > 1e-5 || math.Abs(x.MovesLeft-float64(l.MovesLeft)) > 1e-3 {
			t.Errorf("%s: value %v, draw %v, moves left %v; want %v, %v, %v", x.FEN, l.Value, l.WDL[1], l.MovesLeft, x.Value, x.Draw, x.MovesLeft)
		}
	}
}

func TestLeelaRefusesToWrite(t *testing.T) {
	base := leelas()["classical"]
	for _, c := range []struct {
		change func(*Checkpoint)
		want   string
	}{
		{func(c *Checkpoint) { c.Variant = "atomic" }, "plays chess"},
		{func(c *Checkpoint) { c.Input = "alphazero119" }, "network.input is alphazero119: want lc0-112"},
		{func(c *Checkpoint) { c.Policy = "uci1968" }, "network.policy is uci1968: want lc0-1858"},
		{func(c *Checkpoint) { c.Spec.Trunk = TrunkPlain }, "network.trunk is plain"},
		{func(c *Checkpoint) { c.Spec.Depth = 0 }, "network.depth is 0"},
		{func(c *Checkpoint) { c.Spec.Activation = Mish }, "network.activation is mish"},
		{func(c *Checkpoint) { c.Spec.Attention = AttentionCBAM }, "network.attention is cbam"},
		{func(c *Checkpoint) { c.Spec.BareInput, c.Spec.BareHeads = true, true }, "network.bare_heads"},
		{func(c *Checkpoint) { c.Spec.HeadKernel = kernel3 }, "network.head_kernel is 3x3"},
		{func(c *Checkpoint) { c.Spec.PolicyHead = PolicyAttention }, "network.policy_head: want conv73"},
		{func(c *Checkpoint) { c.Spec.Trunk = TrunkTransformer }, "want attention with a 1x1 kernel after a transformer"},
		{func(c *Checkpoint) { c.Spec.Value = ValueLinear }, "linear output"},
		{func(c *Checkpoint) { c.Spec.ValueHidden = []int{8, 8} }, "one hidden layer"},
		{func(c *Checkpoint) { c.Spec.ValueChannels = Flat }, "one convolution"},
	} {
		x := checkpointOf(t, mustNew(t, base, 1), leelaInput, leelaPolicy, chess.Standard)
		c.change(x)
		if err := x.WriteLeela(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// unpackedLeela is the protobuf of a small network.
func unpackedLeela(t testing.TB, s Spec) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(leelaFile(t, scrambled(t, s))))
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if _, err := data.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// leelaWith is a file of the format with fields, and of weights.
func leelaWith(fields map[int]int, weights proto) []byte {
	var file, format, network proto
	for i, v := range fields {
		network.number(i, v)
	}
	format.number(1, leelaLinear16)
	format.message(2, network)
	file.fixed(1, leelaMagic)
	if fields != nil {
		file.message(4, format)
	}
	file.message(10, weights)
	return file
}

func TestLeelaRefusesToRead(t *testing.T) {
	whole := unpackedLeela(t, leelas()["classical"])
	var old proto // conv block of two numbers
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":          {nil, "does not begin with its number"},
		"cut":            {whole[:len(whole)/2], "unexpected EOF"},
		"other":          {[]byte("no protobuf at all"), "weight file of Leela"},
		"onnx":           {leelaWith(nil, nil)[:5], "it has no weights"},
		"no format":      {leelaWith(nil, old), "a residual block or a convolution is missing"},
		"canonical":      {leelaWith(map[int]int{1: 3, 3: 4}, old), "input is format 3 (canonical planes)"},
		"attention body": {leelaWith(map[int]int{1: 1, 3: 6}, old), "policy head is of kind 0"},
		"old attention":  {leelaWith(map[int]int{1: 1, 3: 6, 4: 3, 5: 1}, old), "a block or a layer is missing"},
		"ONNX":           {leelaWith(map[int]int{1: 1, 3: 5}, old), "kind 5 (ONNX)"},
		"attention":      {leelaWith(map[int]int{1: 1, 3: 4, 4: 3, 5: 1}, old), "policy head is of kind 3 (attention)"},
		"parameters":     {leelaWith(map[int]int{1: 1, 3: 4, 4: 1, 5: 3}, old), "value head is of kind 3"},
		"mish":           {leelaWith(map[int]int{1: 1, 3: 4, 4: 1, 5: 1, 7: 1}, old), "activation is not ReLU"},
	} {
		if _, err := parseLeela(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if _, err := unpackLeela(strings.NewReader("text")); err == nil || !strings.Contains(err.Error(), "not a weight file") {
		t.Error(err)
	}
	if _, err := ReadCheckpoint(filepath.Join(t.TempDir(), "none"+LeelaExt)); err == nil {
		t.Error("a missing file was read")
	}
}

// All encodings of numbers.
func TestLeelaNumbers(t *testing.T) {
	for _, c := range []struct {
		encoding int
		bytes    []byte
		want     []float32
	}{
		{0, []byte{0, 0, 255, 255, 0x33, 0x33}, []float32{-1, 4, 0}},
		{leelaLinear16, []byte{0, 0, 255, 255, 0x33, 0x33}, []float32{-1, 4, 0}},
		{leelaFloat16, []byte{0, 0x3c, 0x55, 0x35, 1, 0, 0, 0xc0, 0, 0x7c, 0, 0x80}, []float32{1, 0.33325195, 1.0 / (1 << 24), -2, float32(math.Inf(1)), 0}},
		{leelaBFloat16, []byte{0x80, 0x3f, 0x00, 0xc0}, []float32{1, -2}},
		{leelaFloat32, []byte{0, 0, 0x80, 0x3f}, []float32{1}},
	} {
		var l, m proto
		l.float(1, -1)
		l.float(2, 4)
		l.bytes(3, c.bytes)
		if c.encoding > 0 {
			l.number(4, c.encoding)
		}
		m.message(7, l)
		fields, err := m.fields()
		if err != nil {
			t.Fatal(err)
		}
		have, err := (&leelaReader{protoFields: fields, err: new(error)}).array(7)
		if err != nil || len(have) != len(c.want) {
			t.Errorf("encoding %d: %v, %v", c.encoding, have, err)
			continue
		}
		for i, x := range have {
			if !(math.Abs(float64(x-c.want[i])) < 1e-6) && x != c.want[i] {
				t.Errorf("encoding %d: number %d is %v, want %v", c.encoding, i, x, c.want[i])
			}
		}
	}
}

func FuzzLeela(f *testing.F) {
	small := leelas()["squeeze-and-excitation with a shift, convolution, wdl, moves left"] // kilobytes
	small.Depth, small.Width, small.AttentionReduction, small.ValueChannels, small.ValueHidden = 1, 1, 1, 1, []int{1}
	small.MovesLeftChannels, small.MovesLeftHidden = 1, 1
	f.Add(unpackedLeela(f, small))
	body := leelas()["attention body"]
	body.Depth, body.Width, body.AttentionHeads, body.FeedForward, body.PolicyChannels, body.ValueChannels, body.ValueHidden = 1, 1, 1, 1, 1, 1, []int{1}
	body.Smolgen, body.SmolgenHidden, body.SmolgenSize, body.MovesLeftChannels, body.MovesLeftHidden = 1, 1, 1, 1, 1
	f.Add(unpackedLeela(f, body))
	f.Add(leelaWith(map[int]int{1: 1, 3: 4, 4: 2, 5: 2, 6: 1}, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseLeela(data)
		if err != nil {
			return
		}
		n, err := New(c.Spec, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Load(c.Network); err != nil {
			t.Fatal(err)
		}
	})
}

// severalHeads is a file of an attention body in the form with several policy and value heads.
// shared says whether the policy's embedding is that of all heads.
func severalHeads(t *testing.T, data []byte, shared bool) []byte {
	t.Helper()
	file, err := proto(data).fields()
	must(err)
	weights, err := file.message(10)
	must(err)
	var vanilla, winner, policies, values, out proto
	embedding := &vanilla
	if shared {
		embedding = &policies
	}
	for from, to := range map[int]struct {
		m     *proto
		field int
	}{
		4: {embedding, 1}, 5: {embedding, 2}, 17: {&vanilla, 3}, 18: {&vanilla, 4}, 19: {&vanilla, 5}, 20: {&vanilla, 6}, 22: {&vanilla, 7},
		29: {&winner, 1}, 30: {&winner, 2}, 7: {&winner, 3}, 8: {&winner, 4}, 9: {&winner, 5}, 10: {&winner, 6},
	} {
		to.m.message(to.field, weights.bytes[from][0])
		delete(weights.bytes, from)
	}
	policies.message(leelaVanilla, vanilla)
	values.message(leelaWinner, winner)
	for field, all := range weights.bytes {
		for _, m := range all {
			out.message(field, m)
		}
	}
	out.number(leelaHeadCount, int(weights.numbers[leelaHeadCount]))
	out.message(leelaPolicyHeads, policies)
	out.message(leelaValueHeads, values)

	format, err := file.message(4)
	must(err)
	network, err := format.message(2)
	must(err)
	fields := map[int]int{}
	for i, v := range network.numbers {
		fields[i] = int(v)
	}
	fields[3] = 7
	return leelaWith(fields, out)
}

// The form with several heads gives the same network as that with one.
func TestLeelaSeveralHeads(t *testing.T) {
	for _, name := range []string{"attention body", "attention body with a dense position"} {
		data := unpackedLeela(t, leelas()[name])
		want, err := parseLeela(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, shared := range []bool{false, true} {
			have, err := parseLeela(severalHeads(t, data, shared))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("%s, shared %v: %s", name, shared, diff)
			}
		}
	}
}
