package nn

import (
	"fmt"
	"math"
	"slices"

	"github.com/sugarme/gotch/ts"

	"alamos/pkg/encode"
)

// This file describes the architecture of a spec, once: its trunk is a list of layers, and
// each head is a list of layers and dense layers. The parameters, the training graph, the
// model for inference, [Spec.Layers] and [Spec.FLOPs] follow from these lists.

// Trunks. Attention and dropout, if present, come last in a block. In a residual block they
// come before the addition of the input.
const (
	// TrunkResidual is a 3x3 convolution (batch norm, activation) and Depth blocks
	// x -> act(x + norm(conv(act(norm(conv(x)))))), He et al. 2015.
	TrunkResidual = "residual"

	// TrunkPreactivation is a 3x3 convolution, Depth blocks
	// x -> x + conv(act(norm(conv(act(norm(x)))))), and at their end norm and
	// activation, He et al. 2016.
	TrunkPreactivation = "preactivation"

	// TrunkPlain is Depth times x -> act(norm(conv(x))). The first reads the input planes.
	TrunkPlain = "plain"
)

// newTrunk declares the layers from the planes to the maps that the heads read.
func newTrunk(d *declaration, s *Spec) []*layer {
	if s.Trunk == TrunkTransformer {
		return newTransformer(d, s)
	}
	act, in := functions[s.Activation], s.Planes
	var trunk []*layer
	add := func(l layer) { trunk = append(trunk, &l) }
	newConv := func(name string) *conv {
		c := newConv(d, name, in, s.Width, 3)
		in = s.Width
		return c
	}
	newNorm := func(name string) *norm { return newNorm(d, name, s.Width) }

	switch s.Trunk {
	case TrunkResidual:
		first := layer{conv: newConv("input.conv"), norm: newNorm("input.norm"), act: act}
		if s.BareInput {
			first.act = identity
		}
		add(first)
	case TrunkPreactivation:
		add(layer{conv: newConv("input.conv")})
	}
	for i := range s.Depth {
		name := fmt.Sprintf("trunk.%d", i)
		switch s.Trunk {
		case TrunkResidual:
			add(layer{conv: newConv(name + ".conv1"), norm: newNorm(name + ".norm1"), act: act})
			add(layer{conv: newConv(name + ".conv2"), norm: newNorm(name + ".norm2"), attention: newAttention(d, name+".attention", s), dropout: newDropout(name, s), skip: 1, act: act})
		case TrunkPreactivation:
			add(layer{norm: newNorm(name + ".norm1"), act: act})
			add(layer{conv: newConv(name + ".conv1"), norm: newNorm(name + ".norm2"), act: act})
			add(layer{conv: newConv(name + ".conv2"), attention: newAttention(d, name+".attention", s), dropout: newDropout(name, s), skip: 2})
		case TrunkPlain:
			add(layer{conv: newConv(name + ".conv"), norm: newNorm(name + ".norm"), act: act})
			add(layer{attention: newAttention(d, name+".attention", s), dropout: newDropout(name, s)})
		}
	}
	if s.Trunk == TrunkPreactivation {
		add(layer{norm: newNorm("trunk.norm"), act: act})
	}
	return trunk
}

// convolutions returns the number of 3x3 convolutions of the trunk.
func (s *Spec) convolutions() int {
	if s.Trunk == TrunkPlain {
		return s.Depth
	}
	return 1 + 2*s.Depth
}

// Size names the size of the network in the usual notation: 6x64 is 6 blocks of 64 channels,
// sparse-256+128x8 a sparse trunk of 256 features for the value and 128 for the policy with 8
// tables, transformer-6x64 a transformer.
func (s *Spec) Size() string {
	size := fmt.Sprintf("%dx%d", s.Depth, s.Width)
	switch s.Trunk {
	case TrunkSparse:
		size = fmt.Sprintf("sparse-%d+%dx%d", s.Width, s.PolicyWidth, s.KingBuckets)
	case TrunkTransformer:
		size = TrunkTransformer + "-" + size
	}
	return size
}

