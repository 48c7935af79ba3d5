package nn

// #include "alamos.h"
import "C"

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
	movesLeft []float32 // [n] in movesLeftUnit; nil if the network has no moves-left head
}

// processorModel is a model in our C++.
type processorModel struct{ model *C.alamos_model }

func (m processorModel) free() { C.alamos_model_free(m.model) }

// processorEvaluator is a session of a processorModel.
type processorEvaluator struct{ session *C.alamos_session }

func (m processorModel) newEvaluator() (*processorEvaluator, error) {
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

// compiler builds a processorModel step by step and remembers the first error. The C++ code
// checks the shapes.
type compiler struct {
	processorModel
	err error
}

// newCompiler starts a model with blocks of the given number of positions.
func newCompiler(block int, constant []bool, o *InferenceOptions) *compiler {
	c := &compiler{}
	c.err = message(C.alamos_model_new(C.int(block), C.int(len(constant)), bytesOf(constantMarks(constant)), flag(o.Precision == BF16), flag(o.libtorch), &c.model))
	return c
}

// conv appends act(conv(from) + add) and returns its register. weight is
// [out][in][kernel][kernel], bias [out].
func (c *compiler) conv(from, add register, in, out, kernel int, act activation, weight, bias []float32) register {
	var to C.int
	if c.err == nil {
		c.err = message(C.alamos_model_conv(c.model, C.int(from), C.int(add), C.int(in), C.int(out), C.int(kernel), C.int(act), float32s(weight), float32s(bias), &to))
	}
	return register(to)
}

// scale appends act(scale*from + shift) over the channels.
func (c *compiler) scale(from register, scale, shift []float32, act activation) register {
	var to C.int
	if c.err == nil {
		c.err = message(C.alamos_model_scale(c.model, C.int(from), C.int(len(scale)), C.int(act), float32s(scale), float32s(shift), &to))
	}
	return register(to)
}

// attention appends act(attention(from) + add). w1 is [hidden][channels], w2 is
// [channels][hidden], and spatial is [2][7][7] or nil.
func (c *compiler) attention(from, add register, channels, hidden int, act activation, w1, w2, spatial []float32) register {
	var to C.int
	if c.err == nil {
		c.err = message(C.alamos_model_attention(c.model, C.int(from), C.int(add), C.int(channels), C.int(hidden), C.int(act), float32s(w1), float32s(w2), float32s(spatial), &to))
	}
	return register(to)
}

// policy appends a policy head: weight is [size][64][channels], bias [size].
func (c *compiler) policy(from register, channels, size int, weight, bias []float32) {
	if c.err == nil {
		c.err = message(C.alamos_model_policy(c.model, C.int(from), C.int(channels), C.int(size), float32s(weight), float32s(bias)))
	}
}

// policyMaps appends a policy head that uses maps as logits. weight is [maps][channels],
// bias [maps].
func (c *compiler) policyMaps(from register, channels int, weight, bias []float32) {
	if c.err == nil {
		c.err = message(C.alamos_model_policy_maps(c.model, C.int(from), C.int(channels), C.int(len(bias)), float32s(weight), float32s(bias)))
	}
}

// output is the final operation of a head of dense layers.
type output C.int

const (
	tanhValue   output = C.ALAMOS_VALUE_TANH
	linearValue output = C.ALAMOS_VALUE_LINEAR
	wdlValue    output = C.ALAMOS_VALUE_WDL
	movesLeft   output = C.ALAMOS_MOVES_LEFT
)

// size returns the number of outputs.
func (o output) size() int {
	if o == wdlValue {
		return 3
	}
	return 1
}

// head starts a head of dense layers. conv holds the [channels] weights of a 1x1
// convolution to one channel, with ReLU, or is nil.
func (c *compiler) head(o output, from register, channels int, conv []float32, bias float32) {
	if c.err == nil {
		c.err = message(C.alamos_model_head(c.model, C.int(o), C.int(from), C.int(channels), float32s(conv), C.float(bias)))
	}
}

// dense appends a layer to the most recent head: a hidden layer or the output. weight is
// the weight of l, or that of its maps in the evaluator's order.
func (c *compiler) dense(l *dense, weight []float32, hidden bool) {
	if c.err == nil {
		c.err = message(C.alamos_model_dense(c.model, C.int(l.in), C.int(l.out), flag(hidden), float32s(weight), float32s(l.bias.data)))
	}
}
