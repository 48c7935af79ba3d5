package data

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/stats"

	"alamos/pkg/encode"
)

// The encodings in which lc0 keeps its records.
const (
	lc0Encoder = "lc0-112"
	lc0Policy  = "lc0-1858"
)

// lc0File reads the games of a file of lc0's training data.
type lc0File struct {
	cfg    *Config
	in     *counted
	ahead  *bufio.Reader // of in
	chunks *LC0Reader
	cut    bool // off: there is no more
}

func openLC0(cfg *Config, name string, in *counted) (*lc0File, error) {
	b := bufio.NewReaderSize(in, 1<<16) // the reader takes it as its own
	r, err := NewLC0Reader(name, b)
	if errors.Is(err, ErrEmpty) {
		err = brokenError{err}
	} else if err != nil {
		head, _ := b.Peek(sniffed) // a file may be shorter
		err = fmt.Errorf("%w; %w", err, foreign(head, "training data of lc0"))
		if formatOf(head) == "" && isChunkName(name) {
			err = brokenError{err}
		}
	}
	if err != nil {
		return nil, err
	}
	return &lc0File{cfg: cfg, in: in, ahead: b, chunks: r}, nil
}

// isChunkName tells whether a file is a chunk by its name: one that begins like nothing
// that is known is then a damaged chunk, as it would be in a tar.
func isChunkName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".gz") && !strings.HasSuffix(name, ".tar.gz")
}

func (f *lc0File) next(seed uint64) (func() (game, error), error) {
	if f.cut {
		return nil, io.EOF
	}
	name, data, err := f.chunks.Chunk()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		f.cut, err = true, brokenError{err}
	}
	if err != nil {
		return nil, err
	}
	return func() (game, error) {
		g, err := decodeLC0(f.cfg, name, data, seed)
		if err != nil {
			return nil, brokenError{err}
		}
		return g, nil
	}, nil
}

func (f *lc0File) at() int64    { return f.in.bytes - int64(f.ahead.Buffered()) }
func (f *lc0File) close() error { return nil }

// lc0Game is a game of lc0's, of which the drawn records are kept, and what is
// needed to play it again.
type lc0Game struct {
	where string
	first lc0Position // of the first record
	moves []int16     // played, as indices of lc0-1858
	seen  []uint64    // sums of the boards of each record
	drawn []lc0Drawn  // in the order of the game
}

// lc0Drawn is what is kept of a record.
type lc0Drawn struct {
	ply    int
	whole  bool // the planes are what lc0-112 makes of the position, history and all
	coded  encode.Sample
	result LC0Score
}

