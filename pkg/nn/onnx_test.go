package nn

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// exported is a network with an input of real positions.
type exported struct {
	name  string
	input string
	spec  Spec
	v     chess.Variant
}

// exports are networks of every trunk, attention, head and input with its own kind of planes.
func exports() (all []exported) {
	inputs := []string{"atomic16", "lc0-112", "variants31", "alphazero119"}
	for i, s := range slices.Concat(shapes(), headed(), transformers()) {
		x := exported{fmt.Sprintf("%d %s, %s", i, s.shape(), s.headsName()), inputs[i%len(inputs)], s, chess.Atomic}
		planes, err := encode.PlanesByName(x.input)
		must(err)
		x.spec.Planes, x.spec.Constant = planes.Count(), planes.Constant()
		all = append(all, x)
	}
	for _, v := range []chess.Variant{chess.Crazyhouse, chess.Antichess, chess.ThreeCheck} {
		for _, buckets := range []int{1, 8} {
			for _, mirror := range []bool{false, true} {
				c, err := encode.NewCodec("variants31", "uci2206-mover", v)
				must(err)
				s := sparseSpec(c)
				s.KingBuckets, s.Mirror, s.MovesLeft = buckets, mirror, mirror
				if buckets == 1 {
					s.Activation, s.Value, s.ValueLinear = Clipped, ValueTanh, mirror
				}
				if v == chess.ThreeCheck && !mirror {
					s.PolicySize, s.PolicyMap, s.PolicyWidth = 0, "", 0
				}
				all = append(all, exported{fmt.Sprintf("sparse %v, %d tables, mirror %v", v, buckets, mirror), "variants31", s, v})
			}
		}
	}
	for _, buckets := range []int{1, 8} {
		v, err := chess.ParseVariant(smallBoard)
		must(err)
		c, err := encode.NewCodec(encode.Rules, encode.Rules, v)
		must(err)
		s := sparseSpec(c)
		s.KingBuckets = buckets
		all = append(all, exported{fmt.Sprintf("sparse on a small board, %d tables", buckets), c.Planes.Name(), s, v})
	}
	return all
}

// scrambled is a network with random weights and norms that make its outputs differ.
func scrambled(t testing.TB, s Spec) *Network {
	t.Helper()
	n := mustNew(t, s, 1)
	rng := rand.New(rand.NewPCG(2, 0))
	for _, p := range n.params {
		in, gain := 16, 1.5
		if len(p.shape) > 1 {
			in = p.size() / p.shape[0]
		}
		switch {
		case p.name == "features.weight":
			in = activeFeatures
		case len(p.shape) == 2: // tanh would be 1
			gain = 0.3
		}
		for i := range p.data {
			x := rng.NormFloat64()
			switch {
			case strings.HasSuffix(p.name, "running_var"):
				p.data[i] = float32(0.5 + x*x)
			case len(p.shape) > 1:
				p.data[i] = float32(x * math.Sqrt(gain/float64(in)))
			default:
				p.data[i] += float32(x / 4)
			}
		}
	}
	if h := n.heads.movesLeft; h != nil { // above 0
		h.dense[len(h.dense)-1].bias.data[0] = 3
	}
	if n.sparse == nil { // the numbers of constant planes can be large
		input, in := n.params[0], s.Planes
		if s.Trunk == TrunkTransformer {
			input = n.trunk[0].tokens.(*embedding).dense.weight
			in = input.shape[1]
		}
		area := input.size() / (input.shape[0] * in)
		for i := range input.data {
			if plane := i / area % in; plane < s.Planes && n.spec.Constant[plane] {
				input.data[i] /= 50
			}
		}
	}
	return n
}

// checkpointOf is a checkpoint of the network as it is.
func checkpointOf(t testing.TB, n *Network, input, policy string, v chess.Variant) *Checkpoint {
	t.Helper()
	return &Checkpoint{Header: Header{Spec: n.Spec(), Input: input, Policy: policy, Variant: v.String(), Generation: 3}, Snapshot: Snapshot{Network: mustState(t, n)}}
}

