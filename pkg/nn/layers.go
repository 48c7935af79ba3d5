package nn

import "github.com/sugarme/gotch/ts"

// layer turns maps [N, in, 8, 8] into maps [N, out, 8, 8].
type layer interface {
	forward(g *graph, x *ts.Tensor) *ts.Tensor
	compile(c *compiler, from register) register
}

// head turns maps into the network's outputs, and has a step of its own in the
// evaluator.
type head interface {
	forward(g *graph, x *ts.Tensor) *ts.Tensor // policy: logits [N, PolicySize]; value: [N]
	compile(c *compiler, from register)
}

// build declares the parameters of a complete spec and lists its layers.
func build(d *declare, s Spec) (trunk []layer, policy, value head) {
	trunk = newTrunk(d, &s)
	switch s.PolicyHead {
	case PolicyConv73:
		policy = newConv73Policy(d, s.Width, s.PolicySize)
	case PolicyConv:
		policy = newConvPolicy(d, s.Width, s.PolicyChannels, s.PolicySize)
	}
	return trunk, policy, newTanhValue(d, s.Width)
}

// conv is a convolution without bias that keeps the size of maps.
type conv struct {
	in, out, kernel int
	weight          *param // [out, in, kernel, kernel]
}

func newConv(d *declare, name string, in, out, kernel int) *conv {
	return &conv{
		in: in, out: out, kernel: kernel,
		weight: d.add(name+".weight", true, kaiming(out, kernel), out, in, kernel, kernel).inMaps(),
	}
}

func (l *conv) forward(g *graph, x *ts.Tensor) *ts.Tensor { return g.conv(x, l.weight, nil) }

func (l *conv) compile(c *compiler, from register) register { return l.plus(c, from, none) }

// plus is the layer with something added to it, or none.
func (l *conv) plus(c *compiler, from, add register) register {
	return c.conv(from, add, l.in, l.out, l.kernel, identity, l.weight.data, make([]float32, l.out))
}

// conv is a convolution that keeps the size of maps. bias may be nil.
func (g *graph) conv(x *ts.Tensor, weight, bias *param) *ts.Tensor {
	b := ts.None
	if bias != nil {
		b = g.params[bias]
	}
	pad := int64(weight.shape[3] / 2)
	return g.keep(ts.Conv2d(x, g.params[weight], b, []int64{1, 1}, []int64{pad, pad}, []int64{1, 1}, 1))
}

// Batch norm as PyTorch has it by default: its epsilon, and the share of a
// batch's statistics in the running ones.
const (
	normEpsilon  = 1e-5
	normMomentum = 0.1
)

// norm is batch norm and an activation.
type norm struct {
	gamma, beta    *param // [channels]
	mean, variance *param // [channels], running
	act            activation
}

func newNorm(d *declare, name string, channels int, act activation) *norm {
	return &norm{
		gamma:    d.add(name+".weight", true, value(1), channels),
		beta:     d.add(name+".bias", true, value(0), channels),
		mean:     d.add(name+".running_mean", false, value(0), channels),
		variance: d.add(name+".running_var", false, value(1), channels),
		act:      act,
	}
}

// linear is the norm without its activation.
func (l *norm) linear() *norm {
	n := *l
	n.act = identity
	return &n
}

func (l *norm) forward(g *graph, x *ts.Tensor) *ts.Tensor { return g.norm(l, x, nil) }

func (l *norm) compile(c *compiler, from register) register {
	scale, shift := l.fold()
	return c.scale(from, scale, shift, l.act)
}

// convNorm is a convolution without bias, batch norm and an activation.
type convNorm struct {
	*conv
	*norm
}

func newConvNorm(d *declare, name, norm string, in, out, kernel int, act activation) *convNorm {
	return &convNorm{newConv(d, name, in, out, kernel), newNorm(d, norm, out, act)}
}

func (l *convNorm) forward(g *graph, x *ts.Tensor) *ts.Tensor { return l.plus(g, x, nil) }

// plus is the layer with something added before its activation, or nil.
func (l *convNorm) plus(g *graph, x, add *ts.Tensor) *ts.Tensor {
	return g.norm(l.norm, l.conv.forward(g, x), add)
}

func (l *convNorm) compile(c *compiler, from register) register {
	w, b := l.fold()
	return c.conv(from, none, l.in, l.out, l.kernel, l.act, w, b)
}

