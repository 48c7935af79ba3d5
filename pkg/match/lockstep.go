package match

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/stats"
	"alamos/pkg/uci"
)

// maxOpenings is the number of attempts to draw a random opening that does not end the
// game.
const maxOpenings = 1000

// liveGame is a game that is being played.
type liveGame struct {
	*Game
	game  *chess.Game
	seed  uint64
	turn  Turn
	legal chess.MoveList
}

// play plays games in lock step until there is no next one. In each step every player
// chooses its moves in all games in which it is to move.
func (w *worker) play(ctx context.Context) error {
	var live []*liveGame
	for {
		for len(live) < w.together {
			n := w.next(len(live) == 0)
			if n == nil {
				break
			}
			g, err := w.begin(n.Pair, n.number)
			if err != nil {
				return err
			}
			live = append(live, g)
		}
		if err := ctx.Err(); err != nil || len(live) == 0 {
			return err
		}
		if err := w.move(ctx, live); err != nil {
			return fmt.Errorf("match: %w", err)
		}
		live = slices.DeleteFunc(live, w.advance)
		var err error
		if live, err = w.adjudicate(ctx, live); err != nil {
			return fmt.Errorf("match: adjudicating: %w", err)
		}
	}
}

// begin sets up a game with its opening.
func (w *worker) begin(pair Pair, number int) (*liveGame, error) {
	t := &w.tournament
	white, black := pair.Players(number)
	g := &liveGame{
		Game: &Game{Variant: t.Variant, White: white, Black: black, Number: number},
		seed: derive(t.Seed, number, "game", pair.A, pair.B),
	}
	// Both games of a pair have the same opening, and each player has each color once. All
	// pairs of players have the same openings, so that these are no part of differences.
	rng := stats.NewRand(derive(t.Seed, number/2, "opening"))
	for range maxOpenings {
		book := 0
		if len(t.Book) == 0 {
			g.game = chess.NewGame(w.start.Draw(rng))
		} else {
			o := opening(t.Book, number/2, t.Seed)
			var err error
			if g.game, err = o.game(); err != nil {
				return nil, fmt.Errorf("match: an opening of the book: %w", err)
			}
			book = len(o.Moves)
		}
		if !g.game.RandomPlies(t.RandomPlies, rng) || w.outcome(g).Over() {
			continue
		}
		n := g.game.Ply()
		g.Start, g.Opening, g.Book, g.Infos = *g.game.Start(), n, book, make([]Info, n)
		return g, nil
	}
	return nil, fmt.Errorf("match: after %d random plies every game of %s was over: ask for fewer", t.RandomPlies, t.Variant)
}

// outcome generates the legal moves of a game and returns the game's outcome.
func (w *worker) outcome(g *liveGame) chess.Outcome {
	g.game.Position().LegalMoves(&g.legal)
	out := g.game.Outcome(&g.legal)
	if limit := w.tournament.MaxMoves; !out.Over() && limit > 0 && g.game.Ply() >= 2*limit {
		return chess.Outcome{Result: chess.Draw, Reason: chess.MoveLimit}
	}
	return out
}

// move gets the next move of every game, from one player after another.
func (w *worker) move(ctx context.Context, live []*liveGame) error {
	turns := map[string][]*Turn{}
	for _, g := range live {
		g.turn = Turn{Number: g.Number, Game: g.game, Seed: derive(g.seed, g.game.Ply())}
		turns[g.toMove()] = append(turns[g.toMove()], &g.turn)
	}
	for _, name := range slices.Sorted(maps.Keys(turns)) {
		p, err := w.player(name)
		if err != nil {
			return err
		}
		if err := p.Moves(ctx, turns[name]); err != nil {
			return err
		}
	}
	return nil
}

func (g *liveGame) toMove() string {
	if g.game.Position().Turn() == chess.White {
		return g.White
	}
	return g.Black
}

// advance plays the move of the current turn and reports whether it ended the game.
func (w *worker) advance(g *liveGame) (over bool) {
	err := g.turn.Err
	if err == nil && !g.legal.Contains(g.turn.Move) {
		err = fmt.Errorf("player %s %w: %v in %s", g.toMove(), uci.ErrIllegalMove, g.turn.Move, g.game.Position().FEN())
	}
	g.Crashes = append(g.Crashes, g.turn.Crashes...)
	var out chess.Outcome
	if err != nil {
		out = chess.Outcome{Result: chess.Win(g.game.Position().Turn().Other()), Reason: Fault(err)}
		g.Fault = err
	} else {
		g.game.Play(g.turn.Move)
		g.Infos = append(g.Infos, g.turn.Info)
		g.Moves = g.game.Moves()
		out = w.outcome(g)
		if r := w.tournament.Judge.result(g.Game); !out.Over() && r != chess.Unfinished {
			out = chess.Outcome{Result: r, Reason: chess.Adjudication}
		}
	}
	if out.Over() {
		w.end(g, out)
	}
	return out.Over()
}

// adjudicate ends the games that the tournament's adjudicator decides. It returns the
// remaining games.
func (w *worker) adjudicate(ctx context.Context, live []*liveGame) ([]*liveGame, error) {
	if w.tournament.Adjudicate == nil || len(live) == 0 {
		return live, nil
	}
	games := make([]*Game, len(live))
	for i, g := range live {
		games[i] = g.Game
	}
	results, err := w.tournament.Adjudicate(ctx, games)
	if err == nil && len(results) != len(games) {
		err = fmt.Errorf("%d results for %d games", len(results), len(games))
	}
	if err != nil {
		return nil, err
	}
	open := live[:0]
	for i, g := range live {
		if results[i] == chess.Unfinished {
			open = append(open, g)
		} else {
			w.end(g, chess.Outcome{Result: results[i], Reason: chess.Adjudication})
		}
	}
	return open, nil
}

// end reports a finished game.
func (w *worker) end(g *liveGame, out chess.Outcome) {
	g.Outcome = out
	g.Moves = slices.Clone(g.game.Moves())
	for _, name := range []string{g.White, g.Black} {
		if p := w.players[name]; p != nil {
			p.GameOver(g.game)
		}
	}
	w.finished(g.Game)
}
