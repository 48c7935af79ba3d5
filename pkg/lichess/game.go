package lichess

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// play plays a game to its end.
func (b *bot) play(ctx context.Context, id string) error {
	g := &game{bot: b, id: id}
	defer g.close()
	var fault error
	err := b.client.follow(ctx, "/api/bot/game/stream/"+url.PathEscape(id), b.logRetry("game "+id), func(line []byte) bool {
		fault = g.message(ctx, line)
		return fault == nil && !g.over
	})
	if fault != nil {
		return fault
	}
	return err
}

// game is a running game.
type game struct {
	*bot
	id   string
	over bool

	full     gameFull
	color    chess.Color
	start    chess.Position
	engine   uci.Searcher // nil before the first message
	answered int          // 1 + plies of the position that was last answered; 0: none
}

func (g *game) close() {
	if g.engine != nil {
		g.engine.Close()
	}
}

// message handles a message of the game. An error ends the game for us.
func (g *game) message(ctx context.Context, line []byte) error {
	var m gameMessage
	if err := json.Unmarshal(line, &m); err != nil {
		g.Log.Warn("not understood", "game", g.id, "error", err)
		return nil
	}
	switch m.Type {
	case "gameFull":
		if err := g.begin(&m.gameFull); err != nil {
			return g.leave(ctx, err)
		}
		return g.state(ctx, &m.State)
	case "gameState":
		if g.engine == nil {
			return g.leave(ctx, fmt.Errorf("lichess: game %s: a state before the game", g.id))
		}
		return g.state(ctx, &m.gameState)
	case "opponentGone":
		if m.Gone && m.Claim != nil && *m.Claim <= 0 {
			g.post(ctx, "claim-victory")
		}
	}
	return nil
}

// begin reads the description of a game at the start of each of its streams.
func (g *game) begin(full *gameFull) error {
	g.full, g.answered = *full, 0
	switch {
	case strings.EqualFold(full.White.ID, g.me.ID):
		g.color = chess.White
	case strings.EqualFold(full.Black.ID, g.me.ID):
		g.color = chess.Black
	default:
		return fmt.Errorf("lichess: game %s is between %s and %s, not with %s", g.id, full.White.Name, full.Black.Name, g.me.Username)
	}
	var err error
	if g.start, err = full.start(); err != nil {
		return fmt.Errorf("lichess: game %s: %w", g.id, err)
	}
	if g.engine == nil {
		if g.engine, err = g.Engine(g.start.Variant()); err != nil {
			return err
		}
		g.Log.Info("game", "id", g.id, "white", full.White.Name, "black", full.Black.Name, "variant", full.Variant.Key)
	}
	return nil
}

// leave ends a game that cannot be played.
func (g *game) leave(ctx context.Context, why error) error {
	if !g.post(ctx, "abort") { // impossible after the first moves
		g.post(ctx, "resign")
	}
	return why
}

// post sends an action in the game, and reports whether lichess accepted it.
func (g *game) post(ctx context.Context, what string) bool {
	_, err := g.client.requestWithRetry(ctx, http.MethodPost, "/api/bot/game/"+url.PathEscape(g.id)+"/"+what, nil, g.logRetry(what))
	return err == nil
}

// state moves if it is our turn.
func (g *game) state(ctx context.Context, s *gameState) error {
	if over(s.Status) {
		g.over = true
		g.Log.Info("game over", "id", g.id, "how", s.Status, "winner", s.Winner, "we", g.color)
		return nil
	}
	now := chess.NewGame(g.start)
	for i, word := range strings.Fields(s.Moves) {
		m, err := now.Position().ParseUCI(word)
		if err != nil {
			return g.leave(ctx, fmt.Errorf("lichess: game %s, move %d: %w", g.id, i+1, err))
		}
		now.Play(m)
	}
	var l chess.MoveList
	now.Position().LegalMoves(&l)
	if now.Position().Turn() != g.color || g.answered == now.Ply()+1 || l.Len() == 0 {
		return nil // not our turn, answered already, or over: lichess will report the end
	}
	g.answered = now.Ply() + 1
	task := uci.Task{Limit: uci.Limit{
		Clock:     [2]time.Duration{chess.White: ms(max(1, s.WTime)), chess.Black: ms(max(1, s.BTime))},
		Increment: [2]time.Duration{chess.White: ms(s.WInc), chess.Black: ms(s.BInc)},
	}}
	if limit := longestThought; now.Ply() < 2 || task.Clock[g.color] > 100*limit {
		task = uci.Task{Limit: uci.Limit{MoveTime: limit}} // no clock runs, or there is plenty of time
	}
	best, _, err := g.engine.Think(ctx, now, task, nil)
	if err != nil {
		return g.leave(ctx, fmt.Errorf("lichess: game %s: %w", g.id, err))
	}
	text := now.Position().UCI(best)
	if best.IsCastle() && g.full.Variant.Key == "chess960" {
		text = best.String() // the king takes its rook
	}
	if !g.post(ctx, "move/"+text) && ctx.Err() == nil {
		g.Log.Warn("the move came too late", "game", g.id, "move", text)
	}
	return nil
}

// longestThought is the time for a move when the clock does not limit it.
const longestThought = 5 * time.Second

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
