package nn

import "github.com/sugarme/gotch/ts"

// layer turns maps [N, in, 8, 8] into maps [N, out, 8, 8].
type layer interface {
	forward(g *graph, x *ts.Tensor) *ts.Tensor
	compile(c *compiler, from register) register
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
