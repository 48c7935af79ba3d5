package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/uci"
)

// Position is a position to learn from: a sample that is encoded later, from At and Moves,
// unless the file stores it encoded.
type Position struct {
	// Sample has the number of the game in reading order, from 0, and the targets. Value is
	// in the view of the side to move until it is encoded. See [HasResult].
	encode.Sample

	// At is the position with its history, and Moves are all legal moves; Policy has a
	// target for each of them. Both are valid until the next position is made.
	At    *chess.Game
	Moves []chess.Move

	// Played are the next moves of the game, with Config.Continued as many as the targets need,
	// otherwise none. They are valid until the next position is made.
	Played []chess.Move

	// Encoding names the encoder and the policy of Planes and Indices if the file has only
	// these. At is then nil.
	Encoding *Meta
}

// target sets Moves to the legal moves and the policy target to the move m. The moves are
// generated into list and are valid until the next position.
func (p *Position) target(list *chess.MoveList, m chess.Move) error {
	p.At.Position().LegalMoves(list)
	p.Moves = list.Slice()
	p.Policy = append(p.Policy, make([]float32, len(p.Moves))...)
	i := slices.Index(p.Moves, m)
	if i < 0 {
		return fmt.Errorf("%s is not legal in %s", m, p.At.Position().FEN())
	}
	p.Policy[i] = 1
	return nil
}

// advance calls f with the position after the legal move m. The evaluation remains that of the
// position before it, and there is no policy target.
func (p *Position) advance(list *chess.MoveList, m chess.Move, f func() error) error {
	p.At.Play(m)
	defer p.At.Undo()
	p.At.Position().LegalMoves(list)
	p.Moves, p.Policy = list.Slice(), make([]float32, list.Len())
	p.Value, p.Played, p.MovesLeft = -p.Value, nil, 0 // the value is for the other side
	return f()
}

// value sets the values from a network's evaluation.
func (p *Position) value(l *encode.Leaf) {
	p.Value, p.Draw = l.Value, 1-max(l.Value, -l.Value)
	if l.WDL != [3]float32{} {
		p.Draw = l.WDL[1]
	}
}

// result sets the values from a game's result.
func (p *Position) result(r chess.Result) {
	p.Value, p.Draw = float32(r), 0
	if p.At.Position().Turn() == chess.Black {
		p.Value = -p.Value
	}
	if r == chess.Draw {
		p.Draw = 1
	}
}

// encode writes the position as a sample of the codec. expressed is false if the policy
// encoding has no index for any move with a target; the sample is then useless. future is
// Config.Future. It is an error if the file has the position in another encoding only.
func (p *Position) encode(c encode.Codec, s *encode.Sample, future int) (expressed bool, err error) {
	s.Game, s.Ply, s.Value, s.Draw, s.MovesLeft = p.Game, p.Ply, p.Value, p.Draw, p.MovesLeft
	s.Indices, s.Policy = s.Indices[:0], s.Policy[:0]
	if from := p.Encoding; from != nil {
		if from.Encoder != c.Planes.Name() || from.Policy != c.Policy.Name() {
			return false, fmt.Errorf("the file has positions of the encodings %s and %s only, which are not converted to %s and %s",
				from.Encoder, from.Policy, c.Planes.Name(), c.Policy.Name())
		}
		if future > 0 && from.Future != future {
			err := fmt.Errorf("the file has no boards of %d plies later, which network.future_board predicts", future)
			if from.Future > 0 {
				err = fmt.Errorf("%w; it has those of %d plies later", err, from.Future)
			}
			return false, err
		}
		s.Reply, s.Future = p.Reply, s.Future[:0]
		if future > 0 {
			s.Future = append(s.Future, p.Future...)
		}
		s.Planes = append(s.Planes[:0], p.Planes...)
		s.Indices, s.Policy = append(s.Indices, p.Indices...), append(s.Policy, p.Policy...)
		return true, nil
	}
	at := p.At.Position()
	n := c.Planes.Count()
	s.Planes = slices.Grow(s.Planes[:0], n)[:n]
	c.Planes.Encode(s.Planes, p.At)
	c.Continue(s, at, p.Played, future)
	if s.Value != 0 { // avoids -0
		s.Value *= c.Sign(at.Turn())
	}
	if c.Policy.Size() == 0 { // the codec has no policy
		return true, nil
	}
	sum, whole := float32(0), true
	for i, m := range p.Moves {
		if index := c.Policy.Index(at, m); index >= 0 {
			s.Indices = append(s.Indices, int32(index))
			s.Policy = append(s.Policy, p.Policy[i])
			sum += p.Policy[i]
		} else if p.Policy[i] > 0 {
			whole = false
		}
	}
	if !whole && sum > 0 {
		for i := range s.Policy {
			s.Policy[i] /= sum
		}
	}
	return sum > 0, nil
}

