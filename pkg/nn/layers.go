package nn

import (
	"math"

	"alamos/pkg/stats"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// layer computes maps [N, out, 8, 8] from maps [N, in, 8, 8]:
// act(dropout(attention(norm(conv(x)))) + skipped). An absent part is nil and changes
// nothing. Without a convolution, out is in. A layer of a transformer has only tokens.
type layer struct {
	tokens    tokens
	conv      *conv
	norm      *norm
	attention *attention
	dropout   *dropout
	skip      int // adds the input of the layer that is skip layers before this one; 0 adds nothing
	act       activation
}

// follow passes x through layers with f, which computes one layer from its input and the
// maps to add. absent means that there are no maps to add.
func follow[T any](layers []*layer, x, absent T, f func(l *layer, x, add T) T) T {
	maps := []T{x}
	for i, l := range layers {
		add := absent
		if l.skip > 0 {
			add = maps[i-l.skip]
		}
		maps = append(maps, f(l, maps[i], add))
	}
	return maps[len(layers)]
}

// forward passes maps through layers.
func (g *graph) forward(layers []*layer, x *ts.Tensor) *ts.Tensor {
	return follow(layers, x, nil, g.layer)
}

// layer computes a layer. add may be nil. A norm is fused with the addition and the
// activation if nothing is between them in this pass.
func (g *graph) layer(l *layer, x, add *ts.Tensor) *ts.Tensor {
	between := l.attention != nil || l.dropout != nil && g.training
	fused, act := add, l.act
	if between {
		fused, act = nil, identity
	}
	switch {
	case l.tokens != nil:
		return g.maps(l.tokens.forward(g, g.vectors(x)))
	case l.norm == nil && l.conv != nil:
		x = g.conv(x, l.conv.weight, l.conv.bias)
	case l.norm != nil && g.folded && l.conv != nil:
		x = g.convolve(x, l.conv.weight, l.norm.beta, fused, act)
	case l.norm != nil && g.folded:
		x = g.activate(g.keep(g.params[l.norm.beta].Addcmul(x, g.params[l.norm.gamma], false)), act)
	case l.norm != nil && l.conv != nil:
		x = g.norm(l.norm, g.conv(x, l.conv.weight, nil), fused, act)
	case l.norm != nil:
		x = g.norm(l.norm, x, fused, act)
	}
	if l.attention != nil {
		x = l.attention.forward(g, x)
	}
	if l.dropout != nil {
		x = l.dropout.forward(g, x)
	}
	switch {
	case l.norm != nil && !between:
		return x
	case add == nil:
		return g.activate(x, l.act)
	default:
		return g.add(add, x, l.act)
	}
}

// conv is a convolution that preserves the size of maps.
type conv struct {
	weight *param // [out, in, kernel, kernel]
	bias   *param // [out]; nil if a norm follows, or an addition
}

func newConv(d *declaration, name string, in, out, kernel int) *conv {
	return &conv{weight: d.add(name+".weight", true, kaiming(out, kernel), out, in, kernel, kernel).inMaps()}
}

// newConvBias declares a convolution with a bias, at first 0.
func newConvBias(d *declaration, name string, in, out, kernel int, fill initializer) *conv {
	return &conv{
		weight: d.add(name+".weight", true, fill, out, in, kernel, kernel).inMaps(),
		bias:   d.add(name+".bias", true, value(0), out).inMaps(),
	}
}

func (l *conv) in() int  { return l.weight.shape[1] }
func (l *conv) out() int { return l.weight.shape[0] }

// pointwise reports whether the convolution is 1x1.
func (l *conv) pointwise() bool { return l.weight.shape[3] == 1 }

// Defaults of PyTorch's batch norm: epsilon, and the weight of a batch's statistics in the
// running ones.
const (
	normEpsilon  = 1e-5
	normMomentum = 0.1
)

// norm is batch norm.
type norm struct {
	gamma, beta    *param // [channels]
	mean, variance *param // [channels], running
}

func newNorm(d *declaration, name string, channels int) *norm {
	return &norm{
		gamma:    d.add(name+".weight", true, value(1), channels),
		beta:     d.add(name+".bias", true, value(0), channels),
		mean:     d.add(name+".running_mean", false, value(0), channels),
		variance: d.add(name+".running_var", false, value(1), channels),
	}
}

// fold returns the scale and the shift of the norm in evaluation: s =
// gamma/sqrt(variance+eps), and beta - mean*s.
func (l *norm) fold() (scale []float64, shift []float32) {
	for c, gamma := range l.gamma.data {
		s := float64(gamma) / math.Sqrt(float64(l.variance.data[c])+normEpsilon)
		scale = append(scale, s)
		shift = append(shift, float32(float64(l.beta.data[c])-float64(l.mean.data[c])*s))
	}
	return scale, shift
}

// fold returns the weights and the bias of a convolution that equals the layer's
// convolution and norm in evaluation; or without convolution the scale and the shift of
// the norm.
func (l *layer) fold() (weight, bias []float32) {
	switch {
	case l.norm == nil && l.conv.bias == nil:
		return l.conv.weight.data, make([]float32, l.conv.out())
	case l.norm == nil:
		return l.conv.weight.data, l.conv.bias.data
	}
	scale, bias := l.norm.fold()
	kernels := make([]float32, len(scale)) // all 1: the scale itself
	value(1)(kernels, nil)
	if l.conv != nil {
		kernels = l.conv.weight.data
	}
	weight = make([]float32, len(kernels))
	each := len(weight) / len(scale)
	for i, w := range kernels {
		weight[i] = float32(float64(w) * scale[i/each])
	}
	return weight, bias
}

// dense is a linear layer, x W' + b. It uses single precision unless its parameters have
// the precision of the maps.
type dense struct {
	weight, bias *param // [out, in], [out]
}

func newDense(d *declaration, name string, in, out int, scale float64) *dense {
	return &dense{
		weight: d.add(name+".weight", true, uniform(in, scale), out, in),
		bias:   d.add(name+".bias", true, uniform(in, scale), out),
	}
}

// hasFew reports whether the layer has 16, 32, 48 or 64 outputs.
func (l *dense) hasFew() bool {
	n := l.bias.shape[0]
	return n%16 == 0 && n <= 64
}

func (l *dense) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	return g.linear(x, l.weight, l.bias)
}

