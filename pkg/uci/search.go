package uci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"alamos/pkg/chess"
)

// Limit says how long an engine may think about a move. Zero fields are no
// limit; at least one must be set.
type Limit struct {
	MoveTime time.Duration // sent in whole milliseconds
	Depth    int           // plies
	Nodes    int64
}

// command is the "go" line.
func (l Limit) command() (string, error) {
	if l.MoveTime < 0 || l.Depth < 0 || l.Nodes < 0 {
		return "", fmt.Errorf("uci: negative limit %+v", l)
	}
	if l == (Limit{}) {
		return "", fmt.Errorf("uci: a search needs a limit: time, depth or nodes")
	}
	var b strings.Builder
	b.WriteString("go")
	if l.MoveTime > 0 {
		// "movetime 0" would mean no limit to some engines.
		fmt.Fprintf(&b, " movetime %d", max(1, l.MoveTime.Milliseconds()))
	}
	if l.Depth > 0 {
		fmt.Fprintf(&b, " depth %d", l.Depth)
	}
	if l.Nodes > 0 {
		fmt.Fprintf(&b, " nodes %d", l.Nodes)
	}
	return b.String(), nil
}

// turn is the position that the engine was last given.
type turn struct {
	pos chess.Position
	set bool
}

// Answer is what an engine says about a position.
type Answer struct {
	Move   chess.Move
	Ponder string // the reply that it expects, "" when not told
	Info   Info   // of its best line: the last with a score, else the last
	// Score is the last exact score of its best line: a search that its nodes or its
	// time end may have told a bound since. Where none is exact it is Info's.
	Score *Score
}

// Position gives the engine the current position of a game with its history, so
// that it sees repetitions. It fails with [ErrOption] when the game begins at a
// position of chess960 and the engine knows none.
func (e *Client) Position(g *chess.Game) error {
	if err := e.setChess960(Chess960(g.Start())); err != nil {
		return err
	}
	e.turn = turn{pos: *g.Position(), set: true}
	return e.send(positionCommand(g))
}

// positionCommand is the "position" line of a game: "startpos" where the game
// began there, else the FEN, and the moves since, with castling as the start
// position asks for it.
func positionCommand(g *chess.Game) string {
	p := *g.Start()
	var b strings.Builder
	b.WriteString("position ")
	if p == chess.StartPosition(p.Variant()) {
		b.WriteString("startpos")
	} else {
		b.WriteString("fen " + p.FEN())
	}
	chess960 := Chess960(&p)
	for i, m := range g.Moves() {
		if i == 0 {
			b.WriteString(" moves")
		}
		word := p.UCI(m)
		if chess960 && m.IsCastle() {
			word = m.String() // the king takes its rook
		}
		b.WriteString(" " + word)
		p.Play(m)
	}
	return b.String()
}

// Go lets the engine think about the position and returns its move. A move that
// is not legal there, or none at all, fails with [ErrIllegalMove] and leaves the
// engine usable.
//
// When ctx ends, the engine is told to stop and the cause is returned; it stays
// usable if it obeys.
func (e *Client) Go(ctx context.Context, l Limit) (Answer, error) {
	command, err := l.command()
	if err != nil {
		return Answer{}, err
	}
	if !e.turn.set {
		return Answer{}, fmt.Errorf("uci: Go without Position")
	}
	if err := e.send(command); err != nil {
		return Answer{}, err
	}
	allowed := e.wait.Search
	if l.MoveTime > 0 {
		allowed = l.MoveTime + e.wait.Overrun
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
			}
			return true, false
		case "bestmove":
			best = line
			return true, true
		}
		return false, false
	}
	if err := e.search(ctx, allowed, take); err != nil {
		return Answer{}, err
	}
	move, ponder, err := ParseBestMove(best)
	if err != nil {
		return Answer{}, e.fail(ErrProtocol, "", err)
	}
	if move == "" {
		return Answer{}, e.fault(ErrIllegalMove, fmt.Sprintf("no move in %s", e.turn.pos.FEN()), nil)
	}
	a.Ponder = ponder
	if a.Move, err = e.turn.pos.ParseUCI(move); err != nil {
		return Answer{}, e.fault(ErrIllegalMove, fmt.Sprintf("%s in %s", move, e.turn.pos.FEN()), err)
	}
	return a, nil
}

// search waits for the end of a search. One that goes on for longer than it may is
// told to stop: an engine that obeys has lost its time and no more.
func (e *Client) search(ctx context.Context, allowed time.Duration, take func(line string) (known, last bool)) error {
	const want = "bestmove"
	n, err := e.listen(ctx, time.Now().Add(allowed), take)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		e.stop()
		return err
	case errors.Is(err, os.ErrDeadlineExceeded) && e.stop():
		return e.fault(ErrTime, fmt.Sprintf("no %s within %v, until it was told to stop", want, allowed), nil)
	case e.failed != nil: // it did not stop: what it did before counts
		return e.failed
	}
	return e.judge(ctx, want, allowed, n, err)
}

// stop ends a search whose answer nobody wants, and the engine with it when it
// does not stop.
func (e *Client) stop() bool {
	if e.send("stop") != nil {
		return false
	}
	// The error, if any, is kept in e.failed.
	return nil == e.until(context.Background(), "bestmove after stop", e.wait.Quit, func(line string) (bool, bool) {
		return strings.HasPrefix(line, "info"), strings.HasPrefix(line, "bestmove")
	})
}
