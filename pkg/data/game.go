package data

import (
	"context"
	"errors"
	"fmt"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/stats"
	"alamos/pkg/uci"
)

// game is a game as its reader gives it. What takes time is left to positions,
// which is called by many goroutines for as many games at once.
type sourceGame interface {
	// size is the number of positions that the game counts for in a chunk.
	size() int

	// positions gives the drawn positions in the order of the game. It sets the
	// worker's tally.
	positions(ctx context.Context, w *worker, yield func(*Position) error) error
}

// worker makes positions of games, one game at a time, and keeps the memory that
// this takes.
type worker struct {
	set   *SourceSet
	codec *encode.Codec // for which positions are made; nil: for none

	board  *chess.Game
	list   chess.MoveList
	pos    Position
	coded  Coded
	places []int32 // by index of lc0-1858, see index
	talk   talk

	tally
}

// tally is what is found out about a game while its positions are made.
type tally struct {
	result   chess.Result // Unfinished where it is not known
	finished bool         // an engine has played it out
	noResult bool         // no position, for the game has no result
	noMoves  bool         // no position, for there is no move to learn from
}

func (s *SourceSet) newWorker(codec *encode.Codec) *worker {
	return &worker{set: s, codec: codec, board: chess.NewGame(chess.StartPosition(s.cfg.Variant))}
}

// codes reports whether the positions are made for this encoding.
func (w *worker) codes(encoder, policy string) bool {
	return w.codec != nil && w.codec.Planes.Name() == encoder && w.codec.Policy.Name() == policy
}

var errNoResult = errors.New("the file tells no result of the position, and values and plies left cannot be learned without: set training.loss.value: 0, and where network.moves_left is true training.loss.moves_left: 0")

// samples gives the positions of a game as samples, which are the caller's. A game in
// which an engine ended is asked about once more, of a new one: of days of work one
// crash must not be the end, but two in one game are no chance.
func (w *worker) samples(ctx context.Context, g sourceGame, number int32) (samples []*encode.Sample, unexpressed int, err error) {
	known := w.set.answers.of(number)
	samples, unexpressed, err = w.attempt(ctx, g, number, known)
	if ended := new(*engineEnded); errors.As(err, ended) && context.Cause(ctx) == nil {
		for _, s := range samples {
			w.set.spare.Put(s)
		}
		samples, unexpressed, err = w.attempt(ctx, g, number, known)
	}
	if err == nil && known == nil {
		err = w.set.answers.keep(number, w.talk.given)
	}
	return samples, unexpressed, err
}

func (w *worker) attempt(ctx context.Context, g sourceGame, number int32, known []answer) (samples []*encode.Sample, unexpressed int, err error) {
	w.tally = tally{result: chess.Unfinished}
	w.talk.begin(known)
	err = g.positions(ctx, w, func(p *Position) error {
		p.Game = number
		if p.NoResult && w.set.cfg.Results {
			return errNoResult
		}
		s := w.set.spare.Get().(*encode.Sample)
		expressed, err := p.encode(*w.codec, s)
		if err != nil {
			return err
		}
		if !expressed {
			unexpressed++
			w.set.spare.Put(s)
			return nil
		}
		samples = append(samples, s)
		return nil
	})
	return samples, unexpressed, err
}

// played is a game of which the moves are known.
type played struct {
	where  string // for errors: file and number
	seed   uint64
	start  chess.Position
	moves  []chess.Move
	result chess.Result
	counts int
}

func (g *played) size() int { return g.counts }

func (g *played) positions(ctx context.Context, w *worker, yield func(*Position) error) error {
	w.result = g.result
	label := w.set.cfg.Label
	if label == nil {
		if len(g.moves) > 0 && g.result == chess.Unfinished {
			w.noResult = true // there is nothing to learn of its value
			return nil
		}
		return g.each(w, g.moves, yield, nil)
	}
	return w.talk.engine(ctx, w.set.labels, g.where, func(e *uci.Client) error {
		moves := g.moves
		if label.Finish != (Limit{}) {
			var err error
			if moves, err = g.finish(ctx, w, e, label.Finish); err != nil {
				return err
			}
		}
		return g.each(w, moves, yield, func(p *Position) (chess.Move, error) { return w.label(ctx, g.where, e, p) })
	})
}

// each yields the drawn positions of a game with these moves. label, when not
// nil, sets the values of each, and gives the engine's move.
func (g *played) each(w *worker, moves []chess.Move, yield func(*Position) error, label func(*Position) (chess.Move, error)) error {
	w.noMoves = len(moves) == 0
	w.board.Reset(g.start)
	p := &w.pos
	for _, ply := range draw(stats.NewRand(g.seed), 0, len(moves), w.set.cfg.Positions) {
		for _, m := range moves[w.board.Ply():ply] {
			w.board.Play(m)
		}
		*p = Position{Ply: int32(ply), At: w.board, Policy: p.Policy, MovesLeft: float32(len(moves) - ply)}
		move := moves[ply]
		if label == nil {
			p.result(w.result)
		} else {
			best, err := label(p)
			if err != nil {
				return err
			}
			if w.set.cfg.Policy == EngineMove {
				move = best
			}
		}
		if err := p.target(&w.list, move); err != nil {
			return fmt.Errorf("data: %s, ply %d: %w", g.where, ply, err)
		}
		if err := yield(p); err != nil {
			return fmt.Errorf("data: %s, ply %d: %w", g.where, ply, err)
		}
	}
	return nil
}
