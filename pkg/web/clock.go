package web

import (
	"fmt"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// clock is the time control of a game. The clock of the side to move runs after the first
// move of each side, unless the game is paused, over, or shown by no page.
type clock struct {
	limit     time.Duration // of a side, at the start; 0: no clock
	increment time.Duration // for each move
	since     time.Time     // when the clock of the side to move was started; zero: it is stopped
	flag      *time.Timer   // ends the game when no time is left
}

// timeControl is a time control in a request.
type timeControl struct {
	Minutes float64 `json:"minutes"`
	Seconds float64 `json:"seconds"` // added for each move
}

// untimedPlies is the number of plies that cost no time.
const untimedPlies = 2

// clock returns the clock of a new game.
func (t *timeControl) clock() (c clock, err error) {
	if t == nil {
		return c, nil
	}
	if !(t.Minutes >= 0.05 && t.Minutes <= 600) || !(t.Seconds >= 0 && t.Seconds <= 600) {
		return c, invalid("want a clock of 0.05 to 600 minutes, and 0 to 600 seconds for each move")
	}
	c.limit = time.Duration(t.Minutes * float64(time.Minute)).Round(time.Millisecond)
	c.increment = time.Duration(t.Seconds * float64(time.Second)).Round(time.Millisecond)
	return c, nil
}

// of returns the limit of a search with these times left.
func (c *clock) of(left *[2]time.Duration) (l uci.Limit) {
	if c.limit > 0 {
		for side := range left {
			l.Clock[side], l.Increment[side] = max(time.Millisecond, left[side]), c.increment
		}
	}
	return l
}

// left returns the times left at the last position. g.mu is held.
func (g *game) left() *[2]time.Duration { return &g.positions[g.ply()].left }

// stopClock takes the time of the side to move from its clock. g.mu is held.
func (g *game) stopClock() {
	c := &g.clock
	if c.since.IsZero() {
		return
	}
	c.flag.Stop()
	left := &g.left()[g.line.Position().Turn()]
	*left = max(0, *left-time.Since(c.since))
	c.since = time.Time{}
}

// startClock starts the clock of the side to move if it should run. g.mu is held.
func (g *game) startClock() {
	c := &g.clock
	waits := g.paused && !(g.isHuman(chess.White) && g.isHuman(chess.Black)) // two people do not pause
	if c.limit == 0 || g.ply() < untimedPlies || waits || !g.watched() || g.outcome().Over() {
		return
	}
	c.since = time.Now()
	c.flag = time.AfterFunc(g.left()[g.line.Position().Turn()], g.fall)
}

// fall ends the game if the side to move has no time left.
func (g *game) fall() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.clock.since.IsZero() {
		return
	}
	g.stopClock()
	if turn := g.line.Position().Turn(); g.left()[turn] == 0 {
		g.ended = chess.Outcome{Result: chess.Draw, Reason: chess.TimeForfeit}
		if g.line.Position().CanWin(turn.Other()) {
			g.ended.Result = chess.Win(turn.Other())
		}
	}
	g.notify()
}

// clocks are the clocks for the page.
type clocks struct {
	Left    [2]int64 `json:"left"`    // ms, now
	Running bool     `json:"running"` // that of the side to move
}

// clocks returns the clocks now, or nil. g.mu is held.
func (g *game) clocks() *clocks {
	if g.clock.limit == 0 {
		return nil
	}
	left := *g.left()
	running := !g.clock.since.IsZero()
	if running {
		left[g.line.Position().Turn()] -= time.Since(g.clock.since)
	}
	return &clocks{[2]int64{left[0].Milliseconds(), left[1].Milliseconds()}, running}
}

// clockText returns a time as in PGN comments, such as "0:03:00".
func clockText(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
