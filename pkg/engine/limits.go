package engine

import (
	"cmp"
	"math"
	"time"
)

// limits are what ends a search.
type limits struct {
	visits   int           // of the root
	time     time.Duration // from when the clock runs; 0: none
	depth    int
	mate     int
	deadline time.Time // of time; zero: the clock does not run
	clock    bool      // time is a share of a clock: unused time is not lost
}

// endlessVisits is more than memory has room for.
const endlessVisits = 1_000_000_000

// limits reads them off the task. With several the first to be reached ends the
// search.
func (t *thought) limits() limits {
	task := &t.task
	l := limits{visits: endlessVisits, depth: task.Depth, mate: task.Mate}
	if task.Nodes > 0 {
		l.visits = int(min(task.Nodes, endlessVisits))
	}
	switch {
	case task.MoveTime > 0:
		l.time = max(time.Millisecond, task.MoveTime-t.settings.overhead)
	case task.HasClock[t.at.Turn()]:
		l.time = share(task.Clock[t.at.Turn()], task.Increment[t.at.Turn()], task.MovesToGo, t.settings.overhead)
		l.clock = true
	}
	if !task.Ponder {
		l.start(t.began)
	}
	return l
}

// start lets the clock run.
func (l *limits) start(now time.Time) {
	if l.time > 0 {
		l.deadline = now.Add(l.time)
	}
}

// share is how much of a clock a move may use: what is left, with the increments to
// come, divided by the moves to come, of which there are thought to be 30 always; at
// most half of what is left.
func share(left, increment time.Duration, movesToGo int, overhead time.Duration) time.Duration {
	const horizon = 30
	n := horizon
	if movesToGo > 0 {
		n = min(n, movesToGo)
	}
	left = max(0, left-overhead)
	use := (left + increment*time.Duration(n-1)) / time.Duration(n)
	if n > 1 {
		use = min(use, left/2)
	}
	return max(time.Millisecond, min(use, left))
}

// due tells whether it is time to look at the limits: a step may take a microsecond,
// and a look more. Where time plays no part it is at every step, so that chance has
// none either.
func (t *thought) due(l *limits) bool {
	if l.depth > 0 || l.mate > 0 {
		return true
	}
	now := time.Now()
	if now.Sub(t.checked) < time.Millisecond {
		return false
	}
	t.checked = now
	return true
}

// enough tells whether the search has what it was asked for.
func (t *thought) enough(l *limits) bool {
	root := t.tree.Root()
	if len(root) == 0 {
		return false // it has not begun
	}
	if len(root) == 1 && l.clock {
		return true // there is nothing to decide
	}
	if l.depth > 0 && len(t.tree.PV()) >= l.depth {
		return true
	}
	if n, ok := t.mate(t.tree.PV(), t.tree.Value(), t.tree.Exact()); ok && l.mate > 0 && n > 0 && n <= l.mate {
		return true
	}
	if l.deadline.IsZero() {
		return false
	}
	now := time.Now()
	if !now.Before(l.deadline) {
		return true
	}
	return l.clock && t.decided(now, l.deadline)
}

// decided tells whether the most visited move would stay so until the deadline at
// the pace of the search so far, even if all visits to come were those of the second.
func (t *thought) decided(now, deadline time.Time) bool {
	const early = 100 * time.Millisecond // the pace is not known yet
	spent := now.Sub(t.began)
	if spent < early || t.settings.temperature > 0 {
		return false
	}
	first, second, all := 0, 0, 0
	for _, e := range t.tree.Root() {
		all += e.Visits
		switch {
		case e.Visits > first:
			first, second = e.Visits, first
		case e.Visits > second:
			second = e.Visits
		}
	}
	pace := float64(all-t.kept) / spent.Seconds()
	return float64(first-second) > math.Ceil(pace*deadline.Sub(now).Seconds())
}

// mate is the number of moves to a result by force at the end of a line: positive
// where the side to move wins. Draws are none.
func (t *thought) mate(line []move, value float64, exact bool) (moves int, ok bool) {
	if !exact || value == 0 {
		return 0, false
	}
	n := (len(line) + 1) / 2
	return n * cmp.Compare(value, 0), true
}
