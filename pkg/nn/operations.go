package nn

// #include <stdlib.h>
// #include "alamos.h"
import "C"

import (
	"unsafe"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// Operations of a graph on maps. Each is ours if the graph computes on the processor,
// otherwise it is composed of libtorch's own.

// ours reports whether the operations on maps are ours instead of libtorch's.
func (g *graph) ours() bool { return !g.library && !g.generic }

// made adds the tensor that f, a function of our C++, makes to the scope.
func (s *scope) made(f func(out *unsafe.Pointer) *C.char) *ts.Tensor {
	var out unsafe.Pointer
	must(message(f(&out)))
	return s.keep(ts.FromCtensor(out), nil)
}

// optional returns the handle of a tensor, or nil.
func optional(t *ts.Tensor) unsafe.Pointer {
	if t == nil {
		return nil
	}
	return t.Ctensor()
}

// input expands the packed planes of n positions to maps [n, planes, 8, 8]. They are
// channels-last in memory, because libtorch's convolutions are faster with this order and
// preserve it.
func (g *graph) input(planes []uint64, constant []bool) *ts.Tensor {
	count := len(constant)
	n := len(planes) / count
	if g.generic {
		words := g.keep(ts.Empty(int64s([]int{n, count}), gotch.Int64, gotch.CPU))
		copy(numbers[uint64](words), planes)
		return g.expand(g.placed(words))
	}
	kind := gotch.Float
	if g.half {
		kind = gotch.BFloat16
	}
	t := g.keep(ts.Empty(int64s([]int{n, 8, 8, count}), kind, gotch.CPU))
	out, err := t.DataPtr()
	must(err)
	C.alamos_expand(C.int(n), C.int(count), uint64s(planes), bytesOf(marks(constant)), flag(g.half), out)
	return g.keep(t.Permute([]int64{0, 3, 1, 2}, false))
}

// expand expands packed planes, words [n, planes] on the graph's device, to maps.
func (g *graph) expand(words *ts.Tensor) *ts.Tensor {
	return g.made(func(out *unsafe.Pointer) *C.char {
		return C.alamos_expand_on(words.Ctensor(), optional(g.constant), flag(g.half), out)
	})
}

// conv is a convolution that preserves the size of maps. bias may be nil.
func (g *graph) conv(x *ts.Tensor, weight, bias *param) *ts.Tensor {
	b := ts.None
	if bias != nil {
		b = g.params[bias]
	}
	pad := int64(weight.shape[3] / 2)
	return g.keep(ts.Conv2d(x, g.params[weight], b, []int64{1, 1}, []int64{pad, pad}, []int64{1, 1}, 1))
}

// convolve computes act(conv(x) + add) in inference. add may be nil.
func (g *graph) convolve(x *ts.Tensor, weight, bias *param, add *ts.Tensor, act activation) *ts.Tensor {
	return g.made(func(out *unsafe.Pointer) *C.char {
		return C.alamos_convolve(x.Ctensor(), g.params[weight].Ctensor(), g.params[bias].Ctensor(), optional(add), C.int(act), out)
	})
}

// norm computes act(norm(x) + add). add may be nil. Our operation uses the statistics of
// the whole batch, libtorch's those of x.
func (g *graph) norm(l *norm, x, add *ts.Tensor, act activation) *ts.Tensor {
	gamma, beta, mean, variance := g.params[l.gamma], g.params[l.beta], g.params[l.mean], g.params[l.variance]
	if g.ours() {
		return g.made(func(out *unsafe.Pointer) *C.char {
			return C.alamos_norm(g.barrier, C.int(g.shard), x.Ctensor(), gamma.Ctensor(), beta.Ctensor(), mean.Ctensor(), variance.Ctensor(), optional(add),
				C.int(act), flag(g.training), C.double(g.momentum), normEpsilon, out)
		})
	}
	y := g.keep(ts.BatchNorm(x, gamma, beta, mean, variance, g.training, g.momentum, normEpsilon, false))
	if add != nil {
		y = g.keep(y.Add(add, false))
	}
	return g.activate(y, act)
}

// add computes act(x + y).
func (g *graph) add(x, y *ts.Tensor, act activation) *ts.Tensor {
	if !g.ours() {
		return g.activate(g.keep(x.Add(y, false)), act)
	}
	return g.made(func(out *unsafe.Pointer) *C.char {
		return C.alamos_add(x.Ctensor(), y.Ctensor(), C.int(act), out)
	})
}

// activate computes act(x) with libtorch.
func (g *graph) activate(x *ts.Tensor, act activation) *ts.Tensor {
	switch act {
	case relu:
		return g.keep(x.Relu(false))
	case mish: // libtorch has this operation in single precision only
		return g.keep(g.keep(g.single(x).Mish(false)).Totype(x.DType(), false))
	case swish:
		return g.keep(x.Silu(false))
	case squaredReLU:
		return g.keep(g.keep(x.Relu(false)).Square(false))
	default:
		return x
	}
}

// pool computes the means [N, channels] of maps over the squares, in single precision.
func (g *graph) pool(x *ts.Tensor) *ts.Tensor {
	if !g.ours() {
		return g.keep(x.MeanDim([]int64{2, 3}, false, gotch.Float, false))
	}
	return g.made(func(out *unsafe.Pointer) *C.char {
		return C.alamos_pool(x.Ctensor(), out)
	})
}

// gate multiplies maps by gates [N, channels], in single precision.
func (g *graph) gate(x, gates *ts.Tensor) *ts.Tensor {
	if !g.ours() {
		return g.keep(x.Mul(g.like(g.keep(g.keep(gates.Unsqueeze(2, false)).Unsqueeze(3, false))), false))
	}
	return g.made(func(out *unsafe.Pointer) *C.char {
		return C.alamos_gate(x.Ctensor(), gates.Ctensor(), out)
	})
}

// gather returns logits [N, PolicySize], the sums of the numbers at their places in x [N, F].
func (g *graph) gather(x *ts.Tensor) *ts.Tensor {
	if g.ours() {
		return g.made(func(out *unsafe.Pointer) *C.char {
			return C.alamos_gather(x.Ctensor(), g.places.Ctensor(), out)
		})
	}
	size, err := g.places.Size()
	must(err)
	if size[0] > 1 { // a 0 after the numbers is for no second place
		x = g.keep(x.ConstantPadNd([]int64{0, 1}, false))
	}
	var sum *ts.Tensor
	for row := range size[0] {
		part := g.columns(x, g.keep(g.places.Select(0, row, false)))
		if sum != nil {
			part = g.keep(sum.Add(part, false))
		}
		sum = part
	}
	return sum
}

// columns returns those columns of x [N, F] that places [P] names, [N, P]. In training they are
// rows of an embedding: on a graphics card the gradient of libtorch's index_select adds up what
// is of one place in an order of chance.
func (g *graph) columns(x, places *ts.Tensor) *ts.Tensor {
	if !g.training {
		return g.keep(x.IndexSelect(1, places, false))
	}
	table := g.keep(g.keep(x.Transpose(0, 1, false)).Contiguous(false))
	rows := g.keep(ts.Embedding(table, places, -1, false, false))
	return g.keep(g.keep(rows.Transpose(0, 1, false)).Contiguous(false))
}

// policyLoss returns the cross entropy of logits to the targets of moves, summed over
// the positions and multiplied by scale. The softmax is over the legal moves if legal,
// otherwise over all.
func (g *graph) policyLoss(logits *ts.Tensor, b *Moves, legal bool, scale float64) *ts.Tensor {
	if g.generic {
		return g.libraryPolicyLoss(logits, b, legal, scale)
	}
	if size, err := logits.Size(); err == nil && len(size) == 1 {
		b = b.places()
	}
	return g.made(func(out *unsafe.Pointer) *C.char {
		return C.alamos_policy_loss(logits.Ctensor(), C.int(len(b.Offsets)-1), int32s(b.Offsets), int32s(b.Indices), float32s(b.Policy), flag(legal), C.double(scale), out)
	})
}

// libraryPolicyLoss is policyLoss with libtorch's operations. It gathers the logits of the
// legal moves in a table [N, most], padded where a position has fewer moves.
func (g *graph) libraryPolicyLoss(logits *ts.Tensor, b *Moves, legal bool, scale float64) *ts.Tensor {
	size, err := logits.Size()
	must(err)
	n, most := len(b.Offsets)-1, 1
	for i := range n {
		most = max(most, int(b.Offsets[i+1]-b.Offsets[i]))
	}
	places := make([]int64, n*most) // among all logits
	targets, padding := make([]float32, n*most), make([]float32, n*most)
	for i := range padding {
		padding[i] = -1e30 // not infinity, whose product with a target of 0 is not a number
	}
	for i := range n {
		from := b.Offsets[i]
		for j := from; j < b.Offsets[i+1]; j++ {
			if b.Indices[j] >= 0 {
				at := i*most + int(j-from)
				places[at], targets[at], padding[at] = int64(i)*size[1]+int64(b.Indices[j]), b.Policy[j], 0
			}
		}
	}
	if !legal {
		logits = g.keep(logits.LogSoftmax(1, gotch.Float, false))
	}
	logs := g.keep(g.keep(logits.View([]int64{-1}, false)).IndexSelect(0, g.integers(places), false))
	if legal {
		table := g.keep(g.keep(logs.Add(g.tensor(padding), false)).View([]int64{int64(n), int64(most)}, false))
		logs = g.keep(g.keep(table.LogSoftmax(1, gotch.Float, false)).View([]int64{-1}, false))
	}
	sum := g.keep(g.keep(logs.Mul(g.tensor(targets), false)).Sum(gotch.Float, false))
	return g.keep(sum.MulScalar(g.scalar(-scale), false))
}

// barrier is where the shards of a batch wait for each other in a step.
type barrier = *C.alamos_barrier

func newBarrier(shards int) barrier { return C.alamos_barrier_new(C.int(shards)) }

func freeBarrier(b barrier) { C.alamos_barrier_free(b) }

// abortBarrier releases the shards that wait for a failed one.
func abortBarrier(b barrier) { C.alamos_barrier_abort(b) }

// handles are tensors in the form that C takes.
type handles []unsafe.Pointer

func (h handles) first() *unsafe.Pointer { return unsafe.SliceData(h) }

func dropGradients(leaves handles) {
	must(message(C.alamos_drop_gradients(C.int(len(leaves)), leaves.first())))
}

// copyTensor copies numbers and converts them to the type of the target.
func copyTensor(to, from *ts.Tensor) { must(message(C.alamos_copy(to.Ctensor(), from.Ctensor(), 1))) }

// startCopy starts a copy from or to the thread's device; see waitFor.
func startCopy(to, from *ts.Tensor) { must(message(C.alamos_copy(to.Ctensor(), from.Ctensor(), 0))) }

// withName calls f with the C name of a device.
func withName(device string, f func(*C.char) *C.char) error {
	name := C.CString(device)
	defer C.free(unsafe.Pointer(name))
	return message(f(name))
}

// checkDevice checks that a device exists, and configures how it computes.
func checkDevice(device string) error {
	return withName(device, func(name *C.char) *C.char { return C.alamos_device_check(name) })
}

// enterDevice gives the OS thread its own permanent stream on a device.
func enterDevice(device string) error {
	return withName(device, func(name *C.char) *C.char { return C.alamos_device_enter(name) })
}

// waitFor waits until a device has finished the work of the OS thread.
func waitFor(device string) {
	must(withName(device, func(name *C.char) *C.char { return C.alamos_device_wait(name) }))
}

// transferMemory returns a tensor of zeros in processor memory that the device reads and
// writes directly.
func (s *scope) transferMemory(device string, n int, kind gotch.DType) *ts.Tensor {
	name := C.CString(device)
	defer C.free(unsafe.Pointer(name))
	return s.made(func(out *unsafe.Pointer) *C.char {
		return C.alamos_transfer_memory(name, C.int64_t(n), flag(kind == gotch.Float), out)
	})
}

// send starts a copy of a tensor to the graph's device.
func (g *graph) send(t *ts.Tensor) *ts.Tensor {
	name := C.CString(g.device)
	defer C.free(unsafe.Pointer(name))
	return g.made(func(out *unsafe.Pointer) *C.char { return C.alamos_send(t.Ctensor(), name, out) })
}