// dense is a linear layer: x W' + b. It is computed in single precision, unless
// its parameters are in that of the maps.
type dense struct {
	in, out      int
	weight, bias *param // [out, in], [out]
}

func newDense(d *declare, name string, in, out int, scale float64) *dense {
	return &dense{
		in: in, out: out,
		weight: d.add(name+".weight", true, uniform(in, scale), out, in),
		bias:   d.add(name+".bias", true, uniform(in, scale), out),
	}
}

func (l *dense) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	return g.keep(ts.Linear(x, g.params[l.weight], g.params[l.bias]))
}

// newMoves is the last layer of a policy head, from the maps of all squares to the
// moves. Most of a small network's parameters are here.
func newMoves(d *declare, channels, size int) *dense {
	l := newDense(d, "policy.linear", Squares*channels, size, small)
	l.weight.inMaps()
	l.bias.inMaps()
	return l
}

// convPolicy is the head PolicyConv.
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
	return h.linear.forward(g, g.keep(h.conv.forward(g, x).Flatten(1, 3, false)))
}

func (h *convPolicy) compile(c *compiler, from register) {
	l := h.linear
	c.policy(h.conv.compile(c, from), h.conv.out, l.out, squareMajor(l.weight.data, l.out, h.conv.out), l.bias.data)
}

// conv73Policy is the head PolicyConv73. Where the thesis is silent we chose a
// 1x1 kernel and a bias for the second convolution, and nothing between it and
// the linear layer.
type conv73Policy struct {
	conv         *convNorm
	weight, bias *param // of the second convolution: [73, width, 1, 1], [73]
	linear       *dense
}

func newConv73Policy(d *declare, width, size int) *conv73Policy {
	return &conv73Policy{
		conv:   newConvNorm(d, "policy.conv1", "policy.norm1", width, width, 1, relu),
		weight: d.add("policy.conv2.weight", true, kaiming(thesisPolicyChannels, 1), thesisPolicyChannels, width, 1, 1).inMaps(),
		bias:   d.add("policy.conv2.bias", true, value(0), thesisPolicyChannels).inMaps(),
		linear: newMoves(d, thesisPolicyChannels, size),
	}
}

func (h *conv73Policy) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	y := g.conv(h.conv.forward(g, x), h.weight, h.bias)
	return h.linear.forward(g, g.keep(y.Flatten(1, 3, false)))
}

// compile makes one linear layer of the convolution and the linear layer where
// that has fewer features than 73 a square: nothing but a bias stands between
// them.
func (h *conv73Policy) compile(c *compiler, from register) {
	l, features := h.linear, h.conv.compile(c, from)
	rows := squareMajor(l.weight.data, l.out, thesisPolicyChannels)
	if h.conv.out > thesisPolicyChannels {
		maps := c.conv(features, none, h.conv.out, thesisPolicyChannels, 1, identity, h.weight.data, h.bias.data)
		c.policy(maps, thesisPolicyChannels, l.out, rows, l.bias.data)
		return
	}
	w, b := mergeConv(rows, l.bias.data, h.weight.data, h.bias.data, h.conv.out)
	c.policy(features, h.conv.out, l.out, w, b)
}

// tanhValue is a 1x1 convolution to one channel (batch norm, ReLU), a linear
// layer to 256 (ReLU), a linear layer to one number, tanh.
type tanhValue struct {
	conv          *convNorm
	hidden, score *dense
}

func newTanhValue(d *declare, width int) *tanhValue {
	return &tanhValue{
		conv:   newConvNorm(d, "value.conv", "value.norm", width, 1, 1, relu),
		hidden: newDense(d, "value.linear1", Squares, valueHidden, 1),
		score:  newDense(d, "value.linear2", valueHidden, 1, small),
	}
}

func (h *tanhValue) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	y := g.single(g.keep(h.conv.forward(g, x).Flatten(1, 3, false)))
	y = g.keep(h.hidden.forward(g, y).Relu(false))
	y = g.keep(h.score.forward(g, y).Tanh(false))
	return g.keep(y.Flatten(0, 1, false))
}

func (h *tanhValue) compile(c *compiler, from register) {
	w, b := h.conv.fold()
	c.value(from, h.conv.in, w, b[0], h.hidden, h.score)
}