// game is a game returned by a reader. Expensive work is left to positions, which many
// goroutines call in parallel for different games.
type game struct {
	size int // number of positions that count toward the chunk's size

	// positions yields the drawn positions in the order of the game. It sets the worker's
	// result and counts.
	positions func(ctx context.Context, w *worker, yield func(*Position) error) error

	read *played // the game of a file in PGN, otherwise nil
}

// worker makes the positions of one game at a time and reuses its memory.
type worker struct {
	source *Source
	board  *chess.Game
	list   chess.MoveList
	played []chess.Move // see [Position.Played]
	pos    Position

	asking bool           // only for the answers of engines
	leaves []*encode.Leaf // the drawn positions with the evaluations of the network that labels

	// What is known about the game after its positions are made.
	session
	result chess.Result // Unfinished if unknown
	counts Counts       // without positions and results
}

func (s *Source) newWorker() *worker {
	return &worker{source: s, board: chess.NewGame(chess.StartPosition(s.cfg.Variant))}
}

// reset returns the worker's position, emptied but for its memory.
func (w *worker) reset(ply int) *Position {
	w.pos = Position{Sample: encode.Sample{Ply: int32(ply), Policy: w.pos.Policy[:0], Reply: -1}}
	return &w.pos
}

// positions yields the positions of a game. known has the stored answers of engines, all or
// none (nil).
func (w *worker) positions(ctx context.Context, g game, known []answer, yield func(*Position) error) error {
	w.session = session{known: known, given: w.given[:0]}
	w.result, w.counts = chess.Unfinished, Counts{Games: 1}
	defer w.release()
	return g.positions(ctx, w, yield)
}

// count describes the game after its positions are made.
func (w *worker) count(positions int) Counts {
	c := w.counts
	c.Positions = positions
	if c.Games == 0 {
		return c
	}
	switch w.result {
	case chess.WhiteWins:
		c.White = 1
	case chess.Draw:
		c.Draws = 1
	case chess.BlackWins:
		c.Black = 1
	default:
		c.Unknown = 1
	}
	return c
}

var errNotContinued = errors.New("the file does not have the moves that followed, which network.opponent_policy and network.future_board learn: leave these heads out")

var errNoResult = errors.New("the file has no result of the position, and values and plies left cannot be learned without it: set training.loss.value: 0, and where network.moves_left is true training.loss.moves_left: 0")

// samples converts a game to samples, which the caller owns. It reuses the engine answers
// in a.
func (w *worker) samples(ctx context.Context, c encode.Codec, g game, number int32, a *Answers) (m made) {
	known := a.known[number]
	err := retried(ctx, func() error {
		for _, s := range m.samples {
			w.source.spare.Put(s)
		}
		m = w.attempt(ctx, c, g, number, known)
		return m.err
	})
	if err == nil && known == nil {
		m.err = a.keep(number, w.given)
	}
	return m
}

// retried calls f, which asks engines about a game, and once more if an engine crashes: one crash
// must not end days of work, but two crashes in one game are not a coincidence.
func retried(ctx context.Context, f func() error) error {
	err := f()
	if errors.As(err, new(*engineEnded)) && context.Cause(ctx) == nil {
		err = f()
	}
	return err
}

func (w *worker) attempt(ctx context.Context, c encode.Codec, g game, number int32, known []answer) (m made) {
	unexpressed := 0
	m.err = w.positions(ctx, g, known, func(p *Position) error {
		p.Game = number
		if w.source.cfg.Results && !HasResult(&p.Sample) {
			return errNoResult
		}
		if w.source.cfg.Continued && len(p.Played) == 0 && !(p.Encoding != nil && p.Encoding.Continued) {
			return errNotContinued
		}
		s := w.source.spare.Get().(*encode.Sample)
		expressed, err := p.encode(c, s, w.source.cfg.Future)
		if err != nil {
			return err
		}
		if !expressed {
			unexpressed++
			w.source.spare.Put(s)
			return nil
		}
		m.samples = append(m.samples, s)
		return nil
	})
	m.Counts = w.count(len(m.samples))
	m.Unexpressed = unexpressed
	return m
}

