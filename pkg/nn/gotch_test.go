package nn

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// The gotch that this checkout builds with has the mends of pkg/nn/fit/gotch.go: each
// of these tests is named after one, and fails on gotch as published.

// growth returns by how many bytes the process grew while f ran n times, after as many
// runs that fill caches.
func growth(t *testing.T, n int, f func()) int {
	t.Helper()
	runtime.LockOSThread() // libtorch's and malloc's caches are per thread
	defer runtime.UnlockOSThread()
	for range n / 10 {
		f()
	}
	debug.FreeOSMemory()
	before := resident(t)
	for range n {
		f()
	}
	debug.FreeOSMemory()
	return resident(t) - before
}

// A leaked handle takes 32 bytes: these runs would leave twice what the process may grow.
const (
	leakRuns  = 300_000
	leakBytes = 5 << 20
)

func tensorOf(t testing.TB, values ...float32) *ts.Tensor {
	t.Helper()
	x, err := ts.OfSlice(values)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// inChild runs the test in a process of its own, with a memory and a home folder that no
// other test uses. It returns false in that process, which does the work.
func inChild(t *testing.T) bool {
	t.Helper()
	if os.Getenv("MENDED_CHILD") != "" {
		return false
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self, "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), "MENDED_CHILD=1", "HOME="+t.TempDir())
	if said, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	return true
}

func TestImportSideEffect(t *testing.T) {
	if inChild(t) {
		return
	}
	if _, err := os.Stat(gotch.CachedDir); !os.IsNotExist(err) {
		t.Errorf("importing gotch made %s (%v)", gotch.CachedDir, err)
	}
}

func TestSmallWrapper(t *testing.T) {
	x := tensorOf(t, 1, 2, 3)
	defer x.MustDrop()
	const n = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		x.MustShallowClone().MustDrop()
	}
	runtime.ReadMemStats(&after)
	if per := (after.TotalAlloc - before.TotalAlloc) / n; per > 2000 {
		t.Errorf("a tensor's Go side takes %d bytes, want at most 2000", per)
	}
}

// A tensor that Go no longer names is still live: only Drop frees it.
func TestNoTensorFinalizer(t *testing.T) {
	baseline := len(ts.ExistingTensors)
	const n = 100
	handles := make([]*ts.Tensor, 0, n)
	for range n {
		// A second wrapper's C handle stays valid only if the first wrapper,
		// which nothing names any more, is not finalized.
		x := tensorOf(t, 7)
		handles = append(handles, x.MustShallowClone())
	}
	collect()
	if have, want := len(ts.ExistingTensors)-baseline, 2*n; have != want {
		t.Errorf("%d tensors are live after a garbage collection, want %d", have, want)
	}
	for _, h := range handles {
		h.MustDrop()
	}
	if have := len(ts.ExistingTensors) - baseline; have != n {
		t.Errorf("%d tensors are live after dropping one half, want %d", have, n)
	}
}

func TestNoScalarFinalizer(t *testing.T) {
	if inChild(t) {
		return
	}
	baseline := len(ts.ExistingScalars)
	const n = 100
	kept := make([]*ts.Scalar, n)
	for i := range kept {
		kept[i] = ts.FloatScalar(float64(i))
		ts.IntScalar(int64(i)) // not kept, not dropped: live for ever
	}
	collect()
	if have, want := len(ts.ExistingScalars)-baseline, 2*n; have != want {
		t.Errorf("%d scalars are live after a garbage collection, want %d", have, want)
	}
	for _, s := range kept {
		s.MustDrop()
		if err := s.Drop(); err != nil {
			t.Errorf("second Drop: %v", err)
		}
	}
	if have := len(ts.ExistingScalars) - baseline; have != n {
		t.Errorf("%d scalars are live after dropping one half, want %d", have, n)
	}
	if grown := growth(t, leakRuns, func() { ts.FloatScalar(1).MustDrop() }); grown > leakBytes {
		t.Errorf("%d dropped scalars left %d bytes", leakRuns, grown)
	}
}

// collect runs the garbage collector and gives finalizers time to run: they
// would in the first round or two.
func collect() {
	for range 10 {
		runtime.GC()
		done := make(chan struct{})
		sentinel := new([64]byte)
		runtime.SetFinalizer(sentinel, func(*[64]byte) { close(done) })
		sentinel = nil
		runtime.GC()
		<-done // finalizers run one after the other on one goroutine
	}
}

func TestOutputHandle(t *testing.T) {
	if inChild(t) {
		return
	}
	x, y := tensorOf(t, 1, 2, 3), tensorOf(t, 4, 5, 6)
	defer x.MustDrop()
	defer y.MustDrop()
	baseline := len(ts.ExistingTensors)
	if grown := growth(t, leakRuns, func() { x.MustAdd(y, false).MustDrop() }); grown > leakBytes {
		t.Errorf("one output: %d operations left %d bytes", leakRuns, grown)
	}
	if grown := growth(t, leakRuns, func() {
		values, indices, err := x.TopK(2, 0, true, true)
		if err != nil {
			t.Fatal(err)
		}
		values.MustDrop()
		indices.MustDrop()
	}); grown > leakBytes {
		t.Errorf("two outputs: %d operations left %d bytes", leakRuns, grown)
	}
	if have := len(ts.ExistingTensors); have != baseline {
		t.Errorf("%d tensors are live, want the %d from before", have, baseline)
	}
}

// Four outputs do not fit into what malloc(0) gives: they overwrite its
// neighbor on the heap. Here, as published, the heap ends the process.
func TestOutputHandleManyOutputs(t *testing.T) {
	a := tensorOf(t, 2, 0, 0, 4, 1, 1).MustReshape([]int64{3, 2}, true)
	b := tensorOf(t, 2, 4, 2).MustReshape([]int64{3, 1}, true)
	defer a.MustDrop()
	defer b.MustDrop()
	for range 2000 {
		solution, residuals, rank, singular, err := a.LinalgLstsq(b, nil, "gelsd", false)
		if err != nil {
			t.Fatal(err)
		}
		if x := solution.Float64Values(); len(x) != 2 || x[0] < 0.99 || x[0] > 1.01 {
			t.Fatalf("least squares: %v", x)
		}
		for _, x := range []*ts.Tensor{solution, residuals, rank, singular} {
			x.MustDrop()
		}
	}
}

func TestOutputList(t *testing.T) {
	if inChild(t) {
		return
	}
	x := tensorOf(t, 1, 2, 3, 4, 5, 6)
	defer x.MustDrop()
	if grown := growth(t, leakRuns, func() {
		for _, part := range x.MustSplit(1, 0, false) {
			part.MustDrop()
		}
	}); grown > leakBytes {
		t.Errorf("%d splits left %d bytes", leakRuns, grown)
	}
}

// An in-place operation must not keep its tensor's data alive after Drop.
func TestInPlace(t *testing.T) {
	if inChild(t) {
		return
	}
	const n, size = 50, 1 << 20
	if grown := growth(t, n, func() {
		x := ts.MustZeros([]int64{size / 4}, gotch.Float, gotch.CPU)
		x.MustZero_()
		x.MustAdd_(x)
		x.MustDrop()
	}); grown > 10*size {
		t.Errorf("%d dropped tensors of %d bytes left %d bytes", n, size, grown)
	}
	x := tensorOf(t, 1, 2)
	defer x.MustDrop()
	y := tensorOf(t, 10, 20)
	defer y.MustDrop()
	same := x.MustShallowClone()
	defer same.MustDrop()
	x.MustAdd_(y)
	if have := same.Float64Values(); have[0] != 11 || have[1] != 22 {
		t.Errorf("a tensor that shares the data holds %v, want [11 22]", have)
	}
}

func TestWideInt(t *testing.T) {
	runtime.LockOSThread() // gradient mode is the thread's
	defer runtime.UnlockOSThread()
	start := ts.MustGradSetEnabled(true)
	defer ts.MustGradSetEnabled(start)
	state := true
	for i := range 100 {
		set := i%3 == 0
		if previous := ts.MustGradSetEnabled(set); previous != state {
			t.Fatalf("call %d: previous state %t, want %t", i, previous, state)
		}
		state = set
	}
	if n := (gotch.Cuda{}).DeviceCount(); n < 0 || n > 1024 {
		t.Errorf("%d CUDA devices", n)
	}
}

// A function that came to libtorch with 2.1 works, or says that it is lacking.
func TestStub(t *testing.T) {
	x := tensorOf(t, 5, 0, 7)
	defer x.MustDrop()
	y, err := x.NonzeroStatic(2, -1, false)
	if err != nil {
		if !strings.Contains(err.Error(), "nonzero_static: not in this libtorch") {
			t.Errorf("the error does not say what is lacking: %v", err)
		}
		return
	}
	defer y.MustDrop()
	if have := y.Float64Values(); len(have) != 2 || have[0] != 0 || have[1] != 2 {
		t.Errorf("places that are not zero: %v, want [0 2]", have)
	}
}
