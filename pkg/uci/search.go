package uci

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// Report describes a running search. Values are from the view of the side to move.
type Report struct {
	Value  float64     // of the position, -1 to 1
	Exact  bool        // Value is a proven result
	WDL    *[3]float64 // probabilities of win, draw and loss; nil if unknown or not asked for
	Mate   int         // moves to the forced end of Value: negative if the side to move loses, 0 if none is known
	Tree   bool        // lines have visits and priors
	Visits int         // of the root's moves, including those kept from the previous search; otherwise evaluated positions
	Depth  int         // length of the longest line in plies; of an engine, the depth that it names
	Time   time.Duration
	Speed  float64 // visits per second
	Full   float64 // fraction of the memory that the tree may have
	Lines  []Line  // the best first, at most Settings.MultiPV
	Last   bool    // the search has ended, or nothing is left to search
}

// Line is a principal variation.
type Line struct {
	search.Edge
	Moves []chess.Move // the expected moves, beginning with this one
	Mate  int          // as in Report
	WDL   *[3]float64  // after this move; nil if unknown or not asked for
}

// unlimited is more visits than fit into memory.
const unlimited = 1_000_000_000

// Search searches the current position of g, which has legal moves, until the task's limits
// or ctx end it, but at least until the network has evaluated the position, so that there
// is a move. It reuses the previous tree if g continues its game. The end of ctx is no
// error. Search calls report, unless it is nil, at the interval [Settings].Every, whenever
// the best move changes, and at the end.
func (e *Engine) Search(ctx context.Context, g *chess.Game, task Task, report func(*Report)) error {
	began := time.Now()
	cfg := e.Config
	cfg.Bytes = e.Hash << 20
	if e.PolicyOnly {
		cfg.Solver, cfg.Lookahead = false, 0
	}
	if e.tree == nil || e.cfg != cfg {
		e.tree, e.cfg = search.NewTree(cfg, 0), cfg // without noise, the seed has no effect
	}
	visits := unlimited
	switch {
	case e.PolicyOnly:
		visits = 0
	case task.Nodes > 0:
		visits = int(min(task.Nodes, unlimited))
	}
	e.tree.SetVisits(visits)
	if len(task.SearchMoves) > 0 || e.PolicyOnly { // earlier visits would outweigh the network
		e.tree.Analyze(g, task.SearchMoves...)
	} else {
		e.tree.Follow(g)
	}
	r := &running{Engine: e, task: task, send: report, began: began, kept: e.tree.Visits()}
	r.time, r.clock = task.Time(g.Position().Turn(), e.Overhead)
	err := r.run(ctx)
	r.report(true)
	return err
}

// Think searches like [Engine.Search]. It returns the move to play and the expected reply,
// or 0 if there is none. The move is the most visited one, or a random one while the
// temperature applies. Without visits it is that of the priors. If the search fails before it
// evaluates the position, the move is the first legal one, because any move is better than
// none.
func (e *Engine) Think(ctx context.Context, g *chess.Game, task Task, report func(*Report)) (best, ponder chess.Move, err error) {
	if err = e.Search(ctx, g, task, report); err != nil {
		err = fmt.Errorf("the search ended: %w", err)
	}
	power := math.Inf(1)
	if e.Temperature > 0 && (e.TemperaturePlies == 0 || g.Ply() < e.TemperaturePlies) {
		power = 1 / e.Temperature
	}
	if best = e.tree.Choose(power, e.rng); best == 0 {
		var l chess.MoveList
		if g.Position().LegalMoves(&l); l.Len() > 0 {
			best = l.At(0)
		}
		return best, 0, err
	}
	if line := e.tree.PVOf(best); len(line) > 1 {
		ponder = line[1]
	}
	return best, ponder, err
}

// share returns the time on a clock that a move may use: the time left and the future
// increments, divided by the number of remaining moves, at most 30. It is at most half of
// the time left unless this is the last move.
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

// running is the state of a running search.
type running struct {
	*Engine
	task     Task
	time     time.Duration // time limit of the search; 0 means none
	clock    bool          // time is a share of a clock, so unused time is not lost
	send     func(*Report)
	began    time.Time
	kept     int       // visits from the previous search
	deadline time.Time // zero while the clock does not run

	checked time.Time // time of the last check of the limits

	looked   time.Time     // time of the last check for a new best move
	sent     time.Time     // time of the last report
	took     time.Duration // of that report: WDL walks the whole tree
	sentBest chess.Move
}

