package uci

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// Answer is the result of an engine's search.
type Answer struct {
	Move   chess.Move
	Ponder string // the expected reply, or "" if not reported
	Info   Info   // of its best line: the last with a score, otherwise the last

	// Score is the last exact score of its best line, because a search that ends by nodes
	// or time may report a bound after it. If none is exact, Score is that of Info.
	Score *Score
}

// position sends the current position of a game with its history, so that the engine sees
// repetitions. It fails with [ErrOption] if the game begins at a position of chess960 and
// the engine does not support chess960.
func (e *Client) position(g *chess.Game) error {
	// The castling notation is sent only when it changes.
	if on := g.Start().CastlesAs960(); on != e.chess960 {
		if err := e.SetOption(chess960Option, fmt.Sprint(on)); err != nil {
			return err
		}
		e.chess960 = on
	}
	return e.send(positionCommand(g))
}

// Go searches the current position of a game and returns the engine's move. The engine gets
// the moves before it too, so that it sees repetitions. An illegal move, or no move, fails
// with [ErrIllegalMove] and leaves the engine usable. A game from a position of chess960
// fails with [ErrOption] if the engine does not support chess960. With moves in among, the
// engine chooses one of these.
//
// When ctx ends, Go sends stop and returns the cause. The engine remains usable if it
// stops.
func (e *Client) Go(ctx context.Context, g *chess.Game, l Limit, among ...chess.Move) (Answer, error) {
	if err := l.check(); err != nil {
		return Answer{}, err
	}
	a, err := e.search(ctx, g, Task{Limit: l, SearchMoves: among}, nil)
	if cause := context.Cause(ctx); cause != nil {
		return Answer{}, cause
	}
	return a, err
}

// search sends a task and waits for the move, also that of a search which the end of ctx
// has stopped. It stops a search of more than the allowed time; such an engine has lost on
// time and remains usable. It passes the reports about the best line to report, unless nil.
func (e *Client) search(ctx context.Context, g *chess.Game, t Task, report func(*Info)) (Answer, error) {
	if err := e.position(g); err != nil {
		return Answer{}, err
	}
	p := g.Position()
	if err := e.send(t.command(p, e.chess960)); err != nil {
		return Answer{}, err
	}
	var a Answer
	best := ""
	take := func(line string) (known, last bool) {
		switch word, _, _ := strings.Cut(line, " "); word {
		case "info":
			if in, err := ParseInfo(line); err == nil && in.MultiPV <= 1 && (in.Score != nil || a.Info.Score == nil) {
				a.Info = in
				if s := in.Score; s != nil && (s.Bound == Exact || a.Score == nil || a.Score.Bound != Exact) {
					a.Score = s
				}
				if report != nil && in.Score != nil {
					report(&in)
				}
			}
			return true, false
		case "bestmove":
			best = line
			return true, true
		}
		return false, false
	}
	allowed := e.allowed(t, p.Turn())
	err := e.listen(ctx, "bestmove", allowed, take)
	fault, ended := errors.AsType[*Error](err)
	switch {
	case ended && fault.Kind != ErrStall:
		return Answer{}, e.fail(fault.Kind, fault.Detail, fault.Cause)
	case err != nil:
		if err := e.send("stop"); err != nil {
			return Answer{}, err
		}
		if err := e.until(context.Background(), "bestmove after stop", e.wait.Stop, take); err != nil {
			return Answer{}, err
		}
	}
	if ended {
		return Answer{}, e.fault(ErrTime, fmt.Sprintf("no bestmove within %v, only after stop", allowed), nil)
	}
	move, ponder, err := ParseBestMove(best)
	if err != nil {
		return Answer{}, e.fail(ErrProtocol, "", err)
	}
	if move == "" {
		return Answer{}, e.fault(ErrIllegalMove, fmt.Sprintf("no move in %s", p.FEN()), nil)
	}
	a.Ponder = ponder
	if a.Move, err = p.ParseUCI(move); err != nil {
		return Answer{}, e.fault(ErrIllegalMove, fmt.Sprintf("%s in %s", move, p.FEN()), err)
	}
	return a, nil
}

