package uci

import (
	"context"
	"fmt"
	"math"
	"time"

	"alamos/pkg/chess"
)

// Name is what the engine calls itself.
func (e *Engine) Name() string {
	if e.mind.Name == "" {
		return "alamos"
	}
	return "alamos " + e.mind.Name
}

// Author is who made it.
func (e *Engine) Author() string { return "the alamos authors" }

// Variants are the rules that it can play.
func (e *Engine) Variants() []chess.Variant { return e.mind.Variants }

// Ready does nothing: an engine is ready when it has been made.
func (e *Engine) Ready() error { return nil }

// Think is a search as [uci.Brain] describes it. Where the search fails before it
// knows anything, the move is the first of the list: any is better than none.
func (e *Engine) Think(ctx context.Context, g *chess.Game, task Task, tell func(Info)) (best, ponder chess.Move, err error) {
	p := g.Position()
	if err = e.Search(ctx, g, e.limits(p.Turn(), &task), func(r *Report) { e.inform(r, p, task.Chess960, tell) }); err != nil {
		err = fmt.Errorf("the search ended: %w", err)
	}
	if best = e.Choose(g); best == 0 {
		var l chess.MoveList
		if p.LegalMoves(&l); l.Len() > 0 {
			best = l.At(0)
		}
		return best, 0, err
	}
	if line := e.tree.PVOf(best); len(line) > 1 {
		ponder = line[1]
	}
	return best, ponder, err
}

// limits reads them off a task.
func (e *Engine) limits(turn chess.Color, task *Task) Limits {
	l := Limits{
		Visits: Unlimited, Depth: task.Depth, Mate: task.Mate, Among: task.Moves,
		Infinite: task.Infinite, Ponder: task.Ponder, Hit: task.Hit,
	}
	if task.Nodes > 0 {
		l.Visits = int(min(task.Nodes, Unlimited))
	}
	switch {
	case task.MoveTime > 0:
		l.Time = max(time.Millisecond, task.MoveTime-e.Overhead)
	case task.HasClock[turn]:
		l.Time = share(task.Clock[turn], task.Increment[turn], task.MovesToGo, e.Overhead)
		l.Clock = true
	}
	return l
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

// inform tells a report about the position p as UCI has it, a line at a time.
func (e *Engine) inform(r *Report, p *chess.Position, chess960 bool, tell func(Info)) {
	for i := range r.Lines {
		line := &r.Lines[i]
		if i > 0 && line.Visits == 0 {
			break
		}
		in := Info{
			Depth: len(line.Moves), SelDepth: r.Depth, Nodes: int64(r.Visits), Time: r.Time,
			NPS: int64(r.Speed), HashFull: int(1000 * r.Full), Score: e.score(r, line),
		}
		if e.MultiPV > 1 {
			in.MultiPV = i + 1
		}
		here := *p
		for _, m := range line.Moves {
			text := here.UCI(m)
			if chess960 && m.IsCastle() {
				text = m.String() // the king takes its rook
			}
			in.PV = append(in.PV, text)
			here.Play(m)
		}
		tell(in)
	}
}

// score is what the search thinks of a move. Where the network tells an expected
// result and no draws, wins and losses are its only mixture without them.
func (e *Engine) score(r *Report, line *Line) *Score {
	value := line.Q
	wdl, ok := e.tree.WDLOf(line.Move)
	if line.Visits == 0 {
		value = r.Value
		wdl, ok = e.tree.WDL()
	}
	s := ScoreOf(value)
	if line.Mate != 0 {
		s = Score{IsMate: true, Mate: line.Mate}
	}
	switch {
	case !e.ShowWDL:
	case ok:
		win, loss := int(math.Round(1000*wdl[0])), int(math.Round(1000*wdl[2]))
		s.WDL = &[3]int{win, max(0, 1000-win-loss), loss}
	case line.Exact && value == 0:
		s.WDL = &[3]int{0, 1000, 0}
	default:
		win := int(math.Round(500 * (1 + value)))
		s.WDL = &[3]int{win, 0, 1000 - win}
	}
	return &s
}

var _ Brain = (*Engine)(nil)
