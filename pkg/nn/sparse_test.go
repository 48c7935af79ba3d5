package nn

import (
	goflag "flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
)

// sparseSpec returns a small sparse network for an encoding.
func sparseSpec(c encode.Codec) Spec {
	return Spec{
		Trunk: TrunkSparse, Input: c.Planes.Name(), Planes: c.Planes.Count(), Constant: c.Planes.Constant(),
		PolicyMap: c.Policy.Name(), PolicySize: c.Policy.Size(), Width: 64, PolicyWidth: 32, KingBuckets: 4, Mirror: reflects(c.Planes), Value: ValueWDL,
	}
}

func reflects(p *encode.Planes) bool {
	sides, err := encode.SidesOf(p)
	return err == nil && sides.Reflects
}

func sparseCodec(t testing.TB, v chess.Variant) encode.Codec {
	t.Helper()
	input, policy := "variants31", "uci2206-mover"
	if v.Defined() || v == chess.RacingKings { // in which a sparse trunk needs the planes of the rules
		input, policy = encode.Rules, encode.Rules
	}
	c, err := encode.NewCodec(input, policy, v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// randomGame calls f with each position of a random game.
func randomGame(rng *rand.Rand, v chess.Variant, f func(*chess.Game, []chess.Move)) {
	g := chess.NewGame(chess.StartPosition(v))
	var moves chess.MoveList
	for range 200 {
		g.Position().LegalMoves(&moves)
		if g.Outcome(&moves).Over() {
			return
		}
		f(g, moves.Slice())
		g.Play(moves.At(rng.IntN(moves.Len())))
	}
}

// gameBatch returns n samples of random games with random targets.
func gameBatch(t testing.TB, seed uint64, v chess.Variant, n int) *Batch {
	c, rng, b := sparseCodec(t, v), rand.New(rand.NewPCG(seed, 0)), &Batch{}
	for b.N < n {
		randomGame(rng, v, func(g *chess.Game, moves []chess.Move) {
			if b.N == n || rng.IntN(8) > 0 {
				return
			}
			s := encode.Sample{Planes: make([]uint64, c.Planes.Count()), Value: float32(rng.IntN(3) - 1), Draw: -1, MovesLeft: float32(rng.IntN(60)), Reply: -1}
			c.Planes.Encode(s.Planes, g)
			s.Indices = c.Indices(nil, g.Position(), moves)
			total := float32(0)
			for range moves {
				s.Policy = append(s.Policy, rng.Float32())
				total += s.Policy[len(s.Policy)-1]
			}
			for i := range s.Policy {
				s.Policy[i] /= total
			}
			s.Reply = s.Indices[rng.IntN(len(moves))]
			b.Add(&s)
		})
	}
	return b
}

// trainedSparse returns a network whose weights are far from their initial values.
func trainedSparse(t testing.TB, s Spec, v chess.Variant) *Network {
	t.Helper()
	n := mustNew(t, s, 3)
	x := mustTrainerWith(t, n, Optimizer{Kind: Adam}, TrainerOptions{Threads: 1})
	b := gameBatch(t, 4, v, 256)
	for range 10 {
		step(t, x, b, 0.01)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// smallBoard are rules of a board of 6x6.
const smallBoard = `{"name":"small","files":6,"ranks":6,"start":"rnqknr/pppppp/6/6/PPPPPP/RNQKNR w - - 0 1",
	"double_step":[2],"promotion_ranks":[6],"promotion":"rnq","castling":false}`

// With Mirror a sample and its reflection are the same to the network, and so are their targets.
func TestMirroredTargets(t *testing.T) {
	c := sparseCodec(t, chess.Atomic)
	mirror, err := encode.NewMirror(c)
	if err != nil {
		t.Fatal(err)
	}
	s := sparseSpec(c)
	s.OpponentPolicy, s.SoftPolicy, s.FutureBoard = true, true, 4
	rng, plain, reflected := rand.New(rand.NewPCG(1, 0)), &Batch{}, &Batch{}
	for plain.N < 64 {
		randomGame(rng, chess.Atomic, func(g *chess.Game, moves []chess.Move) {
			x := encode.Sample{Planes: make([]uint64, c.Planes.Count()), Value: 1, Draw: -1, Future: []uint64{rng.Uint64(), rng.Uint64(), 0, rng.Uint64()}}
			c.Planes.Encode(x.Planes, g)
			x.Indices = c.Indices(nil, g.Position(), moves)
			x.Reply = x.Indices[0]
			for i := range moves {
				x.Policy = append(x.Policy, float32(i+1)/float32(len(moves)*(len(moves)+1)/2))
			}
			if rng.IntN(8) == 0 && mirror.Reflects(&x) {
				var other encode.Sample
				mirror.Reflect(&other, &x)
				plain.Add(&x)
				reflected.Add(&other)
			}
		})
	}
	x := mustTrainerWith(t, mustNew(t, s, 1), Optimizer{Kind: Adam}, TrainerOptions{Threads: 1})
	for range 10 {
		step(t, x, plain, 0.01)
	}
	want, _, err := x.Measure(plain)
	if err != nil {
		t.Fatal(err)
	}
	have, _, err := x.Measure(reflected)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, have, cmpopts.EquateApprox(1e-5, 0)); d != "" {
		t.Errorf("the losses of reflected samples differ: %s", d)
	}
}

func TestSparseMirrorNeedsItsPolicy(t *testing.T) {
	for _, of := range []string{"none such", "alphazero4672"} {
		s := sparseSpec(sparseCodec(t, chess.KingOfTheHill))
		if s.PolicyMap = of; !s.Mirror {
			t.Fatal("the network is not mirrored")
		}
		if _, err := s.Complete(); err == nil || !strings.Contains(err.Error(), "which mirror needs: ") {
			t.Errorf("%s: error %v", of, err)
		}
	}
}

// The gradients of our operations are those of libtorch's autograd.
func TestSparseGradients(t *testing.T) {
	for _, mask := range []string{MaskLegal, MaskNone} {
		s := sparseSpec(sparseCodec(t, chess.Crazyhouse))
		s.MovesLeft, s.OpponentPolicy, s.SoftPolicy, s.Activation = true, true, true, map[string]string{MaskLegal: Squared, MaskNone: Clipped}[mask]
		b := gameBatch(t, 1, chess.Crazyhouse, 50)
		var states [3]Tensors
		var losses [3]Loss
		for i, on := range []TrainerOptions{{generic: true}, {Threads: 1}, {Threads: 3}} {
			n := mustNew(t, s, 1)
			o := Optimizer{Loss: LossSettings{PolicyMask: mask}}
			x := mustTrainerWith(t, n, o, on)
			for range 3 {
				losses[i] = step(t, x, b, 0.1)
			}
			states[i] = mustState(t, n)
		}
		start := mustState(t, mustNew(t, s, 1))
		for i := 1; i < 3; i++ {
			if math.Abs(losses[i].Total-losses[0].Total) > 1e-4 {
				t.Errorf("%s: loss %v, with libtorch's operations %v", mask, losses[i].Total, losses[0].Total)
			}
			for name, want := range states[0] {
				moved, differ := 0.0, 0.0
				for k, w := range want.Data {
					moved = max(moved, math.Abs(float64(w-start[name].Data[k])))
					differ = max(differ, math.Abs(float64(w-states[i][name].Data[k])))
				}
				if moved == 0 || differ > 1e-3*moved {
					t.Errorf("%s: %s moved by %g, with our operations (%d) by %g more or less", mask, name, moved, i, differ)
				}
			}
		}
	}
}

// Inference in integers is close to the training graph in single precision, for each kind of value
// and of activation, and also if a weight is much larger than the others.
func TestSparseInference(t *testing.T) {
	c := sparseCodec(t, chess.Atomic)
	var leaves []*encode.Leaf
	var planes []uint64
	randomGame(rand.New(rand.NewPCG(7, 7)), chess.Atomic, func(g *chess.Game, moves []chess.Move) {
		l := &encode.Leaf{}
		c.Prepare(l, g, moves)
		leaves, planes = append(leaves, l), append(planes, l.Planes...)
	})
	for name, change := range map[string]func(*Spec){
		"wdl":     func(*Spec) {},
		"clipped": func(s *Spec) { s.Activation, s.Value, s.MovesLeft, s.KingBuckets = Clipped, ValueTanh, true, 1 },
		"linear":  func(s *Spec) { s.Value, s.MovesLeft = ValueLinear, true },
		"large":   func(*Spec) {},
	} {
		t.Run(name, func(t *testing.T) {
			s := sparseSpec(c)
			change(&s)
			n := trainedSparse(t, s, chess.Atomic)
			if name == "large" {
				table := n.sparse.table
				columns := table.shape[1]
				for row := range table.shape[0] { // no pawn stands on the first rank
					if at := row % (n.spec.Planes * Squares); at < 8 {
						table.data[row*columns+row%columns] = 4
					}
				}
				if err := n.Load(mustState(t, n)); err != nil {
					t.Fatal(err)
				}
			}
			if err := mustSession(t, mustModel(t, n, InferenceOptions{})).Evaluate(leaves); err != nil {
				t.Fatal(err)
			}
			logits, values, left := answers(t, mustTrainerOn(t, n, 1), planes)
			var worst, worstPrior, worstLeft, spread float64
			for i, l := range leaves {
				var want float64
				switch v := values[i*len(values)/len(leaves):]; n.spec.Value {
				case ValueWDL:
					wdl := softmaxOf(v[:3], []int32{0, 1, 2})
					want = wdl[0] - wdl[2]
					for k, p := range wdl {
						worst = max(worst, math.Abs(p-float64(l.WDL[k])))
					}
				case ValueTanh:
					want = float64(v[0])
				case ValueLinear:
					want = boundedByHand(float64(v[0]))
				}
				worst = max(worst, math.Abs(want-float64(l.Value)))
				spread = max(spread, math.Abs(float64(l.Value)))
				if n.spec.MovesLeft {
					worstLeft = max(worstLeft, math.Abs(float64(left[i])*float64(n.spec.MovesLeftUnit)-float64(l.MovesLeft)))
				}
				indices := n.sparse.reflectedMoves(nil, l.Indices, l.Planes)
				for k, p := range softmaxOf(logits[i*n.spec.PolicySize:][:n.spec.PolicySize], indices) {
					worstPrior = max(worstPrior, math.Abs(p-float64(l.Priors[k])))
				}
			}
			if worst > 0.05 || worstPrior > 0.005 || worstLeft > 2 || spread < 0.2 {
				t.Errorf("values of up to %.2f differ by up to %.3f, priors by %.3f, plies left by %.1f", spread, worst, worstPrior, worstLeft)
			}
		})
	}
}

var sparseGames = goflag.Int("sparse.games", 10, "random games of each variant in which all instruction sets are compared")

// All instruction sets give the same answers to the bit, and remembered sums change nothing.
func TestSparsePaths(t *testing.T) {
	variants := chess.Variants()
	for _, rules := range []string{
		`{"name":"torpedo","double_step":[2,3,4,5,6],"en_passant":[2,3,4,5,6]}`,
		`{"name":"small","files":6,"ranks":6,"start":"rnaqar/pppppp/6/6/PPPPPP/RNAQAR w - - 0 1","pieces":[{"name":"pawn","letter":"p","moves":"mfWcfF","region":"all"},{"name":"knight","letter":"n","moves":"N","region":"all"},{"name":"rook","letter":"r","moves":"R","region":"all"},{"name":"queen","letter":"q","moves":"Q","region":"all"},{"name":"amazon","letter":"a","moves":"QN","region":"all"}],"royal":"q","hand":"captures","pawn_drops":[2,3,4,5],"double_step":[],"promotion_ranks":[6],"promotion":"na","castling":false}`,
	} {
		v, err := chess.ParseVariant(rules)
		if err != nil {
			t.Fatal(err)
		}
		variants = append(variants, v)
	}
	for _, v := range variants {
		c := sparseCodec(t, v)
		n := trainedSparse(t, sparseSpec(c), v)
		var sessions []*Session
		for path := range sparsePaths() {
			sessions = append(sessions, mustSession(t, mustModel(t, n, InferenceOptions{path: path})))
		}
		model := mustModel(t, n, InferenceOptions{})
		rng, positions := rand.New(rand.NewPCG(5, uint64(v))), 0
		for range *sparseGames {
			randomGame(rng, v, func(g *chess.Game, moves []chess.Move) {
				fresh, err := model.NewSession()
				if err != nil {
					t.Fatal(err)
				}
				defer fresh.Close()
				var want string
				for path, s := range append(sessions, fresh) {
					l := &encode.Leaf{}
					c.Prepare(l, g, moves)
					if err := s.Evaluate([]*encode.Leaf{l}); err != nil {
						t.Fatal(err)
					}
					have := fmt.Sprint(l.Value, l.WDL, l.MovesLeft, l.Priors)
					if path == 0 {
						want = have
					} else if have != want {
						t.Fatalf("%v: %s: path %d of %d: %s, want %s", v, g.Position().FEN(), path, len(sessions), have, want)
					}
				}
				positions++
			})
		}
		if positions < 100 {
			t.Errorf("%v: only %d positions", v, positions)
		}
		t.Logf("%v: %d positions", v, positions)
	}
}

func BenchmarkSparse(b *testing.B) {
	c := sparseCodec(b, chess.Atomic)
	s := sparseSpec(c)
	s.Width, s.PolicyWidth, s.KingBuckets = 512, 128, 8
	model := mustModel(b, mustNew(b, s, 1), InferenceOptions{})
	var leaves []*encode.Leaf
	rng := rand.New(rand.NewPCG(7, 7))
	for len(leaves) < 2000 {
		randomGame(rng, chess.Atomic, func(g *chess.Game, moves []chess.Move) {
			l := &encode.Leaf{}
			c.Prepare(l, g, moves)
			leaves = append(leaves, l)
		})
	}
	for _, shuffled := range []bool{false, true} {
		b.Run(fmt.Sprintf("shuffled=%v", shuffled), func(b *testing.B) {
			leaves := slices.Clone(leaves)
			if shuffled {
				rng.Shuffle(len(leaves), func(i, j int) { leaves[i], leaves[j] = leaves[j], leaves[i] })
			}
			session := mustSession(b, model)
			for i := range b.N {
				if err := session.Evaluate(leaves[i%len(leaves):][:1]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSparseStep(b *testing.B) {
	s := sparseSpec(sparseCodec(b, chess.Atomic))
	s.Width, s.PolicyWidth, s.KingBuckets = 512, 128, 1
	batch := gameBatch(b, 1, chess.Atomic, 4096)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			x := mustTrainerWith(b, mustNew(b, s, 1), Optimizer{Kind: Adam}, TrainerOptions{Threads: threads})
			for b.Loop() {
				step(b, x, batch, 1e-3)
			}
			b.ReportMetric(float64(batch.N*b.N)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}

// A network plays the same games with all instruction sets, to the bit.
func TestSparseGames(t *testing.T) {
	c := sparseCodec(t, chess.Atomic)
	n := trainedSparse(t, sparseSpec(c), chess.Atomic)
	cfg := selfplay.Config{
		Variant: chess.Atomic, Games: 30, MaxMoves: 40, Seed: 3, ValueMix: 0.5, Temperature: selfplay.Temperature{Power: 1},
		Search: search.Config{Visits: 16, CPuct: 1.5, Solver: true, TreeReuse: true, PolicyTemperature: 1.4, Noise: search.Noise{Alpha: 0.3, Weight: 0.25}},
	}
	var want []string
	for path := range sparsePaths() {
		have := make([]string, cfg.Games)
		net := mustSession(t, mustModel(t, n, InferenceOptions{path: path}))
		if err := selfplay.Play(t.Context(), cfg, c, []search.Net{net}, func(r *selfplay.Record) {
			text, err := r.Pack()
			if err != nil {
				t.Error(err)
			}
			have[r.Number] = string(text)
		}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(have)
		if len(slices.Compact(slices.Clone(have))) != cfg.Games {
			t.Fatalf("path %d: games are equal", path)
		}
		if path == 0 {
			want = have
		} else if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("path %d of %d plays other games", path, sparsePaths())
		}
	}
}
