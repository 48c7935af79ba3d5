package nn

import (
	"fmt"

	"github.com/sugarme/gotch/ts"
)

// Trunks. Attention and dropout, if present, come last in a block. In a residual block they
// come before the addition of the input.
const (
	// TrunkResidual is a 3x3 convolution (batch norm, activation) and Depth blocks
	// x -> act(x + norm(conv(act(norm(conv(x)))))), He et al. 2015.
	TrunkResidual = "residual"

	// TrunkPreactivation is a 3x3 convolution, Depth blocks
	// x -> x + conv(act(norm(conv(act(norm(x)))))), and at their end norm and
	// activation, He et al. 2016.
	TrunkPreactivation = "preactivation"

	// TrunkPlain is Depth times x -> act(norm(conv(x))). The first reads the input planes.
	TrunkPlain = "plain"
)

// newTrunk declares the layers from the planes to the maps that the heads read.
func newTrunk(d *declare, s *Spec) []layer {
	act := activationOf(s)
	var trunk []layer
	switch s.Trunk {
	case TrunkResidual:
		trunk = append(trunk, newConvNorm(d, "input.conv", "input.norm", s.Planes, s.Width, 3, act))
	case TrunkPreactivation:
		trunk = append(trunk, newConv(d, "input.conv", s.Planes, s.Width, 3))
	}
	in := s.Planes // input channels of a block of TrunkPlain
	for i := range s.Depth {
		name := fmt.Sprintf("trunk.%d", i)
		switch s.Trunk {
		case TrunkResidual:
			trunk = append(trunk, newResidual(d, name, s))
		case TrunkPreactivation:
			trunk = append(trunk, newPreactivation(d, name, s))
		case TrunkPlain:
			trunk = append(trunk, newPlain(d, name, in, s))
			in = s.Width
		}
	}
	if s.Trunk == TrunkPreactivation {
		trunk = append(trunk, newFreeNorm(d, "trunk.norm", s.Width, act))
	}
	return trunk
}

// convolutions returns the number of 3x3 convolutions of the trunk.
func (s *Spec) convolutions() int {
	if s.Trunk == TrunkPlain {
		return s.Depth
	}
	return 1 + 2*s.Depth
}

// FLOPs returns the number of operations of the trunk's 3x3 convolutions for a position. A
// multiply-add is two operations.
func (s Spec) FLOPs() float64 {
	in, sum := s.Planes, 0
	for range s.convolutions() {
		sum += 2 * 9 * Squares * in * s.Width
		in = s.Width
	}
	return float64(sum)
}

// ending is applied to the output of a block's last layer; nil means identity.
type ending struct {
	attention *attention
	dropout   *dropout
}

func newEnding(d *declare, name string, s *Spec) ending {
	return ending{newAttention(d, name+".attention", s), newDropout(name, s)}
}

func (e ending) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	if e.attention != nil {
		x = e.attention.forward(g, x)
	}
	if e.dropout != nil {
		x = e.dropout.forward(g, x)
	}
	return x
}

// identity reports whether the ending changes nothing in this pass.
func (e ending) identity(g *graph) bool {
	return e.attention == nil && (e.dropout == nil || !g.training)
}

// residual is a block of TrunkResidual.
type residual struct {
	first, second *convNorm // the second convolution's activation applies to the sum
	ending        ending
}

func newResidual(d *declare, name string, s *Spec) *residual {
	act := activationOf(s)
	return &residual{
		first:  newConvNorm(d, name+".conv1", name+".norm1", s.Width, s.Width, 3, act),
		second: newConvNorm(d, name+".conv2", name+".norm2", s.Width, s.Width, 3, act),
		ending: newEnding(d, name, s),
	}
}

func (l *residual) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	y := l.first.forward(g, x)
	if l.ending.identity(g) {
		return l.second.plus(g, y, x)
	}
	y = l.second.linear().forward(g, y)
	return g.add(x, l.ending.forward(g, y), l.second.act)
}

func (l *residual) compile(c *compiler, from register) register {
	y, act := l.first.compile(c, from), l.second.act
	w, b := l.second.fold()
	if a := l.ending.attention; a != nil {
		y = c.conv(y, none, l.second.in, l.second.out, 3, identity, w, b)
		return a.compile(c, y, from, act)
	}
	return c.conv(y, from, l.second.in, l.second.out, 3, act, w, b)
}

// preactivation is a block of TrunkPreactivation.
type preactivation struct {
	norm   *norm
	first  *convNorm
	second *conv
	ending ending
}

func newPreactivation(d *declare, name string, s *Spec) *preactivation {
	act := activationOf(s)
	return &preactivation{
		norm:   newFreeNorm(d, name+".norm1", s.Width, act),
		first:  newConvNorm(d, name+".conv1", name+".norm2", s.Width, s.Width, 3, act),
		second: newConv(d, name+".conv2", s.Width, s.Width, 3),
		ending: newEnding(d, name, s),
	}
}

func (l *preactivation) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	y := l.second.forward(g, l.first.forward(g, l.norm.forward(g, x)))
	return g.add(x, l.ending.forward(g, y), identity)
}

func (l *preactivation) compile(c *compiler, from register) register {
	y := l.first.compile(c, l.norm.compile(c, from))
	if a := l.ending.attention; a != nil {
		return a.compile(c, l.second.compile(c, y), from, identity)
	}
	return l.second.plus(c, y, from)
}

// plain is a block of TrunkPlain.
type plain struct {
	conv   *convNorm
	ending ending
}

func newPlain(d *declare, name string, in int, s *Spec) *plain {
	return &plain{
		conv:   newConvNorm(d, name+".conv", name+".norm", in, s.Width, 3, activationOf(s)),
		ending: newEnding(d, name, s),
	}
}

func (l *plain) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	return l.ending.forward(g, l.conv.forward(g, x))
}

func (l *plain) compile(c *compiler, from register) register {
	y := l.conv.compile(c, from)
	if a := l.ending.attention; a != nil {
		return a.compile(c, y, none, identity)
	}
	return y
}
