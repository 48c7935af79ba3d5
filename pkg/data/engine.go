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

// Options that every engine gets, if it has them.
const (
	threadsOption = "Threads"     // 1: with more, answers differ from run to run
	wdlOption     = "UCI_ShowWDL" // true: scores have win, draw and loss
)

// engines are processes of one engine, which start when they are first needed.
type engines struct {
	command uci.Command
	variant chess.Variant
	free    chan *uci.Client // an element for each process; nil: not running
}

func newEngines(c uci.Command, v chess.Variant, n int) *engines {
	p := &engines{command: c, variant: v, free: make(chan *uci.Client, n)}
	for range n {
		p.free <- nil
	}
	return p
}

// use calls f with a process that a new game was announced to. where names the game in
// errors.
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

// close ends all processes. No game may be using one.
func (p *engines) close() {
	for range cap(p.free) {
		if e := <-p.free; e != nil {
			e.Close()
		}
		p.free <- nil
	}
}

// Answers keeps what engines answered in the finished games of a chunk, which takes
// nearly all of its time. A chunk that was interrupted asks only for the rest.
type Answers struct {
	// Keep stores an entry for Replay. It must be safe for use by many goroutines; nil
	// stores nothing.
	Keep func(entry []byte) error

	known map[int32][]answer
	mutex sync.Mutex
}

// answer is what an engine thinks of a position. A move alone has no value.
type answer struct {
	Of     uint32     `json:"p"` // the key of the position, cut short
	Move   chess.Move `json:"m"`
	Scored bool       `json:"s,omitempty"`
	Value  float32    `json:"v,omitempty"` // expected score -1 to 1 for the side to move
	Draw   float32    `json:"d,omitempty"` // share of draws
}

// answered is the entry of a game.
type answered struct {
	Game    int32    `json:"game"`
	Answers []answer `json:"answers"`
}

// Replay takes an entry that was kept for the same chunk; see [Source.Identity].
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

// Games returns the number of games that are known.
func (a *Answers) Games() int {
	if a == nil {
		return 0
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return len(a.known)
}

// of removes and returns the answers of a game; nil: unknown.
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

// transcript is what engines answer in a game. Known answers are replayed.
type transcript struct {
	known  []answer // still to be replayed, in order
	replay bool     // every answer is known
	given  []answer // by engines
}

// begin begins a game of which all answers are known, or none (nil).
func (t *transcript) begin(known []answer) {
	t.known, t.replay, t.given = known, known != nil, t.given[:0]
}

var errOtherGame = errors.New("the journal has answers of another game: delete it")

// engine calls f with a process of p, or with nil where all answers are known.
func (t *transcript) engine(ctx context.Context, p *engines, where string, f func(*uci.Client) error) error {
	if t.replay {
		return f(nil)
	}
	return p.use(ctx, where, f)
}

// answer returns the engine's answer to the position of a game.
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

// engineEnded is an error after which an engine must be started again.
type engineEnded struct{ error }

func (e *engineEnded) Unwrap() error { return e.error }

// label sets the values of a position to what the engine expects, and returns its move.
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

// finish has the engine play out a game that is not over by the rules. It returns all
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

// playOut lets an engine play for both sides until the game is over.
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

// selfPlayed is a game of an engine against itself that is not played yet.
type selfPlayed struct {
	where string
	seed  uint64
	start chess.Starts
}

func (g *selfPlayed) size() int { return 0 }

// maxRedraws is how many openings that end the game are drawn again before the settings
// are taken to be hopeless.
const maxRedraws = 10000

// open draws the opening. The game proper begins after it.
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