// Activation functions.
const (
	ReLU = "relu" // max(0, x)
	Mish = "mish" // x tanh(log(1 + e^x)): smooth, with small outputs for negative x (Misra 2019)
)

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
	return &dropout{share: s.Dropout, layer: hashOf(name)}
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

	// AttentionShift is squeeze-and-excitation as in Leela Chess Zero: the linear layers have
	// biases, and a third one of the same hidden features gives a number that is added to
	// each channel.
	AttentionShift = "squeeze-excitation-shift"

	// AttentionCBAM is the convolutional block attention module (Woo et al. 2018). The
	// gates of the channels are sigmoid(W2 ReLU(W1 m) + W2 ReLU(W1 M)), where m are the
	// channels' means and M their maxima over the squares. The gates of the squares are
	// then sigmoid(conv7x7(mean, maximum over the channels)).
	AttentionCBAM = "cbam"
)

const attentionKernel = 7

// attention is an attention layer. Its linear layers and its convolution have no bias, as
// in the papers' formulas, but for AttentionShift. It uses single precision.
type attention struct {
	first, second *param // [hidden, channels], [channels, hidden]
	spatial       *param // [1, 2, 7, 7], over the mean and the maximum; only of AttentionCBAM

	// Only of AttentionShift; [hidden], [channels], [channels, hidden], [channels].
	firstBias, secondBias, shift, shiftBias *param
}

