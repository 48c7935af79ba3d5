package nn

// The operations of training that are ours, in cpp/training.h, for gotch's
// tensors. They are looked up as the evaluator is, see native.go.

/*
#cgo CFLAGS: -I${SRCDIR}/cpp
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include "training.h"

#define LOOKUP(name) ((typeof(&name))dlsym(RTLD_DEFAULT, #name))
#define CALL(name, ...) \
	static typeof(&name) f; \
	if (!f) f = LOOKUP(name); \
	return f(__VA_ARGS__)

static alamos_meeting *meeting_new(int shards) { CALL(alamos_meeting_new, shards); }
static void meeting_abort(alamos_meeting *m) { CALL(alamos_meeting_abort, m); }
static void meeting_free(alamos_meeting *m) { CALL(alamos_meeting_free, m); }
static void expand(int n, int count, const uint64_t *planes, const uint8_t *constant, int bf16, void *out) {
	CALL(alamos_expand, n, count, planes, constant, bf16, out);
}
static char *norm(alamos_meeting *m, int shard, const void *x, const void *gamma, const void *beta, const void *mean, const void *var, const void *add, int act, int training, double momentum, double epsilon, void **y) {
	CALL(alamos_norm, m, shard, x, gamma, beta, mean, var, add, act, training, momentum, epsilon, y);
}
static char *pool(const void *x, void **mean) { CALL(alamos_pool, x, mean); }
static char *gate(const void *x, const void *gates, void **out) { CALL(alamos_gate, x, gates, out); }
static char *add(const void *x, const void *y, int act, void **out) { CALL(alamos_add, x, y, act, out); }
static char *policy_loss(const void *logits, const int32_t *offsets, const int32_t *indices, const float *targets, double scale, void **loss) {
	CALL(alamos_policy_loss, logits, offsets, indices, targets, scale, loss);
}
static char *sgd(int shard, int shards, int count, void *const *weights, void *const *halves, void *const *momenta, void *const *leaves, double rate, double momentum, double decay) {
	CALL(alamos_sgd, shard, shards, count, weights, halves, momenta, leaves, rate, momentum, decay);
}
static char *adam(int shard, int shards, int count, void *const *weights, void *const *halves, void *const *means, void *const *squares, void *const *leaves, int64_t step, double rate, double beta1, double beta2, double epsilon, double decay, int decoupled) {
	CALL(alamos_adam, shard, shards, count, weights, halves, means, squares, leaves, step, rate, beta1, beta2, epsilon, decay, decoupled);
}
static char *expand_on(const char *device, int n, int count, const uint64_t *planes, const uint8_t *constant, int bf16, void **out) {
	CALL(alamos_expand_on, device, n, count, planes, constant, bf16, out);
}
static char *sgd_on(int count, void *const *weights, void *const *halves, void *const *momenta, void *const *leaves, double rate, double momentum, double decay) {
	CALL(alamos_sgd_on, count, weights, halves, momenta, leaves, rate, momentum, decay);
}
static char *adam_on(int count, void *const *weights, void *const *halves, void *const *means, void *const *squares, void *const *leaves, int64_t step, double rate, double beta1, double beta2, double epsilon, double decay, int decoupled) {
	CALL(alamos_adam_on, count, weights, halves, means, squares, leaves, step, rate, beta1, beta2, epsilon, decay, decoupled);
}
static char *copy_tensor(const void *to, const void *from) { CALL(alamos_copy, to, from); }
static char *forget_gradients(int count, void *const *leaves) { CALL(alamos_forget_gradients, count, leaves); }
*/
import "C"

