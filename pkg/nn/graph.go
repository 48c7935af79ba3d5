package nn

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// liveTensors counts the gotch tensors and scalars that this package owns.
var liveTensors atomic.Int64

// scope owns the tensors of one piece of work and frees them together. No libtorch memory
// is left to the garbage collector.
//
// The package uses only gotch functions that return an error, never the Must functions,
// which end the process. keep panics with a failure on an error, and caught converts the
// failure back to an error at the border of the package.
type scope struct {
	tensors []*ts.Tensor
	scalars []*ts.Scalar
}

// failure is the panic value of keep.
type failure struct{ err error }

// keep adds a tensor that gotch made to the scope.
func (s *scope) keep(t *ts.Tensor, err error) *ts.Tensor {
	must(err)
	liveTensors.Add(1)
	s.tensors = append(s.tensors, t)
	return t
}

func (s *scope) scalar(v float64) *ts.Scalar {
	x := ts.FloatScalar(v)
	liveTensors.Add(1)
	s.scalars = append(s.scalars, x)
	return x
}

// close frees everything in the scope.
func (s *scope) close() {
	for _, t := range s.tensors {
		must(t.Drop())
		liveTensors.Add(-1)
	}
	for _, x := range s.scalars {
		must(x.Drop())
		liveTensors.Add(-1)
	}
	*s = scope{}
}

// host returns the tensor in the processor's memory: t itself if it is there.
func (s *scope) host(t *ts.Tensor) *ts.Tensor { return s.keep(t.To(gotch.CPU, false)) }

func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// caught runs f and returns the failure of a panic as an error of one line, because
// libtorch's messages contain stack traces.
func caught(f func()) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case failure:
			err = fmt.Errorf("libtorch: %s", firstLine(x.err.Error()))
		default:
			panic(x)
		}
	}()
	f()
	return nil
}

// numbers returns the memory of a contiguous tensor on the CPU. It is valid as long as the
// tensor.
func numbers[T float32 | int64 | uint64](t *ts.Tensor) []T {
	p, err := t.DataPtr()
	must(err)
	return unsafe.Slice((*T)(p), t.Numel())
}

func floats(t *ts.Tensor) []float32 { return numbers[float32](t) }

// place is the device on which a graph computes, and its set of operations.
type place struct {
	device  string // one of Devices
	generic bool   // use only libtorch's operations, because ours run on the processor only
}

// gotch returns gotch's name of the device.
func (p place) gotch() gotch.Device {
	number, _ := strings.CutPrefix(p.device, CUDA+":")
	if i, err := strconv.Atoi(number); err == nil {
		return gotch.Device{Name: "CUDA", Value: i}
	}
	return gotch.CPU
}

// graph is a forward pass under construction, of one shard of a batch.
type graph struct {
	scope
	place
	params   map[*param]*ts.Tensor
	constant *ts.Tensor // bools that mark the constant planes if generic; nil if there are none
	places   *ts.Tensor // integers [1 or 2, PolicySize]: the places of the policy head; nil if it has none
	half     bool       // maps and their layers' parameters are bf16, but sums, norms and the value's layers are not
	training bool       // batch norm uses the statistics of the batch and updates the running ones
	momentum float64    // share of the statistics of the batch in the running ones
	folded   bool       // params are from freeze: inference with batch norm folded into the convolutions
	library  bool       // use libtorch's operations instead of ours; see BarePass

	listed  *Moves  // whose logits a sparse trunk's policy computes; nil: those of all moves
	late    late    // of a sparse trunk in training on the processor
	masks   masks   // for dropout
	barrier barrier // shared with the other shards; nil in evaluation
	shard   int
}

// single returns x in single precision.
func (g *graph) single(x *ts.Tensor) *ts.Tensor {
	if !g.half {
		return x
	}
	return g.keep(x.Totype(gotch.Float, false))
}

// like returns x in the precision of the maps.
func (g *graph) like(x *ts.Tensor) *ts.Tensor {
	if !g.half {
		return x
	}
	return g.keep(x.Totype(gotch.BFloat16, false))
}

// fill returns a tensor on the graph's device with the numbers that f writes.
func (g *graph) fill(f func([]float32), shape ...int) *ts.Tensor {
	t := g.keep(ts.Empty(int64s(shape), gotch.Float, gotch.CPU))
	f(floats(t))
	return g.placed(t)
}

// tensor copies numbers to a tensor [N].
func (g *graph) tensor(x []float32) *ts.Tensor {
	return g.fill(func(to []float32) { copy(to, x) }, len(x))
}

// integers copies integers to a tensor [N].
func (g *graph) integers(x []int64) *ts.Tensor {
	return g.placed(g.keep(ts.OfSlice(x)))
}

// placed moves a processor tensor to the graph's device.
func (g *graph) placed(t *ts.Tensor) *ts.Tensor {
	if g.device == CPU {
		return t
	}
	return g.keep(t.To(g.gotch(), false))
}

// number returns the number of a one-element tensor, or 0 for nil. It waits for the device.
func (g *graph) number(t *ts.Tensor) float64 {
	if t == nil {
		return 0
	}
	return float64(floats(g.host(t))[0])
}

func int64s[T int | int32](shape []T) []int64 {
	out := make([]int64, len(shape))
	for i, n := range shape {
		out[i] = int64(n)
	}
	return out
}
