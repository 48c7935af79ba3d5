package nn

import (
	"strings"
	"sync"
	"testing"

	"alamos/pkg/encode"
)

// onDesk is a model that evaluates as on a device.
func onDesk(t *testing.T, s Spec) *Model {
	n, _ := trained(t, s)
	return mustModel(t, n, onDevice(CPU, FP32))
}

// busy keeps all device workers of the processor busy until free is called.
func busy(t *testing.T) (free func()) {
	var held sync.WaitGroup
	held.Add(workersPer(CPU))
	release, workers := make(chan struct{}), workersOf(CPU)
	for range workersPer(CPU) {
		workers <- func(int) { held.Done(); <-release }
	}
	held.Wait()
	free = sync.OnceFunc(func() { close(release) })
	t.Cleanup(free)
	return free
}

// What several sessions ask is evaluated together, and each has its own answers.
func TestDeskGathers(t *testing.T) {
	s := tiny()
	m := onDesk(t, s)
	places := 2 * 16 * workersPer(CPU) // two batches for each thread
	if have := m.GameSlots(3); 3*have < places || 3*(have-1) >= places {
		t.Errorf("%d slots for each of 3 workers, want %d in all", have, places)
	}
	alone := mustSession(t, m)
	free := busy(t)
	const each, sessions = 3, 5 // 15 of the 16 places of a batch
	var wg sync.WaitGroup
	have := make([][]*encode.Leaf, sessions)
	errs := make([]error, sessions)
	for i := range have {
		have[i] = randomLeaves(uint64(i), s, each)
		session := mustSession(t, m)
		wg.Go(func() { errs[i] = session.Evaluate(have[i]) })
	}
	for all := false; !all; { // until all requests wait
		m.queues[0].mu.Lock()
		all = len(m.queues[0].waiting) == sessions
		m.queues[0].mu.Unlock()
	}
	free()
	wg.Wait()
	if positions, places := m.Work(); positions != each*sessions || places != 16 {
		t.Errorf("%d positions in %d places, want %d in 16", positions, places, each*sessions)
	}
	for i := range have {
		want := randomLeaves(uint64(i), s, each)
		if err := alone.Evaluate(want); err != nil || errs[i] != nil {
			t.Fatal(err, errs[i])
		}
		for j := range want {
			testClose(t, have[i][j], want[j])
		}
	}
}

// testClose compares two answers; a BLAS of the processor sums by another order in
// other company.
func testClose(t *testing.T, have, want *encode.Leaf) {
	t.Helper()
	close := func(a, b float32) bool { return a-b < 1e-5 && b-a < 1e-5 }
	ok := close(have.Value, want.Value) && len(have.Priors) == len(want.Priors)
	for i := range have.Priors {
		ok = ok && close(have.Priors[i], want.Priors[i])
	}
	if !ok {
		t.Errorf("answer %v %v, want %v %v", have.Value, have.Priors, want.Value, want.Priors)
	}
}

// More than a batch is divided, none at all is no work, and many sessions at once,
// with leaves that are not for the network among theirs, disturb nobody.
func TestDeskParallel(t *testing.T) {
	s := tiny()
	m := onDesk(t, s)
	want := randomLeaves(3, s, 100)
	if err := mustSession(t, m).Evaluate(want); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		session := mustSession(t, m)
		wg.Go(func() {
			for n := range 12 {
				leaves := randomLeaves(3, s, 100)[:n*i%101]
				if err := session.Evaluate(leaves); err != nil {
					t.Error(err)
				}
				for j, l := range leaves {
					testClose(t, l, want[j])
				}
				wrong := randomLeaves(1, s, 2)
				wrong[1].Planes = nil
				if err := session.Evaluate(wrong); err == nil || !strings.Contains(err.Error(), "leaf 1 has 0 planes") {
					t.Errorf("a leaf without planes: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

// A model is freed with its last session, and the device workers serve the next.
func TestDeskClosed(t *testing.T) {
	s := tiny()
	for range 3 {
		n, _ := trained(t, s)
		m, err := n.Compile(onDevice(CPU, FP32))
		if err != nil {
			t.Fatal(err)
		}
		session, err := m.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		m.Close()
		if err := session.Evaluate(randomLeaves(1, s, 40)); err != nil {
			t.Error(err)
		}
		session.Close()
		session.Close()
		if err := session.Evaluate(nil); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("a closed session: %v", err)
		}
		if len(m.queues[0].frozen.tensors) > 0 {
			t.Error("the model was not freed")
		}
	}
}