// allowed returns the time after which a search of the side to move is stopped.
func (e *Client) allowed(t Task, turn chess.Color) time.Duration {
	switch clock := t.Clock[turn]; {
	case t.endless():
		return maxTime
	case t.MoveTime > 0:
		return t.MoveTime + overrun
	case clock > 0:
		return clock + overrun
	}
	return e.wait.Search
}

// external is an external engine as a [Searcher].
type external struct {
	*Client
	variant chess.Variant
	another bool // the next position belongs to another game
}

// NewExternal returns a searcher with an engine that plays the variant (see
// [Client.Prove]). It does not ponder: it waits for the opponent's move.
func NewExternal(c *Client, v chess.Variant) Searcher {
	c.wait.Search = maxTime // the user ends a search that takes too long
	return &external{Client: c, variant: v}
}

func (x *external) Variants() []chess.Variant { return []chess.Variant{x.variant} }

// Options are those of the engine, without the number of lines, of which a report has the best one.
func (x *external) Options() []Option {
	return slices.DeleteFunc(slices.Clone(x.Client.Options), func(o Option) bool { return strings.EqualFold(o.Name, "MultiPV") })
}

func (x *external) Set(name, value string) error { return x.SetOption(name, value) }

func (x *external) NewGame() { x.another = true }

func (x *external) Think(ctx context.Context, g *chess.Game, t Task, report func(*Report)) (best, ponder chess.Move, err error) {
	t.Await(ctx)
	if x.another {
		if err := x.Client.NewGame(context.WithoutCancel(ctx)); err != nil {
			return 0, 0, err
		}
		x.another = false
	}
	var last *Report
	a, err := x.search(ctx, g, t, func(in *Info) {
		if last = in.report(g.Position()); report != nil {
			report(last)
		}
	})
	if err != nil {
		return 0, 0, err
	}
	if last != nil && report != nil {
		last.Last = true
		report(last)
	}
	next := *g.Position()
	next.Play(a.Move)
	if ponder, err = next.ParseUCI(a.Ponder); err != nil {
		ponder = 0
	}
	return a.Move, ponder, nil
}

// report returns an engine's info about the position p as the report of a search.
func (in *Info) report(p *chess.Position) *Report {
	r := &Report{Value: in.Score.Expected(), Exact: in.Score.IsMate, Mate: in.Score.Mate, Visits: int(in.Nodes), Depth: in.Depth,
		Time: in.Time, Speed: float64(in.NPS), Full: float64(in.HashFull) / 1000}
	if w := in.Score.WDL; w != nil {
		r.WDL = &[3]float64{float64(w[0]) / 1000, float64(w[1]) / 1000, float64(w[2]) / 1000}
	}
	line := Line{Mate: r.Mate, WDL: r.WDL}
	here := *p
	for _, word := range in.PV {
		m, err := here.ParseUCI(word)
		if err != nil {
			break
		}
		line.Moves = append(line.Moves, m)
		here.Play(m)
	}
	if len(line.Moves) > 0 {
		line.Edge = search.Edge{Move: line.Moves[0], Q: r.Value, Exact: r.Exact}
		r.Lines = []Line{line}
	}
	return r
}

// Perft makes the engine count the sequences of depth legal moves from a position ("go
// perft", which Stockfish and its descendants know). It waits as long as for a search
// without a time limit. Engines do not stop counting on request, so if ctx ends first, the
// engine is closed.
func (e *Client) Perft(ctx context.Context, p *chess.Position, depth int) (uint64, error) {
	return e.perft(ctx, chess.NewGame(*p), depth, e.wait.Search)
}

// perft is Perft from the current position of a game.
func (e *Client) perft(ctx context.Context, g *chess.Game, depth int, patience time.Duration) (nodes uint64, err error) {
	if err := e.position(g); err != nil {
		return 0, err
	}
	if err := e.send(fmt.Sprintf("go perft %d", depth)); err != nil {
		return 0, err
	}
	searches := false
	err = e.until(ctx, "the result of a perft", patience, func(line string) (known, last bool) {
		if n, ok := parsePerft(line); ok {
			nodes = n
			return true, true
		}
		if strings.HasPrefix(line, "info depth") || strings.HasPrefix(line, "bestmove") {
			searches = true
			return true, true
		}
		move, _, found := strings.Cut(line, ":")
		return found && isMove(move) || strings.HasPrefix(line, "info"), false
	})
	switch {
	case err != nil && e.failed == nil: // ctx ended
		e.proc.end(0)
		e.failed = e.fault(ErrClosed, "it was counting", nil)
		return 0, err
	case err != nil:
		return 0, err
	case searches:
		return 0, e.fail(ErrProtocol, `it does not know "go perft" and searches instead`, nil)
	}
	return nodes, nil
}

