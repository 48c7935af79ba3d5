package nn

import (
	"fmt"

	"github.com/sugarme/gotch/ts"
)

// head computes an output of the network from the trunk's maps. It compiles to its own
// steps in the evaluator.
type head interface {
	forward(g *graph, x *ts.Tensor) *ts.Tensor
	compile(c *compiler, from register)
}

// heads are the heads of a network. policy and movesLeft are nil if absent.
type heads struct {
	policy    head // logits [N, PolicySize], in the precision of the maps
	value     head // values [N]; with ValueWDL the logits [N, 3] of win, draw and loss
	movesLeft head // [N], in movesLeftUnit
}

// outputs are the outputs of the heads for N positions.
type outputs struct{ logits, values, movesLeft *ts.Tensor }

// movesLeftUnit is the number of plies in one unit of the moves-left head's output and of
// its loss. See [graph.movesLeftLoss].
const movesLeftUnit = 20

func newHeads(d *declare, s *Spec) heads {
	var h heads
	switch s.PolicyHead {
	case PolicyConv73:
		h.policy = newConv73Policy(d, s.Width, s.PolicySize)
	case PolicyConv:
		h.policy = newConvPolicy(d, s.Width, s.PolicyChannels, s.PolicySize)
	case PolicyAlphaZero:
		h.policy = newMapPolicy(d, s.Width)
	}
	h.value = newDenseHead(d, "value", s.Width, s.ValueChannels, s.ValueHidden, map[string]output{
		ValueTanh: tanhValue, ValueLinear: linearValue, ValueWDL: wdlValue,
	}[s.Value])
	if s.MovesLeft {
		h.movesLeft = newDenseHead(d, "moves_left", s.Width, leelaMovesLeftChannels, []int{leelaMovesLeftHidden}, movesLeft)
	}
	return h
}

func (h *heads) forward(g *graph, x *ts.Tensor) outputs {
	var o outputs
	if h.policy != nil {
		o.logits = h.policy.forward(g, x)
	}
	o.values = h.value.forward(g, x)
	if h.movesLeft != nil {
		o.movesLeft = h.movesLeft.forward(g, x)
	}
	return o
}

func (h *heads) compile(c *compiler, from register) {
	for _, x := range []head{h.policy, h.value, h.movesLeft} {
		if x != nil {
			x.compile(c, from)
		}
	}
}

// newMoves declares the last layer of a policy head, from the maps of all squares to the
// moves. It holds most of a small network's parameters.
func newMoves(d *declare, channels, size int) *dense {
	l := newDense(d, "policy.linear", Squares*channels, size, small)
	l.weight.inMaps()
	l.bias.inMaps()
	return l
}

// convPolicy implements PolicyConv.
type convPolicy struct {
	conv   *convNorm
	linear *dense
}

func newConvPolicy(d *declare, width, channels, size int) *convPolicy {
	return &convPolicy{
		conv:   newConvNorm(d, "policy.conv", "policy.norm", width, channels, 1, relu),
		linear: newMoves(d, channels, size),
	}
}

func (h *convPolicy) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	return h.linear.forward(g, g.flat(h.conv.forward(g, x)))
}

func (h *convPolicy) compile(c *compiler, from register) {
	l := h.linear
	c.policy(h.conv.compile(c, from), h.conv.out, l.out, squareMajor(l.weight.data, l.out, h.conv.out), l.bias.data)
}

// mapPolicy implements PolicyAlphaZero. The paper gives the layers but not the kernel
// sizes. Ours are 1x1, and the second convolution has a bias.
type mapPolicy struct {
	conv         *convNorm
	weight, bias *param // of the second convolution: [73, width, 1, 1], [73]
}

func newMapPolicy(d *declare, width int) *mapPolicy {
	return &mapPolicy{
		conv:   newConvNorm(d, "policy.conv1", "policy.norm1", width, width, 1, relu),
		weight: d.add("policy.conv2.weight", true, uniform(width, small), moveMaps, width, 1, 1).inMaps(),
		bias:   d.add("policy.conv2.bias", true, value(0), moveMaps).inMaps(),
	}
}

func (h *mapPolicy) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	return g.flat(g.conv(h.conv.forward(g, x), h.weight, h.bias))
}

