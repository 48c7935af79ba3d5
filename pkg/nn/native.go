package nn

// The evaluator in C++ (cpp/) is compiled at set-up into libtch.so, the library
// that gotch links to. It is looked up by name at run time, so that this package
// needs no flags of its own to link.

/*
#cgo CFLAGS: -I${SRCDIR}/cpp
#cgo linux LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include "alamos.h"

#define LOOKUP(name) ((typeof(&name))dlsym(RTLD_DEFAULT, #name))

static const char *sources(void) {
	typeof(&alamos_sources) f = LOOKUP(alamos_sources);
	return f ? f() : "";
}
static int has_bf16(void) { return LOOKUP(alamos_has_bf16)(); }
static void set_threads(int openmp, int openblas) { LOOKUP(alamos_set_threads)(openmp, openblas); }
static char *model_new(int block, int planes, const uint8_t *constant, int bf16, int libtorch, const char *device, alamos_model **m) {
	return LOOKUP(alamos_model_new)(block, planes, constant, bf16, libtorch, device, m);
}
static char *model_conv(alamos_model *m, int from, int add, int in, int out, int kernel, int act, const float *w, const float *b, int *to) {
	return LOOKUP(alamos_model_conv)(m, from, add, in, out, kernel, act, w, b, to);
}
static char *model_scale(alamos_model *m, int from, int channels, int act, const float *scale, const float *shift, int *to) {
	return LOOKUP(alamos_model_scale)(m, from, channels, act, scale, shift, to);
}
static char *model_attention(alamos_model *m, int from, int add, int channels, int hidden, int act, const float *w1, const float *w2, const float *spatial, int *to) {
	return LOOKUP(alamos_model_attention)(m, from, add, channels, hidden, act, w1, w2, spatial, to);
}
static char *model_policy(alamos_model *m, int from, int channels, int size, const float *w, const float *b) {
	return LOOKUP(alamos_model_policy)(m, from, channels, size, w, b);
}
static char *model_policy_maps(alamos_model *m, int from, int channels, int maps, const float *w, const float *b) {
	return LOOKUP(alamos_model_policy_maps)(m, from, channels, maps, w, b);
}
static char *model_head(alamos_model *m, int kind, int from, int channels, const float *conv, float conv_bias) {
	return LOOKUP(alamos_model_head)(m, kind, from, channels, conv, conv_bias);
}
static char *model_dense(alamos_model *m, int in, int out, int relu, const float *w, const float *b) {
	return LOOKUP(alamos_model_dense)(m, in, out, relu, w, b);
}
static void model_free(alamos_model *m) { LOOKUP(alamos_model_free)(m); }
static char *session_new(alamos_model *m, alamos_session **s) { return LOOKUP(alamos_session_new)(m, s); }
static char *session_run(alamos_session *s, int n, const uint64_t *planes, const int32_t *offsets, const int32_t *indices, float *priors, float *values, float *wdl, float *left) {
	static typeof(&alamos_session_run) f;
	if (!f) f = LOOKUP(alamos_session_run);
	return f(s, n, planes, offsets, indices, priors, values, wdl, left);
}
static void session_free(alamos_session *s) { LOOKUP(alamos_session_free)(s); }
static char *tower_new(int batch, int planes, int width, int convolutions, int bf16, const char *device, alamos_tower **t) {
	return LOOKUP(alamos_tower_new)(batch, planes, width, convolutions, bf16, device, t);
}
static char *tower_run(alamos_tower *t) {
	static typeof(&alamos_tower_run) f;
	if (!f) f = LOOKUP(alamos_tower_run);
	return f(t);
}
static void tower_free(alamos_tower *t) { LOOKUP(alamos_tower_free)(t); }
*/
import "C"

import (
	"embed"
	"errors"
	"io/fs"
	"sync"
	"unsafe"

	csources "alamos/pkg/nn/sources"
)

// ownCPP is the C++ that this program wants in libtch.so.
//
//go:embed cpp
var ownCPP embed.FS

// checkLibrary returns an error when libtch.so is made of other C++ than this
// program's: what it computes, or how it is called, would be something else.
var checkLibrary = sync.OnceValue(func() error {
	cpp, err := fs.Sub(ownCPP, "cpp")
	if err != nil {
		return err
	}
	want, err := csources.Read(cpp)
	if err != nil {
		return err
	}
	return madeOf(want.Digest())
})

func madeOf(cpp string) error {
	if C.GoString(C.sources()) != cpp {
		return errors.New("libtch.so is made of another version of pkg/nn/cpp than this program: run make setup, and build anew")
	}
	return nil
}

// setThreads sets how many threads libtorch uses for work that this OS thread
// asks for. OpenBLAS gets one, for the process: its idle threads spin, and cost
// a step of a small network more than they save (2 blocks of 32 channels with
// conv-linear: 3.8 instead of 3.2 thousand positions/s on two cores).
func setThreads(n int) { C.set_threads(C.int(n), 1) }

// message turns what the evaluator returns into an error, and frees it.
func message(text *C.char) error {
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	return errors.New(firstLine(C.GoString(text)))
}

// register is a numbered place for maps in the evaluator: 0 has the input.
type register int

const none register = -1

// compiler builds a model step by step and remembers the first error.
type compiler struct {
	model *C.alamos_model
	err   error
}

// newCompiler starts a model that convolves by blocks of so many positions, on one
// of Devices; see evaluatorOf. The C side checks the shapes of what follows.
func newCompiler(block int, constant []bool, device string, o *InferenceOptions) *compiler {
	c := &compiler{}
	name := evaluatorOf(device, o.generic)
	defer C.free(unsafe.Pointer(name))
	marks := marksOf(constant)
	c.err = message(C.model_new(C.int(block), C.int(len(marks)), first8(marks), flag(o.Precision == BF16), flag(o.libtorch), name, &c.model))
	return c
}