// Options of the protocol that select the rules.
const (
	variantOption  = "UCI_Variant"
	chess960Option = "UCI_Chess960" // castling is written as king takes own rook
)

// ProveChess960 checks that the engine supports chess960. Otherwise it fails with
// [ErrVariant].
func (e *Client) ProveChess960() error {
	if e.Option(chess960Option) == nil {
		return e.fault(ErrVariant, fmt.Sprintf("chess960: it has no option %s", chess960Option), nil)
	}
	return nil
}

// proof is a position and a depth at which a variant's number of move sequences differs
// from that of chess. Legal moves lead to it from the start, so that every engine
// understands it, whatever it plays.
type proof struct {
	moves string
	depth int
}

func proofOf(v chess.Variant) proof {
	switch v {
	case chess.KingOfTheHill: // the king can reach d4
		return proof{"e2e4 a7a6 e1e2 a6a5 e2e3 a5a4", 2}
	case chess.ThreeCheck: // two checks given, and a third possible
		return proof{"e2e4 f7f6 d1h5 g7g6 h5h4 d7d6 f1b5 c7c6", 2}
	case chess.Crazyhouse: // a pawn in hand
		return proof{"e2e4 d7d5 e4d5 a7a6", 2}
	}
	return proof{"", 4} // the first depth at which atomic chess differs from chess
}

// game returns the game that leads to the position, or nil if the rules forbid it.
func (p proof) game(v chess.Variant) *chess.Game {
	g, err := parsePosition(v, append([]string{"startpos", "moves"}, strings.Fields(p.moves)...))
	if err != nil {
		return nil
	}
	return g
}

// Prove sets the engine to a variant and checks that it plays it. Otherwise it fails with
// [ErrVariant]. Call it before the first game.
//
// The engine must offer the option UCI_Variant. It must also either list the variant among
// its values or count the right number of move sequences from a position that distinguishes
// the variant (197326 at four plies from the start in atomic chess, 197281 in chess). An
// engine without the option can only play chess, and needs no proof for it. Setting the
// option is not enough: Debian's fairy-stockfish 11.1 silently ignores "atomic" and
// continues with chess.
func (e *Client) Prove(ctx context.Context, v chess.Variant) error {
	o := e.Option(variantOption)
	if o == nil {
		if v == chess.Standard {
			return nil
		}
		return e.fault(ErrVariant, fmt.Sprintf("%s: it has no option %s and plays chess only", v, variantOption), nil)
	}
	if slices.Contains(o.Vars, v.String()) {
		if err := e.SetOption(o.Name, v.String()); err != nil {
			return err
		}
		return e.Ready(ctx)
	}
	// It is not listed, but the engine may still know it.
	if err := e.send(o.command(v.String())); err != nil {
		return err
	}
	proof := proofOf(v)
	g := proof.game(v)
	if g == nil {
		return fmt.Errorf("uci: %s cannot be proved: %q cannot be played", v, proof.moves)
	}
	want := chess.Perft(g.Position(), proof.depth)
	have, err := e.perft(ctx, g, proof.depth, e.wait.Ready)
	if err != nil {
		if errors.Is(err, ErrStall) || errors.Is(err, ErrProtocol) {
			return e.fault(ErrVariant, fmt.Sprintf("%s: it is not among the %d variants it lists, and it counts no positions", v, len(o.Vars)), err)
		}
		return err
	}
	if have == want {
		return nil
	}
	where := "the start"
	if proof.moves != "" {
		where = proof.moves
	}
	detail := fmt.Sprintf("%s: it is not among the %d variants it lists, and %d plies from %s it counts %d positions instead of %d", v, len(o.Vars), proof.depth, where, have, want)
	if g := proof.game(chess.Standard); g != nil && have == chess.Perft(g.Position(), proof.depth) {
		detail += ": it plays ordinary chess"
	}
	return e.fault(ErrVariant, detail, nil)
}