// FLOPs returns the number of operations of the trunk's 3x3 convolutions for a position. A
// multiply-add is two operations.
func (s Spec) FLOPs() float64 {
	channels := s.Planes + (s.convolutions()-1)*s.Width // inputs of all convolutions
	return float64(2 * 9 * Squares * channels * s.Width)
}

// heads are the heads of a network. Each but the value is nil if absent.
type heads struct {
	policy    *head // logits [N, PolicySize], in the precision of the maps
	value     *head // values [N]; with ValueWDL the logits [N, 3] of win, draw and loss
	movesLeft *head // [N], in Spec.MovesLeftUnit

	// Only training uses the other heads, to learn better features in the trunk.
	opponent, soft *head // logits [N, PolicySize], by layers like those of the policy
	future         *head // logits [N, 64 SquareClasses], by class and then square
}

// head computes an output of the network from the trunk's maps: layers, and dense layers
// with an activation after all but the last, unless they are linear. It has at least one of them.
type head struct {
	maps   []*layer
	sparse bool // reads the features of a sparse trunk, for the value or else the policy
	policy bool
	pooled bool   // the dense layers read the means and the maxima of the maps over the squares
	pairs  *pairs // maps of pairs of squares, made of the maps; nil if absent
	dense  []*dense
	act    activation
	linear bool
	floor  bool       // outputs below 0 are 0
	places [][2]int32 // where the logits are among the maps, see [encode.Layout]; nil if each is at its own index
	output output
}

// pairs compares squares by attention. Of each square it has a query q and a key k. Its maps
// [64 + pieces] of 64 squares are the products q(f) k(s) / sqrt(channels) for each square f,
// and a linear function of k(s) for each piece that promotes or is dropped.
type pairs struct {
	query, key *conv
	pieces     *conv // nil without pieces
}

// outputs are the outputs of the heads for N positions. Those of absent heads are nil.
type outputs struct{ logits, values, movesLeft, opponent, soft, future *ts.Tensor }

func newHeads(d *declaration, s *Spec) heads {
	h := heads{policy: newPolicy(d, "policy", s)}
	h.value = newDenseHead(d, "value", s, s.ValueChannels, s.ValueSecond, s.ValuePooling, s.ValueHidden, map[string]output{
		ValueTanh: tanhValue, ValueLinear: linearValue, ValueWDL: wdlValue,
	}[s.Value])
	h.value.linear = s.ValueLinear
	if s.MovesLeft {
		h.movesLeft = newDenseHead(d, "moves_left", s, s.MovesLeftChannels, 0, false, []int{s.MovesLeftHidden}, movesLeft)
		h.movesLeft.floor = s.MovesLeftReLU
	}
	d.playing = len(d.params)
	if s.OpponentPolicy {
		h.opponent = newPolicy(d, "opponent_policy", s)
	}
	if s.SoftPolicy {
		h.soft = newPolicy(d, "soft_policy", s)
	}
	switch {
	case s.FutureBoard > 0 && s.Trunk == TrunkSparse:
		h.future = &head{output: logits, sparse: true, dense: []*dense{newDense(d, "future_board.linear", 2*s.Width, encode.SquareClasses*Squares, small)}}
	case s.FutureBoard > 0:
		h.future = &head{output: logits, maps: []*layer{
			newReduction(d, "future_board", "1", s, s.Width, 1),
			{conv: newConvBias(d, "future_board.conv2", s.Width, encode.SquareClasses, 1, uniform(s.Width, small))},
		}}
	}
	return h
}

