package nn

import (
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// param is a named array of a network. Trained ones get gradients. Batch norm writes the
// others, the running means and variances.
type param struct {
	name    string
	shape   []int
	data    []float32
	trained bool
	halved  bool // training uses the precision of the maps for it, otherwise single precision

	kind   string // of the layer, see [Layer]; empty: it follows from the shape
	scales bool   // a scale or shift, or a bias, though it has two dimensions
	output []int  // with kind
}

// size returns the number of elements.
func (p *param) size() int {
	n := 1
	for _, s := range p.shape {
		n *= s
	}
	return n
}

// inMaps marks a parameter of a large layer, which uses the precision of the maps.
func (p *param) inMaps() *param {
	p.halved = true
	return p
}

// initializer writes the initial values of an array.
type initializer func(data []float32, rng *rand.Rand)

// declaration collects the parameters of a network in the order of its layers. The values of
// each depend only on the seed and its name, so adding or removing a layer does not change
// the others.
type declaration struct {
	seed   uint64
	blank  bool // declare names and shapes only
	params []*param

	playing int // number of params that inference uses, the first ones
}

// declared returns the parameters of a complete spec, without values.
func (s *Spec) declared() []*param {
	d := &declaration{blank: true}
	newLayers(d, s)
	return d.params
}

// shapesOf returns the shapes of parameters by their names.
func shapesOf(params []*param) map[string][]int {
	all := make(map[string][]int, len(params))
	for _, p := range params {
		all[p.name] = p.shape
	}
	return all
}

func (d *declaration) add(name string, trained bool, fill initializer, shape ...int) *param {
	p := &param{name: name, shape: shape, trained: trained}
	d.params = append(d.params, p)
	if d.blank {
		return p
	}
	p.data = make([]float32, p.size())
	fill(p.data, rand.New(rand.NewPCG(d.seed, hashOf(name))))
	return p
}

// hashOf returns the FNV-1a hash of a layer's or parameter's name, a stream of random numbers.
func hashOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// value returns an initializer that fills with v.
func value(v float32) initializer {
	return func(data []float32, _ *rand.Rand) {
		for i := range data {
			data[i] = v
		}
	}
}

// kaiming draws a convolution's weights so that a ReLU network keeps the
// variance of its gradients: normal, variance 2/(fan out) (He et al. 2015,
// equation 14).
func kaiming(out, kernel int) initializer {
	scale := math.Sqrt(2 / float64(out*kernel*kernel))
	return func(data []float32, rng *rand.Rand) {
		for i := range data {
			data[i] = float32(rng.NormFloat64() * scale)
		}
	}
}

// uniform draws from [-b, b] with b = scale/sqrt(in). With scale 1 it equals PyTorch's
// initialization of a linear layer with in inputs.
func uniform(in int, scale float64) initializer {
	b := scale / math.Sqrt(float64(in))
	return func(data []float32, rng *rand.Rand) {
		for i := range data {
			data[i] = float32((2*rng.Float64() - 1) * b)
		}
	}
}

// small is the scale of a head's last layer. It makes the priors of an untrained network
// nearly equal, and its value about 0.
const small = 0.01

// newStorage allocates libtorch memory on a device for a parameter, in the parameter's
// shape. Convolution weights [out, in, k, k] are stored as [out, k, k, in], the order in
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

// read copies numbers from a parameter's storage to data, in the order of its shape.
func (p *param) read(data []float32, from *ts.Tensor) {
	var s scope
	defer s.close()
	source := floats(s.host(from))
	if len(p.shape) != 4 {
		copy(data, source)
		return
	}
	p.places(func(here, there int) { data[here] = source[there] })
}

// write is the inverse of read.
func (p *param) write(to *ts.Tensor, data []float32) {
	var s scope
	defer s.close()
	host := s.host(to)
	target := floats(host)
	if len(p.shape) != 4 {
		copy(target, data)
	} else {
		p.places(func(here, there int) { target[there] = data[here] })
	}
	copyTensor(to, host) // on the processor, both are the same tensor
}

// places calls f for each number of a convolution's weight with its index in the order of the
// shape and its index in storage. Other parameters are stored in the order of their shapes.
func (p *param) places(f func(here, there int)) {
	in, area := p.shape[1], p.shape[2]*p.shape[3]
	for o := range p.shape[0] {
		for i := range in {
			for s := range area {
				f((o*in+i)*area+s, (o*area+s)*in+i)
			}
		}
	}
}

// parameters are a network's parameters in libtorch's memory. Its methods panic with a
// failure.
type parameters struct {
	scope
	place

	all  []*param
	full map[*param]*ts.Tensor // in single precision
	half map[*param]*ts.Tensor // rounded copies in bf16 of the halved parameters

	constant, places *ts.Tensor // see graph
}

// start allocates the tensors and copies the network's values.
func (x *parameters) start(n *Network, half bool, at place) {
	x.place, x.all, x.full, x.half = at, n.params, make(map[*param]*ts.Tensor), make(map[*param]*ts.Tensor)
	x.constant, x.places = x.constantMarks(n.spec.Constant, at), x.placesOf(n.heads.policy, at)
	for _, p := range x.all {
		x.full[p] = x.keep(newStorage(p, at.gotch()))
		if half && p.halved {
			x.half[p] = x.keep(x.full[p].Totype(gotch.BFloat16, false))
		}
	}
	x.push()
}

// constantMarks marks the constant planes in bools [planes] for a graph of libtorch's
// operations. It is nil if no plane is constant.
func (s *scope) constantMarks(constant []bool, at place) *ts.Tensor {
	if !at.generic || !slices.Contains(constant, true) {
		return nil
	}
	return s.keep(s.keep(ts.OfSlice(constant)).To(at.gotch(), false))
}

// placesOf returns the places of a policy head for [graph.gather], or nil. The places of a
// logit are in its column.
func (s *scope) placesOf(h *head, at place) *ts.Tensor {
	if h == nil || h.places == nil {
		return nil
	}
	all := slices.Concat(h.placeRows()...)
	return s.keep(s.keep(s.keep(ts.OfSlice(all)).View([]int64{-1, int64(len(h.places))}, false)).To(at.gotch(), false))
}

// placeRows returns the first places of the logits, and the second ones if there are any. A
// place after all others means none.
func (h *head) placeRows() [][]int64 {
	var rows [2][]int64
	twice := false
	for _, p := range h.places {
		for k := range rows {
			place := int64(p[k])
			if place < 0 {
				place = int64(Squares * h.logitMaps())
			}
			rows[k] = append(rows[k], place)
		}
		twice = twice || p[1] >= 0
	}
	if !twice {
		return rows[:1]
	}
	return rows[:]
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

// frozen holds the parameters of a network for inference on a device. Each batch norm is
// folded into the convolution before it.
type frozen struct {
	scope
	place
	half     bool
	params   map[*param]*ts.Tensor
	constant *ts.Tensor // see graph
	places   *ts.Tensor // see graph
	planes   int        // input planes, padded with empty ones because matrix units work on groups of channels
}

// freeze copies a network's parameters to a device.
func (n *Network) freeze(half bool, at place) *frozen {
	f := &frozen{place: at, half: half, params: make(map[*param]*ts.Tensor), planes: (n.spec.Planes + 15) / 16 * 16}
	pad := int64(f.planes - n.spec.Planes)
	f.constant = f.constantMarks(append(slices.Clone(n.spec.Constant), make([]bool, pad)...), at)
	f.places = f.placesOf(n.heads.policy, at)

	folded := make(map[*param][]float32)
	var free []*param // scales and shifts of norms without convolution
	for _, l := range n.all() {
		switch {
		case l.norm == nil:
		case l.conv != nil:
			folded[l.conv.weight], folded[l.norm.beta] = l.fold()
		default:
			folded[l.norm.gamma], folded[l.norm.beta] = l.fold()
			free = append(free, l.norm.gamma, l.norm.beta)
		}
	}
	var s scope
	defer s.close()
	for _, p := range n.playing {
		data, halved := p.data, p.halved
		if x, ok := folded[p]; ok {
			data, halved = x, true
		}
		x := s.keep(newStorage(p, gotch.CPU))
		p.write(x, data)
		if p == n.params[0] && len(p.shape) == 4 { // the weights of the first convolution
			x = s.keep(x.ConstantPadNd([]int64{0, 0, 0, 0, 0, pad}, false))
		}
		if half && halved {
			x = s.keep(x.Totype(gotch.BFloat16, false))
		}
		f.params[p] = f.keep(x.To(at.gotch(), false))
	}
	for _, p := range free { // shaped to broadcast over maps
		f.params[p] = f.keep(f.params[p].View([]int64{1, -1, 1, 1}, false))
	}
	return f
}

// graph starts an inference.
func (f *frozen) graph() *graph {
	return &graph{place: f.place, params: f.params, constant: f.constant, places: f.places, half: f.half, folded: true}
}
