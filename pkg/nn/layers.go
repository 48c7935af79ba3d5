package nn

import (
	"hash/fnv"
	"math"

	"alamos/pkg/stats"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// layer computes maps [N, out, 8, 8] from maps [N, in, 8, 8].
type layer interface {
	forward(g *graph, x *ts.Tensor) *ts.Tensor
	compile(c *compiler, from register) register
}

// conv is a convolution without bias that preserves the size of maps.
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

// plus appends the layer with the register add added to its output, if there is one.
func (l *conv) plus(c *compiler, from, add register) register {
	return c.conv(from, add, l.in, l.out, l.kernel, identity, l.weight.data, make([]float32, l.out))
}

// Defaults of PyTorch's batch norm: epsilon, and the weight of a batch's statistics in the
// running ones.
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

// newFreeNorm declares a norm that does not follow a convolution.
func newFreeNorm(d *declare, name string, channels int, act activation) *norm {
	l := newNorm(d, name, channels, act)
	d.norms = append(d.norms, l)
	return l
}

func (l *norm) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	if g.folded {
		return g.activate(g.keep(g.params[l.beta].Addcmul(x, g.params[l.gamma], false)), l.act)
	}
	return g.norm(l, x, nil)
}

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
	l := &convNorm{newConv(d, name, in, out, kernel), newNorm(d, norm, out, act)}
	d.convNorms = append(d.convNorms, l)
	return l
}

// linear returns the layer without its activation.
func (l *convNorm) linear() *convNorm {
	n := *l.norm
	n.act = identity
	return &convNorm{l.conv, &n}
}

func (l *convNorm) forward(g *graph, x *ts.Tensor) *ts.Tensor { return l.plus(g, x, nil) }

// plus computes the layer with add, which may be nil, added before its activation.
func (l *convNorm) plus(g *graph, x, add *ts.Tensor) *ts.Tensor {
	if g.folded {
		return g.convolve(x, l.conv.weight, l.norm.beta, add, l.act)
	}
	return g.norm(l.norm, l.conv.forward(g, x), add)
}

func (l *convNorm) compile(c *compiler, from register) register {
	w, b := l.fold()
	return c.conv(from, none, l.in, l.out, l.kernel, l.act, w, b)
}

// dense is a linear layer, x W' + b. It uses single precision unless its parameters have
// the precision of the maps.
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

// Activation functions.
const (
	ReLU = "relu" // max(0, x)
	Mish = "mish" // x tanh(log(1 + e^x)): smooth, with small outputs for negative x (Misra 2019)
)

// activationOf returns the activation function of a complete spec.
func activationOf(s *Spec) activation {
	if s.Activation == Mish {
		return mish
	}
	return relu
}

// dropout sets each channel of each position to 0 with a given probability in training, and
// scales the others to preserve the mean. It drops whole channels, because neighboring
// numbers of a map are strongly correlated (Tompson et al. 2015).
type dropout struct {
	share float64
	layer uint64 // distinguishes its masks from those of other layers
}

// newDropout returns nil if the spec has no dropout.
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

// masks selects the dropout masks of a pass. Each number is a function of the seed, the
// step and its place, so masks are independent of the number of threads and of resumption.
type masks struct {
	seed, step uint64
	first      int // index of the shard's first position in the batch
}

// draw returns a number in [0, 1).
func (m *masks) draw(layer uint64, position, channel int) float64 {
	x := m.seed
	for _, next := range [...]uint64{m.step, layer, uint64(position), uint64(channel)} {
		x = stats.Nth(x, next)
	}
	return float64(x>>11) / (1 << 53)
}

// Attention multiplies the channels, and optionally the squares, of a block's maps by gates
// in (0, 1) that are computed from these maps.
const (
	AttentionNone = "none"

	// AttentionSqueeze is squeeze-and-excitation (Hu et al. 2018). The gates of the
	// channels are sigmoid(W2 ReLU(W1 m)), where m are the channels' means over the
	// squares.
	AttentionSqueeze = "squeeze-excitation"

	// AttentionCBAM is the convolutional block attention module (Woo et al. 2018). The
	// gates of the channels are sigmoid(W2 ReLU(W1 m) + W2 ReLU(W1 M)), where m are the
	// channels' means and M their maxima over the squares. The gates of the squares are
	// then sigmoid(conv7x7(mean, maximum over the channels)).
	AttentionCBAM = "cbam"
)

const (
	defaultReduction = 16
	attentionKernel  = 7
)

// attention is an attention layer. Its linear layers and its convolution have no bias, as
// in the papers' formulas. It uses single precision.
type attention struct {
	channels, hidden int
	first, second    *param // [hidden, channels], [channels, hidden]
	spatial          *param // [1, 2, 7, 7], over the mean and the maximum; nil in squeeze-and-excitation
}

// newAttention returns nil if the spec has no attention.
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

// excite computes W2 ReLU(W1 x).
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

// fold returns the scale and the shift of batch norm in evaluation: s =
// gamma/sqrt(variance+eps), and beta - mean*s.
func (l *norm) fold() (scale, shift []float32) {
	scale, shift = make([]float32, len(l.gamma.data)), make([]float32, len(l.gamma.data))
	for c := range scale {
		s := l.scale(c)
		scale[c] = float32(s)
		shift[c] = l.shift(c, s)
	}
	return scale, shift
}

func (l *norm) scale(c int) float64 {
	return float64(l.gamma.data[c]) / math.Sqrt(float64(l.variance.data[c])+normEpsilon)
}

func (l *norm) shift(c int, scale float64) float32 {
	return float32(float64(l.beta.data[c]) - float64(l.mean.data[c])*scale)
}

// fold returns the weights and the bias of a convolution that equals l in evaluation,
// before the activation.
func (l *convNorm) fold() (weight, bias []float32) {
	weight = make([]float32, len(l.weight.data))
	bias = make([]float32, l.out)
	n := len(weight) / l.out
	for o := range l.out {
		s := l.scale(o)
		for i := o * n; i < (o+1)*n; i++ {
			weight[i] = float32(float64(l.weight.data[i]) * s)
		}
		bias[o] = l.shift(o, s)
	}
	return weight, bias
}

// squareMajor reorders the weights of a linear layer over flattened maps from PyTorch's
// [rows][channels][64] to [rows][64][channels], the order of channels-last maps.
func squareMajor(w []float32, rows, channels int) []float32 {
	out := make([]float32, len(w))
	for r := range rows {
		from, to := w[r*channels*Squares:], out[r*channels*Squares:]
		for c := range channels {
			for s := range Squares {
				to[s*channels+c] = from[c*Squares+s]
			}
		}
	}
	return out
}

// mergeConv returns the linear layer that equals a 1x1 convolution (weight [out][width],
// bias [out]) followed by a linear layer (rows [n][64][out], bias [n]): weights
// [n][64][width], bias [n].
func mergeConv(rows, rowBias, weight, bias []float32, width int) (w, b []float32) {
	out := len(bias)
	w = make([]float32, len(rowBias)*Squares*width)
	b = make([]float32, len(rowBias))
	for r := range rowBias {
		sum := float64(rowBias[r])
		for s := range Squares {
			at := r*Squares + s
			to := w[at*width:][:width]
			for o, x := range rows[at*out:][:out] {
				sum += float64(x) * float64(bias[o])
				for i, k := range weight[o*width:][:width] {
					to[i] += x * k
				}
			}
		}
		b[r] = float32(sum)
	}
	return w, b
}
