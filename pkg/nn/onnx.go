package nn

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The ONNX format (https://onnx.ai, onnx.proto) is a protobuf of a graph: nodes that apply
// operators to named tensors, and initializers, which are the constant tensors. Ours need
// version 13 of the operators, and have the norms folded into the convolutions.

// Names of the tensors of an ONNX file. N is the number of positions.
const (
	ONNXPlanes    = "planes"     // in: [N, planes, 8, 8], by rank and file as the encoding sees the board
	ONNXPolicy    = "policy"     // out: [N, PolicySize], logits of all moves; absent without a policy
	ONNXValue     = "value"      // out: [N, 1], -1 to 1
	ONNXWDL       = "wdl"        // out: [N, 3], probabilities of win, draw and loss; only of a network with ValueWDL
	ONNXMovesLeft = "moves_left" // out: [N, 1], in plies; absent without that head
)

const (
	onnxIR        = 7 // version of the format
	onnxOperators = 13
	onnxFloat     = 1 // types of tensors
	onnxInt64     = 7
	onnxBool      = 9
)

// WriteONNX writes the network that plays as an ONNX model, in single precision. Its metadata
// are the names of the variant and the encodings, the generation and the spec. Equal
// checkpoints give equal bytes.
func (c *Checkpoint) WriteONNX(w io.Writer) error {
	n, err := c.playing()
	if err != nil {
		return err
	}
	g := &onnxGraph{names: map[string]bool{}}
	s := &n.spec
	g.message(11, g.value(ONNXPlanes, s.Planes, 8, 8))
	var from onnxFeatures
	if n.sparse != nil {
		from = g.sparse(n.sparse, ONNXPlanes)
	} else {
		from.maps = follow(n.trunk, ONNXPlanes, "", g.layer)
	}
	output := func(name, x string, shape ...int) {
		g.named("Identity", []string{name}, []string{x})
		g.message(12, g.value(name, shape...))
	}
	if h := n.heads.policy; h != nil {
		output(ONNXPolicy, g.head(h, from), s.PolicySize)
	}
	switch x := g.head(n.heads.value, from); s.Value {
	case ValueTanh:
		output(ONNXValue, g.node("Tanh", x), 1)
	case ValueLinear:
		inside := g.clip(x, -0.9, 0.9) // as bounded in cpp/kernels.h
		ten, tenth := g.floats("", []float32{10}), g.floats("", []float32{0.1})
		beyond := g.node("Softsign", g.node("Mul", g.node("Sub", x, inside), ten))
		output(ONNXValue, g.node("Add", inside, g.node("Mul", beyond, tenth)), 1)
	case ValueWDL:
		wdl := g.node("Softmax", x, onnxInts("axis", 1))
		output(ONNXValue, g.node("MatMul", wdl, g.floats("", []float32{1, 0, -1}, 3, 1)), 1)
		output(ONNXWDL, wdl, 3)
	}
	if h := n.heads.movesLeft; h != nil {
		plies := g.node("Mul", g.head(h, from), g.floats("", []float32{float32(s.MovesLeftUnit)}, 1))
		output(ONNXMovesLeft, g.node("Relu", plies), 1)
	}
	g.text(2, "alamos")
	spec, err := json.Marshal(c.Spec)
	if err != nil {
		return err
	}
	var operators, m proto
	operators.number(2, onnxOperators)
	m.number(1, onnxIR)
	m.text(2, "alamos")
	m.message(7, g.proto)
	m.message(8, operators)
	for _, pair := range [][2]string{
		{"variant", c.Variant}, {"input", c.Input}, {"policy", c.Policy}, {"generation", fmt.Sprint(c.Generation)}, {"spec", string(spec)},
	} {
		var p proto
		p.text(1, pair[0])
		p.text(2, pair[1])
		m.message(14, p)
	}
	_, err = w.Write(m)
	return err
}

// playing returns the network with the weights to play with.
func (c *Checkpoint) playing() (*Network, error) {
	n, err := Restore(c.Spec, c.Playing())
	if err != nil {
		return nil, err
	}
	return n, n.finite()
}

// onnxGraph is the message of a graph.
type onnxGraph struct {
	proto
	made  int             // names of tensors so far
	names map[string]bool // of initializers
}

// onnxFeatures is [features] with the names of tensors. Of a trunk that reflects views,
// reflected names bools [N, 1] that mark the positions whose views are reflected, and moves the
// policy indices of the reflected moves.
type onnxFeatures struct{ maps, value, policy, reflected, moves string }

func (g *onnxGraph) name() string {
	g.made++
	return fmt.Sprint("x", g.made)
}

// node appends an operator with one output and returns its name. Arguments are names of inputs
// and attributes.
func (g *onnxGraph) node(operator string, arguments ...any) string {
	name := g.name()
	g.named(operator, []string{name}, nil, arguments...)
	return name
}

// named appends an operator with named outputs. Arguments follow the inputs.
func (g *onnxGraph) named(operator string, outputs, inputs []string, arguments ...any) {
	var n proto
	var attributes []proto
	for _, a := range arguments {
		switch a := a.(type) {
		case string:
			inputs = append(inputs, a)
		case proto:
			attributes = append(attributes, a)
		}
	}
	for _, name := range inputs {
		n.text(1, name)
	}
	for _, name := range outputs {
		n.text(2, name)
	}
	n.text(3, outputs[0])
	n.text(4, operator)
	for _, a := range attributes {
		n.message(5, a)
	}
	g.message(1, n)
}

// onnxInts is an attribute of integers; one is a plain integer, unless the name is plural.
func onnxInts(name string, values ...int) (a proto) {
	const integer, integers = 2, 7 // types of attributes
	a.text(1, name)
	if len(values) == 1 && !strings.HasSuffix(name, "axes") {
		a.number(3, values[0])
		a.number(20, integer)
		return a
	}
	for _, v := range values {
		a.number(8, v)
	}
	a.number(20, integers)
	return a
}

// value describes a tensor of floats [N, shape...].
func (g *onnxGraph) value(name string, shape ...int) (v proto) {
	var dimensions, tensor, kind, positions proto
	positions.text(2, "N")
	dimensions.message(1, positions)
	for _, n := range shape {
		var d proto
		d.number(1, n)
		dimensions.message(1, d)
	}
	tensor.number(1, onnxFloat)
	tensor.message(2, dimensions)
	kind.message(1, tensor)
	v.text(1, name)
	v.message(2, kind)
	return v
}

// initializer appends a constant tensor of raw numbers. A name of a parameter is kept.
func (g *onnxGraph) initializer(name string, kind int, raw []byte, shape []int) string {
	if name == "" || g.names[name] {
		name = g.name()
	}
	g.names[name] = true
	var t proto
	for _, n := range shape {
		t.number(1, n)
	}
	t.number(2, kind)
	t.text(8, name)
	t.bytes(9, raw)
	g.message(5, t)
	return name
}

func (g *onnxGraph) floats(name string, data []float32, shape ...int) string {
	return g.initializer(name, onnxFloat, littleEndian(data), shape)
}

// integers is a constant tensor [n].
func (g *onnxGraph) integers(data ...int64) string {
	return g.initializer("", onnxInt64, littleEndian(data), []int{len(data)})
}

func (g *onnxGraph) bools(data []bool, shape ...int) string {
	return g.initializer("", onnxBool, marks(data), shape)
}

func (g *onnxGraph) clip(x string, low, high float32) string {
	return g.node("Clip", x, g.floats("", []float32{low}), g.floats("", []float32{high}))
}

// convolve is a convolution that preserves the size of maps. bias may be nil.
func (g *onnxGraph) convolve(x string, weight *param, data, bias []float32) string {
	arguments := []any{x, g.floats(weight.name, data, weight.shape...)}
	if bias != nil {
		arguments = append(arguments, g.floats(strings.TrimSuffix(weight.name, "weight")+"bias", bias, len(bias)))
	}
	pad := weight.shape[2] / 2
	return g.node("Conv", append(arguments, onnxInts("pads", pad, pad, pad, pad))...)
}

func (g *onnxGraph) activate(x string, act activation) string {
	switch act {
	case relu:
		return g.node("Relu", x)
	case mish:
		return g.node("Mul", x, g.node("Tanh", g.node("Softplus", x)))
	case swish:
		return g.node("Mul", x, g.node("Sigmoid", x))
	case squaredReLU:
		x = g.node("Relu", x)
		return g.node("Mul", x, x)
	default:
		return x
	}
}

// layer computes a layer. add may be empty.
func (g *onnxGraph) layer(l *layer, x, add string) string {
	if l.tokens != nil {
		return g.tokens(l.tokens, x)
	}
	if l.conv != nil || l.norm != nil {
		weight, bias := l.fold()
		if l.conv != nil {
			x = g.convolve(x, l.conv.weight, weight, bias)
		} else {
			x = g.node("Mul", x, g.floats(l.norm.gamma.name, weight, len(weight), 1, 1))
			x = g.node("Add", x, g.floats(l.norm.beta.name, bias, len(bias), 1, 1))
		}
	}
	if l.attention != nil {
		x = g.attention(l.attention, x)
	}
	if add != "" {
		x = g.node("Add", add, x)
	}
	return g.activate(x, l.act)
}

// attention computes its linear layers as 1x1 convolutions of maps [N, C, 1, 1].
func (g *onnxGraph) attention(l *attention, x string) string {
	linear := func(x string, weight, bias *param) string {
		arguments := []any{x, g.floats(weight.name, weight.data, weight.shape[0], weight.shape[1], 1, 1)}
		if bias != nil {
			arguments = append(arguments, g.floats(bias.name, bias.data, bias.shape...))
		}
		return g.node("Conv", arguments...)
	}
	squeeze := func(x string) string { return g.node("Relu", linear(x, l.first, l.firstBias)) }
	hidden := squeeze(g.node("GlobalAveragePool", x))
	if l.spatial != nil {
		hidden = g.node("Add", hidden, squeeze(g.node("GlobalMaxPool", x)))
	}
	x = g.node("Mul", x, g.node("Sigmoid", linear(hidden, l.second, l.secondBias)))
	switch {
	case l.shift != nil:
		return g.node("Add", x, linear(hidden, l.shift, l.shiftBias))
	case l.spatial == nil:
		return x
	}
	axes := onnxInts("axes", 1)
	both := g.node("Concat", g.node("ReduceMean", x, axes), g.node("ReduceMax", x, axes), onnxInts("axis", 1))
	return g.node("Mul", x, g.node("Sigmoid", g.convolve(both, l.spatial, l.spatial.data, nil)))
}

// head returns what [head.forward] computes, before the final operation of its output.
func (g *onnxGraph) head(h *head, from onnxFeatures) string {
	var x string
	switch {
	case h.sparse && h.policy:
		x = from.policy
	case h.sparse:
		x = from.value
	default:
		x = follow(h.maps, from.maps, "", g.layer)
	}
	flat, axis := func(x string) string { return g.node("Flatten", x) }, onnxInts("axis", 1)
	switch {
	case h.sparse:
	case h.pairs != nil:
		x = g.pairs(h.pairs, x)
	case h.pooled:
		x = flat(g.node("Concat", g.node("GlobalAveragePool", x), g.node("GlobalMaxPool", x), axis))
	default:
		x = flat(x)
	}
	if h.places != nil {
		x = g.gather(h, x)
	}
	for i, l := range h.dense {
		if i > 0 && !h.linear {
			x = g.activate(x, h.act)
		}
		weight, bias := g.floats(l.weight.name, l.weight.data, l.weight.shape...), g.floats(l.bias.name, l.bias.data, l.bias.shape...)
		x = g.node("Gemm", x, weight, bias, onnxInts("transB", 1))
	}
	if h.policy && from.moves != "" {
		x = g.node("Where", from.reflected, g.node("Gather", x, from.moves, axis), x)
	}
	return x
}

// gather returns the logits, each the sum of the numbers at its places.
func (g *onnxGraph) gather(h *head, x string) (sum string) {
	x = g.node("Pad", x, g.integers(0, 0, 0, 1)) // a 0 for no place
	for _, row := range h.placeRows() {
		part := g.node("Gather", x, g.integers(row...), onnxInts("axis", 1))
		if sum != "" {
			part = g.node("Add", sum, part)
		}
		sum = part
	}
	return sum
}

// pairs is [pairs.forward].
func (g *onnxGraph) pairs(p *pairs, x string) string {
	weight, bias := p.scaledQuery()
	query := g.convolve(x, p.query.weight, weight, bias)
	key := g.convolve(x, p.key.weight, p.key.weight.data, p.key.bias.data)
	vectors := func(maps string) string {
		return g.node("Reshape", maps, g.integers(0, int64(p.query.out()), Squares))
	}
	products := g.node("Flatten", g.node("MatMul", g.node("Transpose", vectors(query), onnxInts("perm", 0, 2, 1)), vectors(key)))
	if p.pieces == nil {
		return products
	}
	var piecesBias []float32
	if p.pieces.bias != nil {
		piecesBias = p.pieces.bias.data
	}
	pieces := g.node("Flatten", g.convolve(key, p.pieces.weight, p.pieces.weight.data, piecesBias))
	return g.node("Concat", products, pieces, onnxInts("axis", 1))
}

// sparse computes a sparse trunk with dense matrices: the features of a view are maps
// [N, planes, 8, 8] of zeros and ones.
func (g *onnxGraph) sparse(t *sparse, planes string) (from onnxFeatures) {
	s := t.spec
	own, other := planes, g.reverse(g.node("Gather", planes, g.integers(int64s(t.sides.Other)...), onnxInts("axis", 1)), 2, t.sides.Ranks)
	if s.Mirror {
		files := make([]bool, Squares)
		for square := range files {
			files[square] = square&4 != 0
		}
		from.reflected = g.node("Gather", g.bools(files, Squares, 1), g.king(t, planes))
		all := g.node("Reshape", from.reflected, g.integers(-1, 1, 1, 1))
		own = g.node("Where", all, g.reverse(own, 3, 8), own)
		other = g.node("Where", all, g.reverse(other, 3, 8), other)
	}
	if t.reflected != nil {
		moves := int64s(t.reflected)
		for i, m := range moves {
			if m < 0 { // a move that no piece can make
				moves[i] = int64(i)
			}
		}
		from.moves = g.integers(moves...)
	}
	rows := slices.Clone(t.table.data)
	for p, of := range t.sides.Other {
		for bucket := 0; of < 0 && bucket < s.KingBuckets; bucket++ { // a plane without features
			clear(rows[(bucket*s.Planes+p)*Squares*t.table.shape[1]:][:Squares*t.table.shape[1]])
		}
	}
	table := g.floats(t.table.name, rows, t.table.shape...)
	bias := g.floats(t.bias.name, t.bias.data, t.bias.shape...)
	var value, policy []any
	for _, view := range []string{own, other} {
		sums := g.node("Gemm", g.viewFeatures(t, view), table, bias)
		sums = g.clip(sums, 0, 1)
		if s.Activation == Squared {
			sums = g.node("Mul", sums, sums)
		}
		parts := []string{sums}
		if s.PolicyWidth > 0 {
			parts = []string{g.name(), g.name()}
			g.named("Split", parts, []string{sums, g.integers(int64(s.Width), int64(s.PolicyWidth))}, onnxInts("axis", 1))
			policy = append(policy, parts[1])
		}
		value = append(value, parts[0])
	}
	axis := onnxInts("axis", 1)
	from.value = g.node("Concat", append(value, axis)...)
	if policy != nil {
		from.policy = g.node("Concat", append(policy, axis)...)
	}
	return from
}

// reverse reverses the first n ranks (axis 2) or files (axis 3) of maps.
func (g *onnxGraph) reverse(x string, axis, n int) string {
	order := []int64{0, 1, 2, 3, 4, 5, 6, 7}
	slices.Reverse(order[:n])
	return g.node("Gather", x, g.integers(order...), onnxInts("axis", axis))
}

// king returns the squares [N] of the kings of a view's side; 0 without a king.
func (g *onnxGraph) king(t *sparse, view string) string {
	plane := g.node("Gather", view, g.integers(int64(t.sides.King)), onnxInts("axis", 1))
	return g.node("ArgMax", g.node("Flatten", plane), onnxInts("axis", 1), onnxInts("keepdims", 0))
}

// viewFeatures returns the features [N, rows of the table] of a view.
func (g *onnxGraph) viewFeatures(t *sparse, view string) string {
	s := t.spec
	if slices.Contains(s.Constant, true) { // its number becomes a level, see levels in sparse.cpp
		levels := make([]float32, Squares)
		for i := range levels {
			levels[i] = float32(i)
		}
		levels[0] = -1
		x := g.node("Add", g.node("Mul", view, g.floats("", []float32{12})), g.floats("", []float32{0.5}))
		x = g.node("Equal", g.clip(g.node("Floor", x), 0, Squares-1), g.floats("", levels, 8, 8))
		x = g.node("Cast", x, onnxInts("to", onnxFloat))
		view = g.node("Where", g.bools(s.Constant, s.Planes, 1, 1), x, view)
	}
	x := g.node("Flatten", view)
	if s.KingBuckets == 1 {
		return x
	}
	tables := make([]float32, Squares*s.KingBuckets) // [64, tables]: which the square of the king selects
	for square := range Squares {
		tables[square*s.KingBuckets+kingBuckets[s.KingBuckets](square%8, square/8)] = 1
	}
	table := g.node("Gather", g.floats("", tables, Squares, s.KingBuckets, 1), g.king(t, view))
	x = g.node("Reshape", x, g.integers(0, 1, -1))
	return g.node("Flatten", g.node("Mul", table, x))
}