// newPolicy declares a policy head. The thesis and the AlphaZero paper do not give the
// kernel of the convolution to the maps of moves. Ours is 1x1 with a bias.
func newPolicy(d *declaration, name string, s *Spec) *head {
	h, kernel := &head{output: logits}, s.headKernel(true)
	reduce := func(number string, channels int) { // convolution, batch norm, ReLU
		h.maps = append(h.maps, newReduction(d, name, number, s, channels, kernel))
	}
	moves := func(maps int, fill initializer) {
		if s.PolicyReLU {
			reduce("2", maps)
			return
		}
		h.maps = append(h.maps, &layer{conv: newConvBias(d, name+".conv2", s.Width, maps, kernel, fill)})
	}
	linear := func(channels int) { // holds most of a small network's parameters
		l := newDense(d, name+".linear", Squares*channels, s.PolicySize, small)
		l.weight.inMaps()
		l.bias.inMaps()
		h.dense = append(h.dense, l)
	}
	layout, err := s.layout()
	must(err) // which Complete checked
	for i, p := range layout.Places {
		if p != [2]int32{int32(i), -1} { // not at its own index
			h.places = layout.Places
			break
		}
	}
	switch s.PolicyHead {
	case PolicyNone:
		return nil
	case policyRows:
		h.sparse, h.policy = true, true
		h.dense = []*dense{newDense(d, name+".linear", 2*s.PolicyWidth, s.PolicySize, small)}
	case PolicyConv:
		reduce("", s.PolicyChannels)
		linear(s.PolicyChannels)
	case PolicyAlphaZero:
		reduce("1", s.Width)
		moves(layout.Maps, uniform(s.Width*kernel*kernel, small))
	case PolicyAttention:
		reduce("", s.PolicyChannels)
		h.pairs = newPairs(d, name, s, layout.Maps-Squares)
	case PolicyConv73:
		reduce("1", s.Width)
		moves(alphaZeroMaps, kaiming(alphaZeroMaps, kernel))
		linear(alphaZeroMaps)
	}
	return h
}

// newPairs declares the attention of a policy head. The small queries make the priors of an
// untrained network nearly equal.
func newPairs(d *declaration, name string, s *Spec, pieces int) *pairs {
	channels := s.PolicyChannels
	p := &pairs{
		query: newConvBias(d, name+".query", channels, channels, 1, uniform(channels, small)),
		key:   newConvBias(d, name+".key", channels, channels, 1, uniform(channels, 1)),
	}
	switch fill := uniform(channels, small); {
	case pieces > 0 && s.Trunk == TrunkTransformer: // without a bias, as in Leela Chess Zero
		p.pieces = &conv{weight: d.add(name+".pieces.weight", true, fill, pieces, channels, 1, 1).inMaps()}
	case pieces > 0:
		p.pieces = newConvBias(d, name+".pieces", channels, pieces, 1, fill)
	}
	return p
}

// newReduction declares a convolution of a head to fewer channels, with batch norm and ReLU, or
// after a transformer with a bias and the trunk's activation.
func newReduction(d *declaration, name, number string, s *Spec, channels, kernel int) *layer {
	if s.Trunk == TrunkTransformer {
		return &layer{conv: newConvBias(d, name+".conv"+number, s.Width, channels, kernel, uniform(s.Width*kernel*kernel, math.Sqrt(3))), act: functions[s.Activation]}
	}
	return &layer{conv: newConv(d, name+".conv"+number, s.Width, channels, kernel), norm: newNorm(d, name+".norm"+number, channels), act: relu}
}

// newDenseHead declares a head with a convolution (batch norm, ReLU), which is absent if
// channels is Flat, another one (bias, ReLU) if second is not 0, pooling if pooled, and dense
// layers.
func newDenseHead(d *declaration, name string, s *Spec, channels, second int, pooled bool, hidden []int, o output) *head {
	h, kernel := &head{sparse: s.Trunk == TrunkSparse, pooled: pooled, output: o, act: relu}, s.headKernel(false)
	if s.Trunk == TrunkTransformer {
		h.act = functions[s.Activation]
	}
	if h.sparse || channels == Flat {
		channels = s.Width
	} else {
		h.maps = []*layer{newReduction(d, name, "", s, channels, kernel)}
		if s.BareHeads {
			h.maps[0].act = identity
		}
	}
	if second > 0 {
		h.maps = append(h.maps, &layer{conv: newConvBias(d, name+".conv2", channels, second, kernel, kaiming(second, kernel)), act: h.act})
		channels = second
	}
	in := Squares * channels
	if pooled || h.sparse {
		in = 2 * channels
	}
	add := func(out int, scale float64) {
		h.dense = append(h.dense, newDense(d, fmt.Sprintf("%s.linear%d", name, len(h.dense)+1), in, out, scale))
		in = out
	}
	for _, n := range hidden {
		add(n, 1)
	}
	add(o.size(), small)
	return h
}

