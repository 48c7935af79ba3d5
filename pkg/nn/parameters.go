package nn

import (
	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// place is where training computes.
type place struct {
	device  gotch.Device
	generic bool // libtorch's operations in the place of all of ours, which know the processor only
}

// parameters are a network's parameters in libtorch's memory. Its methods panic
// with a failure.
type parameters struct {
	scope
	place

	all  []*param
	full map[*param]*ts.Tensor // in single precision
	half map[*param]*ts.Tensor // rounded copies in bf16 of those that are computed with so
}

// start makes the tensors, with the values that the network has.
func (x *parameters) start(all []*param, half bool, at place) {
	x.place, x.all, x.full, x.half = at, all, make(map[*param]*ts.Tensor), make(map[*param]*ts.Tensor)
	for _, p := range all {
		x.full[p] = x.keep(newStorage(p, at.device))
		if half && p.halved {
			x.half[p] = x.keep(x.full[p].Totype(gotch.BFloat16, false))
		}
	}
	x.push()
}

// used is what is computed with: a parameter, or its rounded copy.
func (x *parameters) used(p *param) *ts.Tensor {
	if half := x.half[p]; half != nil {
		return half
	}
	return x.full[p]
}

// push copies the parameters from the network.
func (x *parameters) push() {
	for _, p := range x.all {
		p.write(x.full[p], p.data)
		if half := x.half[p]; half != nil {
			copyTensor(half, x.full[p])
		}
	}
}

// pull copies the parameters to the network.
func (x *parameters) pull() {
	for _, p := range x.all {
		p.read(p.data, x.full[p])
	}
}