import (
	"unsafe"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// meeting is where the shards of a batch wait for each other in a step.
type barrier = *C.alamos_meeting

func newBarrier(shards int) barrier { return C.meeting_new(C.int(shards)) }

func freeBarrier(m barrier) { C.meeting_free(m) }

// abortMeeting ends the waiting for a shard that failed.
func abortBarrier(m barrier) { C.meeting_abort(m) }

// input is the packed planes of n positions as maps [n, planes, 8, 8], channels
// last in memory: libtorch's convolutions are faster so, and keep that order.
func (g *graph) input(planes []uint64, constant []bool) *ts.Tensor {
	count := len(constant)
	n := len(planes) / count
	if g.generic {
		device := C.CString(deviceName(g.device))
		defer C.free(unsafe.Pointer(device))
		var out unsafe.Pointer
		must(message(C.expand_on(device, C.int(n), C.int(count), (*C.uint64_t)(unsafe.SliceData(planes)), first8(marksOf(constant)), flag(g.half), &out)))
		return g.keep(ts.FromCtensor(out), nil)
	}
	kind := gotch.Float
	if g.half {
		kind = gotch.BFloat16
	}
	t := g.keep(ts.Empty(int64s([]int{n, 8, 8, count}), kind, gotch.CPU))
	out, err := t.DataPtr()
	must(err)
	C.expand(C.int(n), C.int(count), (*C.uint64_t)(unsafe.SliceData(planes)), first8(marksOf(constant)), flag(g.half), out)
	return g.keep(t.Permute([]int64{0, 3, 1, 2}, false))
}

// ours tells whether the operations on maps are ours, and not libtorch's.
func (g *graph) ours() bool { return !g.library && !g.generic }

// norm is act(norm(x) + add), add nil for nothing, with the batch norm and the
// activation of l: of the statistics of the whole batch, not of this shard's part
// of it.
func (g *graph) norm(l *norm, x, add *ts.Tensor) *ts.Tensor {
	if !g.ours() {
		return g.libraryNorm(l, x, add)
	}
	var plus, y unsafe.Pointer
	if add != nil {
		plus = add.Ctensor()
	}
	must(message(C.norm(g.meeting, C.int(g.shard), x.Ctensor(),
		g.params[l.gamma].Ctensor(), g.params[l.beta].Ctensor(), g.params[l.mean].Ctensor(), g.params[l.variance].Ctensor(), plus,
		C.int(l.act), flag(g.training), normMomentum, normEpsilon, &y)))
	return g.keep(ts.FromCtensor(y), nil)
}

// pool is the means [N, channels] of maps over the squares, in single precision.
func (g *graph) pool(x *ts.Tensor) *ts.Tensor {
	if !g.ours() {
		return g.keep(x.MeanDim([]int64{2, 3}, false, gotch.Float, false))
	}
	var mean unsafe.Pointer
	must(message(C.pool(x.Ctensor(), &mean)))
	return g.keep(ts.FromCtensor(mean), nil)
}

// gate is maps times gates [N, channels] in single precision.
func (g *graph) gate(x, gates *ts.Tensor) *ts.Tensor {
	if !g.ours() {
		return g.keep(x.Mul(g.like(g.keep(g.keep(gates.Unsqueeze(2, false)).Unsqueeze(3, false))), false))
	}
	var out unsafe.Pointer
	must(message(C.gate(x.Ctensor(), gates.Ctensor(), &out)))
	return g.keep(ts.FromCtensor(out), nil)
}

// add is act(x + y).
func (g *graph) add(x, y *ts.Tensor, act activation) *ts.Tensor {
	if !g.ours() {
		return g.libraryActivate(g.keep(x.Add(y, false)), act)
	}
	var out unsafe.Pointer
	must(message(C.add(x.Ctensor(), y.Ctensor(), C.int(act), &out)))
	return g.keep(ts.FromCtensor(out), nil)
}

// libraryNorm is norm as libtorch has it: three operations, of the statistics of
// what is in x.
func (g *graph) libraryNorm(l *norm, x, add *ts.Tensor) *ts.Tensor {
	y := g.keep(ts.BatchNorm(x, g.params[l.gamma], g.params[l.beta], g.params[l.mean], g.params[l.variance], g.training, normMomentum, normEpsilon, false))
	if add != nil {
		y = g.keep(y.Add(add, false))
	}
	return g.libraryActivate(y, l.act)
}

// policyLoss is the cross entropy of logits to the targets of the batch, summed
// over its positions and multiplied by scale.
func (g *graph) policyLoss(logits *ts.Tensor, b *Batch, scale float64) *ts.Tensor {
	if g.generic {
		return g.libraryPolicyLoss(logits, b, scale)
	}
	var loss unsafe.Pointer
	must(message(C.policy_loss(logits.Ctensor(), (*C.int32_t)(unsafe.SliceData(b.Offsets)), (*C.int32_t)(unsafe.SliceData(b.Indices)),
		first(b.Policy), C.double(scale), &loss)))
	return g.keep(ts.FromCtensor(loss), nil)
}

// libraryPolicyLoss is policyLoss as libtorch has it.
func (g *graph) libraryPolicyLoss(logits *ts.Tensor, b *Batch, scale float64) *ts.Tensor {
	size, err := logits.Size()
	must(err)
	var places []int64 // of the moves with a target, among all logits
	var targets []float32
	for i := range b.N {
		for j := b.Offsets[i]; j < b.Offsets[i+1]; j++ {
			if b.Indices[j] >= 0 {
				places = append(places, int64(i)*size[1]+int64(b.Indices[j]))
				targets = append(targets, b.Policy[j])
			}
		}
	}
	logs := g.keep(g.keep(logits.LogSoftmax(1, gotch.Float, false)).View([]int64{-1}, false))
	picked := g.keep(logs.IndexSelect(0, g.integers(places), false))
	sum := g.keep(g.keep(picked.Mul(g.tensor(targets), false)).Sum(gotch.Float, false))
	return g.keep(sum.MulScalar(g.scalar(-scale), false))
}

// handles are tensors as C knows them.
type handles []unsafe.Pointer

func (h handles) first() *unsafe.Pointer { return unsafe.SliceData(h) }

// stepHandles are the tensors of a step, by parameter; leaves are those of all
// shards, one after the other, halves nil where there is none, and moments the
// arrays of the optimizer, of all parameters each.
type stepHandles struct {
	weights, halves, leaves handles
	moments                 []handles
	generic                 bool // of a device: see graph
}

// sgdStep is the part of a shard in a step: see alamos_sgd, and alamos_sgd_on.
func sgdStep(shard, shards int, h *stepHandles, o Optimizer, rate float64) {
	if h.generic {
		must(message(C.sgd_on(C.int(len(h.weights)), h.weights.first(), h.halves.first(), h.moments[0].first(), h.leaves.first(),
			C.double(rate), C.double(o.Momentum), C.double(o.WeightDecay))))
		return
	}
	must(message(C.sgd(C.int(shard), C.int(shards), C.int(len(h.weights)),
		h.weights.first(), h.halves.first(), h.moments[0].first(), h.leaves.first(),
		C.double(rate), C.double(o.Momentum), C.double(o.WeightDecay))))
}

// adamStep is the part of a shard in a step: see alamos_adam, and alamos_adam_on.
func adamStep(shard, shards int, h *stepHandles, o Optimizer, step int64, rate float64) {
	if h.generic {
		must(message(C.adam_on(C.int(len(h.weights)), h.weights.first(), h.halves.first(), h.moments[0].first(), h.moments[1].first(), h.leaves.first(),
			C.int64_t(step), C.double(rate), C.double(o.Beta1), C.double(o.Beta2), C.double(o.Epsilon), C.double(o.WeightDecay), flag(o.Kind == AdamW))))
		return
	}
	must(message(C.adam(C.int(shard), C.int(shards), C.int(len(h.weights)),
		h.weights.first(), h.halves.first(), h.moments[0].first(), h.moments[1].first(), h.leaves.first(), C.int64_t(step),
		C.double(rate), C.double(o.Beta1), C.double(o.Beta2), C.double(o.Epsilon), C.double(o.WeightDecay), flag(o.Kind == AdamW))))
}

// copyTensor copies numbers, converted to the type of the target.
func copyTensor(to, from *ts.Tensor) { must(message(C.copy_tensor(to.Ctensor(), from.Ctensor()))) }

// forgetGradients drops the gradients of tensors.
func dropGradients(leaves handles) {
	must(message(C.forget_gradients(C.int(len(leaves)), leaves.first())))
}
