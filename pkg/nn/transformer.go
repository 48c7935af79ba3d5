package nn

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/encode"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// TrunkTransformer is a trunk of attention between squares, as in the newer networks of Leela
// Chess Zero. A vector of Width numbers for each square is computed from its planes and its
// position, and changed by Depth blocks: x -> norm(x + a attention(x)), and
// x -> norm(x + a dense(act(dense(x)))), with a = (2 Depth)^(-1/4). The norms are layer norms
// (Vaswani et al. 2017; Wang et al. 2022, "DeepNet").
const TrunkTransformer = "transformer"

// What tells the squares of a transformer apart.
const (
	PositionMap   = "map"   // for each other square, whether a queen or a knight goes there
	PositionDense = "dense" // a dense layer over all squares of the planes of pieces
)

// Activation functions of the dense layers of transformers.
const (
	SquaredReLU = "squared-relu" // max(0, x)^2
	Swish       = "swish"        // x / (1 + e^-x)
)

// boardPlanes is the number of first planes that PositionDense reads: those of the pieces.
const boardPlanes = 12

// completeTransformer completes the keys of the trunk.
func (s Spec) completeTransformer() (Spec, error) {
	d := config.Default[Spec]
	s.AttentionHeads, s.FeedForward = cmp.Or(s.AttentionHeads, int(d("heads"))), cmp.Or(s.FeedForward, int(d("feedforward")))
	s.FeedForwardActivation, s.Position = cmp.Or(s.FeedForwardActivation, Mish), cmp.Or(s.Position, PositionMap)
	if s.Position == PositionDense {
		s.PositionWidth = cmp.Or(s.PositionWidth, int(d("position_width")))
	}
	if s.Smolgen > 0 {
		s.SmolgenHidden, s.SmolgenSize = cmp.Or(s.SmolgenHidden, int(d("smolgen_hidden"))), cmp.Or(s.SmolgenSize, int(d("smolgen_size")))
		s.SmolgenActivation = cmp.Or(s.SmolgenActivation, Swish)
	}
	switch {
	case s.Depth == 0:
		return s, errors.New("network: depth: a transformer needs at least 1 block")
	case s.Attention != AttentionNone || s.Dropout > 0:
		return s, errors.New("network: a transformer has no attention of channels and no dropout")
	case s.PolicyReLU || s.BareHeads:
		return s, errors.New("network: policy relu, bare heads: the heads of a transformer have no batch norm")
	case s.Position == PositionMap && s.PositionWidth > 0:
		return s, fmt.Errorf("network: position width: only with the position %s", PositionDense)
	case s.Smolgen == 0 && (s.SmolgenHidden > 0 || s.SmolgenSize > 0 || s.SmolgenActivation != ""):
		return s, errors.New("network: smolgen: its sizes are given, but not its channels")
	}
	if err := s.checkTransformer(); err != nil {
		return s, fmt.Errorf("network: %w", err)
	}
	return s, nil
}

// checkTransformer is [Spec.CheckTrunk] of a transformer.
func (s *Spec) checkTransformer() error {
	if s.Width%s.AttentionHeads != 0 {
		return fmt.Errorf("the width %d of a transformer is not a multiple of its %d heads", s.Width, s.AttentionHeads)
	}
	return nil
}

// noTransformer returns an error if a key of transformers is set.
func (s *Spec) noTransformer() error {
	if s.AttentionHeads+s.FeedForward+s.PositionWidth+s.Smolgen+s.SmolgenHidden+s.SmolgenSize > 0 || s.Gating ||
		s.FeedForwardActivation+s.Position+s.SmolgenActivation != "" {
		return fmt.Errorf("network: heads, feedforward, position, gating and smolgen: only with the trunk %s", TrunkTransformer)
	}
	return nil
}

// tokens computes vectors [N, 64, out] of squares from vectors [N, 64, in].
type tokens interface {
	forward(g *graph, x *ts.Tensor) *ts.Tensor
	onnx(g *onnxGraph, x string) string
}

