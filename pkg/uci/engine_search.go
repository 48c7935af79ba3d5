package uci

import (
	"context"
	"math"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// Limits end a search: the first that is reached does, and so does the memory that
// the tree may have. The zero Limits ask the network alone.
type Limits struct {
	Visits int           // of the root's moves, with those kept from before; see Unlimited
	Time   time.Duration // 0: none
	Clock  bool          // Time is a share of a clock: what is not used of it is not lost
	Depth  int           // plies of the line of best play; 0: none
	Mate   int           // moves to a win by force that is good enough; 0: none

	Among []chess.Move // only these moves of the position; none: all

	// Infinite lets only the context end the search, and Ponder nothing else until Hit
	// is closed, when the clock begins to run.
	Infinite, Ponder bool
	Hit              <-chan struct{}
}

// Unlimited is more visits than memory has room for.
const Unlimited = 1_000_000_000

// Search thinks about the current position of g, which has legal moves, until the
// limits or ctx end it: at the latest soon after the network has been asked once, so
// that there is a move. It goes on from the search before where g does. The end of
// ctx is no error. Where it stands is told to tell, unless that is nil, as
// [Settings].Every says, whenever there is another best move, and at the end.
func (e *Engine) Search(ctx context.Context, g *chess.Game, l Limits, tell func(*Report)) error {
	if cfg := e.search(); e.tree == nil || e.cfg != cfg {
		e.tree, e.cfg = search.NewTree(cfg, 0), cfg // there is no noise: the seed decides nothing
	}
	if len(l.Among) > 0 || l.Visits == 0 { // visits of before would outweigh the network
		e.tree.Analyze(g, l.Among...)
	} else {
		e.tree.Follow(g)
	}
	t := &thought{Engine: e, limits: l, tell: tell, began: time.Now(), kept: e.tree.Visits()}
	e.tree.SetVisits(l.Visits)
	err := t.run(ctx)
	t.report(true)
	return err
}

// thought is a search under way.
type thought struct {
	*Engine
	limits   Limits
	tell     func(*Report)
	began    time.Time
	kept     int       // visits from the search before
	deadline time.Time // zero: the clock does not run

	checked time.Time // when the limits were looked at

	looked   time.Time // when a report was thought of
	told     time.Time
	toldBest chess.Move
}

// run searches until the limits or ctx end it.
func (t *thought) run(ctx context.Context) error {
	l := &t.limits
	var hit <-chan struct{}
	if l.Ponder {
		hit = l.Hit
	} else {
		t.start(t.began)
	}
	var stepper search.Stepper
	trees := []*search.Tree{t.tree}
	for {
		asked, err := stepper.Step(trees, t.mind.Eval)
		if err != nil {
			return err
		}
		if t.tree.Exact() {
			t.tree.SetVisits(0) // the visits that this has spared were not made
		}
		endless := l.Infinite || l.Ponder
		if asked == 0 && endless { // nothing is left to search, and still nobody wants the move
			t.report(true)
			select {
			case <-ctx.Done():
				return nil
			case <-hit:
				hit, l.Ponder = nil, false
				continue
			}
		}
		t.report(false)
		select {
		case <-ctx.Done():
			return nil
		case <-hit:
			hit, l.Ponder = nil, false
			t.start(time.Now())
		default:
		}
		if asked == 0 || !endless && t.due() && t.enough() {
			return nil
		}
	}
}

// start lets the clock run.
func (t *thought) start(now time.Time) {
	if t.limits.Time > 0 {
		t.deadline = now.Add(t.limits.Time)
	}
}

// due tells whether it is time to look at the limits: a step may take a microsecond,
// and a look more. Where time plays no part it is at every step, so that chance has
// none either.
func (t *thought) due() bool {
	if t.limits.Depth > 0 || t.limits.Mate > 0 {
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
func (t *thought) enough() bool {
	l := &t.limits
	if l.Clock && len(t.tree.Root()) == 1 {
		return true // there is nothing to decide
	}
	if l.Depth > 0 && len(t.tree.PV()) >= l.Depth {
		return true
	}
	if n := mate(t.tree.PV(), t.tree.Value(), t.tree.Exact()); l.Mate > 0 && n > 0 && n <= l.Mate {
		return true
	}
	if t.deadline.IsZero() {
		return false
	}
	now := time.Now()
	return !now.Before(t.deadline) || l.Clock && t.decided(now)
}

// decided tells whether the most visited move would stay so until the deadline at
// the pace of the search so far, even if all visits to come were those of the second.
func (t *thought) decided(now time.Time) bool {
	const early = 100 * time.Millisecond // the pace is not known yet
	spent := now.Sub(t.began)
	if spent < early || t.Temperature > 0 {
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
	return float64(first-second) > math.Ceil(pace*t.deadline.Sub(now).Seconds())
}
