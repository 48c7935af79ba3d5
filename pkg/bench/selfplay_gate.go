package bench

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// gate is where the workers of a self-play wait during the turns of others. They pass it
// with every batch. It is closed at first.
type gate struct {
	workers []*gated
	model   *nn.Model

	positions, places int // positions evaluated for workers, and slots in their batches

	mu        sync.Mutex
	changed   sync.Cond // signals changes of the fields below
	open      bool
	opened    time.Time
	round     int // number of times the gate was opened
	recording bool
	waiting   int
	ended     bool  // self-play has ended, so workers no longer wait
	failure   error // of the first network that failed
}

// gated is a worker's network behind a gate.
type gated struct {
	search.Net
	gate *gate

	evaluated int           // positions evaluated in total
	mark      int           // value of evaluated when the gate was opened
	spent     time.Duration // time from the opening until the worker returned to the closed gate

	recorded [][]*encode.Leaf // copies of the last requests, made while the gate records
}

// recordings is the number of batches that each worker keeps.
const recordings = 16

func newGate(nets []search.Net, model *nn.Model) *gate {
	g := &gate{model: model}
	g.changed.L = &g.mu
	for _, n := range nets {
		g.workers = append(g.workers, &gated{Net: n, gate: g})
	}
	return g
}

// nets returns the networks behind the gate.
func (g *gate) nets() []search.Net {
	nets := make([]search.Net, len(g.workers))
	for i, w := range g.workers {
		nets[i] = w
	}
	return nets
}

// fill returns the fraction of the slots in all counted batches that had a position.
func (g *gate) fill() Figure { return Figure(g.positions) / Figure(max(1, g.places)) }

// count counts the batches that the workers evaluate during do. Before and after it, the
// workers wait or have ended.
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
		w.gate.fail(err)
	}
	return err
}

// pass waits while the gate is closed and reports whether to record.
func (w *gated) pass() bool {
	g := w.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.open && !g.ended {
		w.spent = time.Since(g.opened)
		g.waiting++
		g.changed.Broadcast()
		// The loop compares rounds, because the gate may close again before this worker
		// wakes.
		for round := g.round; g.round == round && !g.ended; {
			g.changed.Wait()
		}
	}
	return g.recording
}

// record keeps copies of the last requests.
func (w *gated) record(leaves []*encode.Leaf) {
	batch := make([]*encode.Leaf, len(leaves))
	for i, l := range leaves {
		batch[i] = &encode.Leaf{Planes: slices.Clone(l.Planes), Indices: slices.Clone(l.Indices), Sign: l.Sign}
	}
	w.recorded = append(w.recorded, batch)
	w.recorded = w.recorded[max(0, len(w.recorded)-recordings):]
}

// stretch opens the gate for a time and returns when all workers are back. Each worker has
// then completed a whole number of rounds. Its speed is this work divided by its own time.
// ok is false if self-play or ctx ends, because there is no speed then.
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
	for _, w := range g.workers {
		work += w.evaluated - w.mark
		took += w.spent
	}
	return work, took / time.Duration(len(g.workers)), true
}

// alone makes each worker's network evaluate the recorded requests, without the worker. The
// workers must be waiting or have ended.
func (g *gate) alone(turn time.Duration) side {
	var evaluate []func() (int, error)
	for _, w := range g.workers {
		next := 0
		evaluate = append(evaluate, func() (int, error) {
			next = (next + 1) % len(w.recorded)
			return len(w.recorded[next]), w.Net.Evaluate(w.recorded[next])
		})
	}
	return sideBySide(turn, evaluate)
}

// gather closes the gate and waits for all workers. It then opens the gate if open is true.
// It returns false if the workers have ended.
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

// fail ends self-play with the error of a network.
func (g *gate) fail(err error) {
	g.mu.Lock()
	g.failure = cmp.Or(g.failure, err)
	g.mu.Unlock()
	g.end()
}

// end opens the gate permanently.
func (g *gate) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	g.changed.Broadcast()
}
