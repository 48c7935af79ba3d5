package nn

// #include "alamos.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// evaluator evaluates at most a batch of positions. One goroutine at a time may use it.
type evaluator interface {
	evaluate(n int, b *buffers) error
	close()
}

// buffers hold positions in the flat form that evaluators read, and their outputs.
type buffers struct {
	planes  []uint64 // [n][planes]
	offsets []int32  // [n+1]: the moves of position i are at offsets[i] up to offsets[i+1]
	indices []int32  // [moves]

	priors    []float32 // [moves]
	values    []float32 // [n]
	wdl       []float32 // [n][3]; nil if the network has no WDL value head
	movesLeft []float32 // [n] in Spec.MovesLeftUnit; nil if the network has no moves-left head
}

// processor is a model that the processor computes. It is read-only.
type processor interface {
	newEvaluator() (evaluator, error)
	free()
}

// processorModel is a model in our C++.
type processorModel struct{ model *C.alamos_model }

func (m processorModel) free() { C.alamos_model_free(m.model) }

// processorEvaluator is a session of a processorModel.
type processorEvaluator struct{ session *C.alamos_session }

func (m processorModel) newEvaluator() (evaluator, error) {
	e := new(processorEvaluator)
	return e, message(C.alamos_session_new(m.model, &e.session))
}

func (e *processorEvaluator) evaluate(n int, b *buffers) error {
	return message(C.alamos_session_run(e.session, C.int(n), uint64s(b.planes), int32s(b.offsets), int32s(b.indices),
		float32s(b.priors), float32s(b.values), float32s(b.wdl), float32s(b.movesLeft)))
}

// convolve runs only the layers, on one block.
func (e *processorEvaluator) convolve() error { return message(C.alamos_session_layers(e.session)) }

func (e *processorEvaluator) close() { C.alamos_session_free(e.session) }

// softmax converts the logits of the moves of n positions into priors, in place.
func softmax(n int, b *buffers) {
	C.alamos_softmax(C.int(n), int32s(b.offsets), int32s(b.indices), float32s(b.priors))
}

// register numbers the maps in the evaluator. Register 0 holds the input.
type register int

const none register = -1

// compiler builds a processorModel step by step. Its methods panic with a failure. The C++
// code checks the shapes.
type compiler struct{ processorModel }

// newCompiler starts a model with blocks of the given number of positions.
func newCompiler(block int, constant []bool, o *InferenceOptions) *compiler {
	c := new(compiler)
	must(message(C.alamos_model_new(C.int(block), C.int(len(constant)), bytesOf(marks(constant)), flag(o.Precision == BF16), flag(o.libtorch), &c.model)))
	return c
}

// network appends the trunk and the heads of a network.
func (c *compiler) network(n *Network) {
	trunk := c.layers(n.trunk, 0)
	if n.heads.policy != nil {
		c.policy(n.heads.policy, trunk)
	}
	for _, h := range []*head{n.heads.value, n.heads.movesLeft} {
		if h != nil {
			c.head(h, trunk, n.spec.Width)
		}
	}
}

// layers appends layers and returns the register of their output.
func (c *compiler) layers(layers []*layer, from register) register {
	return follow(layers, from, none, c.layer)
}

// layer appends a layer. add is the register to add, or none.
func (c *compiler) layer(l *layer, from, add register) register {
	var weight, bias []float32
	if l.conv != nil || l.norm != nil {
		weight, bias = l.fold()
	}
	fused, act := C.int(add), C.int(l.act)
	if l.attention != nil {
		fused, act = C.int(none), C.int(identity)
	}
	to := C.int(from)
	switch {
	case l.conv != nil:
		kernel := l.conv.weight.shape[3]
		must(message(C.alamos_model_conv(c.model, to, fused, C.int(l.conv.in()), C.int(l.conv.out()), C.int(kernel), act, float32s(weight), float32s(bias), &to)))
	case l.norm != nil:
		must(message(C.alamos_model_scale(c.model, to, C.int(len(weight)), act, float32s(weight), float32s(bias), &to)))
	}
	if a := l.attention; a != nil {
		var pin runtime.Pinner
		defer pin.Unpin()
		data := func(p *param) *C.float {
			if p == nil {
				return nil
			}
			pin.Pin(unsafe.SliceData(p.data))
			return float32s(p.data)
		}
		arrays := C.alamos_attention{
			w1: data(a.first), b1: data(a.firstBias), w2: data(a.second), b2: data(a.secondBias),
			w3: data(a.shift), b3: data(a.shiftBias), spatial: data(a.spatial),
		}
		hidden, channels := a.first.shape[0], a.first.shape[1]
		must(message(C.alamos_model_attention(c.model, to, C.int(add), C.int(channels), C.int(hidden), C.int(l.act), &arrays, &to)))
	}
	return register(to)
}

// policy appends the policy head. A convolution with a bias before a dense layer is merged
// into it if the result has no more features per square than the convolution makes. This
// is exact because only a bias is between them.
func (c *compiler) policy(h *head, from register) {
	last := len(h.maps) - 1
	conv := h.maps[last].conv
	if h.pairs != nil {
		c.pairs(h, c.layers(h.maps, from))
		return
	}
	if len(h.dense) == 0 {
		if !conv.pointwise() || h.maps[last].norm != nil { // the evaluator's maps are only a 1x1 convolution
			from, conv = c.layers(h.maps, from), unit(conv.out())
		} else {
			from = c.layers(h.maps[:last], from)
		}
		c.policyMaps(h, from, conv.in(), 0, conv)
		return
	}
	linear, channels := h.dense[0], conv.out()
	rows, bias := squareMajor(linear.weight.data, channels), linear.bias.data
	if conv.bias != nil && conv.pointwise() && conv.in() <= channels {
		rows, bias = mergeConv(rows, bias, conv.weight.data, conv.bias.data, conv.in())
		from, channels = c.layers(h.maps[:last], from), conv.in()
	} else {
		from = c.layers(h.maps, from)
	}
	must(message(C.alamos_model_policy(c.model, C.int(from), C.int(channels), C.int(len(bias)), float32s(rows), float32s(bias))))
}

