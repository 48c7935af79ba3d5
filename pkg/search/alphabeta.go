package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Valuer evaluates positions, many at once. It is for one goroutine.
type Valuer interface {
	// Add adds the current position of g to the batch. The game is not over there;
	// moves are its legal moves.
	Add(g *chess.Game, moves []chess.Move)

	// Values evaluates the batch, in its order: the expected result for the side to
	// move, from -1 to 1. The slice is valid until the next call.
	Values(ctx context.Context) ([]float64, error)
}

// Line is the result of an alpha-beta search.
type Line struct {
	// Value is the result that both sides can reach, from -1 to 1 and the view of
	// the side to move. It is 1 or -1 when one of them wins by force within Depth.
	Value float64
	// Best are the moves that reach Value, in the order of the move list; where the
	// position is lost, those that seemed best before that was seen, and so hold out
	// longest.
	Best []chess.Move

	PV          []chess.Move // a line of best play that begins with Best[0]
	Depth       int          // plies searched: fewer than requested if the result is known
	Evaluations int          // positions that the valuer evaluated
}

// AlphaBeta is a search to a fixed depth. Valuer must be set. It is for one goroutine.
//
// Depths are searched one after the other, each ordering its moves by the one
// before: the best move of a position first, then captures, then the others in the
// order of the move list. The children of a position one ply above the end are
// evaluated in one batch, even if a few would have been enough, because a network or a
// script evaluates thirty positions at hardly more than the cost of one.
//
// The ends of games are exact, repetitions and fifty moves included; an evaluation never
// counts as a forced win or loss. There is no quiescence search.
type AlphaBeta struct {
	Valuer Valuer
	// ValueEnds has the valuer evaluate positions in which the game is over too, instead of
	// the rules.
	ValueEnds bool
	Report    func(Line) // receives the line of each depth; may be nil
	Most      int        // ends the search with ErrMost after so many evaluations, but not in the first ply; 0: no limit

	game        *chess.Game
	best        map[uint64]chess.Move // of the depth before, by position: for the order only
	evaluations int
}

// ErrMost ends a search that has made all its evaluations.
var ErrMost = errors.New("search: alpha-beta has made all its evaluations")

// certain is the largest value of a position that is valued and not decided.
const certain = 1 - 1e-9

// Search looks the given number of plies ahead, at least 1, from a position with legal moves that
// no rule has decided; repetition, fifty moves or material may have drawn the game. With an
// error, the line is that of the last depth that was finished, if any.
func (a *AlphaBeta) Search(ctx context.Context, g *chess.Game, depth int) (Line, error) {
	var l chess.MoveList
	g.Position().LegalMoves(&l)
	switch {
	case depth < 1:
		return Line{}, fmt.Errorf("search: alpha-beta to depth %d: want at least 1", depth)
	case g.Position().Ended(&l).Over():
		return Line{}, fmt.Errorf("search: the game is over in %s", g.Position().FEN())
	}
	if a.game == nil {
		a.game = new(chess.Game)
	}
	a.game.CopyFrom(g)
	a.best, a.evaluations = map[uint64]chess.Move{}, 0
	var line Line
	for d := 1; d <= depth; d++ {
		next, err := a.root(ctx, d, l.Slice())
		if err != nil {
			return line, err
		}
		if d > 1 && next.Value == -1 {
			line.Value, line.Depth = -1, d
		} else {
			line = next
		}
		line.Evaluations = a.evaluations
		if a.Report != nil {
			a.Report(line)
		}
		if math.Abs(line.Value) == 1 {
			break // nothing deeper is shorter
		}
	}
	return line, nil
}

// root searches all moves of the root, and finds every one that is best.
func (a *AlphaBeta) root(ctx context.Context, depth int, moves []chess.Move) (Line, error) {
	line := Line{Value: math.Inf(-1), Depth: depth}
	values := make(map[chess.Move]float64, len(moves))
	var below [][]chess.Move
	order := a.order(moves)
	if depth == 1 {
		known, err := a.children(ctx, order)
		if err != nil {
			return line, err
		}
		for i, m := range order {
			values[m] = known[i]
			if known[i] > line.Value {
				line.Value, line.PV = known[i], []chess.Move{m}
			}
		}
	} else {
		for _, m := range order {
			// A window that is open by a hair separates moves as good as the best from
			// moves that are worse.
			v, pv, err := a.after(ctx, m, depth, math.Nextafter(line.Value, -2), 1)
			if err != nil {
				return line, err
			}
			values[m] = v
			if v > line.Value {
				line.Value, line.PV = v, append([]chess.Move{m}, pv...)
			}
			below = append(below, pv)
		}
	}
	for _, m := range moves {
		if values[m] == line.Value {
			line.Best = append(line.Best, m)
		}
	}
	if m := line.Best[0]; m != line.PV[0] {
		line.PV = []chess.Move{m}
		if below != nil {
			line.PV = append(line.PV, below[slices.Index(order, m)]...)
		}
	}
	a.best[a.game.Position().Key()] = line.Best[0]
	return line, nil
}