// newTransformer declares the layers of the trunk.
func newTransformer(d *declaration, s *Spec) []*layer {
	var shared *param
	trunk := []*layer{{tokens: newEmbedding(d, s)}}
	if s.Smolgen > 0 {
		shared = d.add("smolgen.weight", true, uniform(s.SmolgenSize, 1), Squares*Squares, s.SmolgenSize).inMaps()
		shared.kind, shared.output = "linear", []int{s.AttentionHeads, Squares, Squares}
	}
	for i := range s.Depth {
		trunk = append(trunk, &layer{tokens: newEncoder(d, fmt.Sprintf("trunk.%d", i), s, shared)})
	}
	return trunk
}

// addition is the factor of what each part of a block adds to its input.
func (s *Spec) addition() float64 { return math.Pow(2*float64(s.Depth), -0.25) }

// layerEpsilon is added to the variances of layer norms.
func (s *Spec) layerEpsilon() float64 {
	if s.Position == PositionDense {
		return 1e-3
	}
	return 1e-6
}

// functions are the activation functions of a spec by name.
var functions = map[string]activation{ReLU: relu, Mish: mish, SquaredReLU: squaredReLU, Swish: swish}

// newTokenDense declares a dense layer over the vectors of squares. The variance of its outputs
// is at first that of its inputs.
func newTokenDense(d *declaration, name string, in, out int, biased bool) *dense {
	l := &dense{weight: d.add(name+".weight", true, uniform(in, math.Sqrt(3)), out, in).inMaps()}
	l.weight.kind, l.weight.output = "linear", []int{Squares, out}
	if biased {
		l.bias = d.add(name+".bias", true, value(0), out).inMaps()
	}
	return l
}

// newBoardDense declares a dense layer over the vectors of all squares together.
func newBoardDense(d *declaration, name string, in, out int) *dense {
	l := newTokenDense(d, name, in, out, true)
	l.weight.output = []int{out}
	return l
}

// layerNorm makes the mean of each vector 0 and its variance 1, and then scales and shifts.
type layerNorm struct {
	gain, bias *param
	epsilon    float64
}

func newLayerNorm(d *declaration, name string, size int, epsilon float64) *layerNorm {
	l := &layerNorm{d.add(name+".weight", true, value(1), size).inMaps(), d.add(name+".bias", true, value(0), size).inMaps(), epsilon}
	l.gain.kind, l.gain.output = "layer norm", l.gain.shape
	return l
}

func (l *layerNorm) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	return g.keep(ts.LayerNorm(x, int64s(l.gain.shape), g.params[l.gain], g.params[l.bias], l.epsilon, true))
}

// addNormed returns norm(x + scale y).
func (l *layerNorm) addNormed(g *graph, x, y *ts.Tensor, scale float64) *ts.Tensor {
	return l.forward(g, g.keep(x.Add(g.keep(y.MulScalar(g.scalar(scale), false)), false)))
}

// feedForward is dense(act(dense(x))).
type feedForward struct {
	first, second *dense
	act           activation
}

func newFeedForward(d *declaration, name string, s *Spec) *feedForward {
	return &feedForward{
		newTokenDense(d, name+".linear1", s.Width, s.FeedForward, true), newTokenDense(d, name+".linear2", s.FeedForward, s.Width, true),
		functions[s.FeedForwardActivation],
	}
}

func (l *feedForward) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	return l.second.forward(g, g.activate(l.first.forward(g, x), l.act))
}

// embedding computes the vectors of squares from the planes.
type embedding struct {
	planes int
	board  *dense // [64 boardPlanes] to [64 PositionWidth]; nil with PositionMap
	dense  *dense
	act    activation

	multiply, add *param // [Width, 64]: gates for each number of each square; nil without Spec.Gating

	// Only with PositionDense.
	norm, norm2 *layerNorm
	feed        *feedForward
	scale       float64
}