// newAttention returns nil if the spec has no attention.
func newAttention(d *declaration, name string, s *Spec) *attention {
	if s.Attention == AttentionNone {
		return nil
	}
	hidden := max(1, s.Width/s.AttentionReduction)
	weight := func(number string, fill initializer, out, in int) *param {
		return d.add(name+".linear"+number+".weight", true, fill, out, in)
	}
	bias := func(number string, out int) *param {
		if s.Attention != AttentionShift {
			return nil
		}
		return d.add(name+".linear"+number+".bias", true, value(0), out)
	}
	l := &attention{}
	l.first, l.firstBias = weight("1", uniform(s.Width, 1), hidden, s.Width), bias("1", hidden)
	l.second, l.secondBias = weight("2", uniform(hidden, 1), s.Width, hidden), bias("2", s.Width)
	switch s.Attention {
	case AttentionShift: // adds nothing at first
		l.shift, l.shiftBias = weight("3", value(0), s.Width, hidden), bias("3", s.Width)
	case AttentionCBAM:
		l.spatial = d.add(name+".conv.weight", true, kaiming(1, attentionKernel), 1, 2, attentionKernel, attentionKernel)
	}
	return l
}

func (l *attention) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	squares, channels := []int64{2, 3}, []int64{1}
	hidden := l.squeeze(g, g.pool(x))
	sum := g.linear(hidden, l.second, l.secondBias)
	if l.spatial != nil {
		top := l.squeeze(g, g.single(g.keep(x.Amax(squares, false, false))))
		sum = g.keep(sum.Add(g.linear(top, l.second, nil), false))
	}
	x = g.gate(x, g.keep(sum.Sigmoid(false)))
	if l.shift != nil {
		shift := g.linear(hidden, l.shift, l.shiftBias)
		return g.keep(x.Add(g.like(g.keep(g.keep(shift.Unsqueeze(2, false)).Unsqueeze(3, false))), false))
	}
	if l.spatial == nil {
		return x
	}
	mean, top := g.keep(x.MeanDim(channels, true, gotch.Float, false)), g.single(g.keep(x.Amax(channels, true, false)))
	gates := g.keep(g.conv(g.keep(ts.Cat([]*ts.Tensor{mean, top}, 1)), l.spatial, nil).Sigmoid(false))
	return g.keep(x.Mul(g.like(gates), false))
}

// squeeze computes the hidden features of the channels' means or maxima.
func (l *attention) squeeze(g *graph, x *ts.Tensor) *ts.Tensor {
	return g.keep(g.linear(x, l.first, l.firstBias).Relu(false))
}

// linear computes x W' + b. bias may be nil.
func (g *graph) linear(x *ts.Tensor, weight, bias *param) *ts.Tensor {
	b := ts.None
	if bias != nil {
		b = g.params[bias]
	}
	if g.alone() {
		switch size := x.MustSize(); len(size) {
		case 2:
			return g.byRow(x, func(row *ts.Tensor) *ts.Tensor { return g.keep(ts.Linear(row, g.params[weight], b)) })
		case 3:
			return g.linearBoards(x, weight, b, size[0])
		}
	}
	return g.keep(ts.Linear(x, g.params[weight], b))
}

// alone reports whether each position is computed by itself: in an evaluator on the processor, where
// the last bits of dense layers and of activation functions depend on a row's place among others.
func (g *graph) alone() bool { return g.folded && g.device == CPU }

// byRow computes f of each row, by itself if alone says so.
func (g *graph) byRow(x *ts.Tensor, f func(row *ts.Tensor) *ts.Tensor) *ts.Tensor {
	n := x.MustSize()[0]
	if !g.alone() || n == 1 {
		return f(x)
	}
	var rows []*ts.Tensor
	for i := range n {
		rows = append(rows, f(g.keep(x.Narrow(0, i, 1, false))))
	}
	return g.keep(ts.Cat(rows, 0))
}

// linearBoards computes the vectors of each position by themselves, as byRow does. x is [n, squares,
// numbers].
func (g *graph) linearBoards(x *ts.Tensor, weight *param, b *ts.Tensor, n int64) *ts.Tensor {
	w := g.keep(g.keep(g.params[weight].Transpose(0, 1, false)).Expand([]int64{n, int64(weight.shape[1]), int64(weight.shape[0])}, false, false))
	x = g.keep(x.Bmm(w, false))
	if b == ts.None {
		return x
	}
	return g.keep(x.Add(b, false))
}