// after is the value of a move for the side that makes it, and the line after it.
func (a *AlphaBeta) after(ctx context.Context, m chess.Move, depth int, alpha, beta float64) (float64, []chess.Move, error) {
	a.game.Play(m)
	defer a.game.Undo()
	v, pv, err := a.value(ctx, depth-1, -beta, -alpha)
	return -v, pv, err
}

// value is the value of the current position for its side to move, searched depth
// plies ahead, at least 1: exact between alpha and beta, else a bound on their
// outer side.
func (a *AlphaBeta) value(ctx context.Context, depth int, alpha, beta float64) (float64, []chess.Move, error) {
	var l chess.MoveList
	a.game.Position().LegalMoves(&l)
	if o := a.game.Outcome(&l); o.Over() && a.ValueEnds {
		a.Valuer.Add(a.game, l.Slice())
		values, err := a.values(ctx, 1)
		if err != nil {
			return 0, nil, err
		}
		return values[0], nil, nil
	} else if o.Over() {
		return result(o, a.game.Position().Turn()), nil, nil
	}
	order := a.order(l.Slice())
	key := a.game.Position().Key()
	best, line := math.Inf(-1), []chess.Move(nil)
	if depth == 1 {
		values, err := a.children(ctx, order)
		if err != nil {
			return 0, nil, err
		}
		for i, v := range values {
			if v > best {
				best, line = v, []chess.Move{order[i]}
			}
		}
		a.best[key] = line[0]
		return best, line, nil
	}
	for _, m := range order {
		v, pv, err := a.after(ctx, m, depth, max(alpha, best), beta)
		if err != nil {
			return 0, nil, err
		}
		if v > best {
			best, line = v, append([]chess.Move{m}, pv...)
		}
		if best >= beta {
			break
		}
	}
	a.best[key] = line[0]
	return best, line, nil
}

// children values the positions after moves, from the view of the side that makes
// them, in one batch.
func (a *AlphaBeta) children(ctx context.Context, moves []chess.Move) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if a.Most > 0 && a.evaluations >= a.Most {
		return nil, ErrMost
	}
	values := make([]float64, len(moves))
	var leaves []int
	mover := a.game.Position().Turn()
	var l chess.MoveList
	for i, m := range moves {
		a.game.Play(m)
		a.game.Position().LegalMoves(&l)
		if o := a.game.Outcome(&l); o.Over() && !a.ValueEnds {
			values[i] = result(o, mover)
		} else {
			a.Valuer.Add(a.game, l.Slice())
			leaves = append(leaves, i)
		}
		a.game.Undo()
	}
	if len(leaves) == 0 {
		return values, nil
	}
	evaluated, err := a.values(ctx, len(leaves))
	if err != nil {
		return nil, err
	}
	for i, v := range evaluated {
		values[leaves[i]] = -v
	}
	return values, nil
}

// values evaluates the n positions that the valuer has been given, for their sides to move.
func (a *AlphaBeta) values(ctx context.Context, n int) ([]float64, error) {
	values, err := a.Valuer.Values(ctx)
	if err != nil {
		return nil, err
	}
	if len(values) != n {
		return nil, fmt.Errorf("search: %d values for %d positions", len(values), n)
	}
	a.evaluations += n
	values = slices.Clone(values)
	for i, v := range values {
		if !(v >= -1 && v <= 1) {
			return nil, fmt.Errorf("search: the value %v of a position: want -1 to 1", v)
		}
		values[i] = min(max(v, -certain), certain)
	}
	return values, nil
}

// order is the moves of the current position in the order in which they are
// searched.
func (a *AlphaBeta) order(moves []chess.Move) []chess.Move {
	p := a.game.Position()
	first := a.best[p.Key()]
	them := p.Side(p.Turn().Other())
	rank := func(m chess.Move) int {
		switch {
		case m == first:
			return 0
		case them.Has(m.To()):
			return 1
		}
		return 2
	}
	out := slices.Clone(moves)
	slices.SortStableFunc(out, func(x, y chess.Move) int { return cmp.Compare(rank(x), rank(y)) })
	return out
}

// result is the result of a game that is over from the view of a side.
func result(o chess.Outcome, side chess.Color) float64 {
	if side == chess.White {
		return float64(o.Result)
	}
	return float64(-o.Result) // a draw is +0
}

// NewValuer returns a valuer that uses an evaluator's values and ignores its priors.
func NewValuer(e Evaluator) Valuer { return &evaluatorValuer{evaluator: e} }

type evaluatorValuer struct {
	evaluator Evaluator
	leaves    []*encode.Leaf // those in use, and behind them those to use again
	used      int
	values    []float64
}

func (v *evaluatorValuer) Add(g *chess.Game, moves []chess.Move) {
	if v.used == len(v.leaves) {
		v.leaves = append(v.leaves, new(encode.Leaf))
	}
	v.evaluator.Prepare(v.leaves[v.used], g, moves)
	v.used++
}

func (v *evaluatorValuer) Values(context.Context) ([]float64, error) {
	leaves := v.leaves[:v.used]
	v.used = 0
	if err := v.evaluator.Evaluate(leaves); err != nil {
		return nil, err
	}
	v.values = v.values[:0]
	for _, l := range leaves {
		v.values = append(v.values, float64(l.Value))
	}
	return v.values, nil
}