func (h *mapPolicy) compile(c *compiler, from register) {
	c.policyMaps(h.conv.compile(c, from), h.conv.out, h.weight.data, h.bias.data)
}

// conv73Policy implements PolicyConv73. The thesis does not give the kernel of the second
// convolution. Ours is 1x1 with a bias, directly followed by the linear layer.
type conv73Policy struct {
	conv         *convNorm
	weight, bias *param // of the second convolution: [73, width, 1, 1], [73]
	linear       *dense
}

func newConv73Policy(d *declare, width, size int) *conv73Policy {
	return &conv73Policy{
		conv:   newConvNorm(d, "policy.conv1", "policy.norm1", width, width, 1, relu),
		weight: d.add("policy.conv2.weight", true, kaiming(moveMaps, 1), moveMaps, width, 1, 1).inMaps(),
		bias:   d.add("policy.conv2.bias", true, value(0), moveMaps).inMaps(),
		linear: newMoves(d, moveMaps, size),
	}
}

func (h *conv73Policy) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	return h.linear.forward(g, g.flat(g.conv(h.conv.forward(g, x), h.weight, h.bias)))
}

// compile merges the convolution into the linear layer if the result has at most 73
// features per square. This is exact because only a bias is between them.
func (h *conv73Policy) compile(c *compiler, from register) {
	l, features := h.linear, h.conv.compile(c, from)
	rows := squareMajor(l.weight.data, l.out, moveMaps)
	if h.conv.out > moveMaps {
		maps := c.conv(features, none, h.conv.out, moveMaps, 1, identity, h.weight.data, h.bias.data)
		c.policy(maps, moveMaps, l.out, rows, l.bias.data)
		return
	}
	w, b := mergeConv(rows, l.bias.data, h.weight.data, h.bias.data, h.conv.out)
	c.policy(features, h.conv.out, l.out, w, b)
}

// denseHead is a 1x1 convolution with batch norm and ReLU, which is absent if conv is nil,
// and linear layers with ReLU after all but the last.
type denseHead struct {
	conv   *convNorm
	width  int // channels of the trunk
	layers []*dense
	output output
}

func newDenseHead(d *declare, name string, width, channels int, hidden []int, o output) *denseHead {
	h := &denseHead{width: width, output: o}
	if channels == Flat {
		channels = width
	} else {
		h.conv = newConvNorm(d, name+".conv", name+".norm", width, channels, 1, relu)
	}
	in := Squares * channels
	add := func(out int, scale float64) {
		h.layers = append(h.layers, newDense(d, fmt.Sprintf("%s.linear%d", name, len(h.layers)+1), in, out, scale))
		in = out
	}
	for _, n := range hidden {
		add(n, 1)
	}
	add(o.size(), small)
	return h
}

func (h *denseHead) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	if h.conv != nil {
		x = h.conv.forward(g, x)
	}
	x = g.single(g.flat(x))
	last := len(h.layers) - 1
	for _, l := range h.layers[:last] {
		x = g.keep(l.forward(g, x).Relu(false))
	}
	x = h.layers[last].forward(g, x)
	switch h.output {
	case wdlValue:
		return x
	case tanhValue:
		x = g.keep(x.Tanh(false))
	}
	return g.keep(x.Flatten(0, 1, false))
}

// compile leaves a convolution to one channel to the head's own steps, which use single
// precision.
func (h *denseHead) compile(c *compiler, from register) {
	channels := h.width
	switch {
	case h.conv == nil:
		c.head(h.output, from, channels, nil, 0)
	case h.conv.out == 1:
		channels = 1
		w, b := h.conv.fold()
		c.head(h.output, from, h.width, w, b[0])
	default:
		channels = h.conv.out
		c.head(h.output, h.conv.compile(c, from), channels, nil, 0)
	}
	for i, l := range h.layers {
		w := l.weight.data
		if i == 0 && channels > 1 {
			w = squareMajor(w, l.out, channels)
		}
		c.dense(l, w, i < len(h.layers)-1)
	}
}

// flat flattens maps [N, C, 8, 8] to features [N, 64 C] in the same order.
func (g *graph) flat(x *ts.Tensor) *ts.Tensor { return g.keep(x.Flatten(1, 3, false)) }