// decodeLC0 reads the records of a game and draws from them. Those that lc0 marked
// for deletion are played, but not drawn.
func decodeLC0(cfg *Config, name string, data []byte, seed uint64) (*lc0Game, error) {
	r, err := NewLC0Reader(name, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	g := &lc0Game{where: name}
	choice := reservoir{rng: stats.NewRand(seed), most: cfg.Positions}
	var rec LC0Record
	for {
		err := r.Next(&rec)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if rec.Ply == 0 {
			g.first = lc0PositionOf(&rec)
		}
		g.moves = append(g.moves, int16(rec.Played))
		g.seen = append(g.seen, sumBoards(rec.Planes[:lc0Step-1]))
		if rec.Discarded {
			continue
		}
		place, drawn := choice.offer()
		if !drawn {
			continue
		}
		if place == len(g.drawn) {
			g.drawn = append(g.drawn, lc0Drawn{})
		}
		d := &g.drawn[place]
		d.ply, d.whole, d.result = rec.Ply, rec.Format <= 2, rec.Result
		rec.Sample(&d.coded)
	}
	slices.SortFunc(g.drawn, func(a, b lc0Drawn) int { return cmp.Compare(a.ply, b.ply) })
	if len(g.moves) == 0 {
		return nil, fmt.Errorf("data: %s: it is empty: no record is in it", name)
	}
	return g, g.check()
}

// checkers are workers that replay games only to check them.
var checkers = sync.Pool{New: func() any {
	return &worker{board: chess.NewGame(chess.StartPosition(chess.Standard))}
}}

// check returns an error where a record is not what the one before it leads to, as far as
// there are drawn ones: it takes little beside decompressing them.
func (g *lc0Game) check() error {
	w := checkers.Get().(*worker)
	defer checkers.Put(w)
	return g.replay(w, func(*Position) error { return nil })
}

func (g *lc0Game) size() int { return len(g.drawn) }

func (g *lc0Game) positions(_ context.Context, w *worker, yield func(*Position) error) error {
	w.noMoves = len(g.drawn) == 0 // all are marked for deletion
	direct := w.codes(lc0Encoder, lc0Policy)
	for i := range g.drawn {
		direct = direct && g.drawn[i].whole
	}
	if len(g.drawn) > 0 {
		// The result is that of the side that moves.
		d := &g.drawn[0]
		w.result = chess.Result(d.result.Q)
		if g.first.black != (d.ply%2 == 1) {
			w.result = -w.result
		}
	}
	if !direct {
		return g.replay(w, yield)
	}
	p := &w.pos
	for i := range g.drawn {
		d := &g.drawn[i]
		*p = Position{Policy: p.Policy, Ply: int32(d.ply), Coded: &w.coded, Value: d.result.Q, Draw: d.result.D, MovesLeft: d.result.M}
		w.coded = Coded{lc0Encoder, lc0Policy, d.coded}
		if err := yield(p); err != nil {
			return fmt.Errorf("data: %s, record %d: %w", g.where, d.ply+1, err)
		}
	}
	return nil
}

// replay plays the game from its first record to the last drawn one.
func (g *lc0Game) replay(w *worker, yield func(*Position) error) error {
	fail := func(ply int, err error) error {
		return fmt.Errorf("data: %s, record %d: %w", g.where, ply+1, err)
	}
	b := w.board
	if err := g.first.set(b); err != nil {
		return fail(0, err)
	}
	before := b.Ply()
	var boards [lc0Step]uint64
	for _, d := range g.drawn {
		for {
			ply := b.Ply() - before
			currentBoards(&boards, b.Position())
			if sumBoards(boards[:lc0Step-1]) != g.seen[ply] {
				return fail(ply, errors.New("its position is not the one that the record before it leads to"))
			}
			if ply == d.ply {
				break
			}
			m, err := lc0Move(b.Position(), int(g.moves[ply]))
			if err != nil {
				return fail(ply, err)
			}
			b.Play(m)
		}
		p := &w.pos
		*p = Position{Ply: int32(d.ply), At: b, Policy: p.Policy[:0], Value: d.result.Q, Draw: d.result.D, MovesLeft: d.result.M}
		if err := p.visits(&w.list, &d.coded, w.index()); err != nil {
			return fail(d.ply, err)
		}
		if err := yield(p); err != nil {
			return fail(d.ply, err)
		}
	}
	return nil
}

// index is scratch memory by index of lc0-1858.
func (w *worker) index() []int32 {
	if w.places == nil {
		w.places = make([]int32, len(encode.LC01858Moves()))
	}
	return w.places
}

// visits makes Moves the legal moves, and Policy their targets in a sample of the
// policy encoding lc0-1858, which lists them all. places is cleared after use.
func (p *Position) visits(list *chess.MoveList, s *encode.Sample, places []int32) error {
	defer func() {
		for _, index := range s.Indices {
			places[index] = 0
		}
	}()
	for i, index := range s.Indices {
		places[index] = int32(i + 1)
	}
	at := p.At.Position()
	at.LegalMoves(list)
	p.Moves = list.Slice()
	for _, m := range p.Moves {
		index := lc0Codec.Index(at, m)
		if index < 0 || places[index] == 0 {
			return fmt.Errorf("the move %s of %s is not among its legal moves", at.UCI(m), at.FEN())
		}
		p.Policy = append(p.Policy, s.Policy[places[index]-1])
	}
	if len(p.Moves) != len(s.Indices) {
		return fmt.Errorf("it has %d legal moves, and there are %d in %s", len(s.Indices), len(p.Moves), at.FEN())
	}
	return nil
}

// lc0Codec numbers lc0's moves.
var lc0Codec = func() encode.Policy {
	p, err := encode.PolicyByName(lc0Policy)
	if err != nil {
		panic(err) // it is one of ours
	}
	return p
}()

var lc0MoveNames = encode.LC01858Moves()

// lc0Move is the legal move of an index.
func lc0Move(p *chess.Position, index int) (chess.Move, error) {
	word := []byte(lc0MoveNames[index])
	if p.Turn() == chess.Black {
		word[1] = '1' + '8' - word[1]
		word[3] = '1' + '8' - word[3]
	}
	if from, err := chess.ParseSquare(string(word[:2])); err == nil && len(word) == 4 && (word[3] == '1' || word[3] == '8') {
		if t, _ := p.PieceAt(from); t == chess.Pawn {
			word = append(word, 'n')
		}
	}
	return p.ParseUCI(string(word))
}

// currentBoards writes the twelve boards of a position as lc0-112 has them, from
// the view of the side to move.
func currentBoards(dst *[lc0Step]uint64, p *chess.Position) {
	own := p.Turn()
	for t := chess.Pawn; t <= chess.King; t++ {
		dst[t-chess.Pawn] = uint64(p.Pieces(own, t))
		dst[t-chess.Pawn+6] = uint64(p.Pieces(own.Other(), t))
	}
	if own == chess.Black {
		for i := range dst[:lc0Step-1] {
			dst[i] = bits.ReverseBytes64(dst[i])
		}
	}
}

// sumBoards is a checksum of boards.
func sumBoards(boards []uint64) (sum uint64) {
	for _, b := range boards {
		sum = stats.Mix(sum ^ b)
	}
	return sum
}