// run searches until the limits or ctx end it.
func (r *running) run(ctx context.Context) error {
	var hit <-chan struct{}
	if r.task.Ponder {
		hit = r.task.Hit
	} else {
		r.start(r.began)
	}
	var stepper search.Stepper
	trees := []*search.Tree{r.tree}
	r.tree.SetPatience(search.Patience)
	for {
		evaluated, err := stepper.Step(trees, r.model.Eval)
		if err != nil {
			return err
		}
		if r.tree.Exact() {
			r.tree.SetVisits(0) // removes the visits that this spared
		}
		endless := r.task.Infinite || r.task.Ponder
		done := evaluated == 0 && r.tree.Done()
		if done && endless { // nothing is left to search, but the move must wait
			r.report(true)
			select {
			case <-ctx.Done():
				return nil
			case <-hit:
				hit, r.task.Ponder = nil, false
				continue
			}
		}
		r.report(false)
		select {
		case <-ctx.Done():
			return nil
		case <-hit:
			hit, r.task.Ponder = nil, false
			r.start(time.Now())
		default:
		}
		if done || !endless && r.due() && r.enough() {
			return nil
		}
	}
}

// start starts the clock.
func (r *running) start(now time.Time) {
	if r.time > 0 {
		r.deadline = now.Add(r.time)
	}
}

// due reports whether it is time to check the limits. A step may take a microsecond, and a
// check takes longer. Limits other than time are checked at every step, so that the result
// does not depend on the machine's speed.
func (r *running) due() bool {
	if r.task.Depth > 0 || r.task.Mate > 0 {
		return true
	}
	now := time.Now()
	if now.Sub(r.checked) < time.Millisecond {
		return false
	}
	r.checked = now
	return true
}

// enough reports whether the search has reached a limit.
func (r *running) enough() bool {
	if r.clock && len(r.tree.Root()) == 1 {
		return true // there is nothing to decide
	}
	if r.task.Depth > 0 && r.tree.DeepEnough(r.task.Depth) {
		return true
	}
	if r.task.Mate > 0 {
		if n := Mate(r.tree.PV(), r.tree.Value(), r.tree.Exact()); n > 0 && n <= r.task.Mate {
			return true
		}
	}
	if r.deadline.IsZero() {
		return false
	}
	now := time.Now()
	return !now.Before(r.deadline) || r.clock && r.decided(now)
}

// decided reports whether the most visited move would stay first until the deadline at the
// present speed, even if the second move got all remaining visits.
func (r *running) decided(now time.Time) bool {
	const early = 100 * time.Millisecond // the speed is not known before
	spent := now.Sub(r.began)
	if spent < early || r.Temperature > 0 {
		return false
	}
	first, second, all := 0, 0, 0
	for _, e := range r.tree.Root() {
		all += e.Visits
		switch {
		case e.Exact && e.Q == -1: // it is not played while another move does not lose
		case e.Visits > first:
			first, second = e.Visits, first
		case e.Visits > second:
			second = e.Visits
		}
	}
	pace := float64(all-r.kept) / spent.Seconds()
	return float64(first-second) > math.Ceil(pace*r.deadline.Sub(now).Seconds())
}

// lookEvery is the interval of checks for a new best move.
const lookEvery = 10 * time.Millisecond

// reportShare is the time between two reports, in times of the first, so that reports of a large
// tree take at most a fiftieth of the search.
const reportShare = 50

// report reports the state of the search if a report is due.
func (r *running) report(last bool) {
	now := time.Now()
	if r.send == nil || !last && (now.Sub(r.looked) < lookEvery || now.Sub(r.sent) < reportShare*r.took) {
		return
	}
	r.looked = now
	root := r.tree.Ranked()
	if len(root) == 0 || !last && root[0].Move == r.sentBest && now.Sub(r.sent) < r.Every {
		return
	}
	r.sent, r.sentBest = now, root[0].Move
	out := &Report{
		Value: r.tree.Value(), Exact: r.tree.Exact(), Tree: true, Visits: r.tree.Visits(), Depth: r.tree.Depth(), Last: last,
		Mate: Mate(r.tree.PV(), r.tree.Value(), r.tree.Exact()),
		Time: now.Sub(r.began), Full: min(1, float64(r.tree.Bytes())/float64(r.cfg.Bytes)),
	}
	if r.task.WDL {
		out.WDL = known(r.tree.WDL())
	}
	out.Speed = float64(out.Visits-r.kept) / max(out.Time, time.Microsecond).Seconds()
	for _, e := range root[:min(len(root), r.MultiPV)] {
		line := r.tree.PVOf(e.Move)
		l := Line{Edge: e, Moves: line, Mate: Mate(line, e.Q, e.Exact)}
		if r.task.WDL {
			l.WDL = known(r.tree.WDLOf(e.Move))
		}
		out.Lines = append(out.Lines, l)
	}
	r.took = time.Since(now)
	r.send(out)
}

// known returns probabilities, or nil if they are not known.
func known(wdl [3]float64, ok bool) *[3]float64 {
	if !ok {
		return nil
	}
	return &wdl
}

// Mate returns the number of moves to a forced result at the end of a line, positive if the
// side to move wins. It is 0 without a forced result and for a draw.
func Mate(line []chess.Move, value float64, exact bool) int {
	if !exact {
		return 0
	}
	return (len(line) + 1) / 2 * cmp.Compare(value, 0)
}