// evaluatorOf is what C calls the evaluator for a device: nil for that of the
// processor, unless it is the one for devices that is wanted. The caller frees it.
func evaluatorOf(device string, generic bool) *C.char {
	if device == CPU && !generic {
		return nil
	}
	return C.CString(device)
}

// marksOf is which planes are constant, as C reads it.
func marksOf(constant []bool) []uint8 {
	marks := make([]uint8, len(constant))
	for i, c := range constant {
		if c {
			marks[i] = 1
		}
	}
	return marks
}

func first8(v []uint8) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(v)) }

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func first(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }

// conv appends act(conv(from) + add) and returns where it is. weight is
// [out][in][kernel][kernel], bias [out].
func (c *compiler) conv(from, add register, in, out, kernel int, act activation, weight, bias []float32) register {
	var to C.int
	if c.err == nil {
		c.err = message(C.model_conv(c.model, C.int(from), C.int(add), C.int(in), C.int(out), C.int(kernel), C.int(act), first(weight), first(bias), &to))
	}
	return register(to)
}

// scale appends act(scale*from + shift) over the channels.
func (c *compiler) scale(from register, scale, shift []float32, act activation) register {
	var to C.int
	if c.err == nil {
		c.err = message(C.model_scale(c.model, C.int(from), C.int(len(scale)), C.int(act), first(scale), first(shift), &to))
	}
	return register(to)
}

// attention appends act(attention(from) + add): w1 is [hidden][channels],
// w2 [channels][hidden], spatial [2][7][7] or nil.
func (c *compiler) attention(from, add register, channels, hidden int, act activation, w1, w2, spatial []float32) register {
	var to C.int
	if c.err == nil {
		c.err = message(C.model_attention(c.model, C.int(from), C.int(add), C.int(channels), C.int(hidden), C.int(act), first(w1), first(w2), first(spatial), &to))
	}
	return register(to)
}

// policy appends a policy head: weight is [size][64][channels], bias [size].
func (c *compiler) policy(from register, channels, size int, weight, bias []float32) {
	if c.err == nil {
		c.err = message(C.model_policy(c.model, C.int(from), C.int(channels), C.int(size), first(weight), first(bias)))
	}
}

// policyMaps appends a policy head whose logits are maps: weight is
// [maps][channels], bias [maps].
func (c *compiler) policyMaps(from register, channels int, weight, bias []float32) {
	if c.err == nil {
		c.err = message(C.model_policy_maps(c.model, C.int(from), C.int(channels), C.int(len(bias)), first(weight), first(bias)))
	}
}

// output is what a head of dense layers ends in.
type output C.int

const (
	tanhValue   output = C.ALAMOS_VALUE_TANH
	linearValue output = C.ALAMOS_VALUE_LINEAR
	wdlValue    output = C.ALAMOS_VALUE_WDL
	movesLeft   output = C.ALAMOS_MOVES_LEFT
)

// size is the number of outputs.
func (o output) size() int {
	if o == wdlValue {
		return 3
	}
	return 1
}

// head starts a head of dense layers: conv is the [channels] of a 1x1 convolution
// to one channel, with ReLU, or nil.
func (c *compiler) head(o output, from register, channels int, conv []float32, bias float32) {
	if c.err == nil {
		c.err = message(C.model_head(c.model, C.int(o), C.int(from), C.int(channels), first(conv), C.float(bias)))
	}
}

// dense appends a layer to the head started last: the output, unless it is hidden.
// weight is that of l, or of the maps in the order of the evaluator.
func (c *compiler) dense(l *dense, weight []float32, hidden bool) {
	if c.err == nil {
		c.err = message(C.model_dense(c.model, C.int(l.in), C.int(l.out), flag(hidden), first(weight), first(l.bias.data)))
	}
}

// activation is an activation function as our C++ knows it.
type activation C.int

const (
	identity activation = C.ALAMOS_IDENTITY
	relu     activation = C.ALAMOS_RELU
	mish     activation = C.ALAMOS_MISH
)

// Handles of the C side for the rest of the package.
type (
	nativeModel   = *C.alamos_model
	nativeSession = *C.alamos_session
	nativeTower   = *C.alamos_tower
)

func hasBF16() bool { return C.has_bf16() != 0 }

func freeModel(m nativeModel) { C.model_free(m) }

func newSession(m nativeModel) (nativeSession, error) {
	var s nativeSession
	err := message(C.session_new(m, &s))
	return s, err
}

// runSession evaluates the positions of q, n of them.
func runSession(s nativeSession, n int, q *buffers) error {
	return message(C.session_run(s, C.int(n), (*C.uint64_t)(unsafe.SliceData(q.planes)),
		(*C.int32_t)(unsafe.SliceData(q.offsets)), (*C.int32_t)(unsafe.SliceData(q.indices)),
		first(q.priors), first(q.values), first(q.wdl), first(q.movesLeft)))
}

func freeSession(s nativeSession) { C.session_free(s) }

func newTower(planes, width, convolutions int, device string, o *InferenceOptions) (nativeTower, error) {
	var t nativeTower
	name := evaluatorOf(device, o.generic)
	defer C.free(unsafe.Pointer(name))
	err := message(C.tower_new(C.int(o.Batch), C.int(planes), C.int(width), C.int(convolutions), flag(o.Precision == BF16), name, &t))
	return t, err
}

func runTower(t nativeTower) error { return message(C.tower_run(t)) }

func freeTower(t nativeTower) { C.tower_free(t) }
