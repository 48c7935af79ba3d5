package play

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/match"

	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// thought is one player thinking about one position.
type thought struct {
	player  *player
	seat    seat
	game    *chess.Game
	endless bool            // the answer is not wanted: nothing but memory ends it
	hurried context.Context // ends when the answer is wanted at once
	tell    func(*Report)
	memory  memory
}

// memory has the engines of a game's players, by their ids, with what they remember of
// the turns before. It is for one goroutine.
type memory map[string]*uci.Engine

func (m memory) forget() { clear(m) }

const (
	treeMiB     = 256 // the tree of a player in a game
	mostLeaves  = 16  // evaluated at once: with more, short searches are weak
	reportEvery = 120 * time.Millisecond
)

// searchTree thinks by a tree search, which goes on where the turn before ended.
func (t *thought) searchTree(ctx context.Context) (chess.Move, error) {
	e := t.memory[t.player.ID]
	if e == nil {
		e = uci.New(*t.player.mind)
		e.Config.Leaves, e.Hash = min(mostLeaves, e.Config.Leaves), treeMiB
		e.MultiPV, e.Every, e.Overhead = mostCandidates, reportEvery, 0
		t.memory[t.player.ID] = e
	}
	e.Temperature = t.seat.Temperature
	var task uci.Task // without an end
	if !t.endless {
		task.Nodes, task.MoveTime = int64(t.seat.Visits), time.Duration(t.seat.Seconds*float64(time.Second))
		task.PolicyOnly = task.Nodes == 0 && task.MoveTime == 0
	}
	err := e.Search(t.hurried, t.game, task, func(r *uci.Report) { t.tell(t.treeReport(r)) })
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t.player.Name, err)
	}
	m := e.Choose(t.game)
	if m == 0 {
		return 0, fmt.Errorf("%s found no move in %s", t.player.Name, t.game.Position().FEN())
	}
	return m, nil
}

// treeReport is what the search thinks now.
func (t *thought) treeReport(r *uci.Report) *Report {
	p := t.game.Position()
	out := &Report{By: t.player.Name, Tree: true, Nodes: r.Visits, Depth: r.Depth, Speed: int(r.Speed), Active: !r.Last}
	out.value(p.Turn(), r.Value, r.Mate)
	for i := range r.Lines {
		line := &r.Lines[i]
		c := candidate(p, line.Moves)
		c.Visits, c.Prior = line.Visits, line.Prior
		if line.Visits > 0 {
			var s Report
			s.value(p.Turn(), line.Q, line.Mate)
			c.Score = s.Score
		}
		out.Moves = append(out.Moves, c)
	}
	return out
}

// value takes up a value and a number of moves to the end by force, 0: none, from the
// view of the side to move.
func (r *Report) value(side chess.Color, value float64, mate int) {
	if side == chess.Black {
		value, mate = -value, -mate
	}
	r.Value, r.mate, r.Score = value, mate, scoreOf(value, mate)
}

// eval is the value as PGN files have it.
func (r *Report) eval() chess.Eval {
	if r.mate != 0 {
		return chess.Eval{Mate: r.mate}
	}
	return chess.Eval{Pawns: float64(uci.ScoreOf(r.Value).CP) / 100}
}

// searchAlphaBeta looks ahead ply by ply, until depth or time ends it, and draws one
// of equally good moves.
func (t *thought) searchAlphaBeta(ctx context.Context) (chess.Move, error) {
	began := time.Now()
	var v search.Valuer = &match.Material{}
	if t.player.mind != nil {
		v = search.NewValuer(t.player.mind.Eval)
	}
	depth, limited := t.seat.Depth, ctx
	if t.endless {
		depth = mostDepth
	} else {
		limited = t.hurried
	}
	if t.seat.Seconds > 0 && !t.endless {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(limited, time.Duration(t.seat.Seconds*float64(time.Second)))
		defer cancel()
	}
	s := search.AlphaBeta{Valuer: v}
	var line search.Line
	nodes := 0
	for d := 1; d <= depth; d++ {
		within := limited
		if d == 1 {
			within = ctx // there must be a move
		}
		next, err := s.Search(within, t.game, d)
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case d > 1 && errors.Is(err, within.Err()) && err != nil:
			d = depth // time is up
			continue
		case err != nil:
			return 0, fmt.Errorf("%s: %w", t.player.Name, err)
		}
		line = next
		nodes += line.Evaluations
		t.tell(t.lineReport(&line, nodes, time.Since(began), d < depth))
		if math.Abs(line.Value) == 1 {
			break
		}
	}
	t.tell(t.lineReport(&line, nodes, time.Since(began), false))
	return line.Best[rand.IntN(len(line.Best))], nil
}

// lineReport is what alpha-beta has found.
func (t *thought) lineReport(l *search.Line, nodes int, spent time.Duration, active bool) *Report {
	p := t.game.Position()
	out := &Report{By: t.player.Name, Nodes: nodes, Depth: l.Depth, Speed: int(float64(nodes) / max(0.001, spent.Seconds())), Active: active}
	out.value(p.Turn(), l.Value, int(math.Trunc(l.Value))*((len(l.PV)+1)/2)) // 1 and -1 are by force
	for i, m := range l.Best[:min(len(l.Best), mostCandidates)] {
		moves := []chess.Move{m}
		if i == 0 {
			moves = l.PV
		}
		c := candidate(p, moves)
		c.Score = out.Score
		out.Moves = append(out.Moves, c)
	}
	return out
}

// pickAny plays any legal move.
func (t *thought) pickAny() chess.Move {
	var l chess.MoveList
	t.game.Position().LegalMoves(&l)
	return l.At(rand.IntN(l.Len()))
}