func newEmbedding(d *declaration, s *Spec) *embedding {
	l, position := &embedding{planes: s.Planes, act: functions[s.Activation], scale: s.addition()}, Squares
	if s.Position == PositionDense {
		position = s.PositionWidth
		l.board = newBoardDense(d, "input.board", Squares*min(boardPlanes, s.Planes), Squares*position)
	}
	l.dense = newTokenDense(d, "input.linear", s.Planes+position, s.Width, true)
	if s.Position == PositionDense {
		l.norm = newLayerNorm(d, "input.layer_norm1", s.Width, s.layerEpsilon())
	}
	if s.Gating {
		l.multiply = d.add("input.gates.weight", true, value(1), s.Width, Squares).inMaps()
		l.add = d.add("input.gates.bias", true, value(0), s.Width, Squares).inMaps()
		l.multiply.kind, l.multiply.output = "scale and shift", []int{Squares, s.Width}
		l.multiply.scales, l.add.scales = true, true
	}
	if s.Position == PositionDense {
		l.feed = newFeedForward(d, "input.feedforward", s)
		l.norm2 = newLayerNorm(d, "input.layer_norm2", s.Width, s.layerEpsilon())
	}
	return l
}

// positionMap has for each square 64 numbers: 1 for each square to which a queen or a knight goes
// on an empty board, -1 for the square itself, otherwise 0.
var positionMap = func() []float32 {
	out := make([]float32, Squares*Squares)
	for from := range Squares {
		for to := range Squares {
			switch {
			case from == to:
				out[from*Squares+to] = -1
			case encode.QueenOrKnight(chess.Square(from), chess.Square(to)):
				out[from*Squares+to] = 1
			}
		}
	}
	return out
}()

func (l *embedding) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	x = g.keep(x.Narrow(2, 0, int64(l.planes), false)) // a device pads them
	size, err := x.Size()
	must(err)
	var position *ts.Tensor
	if l.board != nil {
		board := g.keep(g.keep(x.Narrow(2, 0, int64(l.board.weight.shape[1]/Squares), false)).Flatten(1, 2, false))
		position = g.keep(l.board.forward(g, board).Unflatten(1, []int64{Squares, -1}, false))
	} else {
		table := g.like(g.fill(func(to []float32) { copy(to, positionMap) }, 1, Squares, Squares))
		position = g.keep(table.Expand([]int64{size[0], Squares, Squares}, false, false))
	}
	x = g.activate(l.dense.forward(g, g.keep(ts.Cat([]*ts.Tensor{x, position}, 2))), l.act)
	if l.norm != nil {
		x = l.norm.forward(g, x)
	}
	if l.multiply != nil {
		gates := func(p *param) *ts.Tensor { return g.keep(g.params[p].Transpose(0, 1, false)) }
		x = g.keep(g.keep(x.Mul(gates(l.multiply), false)).Add(gates(l.add), false))
	}
	if l.feed != nil {
		x = l.norm2.addNormed(g, x, l.feed.forward(g, x), l.scale)
	}
	return x
}

// encoder is a block: attention between squares, and dense layers on each.
type encoder struct {
	heads                  int
	scale                  float64 // see Spec.addition
	query, key, value, out *dense
	smolgen                *smolgen // nil if absent
	norm1, norm2           *layerNorm
	feed                   *feedForward
}

func newEncoder(d *declaration, name string, s *Spec, shared *param) *encoder {
	square := func(part string) *dense {
		l := newTokenDense(d, name+"."+part, s.Width, s.Width, true)
		l.weight.kind = part + " linear"
		return l
	}
	l := &encoder{heads: s.AttentionHeads, scale: s.addition(), query: square("query"), key: square("key"), value: square("value"), out: square("out")}
	if shared != nil {
		l.smolgen = newSmolgen(d, name+".smolgen", s, shared)
	}
	l.norm1 = newLayerNorm(d, name+".layer_norm1", s.Width, s.layerEpsilon())
	l.feed = newFeedForward(d, name+".feedforward", s)
	l.norm2 = newLayerNorm(d, name+".layer_norm2", s.Width, s.layerEpsilon())
	return l
}

// attentionScale is the factor of the products of queries and keys.
func (l *encoder) attentionScale() float64 {
	return 1 / math.Sqrt(float64(l.query.weight.shape[0]/l.heads))
}

