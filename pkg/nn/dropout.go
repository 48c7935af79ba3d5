package nn

import (
	"hash/fnv"

	"github.com/sugarme/gotch/ts"
)

// dropout leaves each channel of each position out with a probability, in training,
// and multiplies the others by what keeps their mean (Tompson et al. 2015: on maps
// to drop single numbers does little, their neighbors tell what they were).
type dropout struct {
	share float64
	layer uint64 // sets its masks apart from those of other layers
}

// newDropout returns nil where the spec has none.
func newDropout(name string, s *Spec) *dropout {
	if s.Dropout == 0 {
		return nil
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return &dropout{share: s.Dropout, layer: h.Sum64()}
}

func (l *dropout) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	if !g.training {
		return x
	}
	size, err := x.Size()
	must(err)
	n, channels := int(size[0]), int(size[1])
	return g.gate(x, g.fill(func(mask []float32) { l.fill(mask, g.masks, channels) }, n, channels))
}

// fill draws a mask [n][channels].
func (l *dropout) fill(mask []float32, m masks, channels int) {
	kept := float32(1 / (1 - l.share))
	for i := range mask {
		position, channel := m.first+i/channels, i%channels
		mask[i] = kept
		if m.draw(l.layer, position, channel) < l.share {
			mask[i] = 0
		}
	}
}

// masks says which masks of dropout a pass draws. They are counted, not drawn one
// after the other: each number is a function of the seed, the step and its place,
// on any number of threads, and after a resumption as without.
type masks struct {
	seed, step uint64
	first      int // which position of the batch the shard's first one is
}

// draw is a number in [0, 1).
func (m *masks) draw(layer uint64, position, channel int) float64 {
	x := m.seed
	for _, next := range [...]uint64{m.step, layer, uint64(position), uint64(channel)} {
		x = scramble(x + 0x9e3779b97f4a7c15*(next+1))
	}
	return float64(x>>11) / (1 << 53)
}

// scramble is the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
