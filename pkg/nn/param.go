package nn

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// param is a named array of a network. Trained ones get gradients; the others
// (running means and variances) are written by batch norm.
type param struct {
	name    string
	shape   []int
	data    []float32
	trained bool
	halved  bool // training computes with it in the precision of the maps, otherwise in single precision
}

// size is how many numbers there are.
func (p *param) size() int {
	n := 1
	for _, s := range p.shape {
		n *= s
	}
	return n
}

// inMaps marks a parameter of a large layer, which is computed in the precision
// of the maps.
func (p *param) inMaps() *param {
	p.halved = true
	return p
}

// initializer fills an array with its first values.
type initializer func(data []float32, rng *rand.Rand)

// declare collects the parameters of a network, in the order of its layers. The
// values of each depend on the seed and its name only, so that a layer more or
// less changes no other.
type declare struct {
	seed   uint64
	blank  bool // names and shapes only
	params []*param
}

func (d *declare) add(name string, trained bool, fill initializer, shape ...int) *param {
	p := &param{name: name, shape: shape, trained: trained}
	d.params = append(d.params, p)
	if d.blank {
		return p
	}
	p.data = make([]float32, p.size())
	h := fnv.New64a()
	h.Write([]byte(name))
	fill(p.data, rand.New(rand.NewPCG(d.seed, h.Sum64())))
	return p
}

// value fills with v.
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

// uniform draws from [-b, b] with b = scale/sqrt(in); with scale 1 this is what
// PyTorch does for a linear layer of in inputs.
func uniform(in int, scale float64) initializer {
	b := scale / math.Sqrt(float64(in))
	return func(data []float32, rng *rand.Rand) {
		for i := range data {
			data[i] = float32((2*rng.Float64() - 1) * b)
		}
	}
}

// small is the scale of the last layer of a head: an untrained network then
// says nearly nothing, equal priors and a value of about 0.
const small = 0.01
