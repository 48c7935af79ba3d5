package nn

import (
	"fmt"

	"github.com/sugarme/gotch/ts"
)

// Trunks.
const (
	// TrunkResidual is a 3x3 convolution (batch norm, activation) and Depth blocks
	// x -> act(x + norm(conv(act(norm(conv(x)))))), He et al. 2015.
	TrunkResidual = "residual"

	// TrunkPreactivation is a 3x3 convolution, Depth blocks
	// x -> x + conv(act(norm(conv(act(norm(x)))))), and at their end norm and
	// activation, He et al. 2016.
	TrunkPreactivation = "preactivation"

	// TrunkPlain is Depth times x -> act(norm(conv(x))), the first from the input
	// planes.
	TrunkPlain = "plain"
)

// newTrunk declares the layers from the planes to the maps that the heads see.
func newTrunk(d *declare, s *Spec) []layer {
	act := activationOf(s)
	var trunk []layer
	switch s.Trunk {
	case TrunkResidual:
		trunk = append(trunk, newConvNorm(d, "input.conv", "input.norm", s.Planes, s.Width, 3, act))
		for i := range s.Depth {
			trunk = append(trunk, newResidual(d, fmt.Sprintf("trunk.%d", i), s.Width, act))
		}
	case TrunkPreactivation:
		trunk = append(trunk, newConv(d, "input.conv", s.Planes, s.Width, 3))
		for i := range s.Depth {
			trunk = append(trunk, newPreactivation(d, fmt.Sprintf("trunk.%d", i), s.Width, act))
		}
		trunk = append(trunk, newNorm(d, "trunk.norm", s.Width, act))
	case TrunkPlain:
		in := s.Planes
		for i := range s.Depth {
			name := fmt.Sprintf("trunk.%d", i)
			trunk = append(trunk, newConvNorm(d, name+".conv", name+".norm", in, s.Width, 3, act))
			in = s.Width
		}
	}
	return trunk
}

// convolutions is the number of 3x3 convolutions of the trunk.
func (s *Spec) convolutions() int {
	if s.Trunk == TrunkPlain {
		return s.Depth
	}
	return 1 + 2*s.Depth
}

// residual is a block of TrunkResidual.
type residual struct{ first, second *convNorm }

func newResidual(d *declare, name string, width int, act activation) *residual {
	return &residual{
		first:  newConvNorm(d, name+".conv1", name+".norm1", width, width, 3, act),
		second: newConvNorm(d, name+".conv2", name+".norm2", width, width, 3, act),
	}
}

func (l *residual) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	return l.second.plus(g, l.first.forward(g, x), x)
}

func (l *residual) compile(c *compiler, from register) register {
	w, b := l.second.fold()
	return c.conv(l.first.compile(c, from), from, l.second.in, l.second.out, 3, l.second.act, w, b)
}

// preactivation is a block of TrunkPreactivation.
type preactivation struct {
	norm   *norm
	first  *convNorm
	second *conv
}

func newPreactivation(d *declare, name string, width int, act activation) *preactivation {
	return &preactivation{
		norm:   newNorm(d, name+".norm1", width, act),
		first:  newConvNorm(d, name+".conv1", name+".norm2", width, width, 3, act),
		second: newConv(d, name+".conv2", width, width, 3),
	}
}

func (l *preactivation) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	y := l.second.forward(g, l.first.forward(g, l.norm.forward(g, x)))
	return g.add(x, y, identity)
}

func (l *preactivation) compile(c *compiler, from register) register {
	y := l.first.compile(c, l.norm.compile(c, from))
	return l.second.plus(c, y, from)
}
