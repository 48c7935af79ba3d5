package nn

// #cgo CFLAGS: -I${SRCDIR}/cpp
// #include "activation.h"
import "C"

import "github.com/sugarme/gotch/ts"

// Activations.
const (
	ReLU = "relu" // max(0, x)
	Mish = "mish" // x tanh(log(1 + e^x)): smooth, and lets a little of what is negative through (Misra 2019)
)

// activation is an activation function as our C++ knows it.
type activation C.int

const (
	identity activation = C.ALAMOS_IDENTITY
	relu     activation = C.ALAMOS_RELU
	mish     activation = C.ALAMOS_MISH
)

// activationOf returns the activation function of a complete spec.
func activationOf(s *Spec) activation {
	if s.Activation == Mish {
		return mish
	}
	return relu
}

// libraryActivate is act(x) as libtorch has it.
func (g *graph) libraryActivate(x *ts.Tensor, act activation) *ts.Tensor {
	switch act {
	case relu:
		return g.keep(x.Relu(false))
	case mish: // which libtorch has in single precision only
		return g.like(g.keep(g.single(x).Mish(false)))
	default:
		return x
	}
}