// unit returns a convolution that changes nothing.
func unit(channels int) *conv {
	weight, bias := make([]float32, channels*channels), make([]float32, channels)
	for i := range channels {
		weight[i*channels+i] = 1
	}
	return &conv{&param{shape: []int{channels, channels, 1, 1}, data: weight}, &param{data: bias}}
}

// pairs appends the queries and keys of an attention policy as one convolution, and the policy.
func (c *compiler) pairs(h *head, from register) {
	query, key := h.pairs.query, h.pairs.key
	n := query.out()
	weight, bias := h.pairs.scaledQuery()
	both := &layer{conv: &conv{
		weight: &param{shape: []int{2 * n, query.in(), 1, 1}, data: append(weight, key.weight.data...)},
		bias:   &param{data: append(bias, key.bias.data...)},
	}}
	c.policyMaps(h, c.layer(both, from, none), 2*n, n, h.pairs.pieces)
}

// policyMaps appends a policy whose logits are in maps, of which a convolution makes those that
// are not of pairs; it may be nil.
func (c *compiler) policyMaps(h *head, from register, channels, pairs int, maps *conv) {
	n, size := 0, len(h.places)
	var weight, bias []float32
	if maps != nil {
		n, weight, bias = maps.out(), maps.weight.data, maps.bias.data
	}
	if h.places == nil {
		size = Squares * h.logitMaps()
	}
	must(message(C.alamos_model_policy_maps(c.model, C.int(from), C.int(channels), C.int(pairs), C.int(n),
		float32s(weight), float32s(bias), C.int(size), (*C.int32_t)(unsafe.Pointer(unsafe.SliceData(h.places))))))
}

// output is the kind of a head's output. All but logits are final operations of heads of
// dense layers in the evaluator.
type output C.int

const (
	logits      output = -1
	tanhValue   output = C.ALAMOS_VALUE_TANH
	linearValue output = C.ALAMOS_VALUE_LINEAR
	wdlValue    output = C.ALAMOS_VALUE_WDL
	movesLeft   output = C.ALAMOS_MOVES_LEFT
)

// size returns the number of outputs of a head of dense layers.
func (o output) size() int {
	if o == wdlValue {
		return 3
	}
	return 1
}

// head appends a head that ends with dense layers, over a trunk of the given width. A
// convolution to one channel is part of the head's own steps, which use single precision.
func (c *compiler) head(h *head, from register, width int) {
	channels := width
	var weight []float32
	var bias C.float
	if len(h.maps) > 0 {
		first := h.maps[0]
		channels = h.maps[len(h.maps)-1].conv.out()
		if len(h.maps) == 1 && channels == 1 && !h.pooled && first.conv.pointwise() && first.act == relu {
			w, b := first.fold()
			weight, bias = w, C.float(b[0])
		} else {
			from, width = c.layers(h.maps, from), channels
		}
	}
	must(message(C.alamos_model_head(c.model, C.int(h.output), C.int(from), C.int(width), flag(h.pooled), float32s(weight), bias)))
	layers := h.dense
	if h.linear {
		layers = []*dense{mergeDense(layers)}
	}
	for i, l := range layers {
		w := l.weight.data
		if i == 0 && !h.pooled {
			w = squareMajor(w, channels)
		}
		in, out, hidden := l.weight.shape[1], l.weight.shape[0], i < len(layers)-1
		must(message(C.alamos_model_dense(c.model, C.int(in), C.int(out), flag(hidden), float32s(w), float32s(l.bias.data))))
	}
}

// mergeDense returns the dense layer that equals others one after the other.
func mergeDense(layers []*dense) *dense {
	merged := layers[0]
	for _, l := range layers[1:] {
		out, mid, in := l.weight.shape[0], l.weight.shape[1], merged.weight.shape[1]
		sums, bias := make([]float64, out*in), make([]float32, out)
		for o := range out {
			shift := float64(l.bias.data[o])
			for m := range mid {
				x := float64(l.weight.data[o*mid+m])
				shift += x * float64(merged.bias.data[m])
				for i, y := range merged.weight.data[m*in:][:in] {
					sums[o*in+i] += x * float64(y)
				}
			}
			bias[o] = float32(shift)
		}
		weight := make([]float32, len(sums))
		for i, x := range sums {
			weight[i] = float32(x)
		}
		merged = &dense{&param{shape: []int{out, in}, data: weight}, &param{data: bias}}
	}
	return merged
}

// squareMajor reorders the weights of a linear layer over flattened maps from PyTorch's
// [rows][channels][64] to [rows][64][channels], the order of channels-last maps.
func squareMajor(w []float32, channels int) []float32 { return exchanged(w, channels, Squares) }

// exchanged reorders numbers [rows][a][b] to [rows][b][a].
func exchanged(w []float32, a, b int) []float32 {
	out := make([]float32, len(w))
	for r := 0; r < len(w); r += a * b {
		for i := range a {
			for k := range b {
				out[r+k*a+i] = w[r+i*b+k]
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
