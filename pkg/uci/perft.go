package uci

import (
	"context"
	"fmt"
	"strings"
	"time"

	"alamos/pkg/chess"
)

// Perft lets the engine count the sequences of depth legal moves from a position
// ("go perft", which Stockfish and its descendants know). It waits as long as for
// a search without a limit of time. Since engines do not stop counting when they
// are told to, an engine whose count is not awaited, because ctx ended, is closed.
func (e *Client) Perft(ctx context.Context, p *chess.Position, depth int) (uint64, error) {
	return e.perft(ctx, chess.NewGame(*p), depth, e.wait.Search)
}

// perft is Perft from the current position of a game.
func (e *Client) perft(ctx context.Context, g *chess.Game, depth int, patience time.Duration) (nodes uint64, err error) {
	if err := e.Position(g); err != nil {
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