// labelNetwork is the network that labels. It is opened when it is first needed.
type labelNetwork struct {
	mu    sync.Mutex
	model *nn.Model
	codec encode.Codec
	idle  []*nn.Session
}

// session returns a session that no other goroutine uses. The caller puts it back to idle.
func (t *labelNetwork) session(open Network) (s *nn.Session, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.model == nil {
		if t.model, t.codec, err = open(); err != nil {
			return nil, err
		}
	}
	if n := len(t.idle); n > 0 {
		s, t.idle = t.idle[n-1], t.idle[:n-1]
		return s, nil
	}
	return t.model.NewSession()
}

func (t *labelNetwork) put(s *nn.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle = append(t.idle, s)
}

func (t *labelNetwork) close() {
	for _, s := range t.idle {
		s.Close()
	}
	if t.model != nil {
		t.model.Close()
	}
}

// ask evaluates the positions of a game after these plies, in order, with the network that
// labels.
func (w *worker) ask(start chess.Position, moves []chess.Move, plies []int) error {
	t := &w.source.labelNetwork
	s, err := t.session(w.source.cfg.Label.Network)
	if err != nil {
		return err
	}
	defer t.put(s)
	w.board.Reset(start)
	for i, ply := range plies {
		for _, m := range moves[w.board.Ply():ply] {
			w.board.Play(m)
		}
		if i == len(w.leaves) {
			w.leaves = append(w.leaves, &encode.Leaf{})
		}
		w.board.Position().LegalMoves(&w.list)
		t.codec.Prepare(w.leaves[i], w.board, w.list.Slice())
	}
	return s.Evaluate(w.leaves[:len(plies)])
}

// played is a game with known moves.
type played struct {
	where  string // file and number, for errors
	seed   uint64
	start  chess.Position
	moves  []chess.Move
	result chess.Result
	size   int // see game
}

func (g *played) positions(ctx context.Context, w *worker, yield func(*Position) error) error {
	w.result = g.result
	label, moves := w.source.cfg.Label, g.moves
	switch {
	case label == nil && len(moves) > 0 && g.result == chess.Unfinished:
		w.counts = Counts{NoResult: 1} // its value cannot be learned
		return nil
	case label != nil && label.Finish != (uci.Limit{}):
		w.board.Reset(g.start)
		for _, m := range moves {
			w.board.Play(m)
		}
		if err := w.playOut(ctx, g.where, w.source.labelers, label.Finish); err != nil {
			return err
		}
		if w.board.Ply() > len(moves) {
			w.counts.Finished = 1
		} else {
			w.result = g.result
		}
		moves = slices.Clone(w.board.Moves())
	}
	if len(moves) == 0 {
		w.counts = Counts{NoMoves: 1}
	}
	plies := draw(stats.NewRand(g.seed), len(moves), w.source.cfg.Positions)
	if label != nil && label.Model != "" {
		if err := w.ask(g.start, moves, plies); err != nil {
			return fmt.Errorf("data: %s: %w", g.where, err)
		}
	}
	w.board.Reset(g.start)
	for i, ply := range plies {
		for _, m := range moves[w.board.Ply():ply] {
			w.board.Play(m)
		}
		p := w.reset(ply)
		p.At, p.MovesLeft = w.board, float32(len(moves)-ply)
		if w.result == chess.Unfinished {
			p.MovesLeft = 0 // unknown
		}
		move := moves[ply]
		if w.source.cfg.Continued {
			p.Played = moves[ply:]
		}
		switch {
		case label == nil:
			p.result(w.result)
		case label.Model != "":
			p.value(w.leaves[i])
		default:
			best, err := w.label(ctx, g.where, p)
			if err != nil {
				return err
			}
			if w.source.cfg.Policy == EngineMove || label.Advance {
				move = best
			}
		}
		err := p.target(&w.list, move)
		if err == nil && label != nil && label.Model != "" && w.source.cfg.Policy == EngineMove {
			copy(p.Policy, w.leaves[i].Priors)
		}
		if err == nil && label != nil && label.Advance {
			err = p.advance(&w.list, move, func() error { return yield(p) })
		} else if err == nil {
			err = yield(p)
		}
		if err != nil {
			return fmt.Errorf("data: %s, ply %d: %w", g.where, ply, err)
		}
	}
	return nil
}