// forward returns the outputs for the trunk's features. Inference has no use for those that
// only training uses.
func (h *heads) forward(g *graph, x features) outputs {
	o := outputs{logits: h.policy.forward(g, x, g.listed), values: h.value.forward(g, x, nil), movesLeft: h.movesLeft.forward(g, x, nil)}
	if !g.folded {
		o.opponent, o.soft, o.future = h.opponent.forward(g, x, nil), h.soft.forward(g, x, g.listed), h.future.forward(g, x, nil)
	}
	return o
}

// logitMaps returns the number of maps in which a head without dense layers has its logits.
func (h *head) logitMaps() int {
	switch {
	case h.pairs == nil:
		return h.maps[len(h.maps)-1].conv.out()
	case h.pairs.pieces == nil:
		return Squares
	default:
		return Squares + h.pairs.pieces.out()
	}
}

// forward returns nil for an absent head. If moves are listed, a policy of a sparse trunk
// returns the logits [moves] of these alone.
func (h *head) forward(g *graph, from features, listed *Moves) *ts.Tensor {
	if h == nil {
		return nil
	}
	x := from.maps
	switch {
	case h.sparse && h.policy && listed != nil:
		return g.rows(from.policy, h.dense[0], listed)
	case h.sparse && h.policy:
		x = from.policy
	case h.sparse:
		x = from.value
	default:
		x = g.forward(h.maps, x)
	}
	switch {
	case h.sparse: // its features are [N, C]
	case h.pairs != nil:
		x = h.pairs.forward(g, x)
	case h.pooled:
		top := g.single(g.keep(x.Amax([]int64{2, 3}, false, false)))
		x = g.keep(ts.Cat([]*ts.Tensor{g.pool(x), top}, 1))
	default: // the features [N, 64 C] are in the order of the maps [N, C, 8, 8]
		x = g.keep(x.Flatten(1, 3, false))
	}
	if h.places != nil {
		x = g.gather(x)
	}
	if h.output != logits && !h.pooled { // pooling is in single precision
		x = g.single(x)
	}
	for i, l := range h.dense {
		if i > 0 && !h.linear {
			x = g.activate(x, h.act)
		}
		if i == 0 && h.sparse && l.hasFew() && g.ours() {
			x = g.few(x, l)
		} else {
			x = l.forward(g, x)
		}
	}
	switch h.output {
	case logits, wdlValue:
		return x
	case tanhValue:
		x = g.keep(x.Tanh(false))
	}
	if h.floor {
		x = g.activate(x, relu)
	}
	return g.keep(x.Flatten(0, 1, false))
}

// forward returns the numbers [N, 64 maps] of the maps.
func (p *pairs) forward(g *graph, x *ts.Tensor) *ts.Tensor {
	query, key := g.conv(x, p.query.weight, p.query.bias), g.conv(x, p.key.weight, p.key.bias)
	query = g.keep(query.MulScalar(g.scalar(p.scale()), false))
	products := g.keep(g.vectors(query).Matmul(g.keep(g.vectors(key).Transpose(1, 2, false)), false))
	x = g.keep(products.Flatten(1, 2, false))
	if p.pieces == nil {
		return x
	}
	pieces := g.keep(g.conv(key, p.pieces.weight, p.pieces.bias).Flatten(1, 3, false))
	return g.keep(ts.Cat([]*ts.Tensor{x, pieces}, 1))
}

// scale is the factor of the queries.
func (p *pairs) scale() float64 { return 1 / math.Sqrt(float64(p.query.out())) }

// scaledQuery returns the weights and the bias of a convolution to scaled queries.
func (p *pairs) scaledQuery() (weight, bias []float32) {
	scaled := func(v []float32) []float32 {
		v = slices.Clone(v)
		for i := range v {
			v[i] *= float32(p.scale())
		}
		return v
	}
	return scaled(p.query.weight.data), scaled(p.query.bias.data)
}
