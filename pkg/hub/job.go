package hub

import (
	"slices"
	"time"
)

// Job is work for a hub: items by their numbers.
type Job struct {
	Spec  []byte   // tells a worker what to do
	Files [][]byte // that Spec names by their SHA-256
	Todo  []int    // numbers of the items whose results are missing
	Needs Kind     // what the kind of every worker must have; may be nil
	Kind  Kind     // what the kind of a worker must have, as the results that exist; may be nil
	Any   bool     // workers may be of different kinds
	// Recheck is the share of the results that a second worker computes again, if there is one
	// with another key.
	Recheck float64
	// Begin is called before Take, with the kind of the first worker. The others are of this kind,
	// unless any will do. It may be nil.
	Begin func(Kind) error
	// Take keeps a result. It is called again for an item whose result turns out to be wrong. It
	// refuses one that cannot be right, and fails if it cannot keep it, which ends the job.
	Take func(number int, result []byte, of Kind) (refused, failed error)
}

// minPatience is the least patience of a job.
const minPatience = 2 * time.Second

// job is a job in progress.
type job struct {
	*Job
	name     string   // SHA-256 of the specification
	files    []string // SHA-256 of what workers read
	kind     Kind     // nil: not known yet
	items    map[int]*item
	fresh    []int // items that nobody has, and some that are done
	out      []handed
	sums     map[int]string // of the results that were taken by this hub
	by       map[int]string // keys of the workers that computed them
	checks   map[int]*check // results that are computed again
	verified int
	failures int
	mean     float64   // seconds from handing out an item to its result
	done     time.Time // when the last item got its result; zero: some have none
	ended    chan error
}

// item is an item without a result.
type item struct{ holders []*worker }

// handed is an item that was handed out.
type handed struct {
	number int
	to     *worker
	at     time.Time
}

// end ends a job.
func (j *job) end(err error) {
	select {
	case j.ended <- err:
	default: // it has ended
	}
}

// patience is the age of an item that another worker may compute too.
func (j *job) patience() time.Duration {
	return max(minPatience, time.Duration(2*j.mean*float64(time.Second)))
}

// give hands out items to a worker: a share of those that nobody has, so that the others get
// their part, or, if the worker has none and may repeat, the oldest of the others' items that were
// handed out once.
func (j *job) give(w *worker, room, workers int, repeat bool) (numbers []int) {
	now := time.Now()
	hand := func(n int) {
		it := j.items[n]
		it.holders = append(it.holders, w)
		w.held[n] = now
		j.out = append(j.out, handed{n, w, now})
		numbers = append(numbers, n)
	}
	numbers = j.recheck(w, min(room, mostItems))
	for most := min(room, mostItems, len(j.fresh)/(2*max(1, workers))+1); len(numbers) < most && len(j.fresh) > 0; {
		n := j.fresh[0]
		j.fresh = j.fresh[1:]
		if it := j.items[n]; it != nil && len(it.holders) == 0 {
			hand(n)
		}
	}
	if len(numbers) > 0 || room == 0 || len(w.held) > 0 || !repeat { // what another worker has too is work for nothing, mostly
		return numbers
	}
	patience := j.patience()
	var keep []handed
	looked := 0
	for ; looked < len(j.out) && now.Sub(j.out[looked].at) > patience && len(numbers) < min(room, mostItems); looked++ {
		first := j.out[looked]
		switch it := j.items[first.number]; {
		case it == nil || !slices.Contains(it.holders, first.to): // done, or handed out again
		case first.to == w:
			keep = append(keep, first)
		case len(it.holders) == 1:
			hand(first.number)
		}
	}
	j.out = j.out[looked-len(keep):]
	copy(j.out, keep)
	return numbers
}

// reconcile compares the items that a worker holds with those that it was given: replies may be
// lost, and a hub that was started again knows of none.
func (j *job) reconcile(w *worker, held []int) {
	now := time.Now()
	for _, n := range held {
		if it := j.items[n]; it != nil && !slices.Contains(it.holders, w) {
			it.holders = append(it.holders, w)
			w.held[n] = now
			j.out = append(j.out, handed{n, w, now})
		}
	}
	for n, at := range w.held {
		if now.Sub(at) > minPatience && !slices.Contains(held, n) {
			j.release(w, n)
		}
	}
}

// release takes an item from a worker.
func (j *job) release(w *worker, n int) {
	delete(w.held, n)
	it := j.items[n]
	if it == nil {
		return
	}
	it.holders = slices.DeleteFunc(it.holders, func(other *worker) bool { return other == w })
	switch len(it.holders) {
	case 0:
		j.fresh = append(j.fresh, n)
	case 1: // it may be handed out a second time again
		j.out = append(j.out, handed{n, it.holders[0], time.Now()})
	}
}

// leave takes a worker from its job.
func (w *worker) leave() {
	if w.job != nil {
		for n := range w.held {
			w.job.release(w, n)
		}
	}
	w.job = nil
	clear(w.held)
}
