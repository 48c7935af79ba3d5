package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/stats"

	"alamos/pkg/uci"
)

// Options set on every engine that supports them.
const (
	threadsOption = "Threads"     // 1: more threads give different results from run to run
	wdlOption     = "UCI_ShowWDL" // true: scores include win, draw and loss
)

// engines are processes of one engine. They start at first use.
type engines struct {
	command uci.Command
	variant chess.Variant
	free    chan *uci.Client // one element for each process; nil: not running
}

func newEngines(c uci.Command, v chess.Variant, n int) *engines {
	p := &engines{command: c, variant: v, free: make(chan *uci.Client, n)}
	for range n {
		p.free <- nil
	}
	return p
}

// use calls f with a process that has received ucinewgame. where names the game in errors.
func (p *engines) use(ctx context.Context, where string, f func(*uci.Client) error) (err error) {
	var e *uci.Client
	select {
	case e = <-p.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { p.free <- e }()
	if e == nil || e.Err() != nil {
		if e, err = p.start(ctx); err != nil {
			e = nil
			return fmt.Errorf("data: %w", err)
		}
	}
	if err := e.NewGame(ctx); err != nil {
		return fmt.Errorf("data: %s: %w", where, &engineEnded{err})
	}
	return f(e)
}

func (p *engines) start(ctx context.Context) (*uci.Client, error) {
	e, err := uci.Start(ctx, p.command, uci.Timeouts{})
	if err != nil {
		return nil, err
	}
	err = e.Prove(ctx, p.variant)
	for _, s := range []uci.Setting{{Name: threadsOption, Value: "1"}, {Name: wdlOption, Value: "true"}} {
		if err == nil && e.Option(s.Name) != nil {
			err = e.SetOption(s.Name, s.Value)
		}
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// close ends all processes. No process may be in use.
func (p *engines) close() {
	for range cap(p.free) {
		if e := <-p.free; e != nil {
			e.Close()
		}
		p.free <- nil
	}
}

// Answers stores the engines' results for the finished games of a chunk, which cost nearly
// all of its time. An interrupted chunk then computes only the rest.
type Answers struct {
	// Keep stores an entry for Replay. It must be safe for concurrent use. Nil stores
	// nothing.
	Keep func(entry []byte) error

	known map[int32][]answer
	mutex sync.Mutex
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
func (a *Answers) Games() int {
	if a == nil {
		return 0
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return len(a.known)
}

// of removes and returns the answers of a game. Nil: unknown.
func (a *Answers) of(game int32) []answer {
	if a == nil {
		return nil
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	known := a.known[game]
	delete(a.known, game)
	return known
}

// keep stores the answers of a finished game.
func (a *Answers) keep(game int32, given []answer) error {
	if a == nil || a.Keep == nil || len(given) == 0 {
		return nil
	}
	entry, err := json.Marshal(answered{game, given})
	if err != nil {
		return err
	}
	return a.Keep(entry)
}

// transcript is the sequence of engine answers in a game. It replays stored answers.
type transcript struct {
	known  []answer // remaining stored answers, in order
	replay bool     // all answers are stored
	given  []answer // answers computed by engines
}

// begin begins a game. known has either all answers of the game or none (nil).
func (t *transcript) begin(known []answer) {
	t.known, t.replay, t.given = known, known != nil, t.given[:0]
}

var errOtherGame = errors.New("the journal has answers of another game: delete it")

// engine calls f with a process of p, or with nil if all answers are stored.
func (t *transcript) engine(ctx context.Context, p *engines, where string, f func(*uci.Client) error) error {
	if t.replay {
		return f(nil)
	}
	return p.use(ctx, where, f)
}

// answer returns the engine's answer for the current position of g.
func (t *transcript) answer(ctx context.Context, where string, e *uci.Client, g *chess.Game, l Limit) (answer, error) {
	fault := func(err error) error { return fmt.Errorf("data: %s, ply %d: %w", where, g.Ply(), err) }
	of := uint32(g.Position().Key())
	if t.replay {
		if len(t.known) == 0 || t.known[0].Of != of {
			return answer{}, fault(errOtherGame)
		}
		a := t.known[0]
		t.known = t.known[1:]
		return a, nil
	}
	err := e.Position(g)
	var search uci.Answer
	if err == nil {
		search, err = e.Go(ctx, l.uci())
	}
	if err != nil {
		if e.Err() != nil {
			err = &engineEnded{err}
		}
		return answer{}, fault(err)
	}
	a := answer{Of: of, Move: search.Move}
	if s := search.Score; s != nil {
		value := s.Expected()
		a.Scored, a.Value, a.Draw = true, float32(value), float32(1-max(value, -value))
		if d := s.WDL; d != nil {
			if sum := d[0] + d[1] + d[2]; sum > 0 {
				a.Draw = float32(d[1]) / float32(sum)
			}
		}
	}
	t.given = append(t.given, a)
	return a, nil
}

// engineEnded is an error after which the engine must be restarted.
type engineEnded struct{ error }

func (e *engineEnded) Unwrap() error { return e.error }

// label sets the position's values to the engine's evaluation and returns the engine's
// move.
func (w *worker) label(ctx context.Context, where string, e *uci.Client, p *Position) (chess.Move, error) {
	a, err := w.transcript.answer(ctx, where, e, p.At, w.source.cfg.Label.Limit)
	if err != nil {
		return 0, err
	}
	if !a.Scored {
		return 0, fmt.Errorf("data: %s, ply %d: engine %s plays %s without a score: it cannot label", where, p.Ply, e.Name(), a.Move)
	}
	p.Value, p.Draw = a.Value, a.Draw
	return a.Move, nil
}

// finish lets the engine play out a game that the rules have not ended. It returns all
// moves and sets the result.
func (g *played) finish(ctx context.Context, w *worker, e *uci.Client, l Limit) ([]chess.Move, error) {
	w.board.Reset(g.start)
	for _, m := range g.moves {
		w.board.Play(m)
	}
	outcome, err := w.playOut(ctx, g.where, e, w.board, l)
	if err != nil {
		return nil, err
	}
	if w.board.Ply() > len(g.moves) {
		w.finished, w.result = true, outcome.Result
	}
	return slices.Clone(w.board.Moves()), nil
}

// playOut lets an engine play both sides until the game ends.
func (w *worker) playOut(ctx context.Context, where string, e *uci.Client, g *chess.Game, l Limit) (chess.Outcome, error) {
	var list chess.MoveList
	for {
		g.Position().LegalMoves(&list)
		if o := g.Outcome(&list); o.Over() {
			return o, nil
		}
		a, err := w.transcript.answer(ctx, where, e, g, l)
		if err != nil {
			return chess.Outcome{}, err
		}
		g.Play(a.Move)
	}
}

// selfPlayed is a game of an engine against itself, before it is played.
type selfPlayed struct {
	where string
	seed  uint64
	start chess.Starts
}

func (g *selfPlayed) size() int { return 0 }

// maxRedraws is the number of consecutive openings that may end the game before the
// settings count as an error.
const maxRedraws = 10000

// open draws the opening. The game's own moves begin after it.
func (g *selfPlayed) open(b *chess.Game, plies int) error {
	rng := stats.NewRand(stats.Derive(g.seed, 1))
	for range maxRedraws {
		b.Reset(g.start.Draw(rng))
		var list chess.MoveList
		for b.Position().LegalMoves(&list); !b.Outcome(&list).Over(); b.Position().LegalMoves(&list) {
			if b.Ply() == plies {
				return nil
			}
			b.Play(list.At(rng.IntN(list.Len())))
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
	err := w.transcript.engine(ctx, w.source.players, g.where, func(e *uci.Client) error {
		outcome, err := w.playOut(ctx, g.where, e, w.board, player.Limit)
		game.result = outcome.Result
		return err
	})
	if err != nil {
		return err
	}
	game.moves = slices.Clone(w.board.Moves())
	return game.positions(ctx, w, yield)
}
