package nn

import (
	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// Attentions: what multiplies the channels, and the squares, of a block's maps by
// gates in (0, 1) that it takes from those maps.
const (
	AttentionNone = "none"

	// AttentionSqueeze is squeeze-and-excitation (Hu et al. 2018): the gates of the
	// channels are sigmoid(W2 ReLU(W1 m)), m being their means over the squares.
	AttentionSqueeze = "squeeze-excitation"

	// AttentionCBAM is the convolutional block attention module (Woo et al. 2018):
	// the gates of the channels are sigmoid(W2 ReLU(W1 m) + W2 ReLU(W1 M)), m being
	// their means and M their maxima over the squares; then those of the squares are
	// sigmoid(conv7x7(mean, maximum over the channels)).
	AttentionCBAM = "cbam"
)

const (
	defaultReduction = 16
	attentionKernel  = 7
)

// attention is one of the attentions, as a layer. Neither its linear layers nor
// its convolution have a bias: the papers' formulas have none. It is computed in
// single precision.
type attention struct {
	channels, hidden int
	first, second    *param // [hidden, channels], [channels, hidden]
	spatial          *param // [1, 2, 7, 7], of the mean and the maximum; nil in squeeze-and-excitation
}

// newAttention returns nil where the spec has none.
func newAttention(d *declare, name string, s *Spec) *attention {
	if s.Attention == AttentionNone {
		return nil
	}
	l := &attention{channels: s.Width, hidden: max(1, s.Width/s.AttentionReduction)}
	l.first = d.add(name+".linear1.weight", true, uniform(l.channels, 1), l.hidden, l.channels)
	l.second = d.add(name+".linear2.weight", true, uniform(l.hidden, 1), l.channels, l.hidden)
	if s.Attention == AttentionCBAM {
		l.spatial = d.add(name+".conv.weight", true, kaiming(1, attentionKernel), 1, 2, attentionKernel, attentionKernel)
	}
	return l
}

func (l *attention) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	squares, channels := []int64{2, 3}, []int64{1}
	sum := l.excite(g, g.pool(x))
	if l.spatial != nil {
		sum = g.keep(sum.Add(l.excite(g, g.single(g.keep(x.Amax(squares, false, false)))), false))
	}
	x = g.gate(x, g.keep(sum.Sigmoid(false)))
	if l.spatial == nil {
		return x
	}
	mean, top := g.keep(x.MeanDim(channels, true, gotch.Float, false)), g.single(g.keep(x.Amax(channels, true, false)))
	gates := g.keep(g.conv(g.keep(ts.Cat([]*ts.Tensor{mean, top}, 1)), l.spatial, nil).Sigmoid(false))
	return g.keep(x.Mul(g.like(gates), false))
}

// excite is W2 ReLU(W1 x).
func (l *attention) excite(g *graph, x *ts.Tensor) *ts.Tensor {
	hidden := g.keep(g.keep(ts.Linear(x, g.params[l.first], ts.None)).Relu(false))
	return g.keep(ts.Linear(hidden, g.params[l.second], ts.None))
}

// compile appends act(attention(from) + add).
func (l *attention) compile(c *compiler, from, add register, act activation) register {
	var spatial []float32
	if l.spatial != nil {
		spatial = l.spatial.data
	}
	return c.attention(from, add, l.channels, l.hidden, act, l.first.data, l.second.data, spatial)
}
