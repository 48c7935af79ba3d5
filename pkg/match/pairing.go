package match

import (
	"context"
	"fmt"

	"alamos/pkg/chess"
	"alamos/pkg/stats"
)

// maxOpenings is how many random openings are tried for one in which the game is
// not over.
const maxOpenings = 1000

// pairing is some games of a pair, played in lock-step by one goroutine.
type pairing struct {
	cfg     *Tournament
	start   chess.Starts
	pair    Pair
	players map[string]Player
	done    func(*Game)
}

// liveGame is a game that is being played.
type liveGame struct {
	record *Game
	game   *chess.Game
	seed   uint64
	turn   Turn
	legal  chess.MoveList
}

// play plays the games of these numbers to their ends. Match numbers begin at
// match: that of a game is match plus its number.
func (p *pairing) play(ctx context.Context, numbers []int, match int) error {
	var live []*liveGame
	for _, n := range numbers {
		g, err := p.begin(n, match+n)
		if err != nil {
			return err
		}
		live = append(live, g)
	}
	for len(live) > 0 {
		for _, name := range []string{p.pair.A, p.pair.B} {
			if err := p.ask(ctx, p.players[name], live); err != nil {
				return err
			}
		}
		going := live[:0]
		for _, g := range live {
			if !p.advance(g) {
				going = append(going, g)
			}
		}
		var err error
		if live, err = p.adjudicate(ctx, going); err != nil {
			return err
		}
	}
	return nil
}

// adjudicate ends the games of which the tournament's judge says so, and returns
// the others.
func (p *pairing) adjudicate(ctx context.Context, live []*liveGame) ([]*liveGame, error) {
	if p.cfg.Adjudicate == nil || len(live) == 0 {
		return live, nil
	}
	games := make([]*Game, len(live))
	for i, g := range live {
		g.record.Moves = g.game.Moves()
		games[i] = g.record
	}
	results, err := p.cfg.Adjudicate(ctx, games)
	if err == nil && len(results) != len(games) {
		err = fmt.Errorf("%d results for %d games", len(results), len(games))
	}
	if err != nil {
		return nil, fmt.Errorf("arena: adjudicating %s against %s: %w", p.pair.A, p.pair.B, err)
	}
	going := live[:0]
	for i, g := range live {
		if results[i] == chess.Unfinished {
			going = append(going, g)
		} else {
			p.end(g, chess.Outcome{Result: results[i], Reason: chess.Adjudication})
		}
	}
	return going, nil
}

// begin sets up a game with its opening.
func (p *pairing) begin(number, match int) (*liveGame, error) {
	white, black := p.pair.Players(number)
	g := &liveGame{
		record: &Game{Variant: p.cfg.Variant, White: white, Black: black, Number: number},
		seed:   derive(p.cfg.Seed, number, "game", p.pair.A, p.pair.B),
		turn:   Turn{Match: match},
	}
	// Both games of two have the same opening, each player once on either side.
	rng := stats.NewRand(derive(p.cfg.Seed, number/2, "opening", p.pair.A, p.pair.B))
	for range maxOpenings {
		book := 0
		if len(p.cfg.Book) == 0 {
			g.game = chess.NewGame(p.start.Draw(rng))
		} else {
			o := opening(p.cfg.Book, number/2, p.cfg.Seed)
			var err error
			if g.game, err = o.game(); err != nil {
				return nil, fmt.Errorf("arena: an opening of the book: %w", err)
			}
			book = len(o.Moves)
		}
		for range p.cfg.RandomPlies {
			m := randomMove(g.game.Position(), rng)
			if m == 0 {
				break
			}
			g.game.Play(m)
		}
		if n := g.game.Ply(); n == book+p.cfg.RandomPlies && !p.outcome(g).Over() {
			g.record.Start, g.record.Opening, g.record.Book = *g.game.Start(), n, book
			g.record.Infos = make([]Info, n)
			return g, nil
		}
	}
	return nil, fmt.Errorf("arena: no game of %s is still going on after %d random plies", p.cfg.Variant, p.cfg.RandomPlies)
}

// outcome generates the legal moves of a game and says whether it is over.
func (p *pairing) outcome(g *liveGame) chess.Outcome {
	g.game.Position().LegalMoves(&g.legal)
	out := g.game.Outcome(&g.legal)
	if limit := p.cfg.MaxMoves; !out.Over() && limit > 0 && g.game.Ply() >= 2*limit {
		return chess.Outcome{Result: chess.Draw, Reason: chess.MoveLimit}
	}
	return out
}

// ask asks a player for its moves in the games in which it is to move.
func (p *pairing) ask(ctx context.Context, player Player, live []*liveGame) error {
	var turns []*Turn
	for _, g := range live {
		if g.toMove() != player.Name() {
			continue
		}
		g.turn = Turn{Match: g.turn.Match, Game: g.game, Seed: derive(g.seed, g.game.Ply())}
		turns = append(turns, &g.turn)
	}
	if len(turns) == 0 {
		return nil
	}
	if err := player.Moves(ctx, turns); err != nil {
		return fmt.Errorf("arena: %s against %s: %w", p.pair.A, p.pair.B, err)
	}
	return nil
}

// toMove is the name of the player to move.
func (g *liveGame) toMove() string {
	if g.game.Position().Turn() == chess.White {
		return g.record.White
	}
	return g.record.Black
}

// advance plays the move of the game's turn and reports whether that ended it.
func (p *pairing) advance(g *liveGame) (over bool) {
	var out chess.Outcome
	if err := g.fault(); err != nil {
		winner := g.game.Position().Turn().Other()
		out = chess.Outcome{Result: chess.Win(winner), Reason: Fault(err)}
		g.record.Fault = err
	} else {
		g.game.Play(g.turn.Move)
		g.record.Infos = append(g.record.Infos, g.turn.Info)
		out = p.outcome(g)
	}
	if !out.Over() {
		return false
	}
	p.end(g, out)
	return true
}

// end hands in a game that has ended.
func (p *pairing) end(g *liveGame, out chess.Outcome) {
	g.record.Outcome = out
	g.record.Moves = append([]chess.Move(nil), g.game.Moves()...)
	p.players[p.pair.A].GameOver(g.turn.Match)
	p.players[p.pair.B].GameOver(g.turn.Match)
	p.done(g.record)
}

// fault says why the answer of a turn loses the game, nil when it does not.
func (g *liveGame) fault() error {
	if g.turn.Err != nil {
		return g.turn.Err
	}
	if !g.legal.Contains(g.turn.Move) {
		return &IllegalMoveError{Player: g.toMove(), Move: g.turn.Move, FEN: g.game.Position().FEN()}
	}
	return nil
}