// positionsOf returns the packed planes of n positions of random games.
func positionsOf(t testing.TB, input string, v chess.Variant, n int) (words []uint64) {
	t.Helper()
	planes, err := encode.PlanesByName(input)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 0))
	for len(words) < n*planes.Count() {
		randomGame(rng, v, func(g *chess.Game, _ []chess.Move) {
			if len(words) < n*planes.Count() && rng.IntN(3) == 0 {
				words = append(words, make([]uint64, planes.Count())...)
				planes.Encode(words[len(words)-planes.Count():], g)
			}
		})
	}
	return words
}

// unpacked are packed planes as an ONNX model reads them.
func unpacked(words []uint64, constant []bool) []float32 {
	out := make([]float32, 0, Squares*len(words))
	for i, w := range words {
		for s := range Squares {
			x := float32(w >> s & 1)
			if constant[i%len(constant)] {
				x = math.Float32frombits(uint32(w))
			}
			out = append(out, x)
		}
	}
	return out
}

// npmPackage returns the folder of a package that a make target installs, or skips the test.
func npmPackage(t *testing.T, target, name string) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("no node: `make %s` needs it (Debian: apt-get install nodejs npm)", target)
	}
	folder := filepath.Join("../../.opponents", target, "node_modules", name)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no %s: `make %s` installs it", name, target)
	}
	return folder
}

// TestONNXRuntime compares ONNX models, as onnxruntime computes them, with the training graph in
// single precision, on 1,000 positions of random games.
func TestONNXRuntime(t *testing.T) {
	pack := npmPackage(t, "onnx", "onnxruntime-node")
	const positions = 1000
	dir := t.TempDir()
	arguments := []string{"testdata/onnx.js", pack}
	put := func(folder, name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	networks := make(map[string]*Network)
	for i, x := range exports() {
		folder := fmt.Sprint(i)
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		n := scrambled(t, x.spec)
		networks[x.name] = n
		var model bytes.Buffer
		if err := checkpointOf(t, n, x.input, x.spec.PolicyMap, x.v).WriteONNX(&model); err != nil {
			t.Fatal(err)
		}
		put(folder, "model.onnx", model.Bytes())
		put(folder, "planes.f32", littleEndian(unpacked(positionsOf(t, x.input, x.v, positions), n.spec.Constant)))
		put(folder, "shape.json", fmt.Appendf(nil, "[%d, %d, 8, 8]", positions, n.spec.Planes))
		arguments = append(arguments, filepath.Join(dir, folder))
	}
	if out, err := exec.CommandContext(t.Context(), "node", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	of, differs := map[string]int{}, map[string]int{}
	for i, x := range exports() {
		t.Run(x.name, func(t *testing.T) {
			n := networks[x.name]
			s := n.spec
			outputs := map[string][]float32{}
			get := func(name string, size int) {
				data, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i), name+".f32"))
				if err != nil {
					t.Fatal(err)
				}
				outputs[name] = make([]float32, size*positions)
				if n, err := binary.Decode(data, binary.LittleEndian, outputs[name]); err != nil || n != len(data) {
					t.Fatalf("%s: %d bytes, %v; want %d numbers", name, len(data), err, size*positions)
				}
			}
			words := positionsOf(t, x.input, x.v, positions)
			logits, values, left := answers(t, mustTrainerWith(t, n, Optimizer{}, TrainerOptions{Threads: 1, Precision: FP32}), words)
			if s.Mirror && logits != nil { // these are of the moves as the views show them
				seen := make([]float32, len(logits))
				for i := range positions {
					row, to := logits[i*s.PolicySize:][:s.PolicySize], seen[i*s.PolicySize:][:s.PolicySize]
					copy(to, row)
					if n.sparse.reflects(words[i*s.Planes:]) {
						for k, index := range n.sparse.reflected {
							to[k] = row[max(index, 0)]
							if index < 0 {
								to[k] = row[k]
							}
						}
					}
				}
				logits = seen
			}
			var wdl []float32
			if s.Value == ValueWDL {
				var score []float32
				for i := range positions {
					w := softmaxOf(values[3*i:][:3], []int32{0, 1, 2})
					wdl = append(wdl, float32(w[0]), float32(w[1]), float32(w[2]))
					score = append(score, float32(w[0]-w[2]))
				}
				values = score
			}
			for i, v := range values {
				values[i] = max(-1, min(1, v))
			}
			for i, v := range left {
				left[i] = max(0, v*float32(s.MovesLeftUnit))
			}
			for name, want := range map[string][]float32{ONNXPolicy: logits, ONNXValue: values, ONNXWDL: wdl, ONNXMovesLeft: left} {
				if want == nil {
					if _, err := os.Stat(filepath.Join(dir, fmt.Sprint(i), name+".f32")); err == nil {
						t.Errorf("the model has the output %s", name)
					}
					continue
				}
				get(name, len(want)/positions)
				compare(t, name, want, outputs[name], 1e-4)
				if slices.Max(want)-slices.Min(want) > 1e-3 {
					differs[name]++
				}
				of[name]++
			}
		})
	}
	for name, n := range of {
		if differs[name] < n*6/10 {
			t.Errorf("%s hardly differs between positions in %d of %d networks: the comparison says little", name, n-differs[name], n)
		}
	}
}