func (l *encoder) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	split := func(part *dense) *ts.Tensor { // [N, heads, 64, numbers of a head]
		v := g.keep(part.forward(g, x).Unflatten(2, []int64{int64(l.heads), -1}, false))
		return g.keep(v.Transpose(1, 2, false))
	}
	query := g.keep(split(l.query).MulScalar(g.scalar(l.attentionScale()), false))
	scores := g.keep(query.Matmul(g.keep(split(l.key).Transpose(2, 3, false)), false))
	if l.smolgen != nil {
		scores = g.keep(scores.Add(l.smolgen.forward(g, x, l.heads), false))
	}
	scores = g.like(g.keep(scores.Softmax(3, gotch.Float, false)))
	found := g.keep(g.keep(scores.Matmul(split(l.value), false)).Transpose(1, 2, false))
	x = l.norm1.addNormed(g, x, l.out.forward(g, g.keep(found.Flatten(2, 3, false))), l.scale)
	return l.norm2.addNormed(g, x, l.feed.forward(g, x), l.scale)
}

// smolgen computes numbers from the whole position that are added to the products of queries and
// keys, for each pair of squares and each head ("smolgen", Leela Chess Zero 2022). The last
// layer is the same for all heads of all blocks.
type smolgen struct {
	compress      *dense // of each square, without a bias
	first, second *dense
	norm1, norm2  *layerNorm
	shared        *param // [64 * 64, SmolgenSize]
	act           activation
}

func newSmolgen(d *declaration, name string, s *Spec, shared *param) *smolgen {
	const epsilon = 1e-3
	l := &smolgen{shared: shared, act: functions[s.SmolgenActivation], compress: newTokenDense(d, name+".compress", s.Width, s.Smolgen, false)}
	l.first = newBoardDense(d, name+".linear1", Squares*s.Smolgen, s.SmolgenHidden)
	l.norm1 = newLayerNorm(d, name+".layer_norm1", s.SmolgenHidden, epsilon)
	size := s.AttentionHeads * s.SmolgenSize
	l.second = newBoardDense(d, name+".linear2", s.SmolgenHidden, size)
	l.norm2 = newLayerNorm(d, name+".layer_norm2", size, epsilon)
	return l
}

// forward returns numbers [N, heads, 64, 64].
func (l *smolgen) forward(g *graph, x *ts.Tensor, heads int) *ts.Tensor {
	x = g.keep(l.compress.forward(g, x).Flatten(1, 2, false))
	x = g.byRow(x, func(x *ts.Tensor) *ts.Tensor {
		x = l.norm1.forward(g, g.activate(l.first.forward(g, x), l.act))
		return l.norm2.forward(g, g.activate(l.second.forward(g, x), l.act))
	})
	x = g.linear(g.keep(x.Unflatten(1, []int64{int64(heads), -1}, false)), l.shared, nil)
	return g.keep(x.Unflatten(2, []int64{Squares, Squares}, false))
}

// vectors returns the vectors [N, 64, channels] of maps [N, channels, 8, 8], without a copy.
func (g *graph) vectors(maps *ts.Tensor) *ts.Tensor {
	return g.keep(g.keep(maps.Permute([]int64{0, 2, 3, 1}, false)).Flatten(1, 2, false))
}

// maps is the inverse of vectors.
func (g *graph) maps(vectors *ts.Tensor) *ts.Tensor {
	return g.keep(g.keep(vectors.Unflatten(1, []int64{8, 8}, false)).Permute([]int64{0, 3, 1, 2}, false))
}

// onnx methods append to a graph what forward computes.

func (g *onnxGraph) tokenDense(l *dense, x string) string {
	out, in := l.weight.shape[0], l.weight.shape[1]
	if !g.names[l.weight.name] { // that of smolgen has several uses
		g.floats(l.weight.name, exchanged(l.weight.data, out, in), in, out)
	}
	x = g.node("MatMul", x, l.weight.name)
	if l.bias != nil {
		x = g.node("Add", x, g.floats(l.bias.name, l.bias.data, out))
	}
	return x
}

func (g *onnxGraph) scaled(x string, by float64) string {
	return g.node("Mul", x, g.floats("", []float32{float32(by)}, 1))
}

