package nn

import (
	"errors"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// newStorage is libtorch memory on a device for a parameter's numbers, of its shape. Weights
// of convolutions, [out, in, k, k], are [out, k, k, in] in memory: the order in
// which convolutions of channels-last maps read them.
func newStorage(p *param, device gotch.Device) (*ts.Tensor, error) {
	if len(p.shape) != 4 {
		return ts.Empty(int64s(p.shape), gotch.Float, device)
	}
	out, in, k := p.shape[0], p.shape[1], p.shape[2]
	t, err := ts.Empty(int64s([]int{out, k, k, in}), gotch.Float, device)
	if err != nil {
		return nil, err
	}
	view, err := t.Permute([]int64{0, 3, 1, 2}, false)
	return view, errors.Join(err, t.Drop())
}

// read copies numbers from a parameter's storage to data, in the order of its
// shape.
func (p *param) read(data []float32, from *ts.Tensor) {
	var s scope
	defer s.close()
	source := floats(s.host(from))
	p.places(func(here, there int) { data[here] = source[there] })
}

// write is the inverse of read.
func (p *param) write(to *ts.Tensor, data []float32) {
	var s scope
	defer s.close()
	host := s.host(to)
	target := floats(host)
	p.places(func(here, there int) { target[there] = data[here] })
	copyTensor(to, host) // on the processor they are one
}

// places calls f for each number of the parameter with its place in the order of
// the shape and in storage.
func (p *param) places(f func(here, there int)) {
	if len(p.shape) != 4 {
		for i := range p.data {
			f(i, i)
		}
		return
	}
	in, area := p.shape[1], p.shape[2]*p.shape[3]
	for o := range p.shape[0] {
		for i := range in {
			for s := range area {
				f((o*in+i)*area+s, (o*area+s)*in+i)
			}
		}
	}
}