// rawFields returns the fields of a message by their numbers: bytes, or a number as an
// encoded varint.
func rawFields(t *testing.T, m []byte) map[int][][]byte {
	t.Helper()
	fields := make(map[int][][]byte)
	for len(m) > 0 {
		number, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		m = m[n:]
		n = protowire.ConsumeFieldValue(number, kind, m)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		value := m[:n]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(m)
		}
		fields[int(number)] = append(fields[int(number)], value)
		m = m[n:]
	}
	return fields
}

// The graph of a model is whole: a node reads what is there before it, names are unique, all
// constants are used and have the size of their shape. Equal networks give equal files.
func TestONNXGraphIsWhole(t *testing.T) {
	for _, x := range exports() {
		t.Run(x.name, func(t *testing.T) {
			c := checkpointOf(t, scrambled(t, x.spec), x.input, x.spec.PolicyMap, x.v)
			var model, again bytes.Buffer
			if err := errors.Join(c.WriteONNX(&model), c.WriteONNX(&again)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(model.Bytes(), again.Bytes()) {
				t.Error("the same network gives another file")
			}
			file := rawFields(t, model.Bytes())
			graph := rawFields(t, file[7][0])
			there, used := map[string]bool{ONNXPlanes: true}, map[string]bool{}
			constants := map[string]bool{}
			for _, raw := range graph[5] {
				tensor := rawFields(t, raw)
				name, size := string(tensor[8][0]), map[byte]int{onnxFloat: 4, onnxInt64: 8, onnxBool: 1}[tensor[2][0][0]]
				for _, d := range tensor[1] {
					n, _ := protowire.ConsumeVarint(d)
					size *= int(n)
				}
				if there[name] || size != len(tensor[9][0]) {
					t.Errorf("constant %s: twice, or of %d bytes instead of %d", name, len(tensor[9][0]), size)
				}
				there[name], constants[name] = true, true
			}
			for _, raw := range graph[1] {
				node := rawFields(t, raw)
				for _, in := range node[1] {
					if used[string(in)] = true; !there[string(in)] {
						t.Errorf("%s reads %s, which is not there", node[4][0], in)
					}
				}
				for _, out := range node[2] {
					if there[string(out)] {
						t.Errorf("there are two tensors %s", out)
					}
					there[string(out)] = true
				}
			}
			for _, raw := range graph[12] {
				if name := string(rawFields(t, raw)[1][0]); !there[name] {
					t.Errorf("the output %s is not there", name)
				}
			}
			for name := range constants {
				if !used[name] {
					t.Errorf("constant %s is not used", name)
				}
			}
			meta := map[string]string{}
			for _, raw := range file[14] {
				pair := rawFields(t, raw)
				meta[string(pair[1][0])] = string(pair[2][0])
			}
			var spec Spec
			if err := json.Unmarshal([]byte(meta["spec"]), &spec); err != nil || meta["input"] != x.input || meta["variant"] != x.v.String() || meta["generation"] != "3" {
				t.Errorf("metadata %v, %v", meta, err)
			}
		})
	}
}

func TestONNXErrors(t *testing.T) {
	c := checkpointOf(t, mustNew(t, tiny(), 1), "atomic16", "uci1968", chess.Atomic)
	c.Network["value.linear1.weight"].Data[0] = float32(math.NaN())
	if err := c.WriteONNX(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "value.linear1.weight has values that are not finite numbers") {
		t.Error(err)
	}
}