func (g *onnxGraph) layerNorm(l *layerNorm, x string) string {
	axes := onnxInts("axes", -1)
	x = g.node("Sub", x, g.node("ReduceMean", x, axes))
	variance := g.node("ReduceMean", g.node("Mul", x, x), axes)
	deviation := g.node("Sqrt", g.node("Add", variance, g.floats("", []float32{float32(l.epsilon)}, 1)))
	x = g.node("Mul", g.node("Div", x, deviation), g.floats(l.gain.name, l.gain.data, l.gain.shape...))
	return g.node("Add", x, g.floats(l.bias.name, l.bias.data, l.bias.shape...))
}

func (g *onnxGraph) addNormed(l *layerNorm, x, y string, scale float64) string {
	return g.layerNorm(l, g.node("Add", x, g.scaled(y, scale)))
}

func (g *onnxGraph) feedForward(l *feedForward, x string) string {
	return g.tokenDense(l.second, g.activate(g.tokenDense(l.first, x), l.act))
}

func (l *embedding) onnx(g *onnxGraph, x string) string {
	var position string
	if l.board != nil {
		planes := l.board.weight.shape[1] / Squares
		board := g.node("Slice", x, g.integers(0), g.integers(int64(planes)), g.integers(2))
		position = g.tokenDense(l.board, g.node("Reshape", board, g.integers(0, int64(planes)*Squares)))
		position = g.node("Reshape", position, g.integers(0, Squares, int64(l.board.weight.shape[0]/Squares)))
	} else { // the map plus 0 times a plane, which gives it the number of positions
		first := g.node("Slice", x, g.integers(0), g.integers(1), g.integers(2))
		position = g.node("Add", g.scaled(first, 0), g.floats("", positionMap, 1, Squares, Squares))
	}
	x = g.activate(g.tokenDense(l.dense, g.node("Concat", x, position, onnxInts("axis", 2))), l.act)
	if l.norm != nil {
		x = g.layerNorm(l.norm, x)
	}
	if l.multiply != nil {
		gates := func(p *param) string {
			return g.floats(p.name, exchanged(p.data, p.shape[0], Squares), Squares, p.shape[0])
		}
		x = g.node("Add", g.node("Mul", x, gates(l.multiply)), gates(l.add))
	}
	if l.feed != nil {
		x = g.addNormed(l.norm2, x, g.feedForward(l.feed, x), l.scale)
	}
	return x
}

func (l *encoder) onnx(g *onnxGraph, x string) string {
	split := func(part *dense, order ...int) string {
		v := g.node("Reshape", g.tokenDense(part, x), g.integers(0, Squares, int64(l.heads), -1))
		return g.node("Transpose", v, onnxInts("perm", order...))
	}
	scores := g.node("MatMul", g.scaled(split(l.query, 0, 2, 1, 3), l.attentionScale()), split(l.key, 0, 2, 3, 1))
	if l.smolgen != nil {
		scores = g.node("Add", scores, l.smolgen.onnx(g, x, l.heads))
	}
	found := g.node("MatMul", g.node("Softmax", scores, onnxInts("axis", 3)), split(l.value, 0, 2, 1, 3))
	found = g.node("Reshape", g.node("Transpose", found, onnxInts("perm", 0, 2, 1, 3)), g.integers(0, Squares, -1))
	x = g.addNormed(l.norm1, x, g.tokenDense(l.out, found), l.scale)
	return g.addNormed(l.norm2, x, g.feedForward(l.feed, x), l.scale)
}

func (l *smolgen) onnx(g *onnxGraph, x string, heads int) string {
	x = g.node("Flatten", g.tokenDense(l.compress, x))
	x = g.layerNorm(l.norm1, g.activate(g.tokenDense(l.first, x), l.act))
	x = g.layerNorm(l.norm2, g.activate(g.tokenDense(l.second, x), l.act))
	x = g.node("Reshape", x, g.integers(0, int64(heads), -1))
	x = g.tokenDense(&dense{weight: l.shared}, x)
	return g.node("Reshape", x, g.integers(0, int64(heads), Squares, Squares))
}

// tokens computes a layer on maps.
func (g *onnxGraph) tokens(l tokens, maps string) string {
	swapped := onnxInts("perm", 0, 2, 1)
	x := l.onnx(g, g.node("Transpose", g.node("Reshape", maps, g.integers(0, 0, Squares)), swapped))
	return g.node("Reshape", g.node("Transpose", x, swapped), g.integers(0, 0, 8, 8))
}
