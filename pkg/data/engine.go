package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/stats"
	"alamos/pkg/uci"
)

// Options set on every engine that supports them.
const (
	threadsOption = "Threads"     // 1: more threads give different results from run to run
	wdlOption     = "UCI_ShowWDL" // true: scores include win, draw and loss
)

func newEngines(c uci.Command, v chess.Variant, n int) *uci.Pool {
	return uci.NewPool(uci.Player{Command: c, Variant: v, Preferred: []uci.Setting{{Name: threadsOption, Value: "1"}, {Name: wdlOption, Value: "true"}}}, n)
}

// acquire returns a process that has received ucinewgame. where names the game in errors.
func acquire(ctx context.Context, p *uci.Pool, where string) (*uci.Client, error) {
	e, err := p.Acquire(ctx)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("data: %w", err)
	}
	if err := e.NewGame(ctx); err != nil {
		p.Release(e)
		return nil, fmt.Errorf("data: %s: %w", where, &engineEnded{err})
	}
	return e, nil
}

// Answers stores the engines' results for the finished games of a chunk, which cost nearly
// all of its time. An interrupted chunk then computes only the rest.
type Answers struct {
	// Keep stores an entry for Replay. It must be safe for concurrent use. Nil stores
	// nothing.
	Keep func(entry []byte) error

	known map[int32][]answer // by game number
}

// answer is an engine's result for a position. Without Scored, the engine gave only a move,
// and Value and Draw are meaningless.
type answer struct {
	Of     uint32     `json:"p"` // the position's key, truncated
	Move   chess.Move `json:"m"`
	Scored bool       `json:"s,omitempty"`
	Value  float32    `json:"v,omitempty"` // expected score -1 to 1 for the side to move
	Draw   float32    `json:"d,omitempty"` // draw probability
}

// answered is the stored entry of a game.
type answered struct {
	Game    int32    `json:"game"`
	Answers []answer `json:"answers"`
}

// Replay loads an entry that was stored for the same chunk, see [Source.Identity].
func (a *Answers) Replay(entry []byte) error {
	var x answered
	if err := json.Unmarshal(entry, &x); err != nil {
		return err
	}
	if a.known == nil {
		a.known = map[int32][]answer{}
	}
	a.known[x.Game] = x.Answers
	return nil
}

// Games returns the number of games with stored answers.
func (a *Answers) Games() int { return len(a.known) }

// keep stores the answers of a finished game.
func (a *Answers) keep(game int32, given []answer) error {
	if a.Keep == nil || len(given) == 0 {
		return nil
	}
	entry, err := json.Marshal(answered{game, given})
	if err != nil {
		return err
	}
	return a.Keep(entry)
}

// session is the engines' part in a game.
type session struct {
	known  []answer    // stored answers that follow, in order; nil: engines answer
	given  []answer    // answers of engines so far
	of     *uci.Pool   // engines that e belongs to
	client *uci.Client // nil: no process is in use
}

// release returns the process in use.
func (s *session) release() {
	if s.client != nil {
		s.of.Release(s.client)
		s.client = nil
	}
}

// answer returns an engine's answer for the current position of g. It starts no engine if
// the answers of the game are stored.
func (s *session) answer(ctx context.Context, where string, of *uci.Pool, g *chess.Game, l uci.Limit) (answer, error) {
	fault := func(err error) error { return fmt.Errorf("data: %s, ply %d: %w", where, g.Ply(), err) }
	key := uint32(g.Position().Key())
	if s.known != nil {
		if len(s.known) == 0 || s.known[0].Of != key {
			return answer{}, fault(errors.New("the journal has answers of another game: delete it"))
		}
		a := s.known[0]
		s.known = s.known[1:]
		return a, nil
	}
	if s.client == nil || s.of != of {
		s.release()
		client, err := acquire(ctx, of, where)
		if err != nil {
			return answer{}, err
		}
		s.client, s.of = client, of
	}
	search, err := s.client.Go(ctx, g, l)
	if err != nil {
		if s.client.Err() != nil {
			err = &engineEnded{err}
		}
		return answer{}, fault(err)
	}
	a := answer{Of: key, Move: search.Move}
	if score := search.Score; score != nil {
		value := score.Expected()
		a.Scored, a.Value, a.Draw = true, float32(value), float32(1-max(value, -value))
		if d := score.WDL; d != nil {
			if sum := d[0] + d[1] + d[2]; sum > 0 {
				a.Draw = float32(d[1]) / float32(sum)
			}
		}
	}
	s.given = append(s.given, a)
	return a, nil
}

// engineEnded is an error after which the engine must be restarted.
type engineEnded struct{ error }

func (e *engineEnded) Unwrap() error { return e.error }

// label sets the position's values to the engine's evaluation and returns the engine's
// move.
func (w *worker) label(ctx context.Context, where string, p *Position) (chess.Move, error) {
	by := w.source.labelers
	a, err := w.answer(ctx, where, by, p.At, w.source.cfg.Label.Limit)
	if err == nil && !a.Scored {
		err = fmt.Errorf("data: %s, ply %d: engine %s plays %s without a score: it cannot label", where, p.Ply, by.Name(), a.Move)
	}
	p.Value, p.Draw = a.Value, a.Draw
	return a.Move, err
}

// playOut lets an engine play both sides of the worker's game until it ends. It sets the
// worker's result.
func (w *worker) playOut(ctx context.Context, where string, by *uci.Pool, l uci.Limit) error {
	var list chess.MoveList
	for {
		w.board.Position().LegalMoves(&list)
		if o := w.board.Outcome(&list); o.Over() {
			w.result = o.Result
			return nil
		}
		a, err := w.answer(ctx, where, by, w.board, l)
		if err != nil {
			return err
		}
		if !list.Contains(a.Move) { // it was not asked here
			return fmt.Errorf("data: %s, ply %d: %s is not legal", where, w.board.Ply(), a.Move)
		}
		w.board.Play(a.Move)
	}
}

// selfPlayed is a game of an engine against itself, before it is played.
type selfPlayed struct {
	where string
	seed  uint64
	start chess.Starts
}

// maxRedraws is the number of consecutive openings that may end the game before the
// settings count as an error.
const maxRedraws = 10000

// open draws the opening. The game's own moves begin after it.
func (g *selfPlayed) open(b *chess.Game, plies int) error {
	rng := stats.NewRand(stats.Derive(g.seed, 1))
	for range maxRedraws {
		if b.Reset(g.start.Draw(rng)); b.RandomPlies(plies, rng) {
			return nil
		}
	}
	return fmt.Errorf("data: %s: %d openings of %d random plies all ended the game: use fewer", g.where, maxRedraws, plies)
}

func (g *selfPlayed) positions(ctx context.Context, w *worker, yield func(*Position) error) error {
	player := &w.source.cfg.Player
	if err := g.open(w.board, player.RandomPlies); err != nil {
		return err
	}
	w.board.Reset(*w.board.Position())
	game := &played{where: g.where, seed: stats.Derive(g.seed, 2), start: *w.board.Start()}
	if err := w.playOut(ctx, g.where, w.source.players, player.Limit); err != nil {
		return err
	}
	if w.asking && w.source.labelers == nil {
		return nil
	}
	game.moves, game.result = slices.Clone(w.board.Moves()), w.result
	return game.positions(ctx, w, yield)
}
