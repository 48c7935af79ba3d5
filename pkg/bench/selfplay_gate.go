package bench

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// gate is where the workers of one self-play wait while others have their turn.
// They pass it with every batch. It is closed at first.
type gate struct {
	workers []*gated
	model   *nn.Model

	positions, places int // evaluated for workers, and what there was room for

	mu        sync.Mutex
	changed   sync.Cond // of what follows
	open      bool
	opened    time.Time
	round     int // how often it was opened
	recording bool
	waiting   int
	ended     bool // self-play is over or breaks off: nobody waits any more
}

// gated is a worker's network behind a gate.
type gated struct {
	search.Net
	gate *gate

	evaluated int           // positions so far
	mark      int           // evaluated when the gate was opened
	spent     time.Duration // from then until the worker came back to the closed gate

	recorded [][]*encode.Leaf // copies of the last questions while the gate says so
}

// recordings is how many batches of a worker are kept.
const recordings = 16

func newGate(nets []search.Net, model *nn.Model) *gate {
	g := &gate{model: model}
	g.changed.L = &g.mu
	for _, n := range nets {
		g.workers = append(g.workers, &gated{Net: n, gate: g})
	}
	return g
}

// nets are the networks behind the gate.
func (g *gate) nets() []search.Net {
	nets := make([]search.Net, len(g.workers))
	for i, w := range g.workers {
		nets[i] = w
	}
	return nets
}

// fill is the share of the places in all batches counted so far that had a position.
func (g *gate) fill() float64 { return float64(g.positions) / float64(max(1, g.places)) }

// count counts the batches of what the workers do. They wait, or are gone, before and
// after.
func (g *gate) count(do func()) {
	positions, places := g.model.Work()
	do()
	now, nowPlaces := g.model.Work()
	g.positions += now - positions
	g.places += nowPlaces - places
}

func (w *gated) Evaluate(leaves []*encode.Leaf) error {
	if w.pass() {
		w.record(leaves)
	}
	w.evaluated += len(leaves)
	err := w.Net.Evaluate(leaves)
	if err != nil {
		w.gate.end()
	}
	return err
}

// pass waits while the gate is closed and tells whether to record.
func (w *gated) pass() bool {
	g := w.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.open && !g.ended {
		w.spent = time.Since(g.opened)
		g.waiting++
		g.changed.Broadcast()
		// Not until it is open: it may be closed again before this worker wakes.
		for round := g.round; g.round == round && !g.ended; {
			g.changed.Wait()
		}
	}
	return g.recording
}

func (w *gated) record(leaves []*encode.Leaf) {
	if len(w.recorded) == recordings {
		w.recorded = w.recorded[1:]
	}
	w.recorded = append(w.recorded, copies(leaves))
}

// copies are the same questions.
func copies(leaves []*encode.Leaf) []*encode.Leaf {
	batch := make([]*encode.Leaf, len(leaves))
	for i, l := range leaves {
		batch[i] = &encode.Leaf{
			Planes: slices.Clone(l.Planes), Indices: slices.Clone(l.Indices), Sign: l.Sign,
		}
	}
	return batch
}

// stretch opens the gate for a time, and returns when all workers are back. Each
// has then gone round a whole number of times, so that nothing of a round is left
// out; its speed is that in the time which it needed for them itself. When
// self-play or ctx ends there is no speed: ok is false.
func (g *gate) stretch(ctx context.Context, d time.Duration) (work int, took time.Duration, ok bool) {
	stop := context.AfterFunc(ctx, g.end)
	defer stop()
	if !g.gather(false) {
		return 0, 0, false
	}
	g.count(func() {
		if !g.gather(true) {
			return
		}
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		ok = g.gather(false)
	})
	if !ok {
		return 0, 0, false
	}
	var all joint
	for _, w := range g.workers {
		all.add(w.evaluated-w.mark, w.spent)
	}
	return all.work, all.took(), true
}

// alone lets each worker's network, without the worker, answer what was recorded,
// for a time. It is for when the workers wait, or are gone.
func (g *gate) alone(ctx context.Context, d time.Duration) (work int, took time.Duration, err error) {
	var all joint
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, w := range g.workers {
		wg.Go(func() {
			n, began, failed := 0, time.Now(), error(nil)
			for i := 0; failed == nil && time.Since(began) < d; i++ {
				batch := w.recorded[i%len(w.recorded)]
				n += len(batch)
				failed = errors.Join(context.Cause(ctx), w.Net.Evaluate(batch))
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(n, time.Since(began))
			err = errors.Join(err, failed)
		})
	}
	wg.Wait()
	return all.work, all.took(), err
}

// joint adds up what workers do side by side, each measured for itself.
type joint struct {
	work  int
	speed float64
}

func (j *joint) add(work int, took time.Duration) {
	j.work += work
	j.speed += float64(work) / max(took, time.Nanosecond).Seconds()
}

// took is the time in which the work is done at the joint speed.
func (j *joint) took() time.Duration {
	return time.Duration(float64(j.work) / j.speed * float64(time.Second))
}

// gather closes the gate and waits for all workers; then it opens it, if asked to.
// It returns false when they do not come any more.
func (g *gate) gather(open bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = false
	for g.waiting < len(g.workers) && !g.ended {
		g.changed.Wait()
	}
	if g.ended {
		return false
	}
	if open {
		for _, w := range g.workers {
			w.mark = w.evaluated
		}
		g.open, g.opened, g.waiting = true, time.Now(), 0
		g.round++
		g.changed.Broadcast()
	}
	return true
}

// end opens the gate for good.
func (g *gate) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	g.changed.Broadcast()
}
