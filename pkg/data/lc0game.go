package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/stats"
)

// lc0Game is a game of lc0's data: the drawn records and what is needed to replay the game.
type lc0Game struct {
	where string
	first lc0Position // position of the first record
	moves []int16     // moves played, as indices of lc0-1858
	seen  []uint64    // checksums of each record's boards
	drawn []lc0Drawn  // in the order of the game
}

// lc0Drawn is the kept part of a drawn record.
type lc0Drawn struct {
	ply     int
	indices []int32   // legal moves in lc0-1858
	shares  []float32 // of their visits
	result  lc0Score
}

// decodeLC0 reads the records of a game and draws from them. Records that lc0 marked for
// deletion are replayed but not drawn.
func decodeLC0(cfg *Config, name string, data []byte, seed uint64) (*lc0Game, error) {
	g := &lc0Game{where: name}
	choice := reservoir{rng: stats.NewRand(seed), most: cfg.Positions}
	err := lc0Records(name, data, func(rec *lc0Record) error {
		if rec.ply == 0 {
			g.first = lc0PositionOf(rec)
		}
		g.moves = append(g.moves, int16(rec.played))
		g.seen = append(g.seen, sumBoards(rec.planes[:lc0Step-1]))
		if rec.discarded {
			return nil
		}
		place, drawn := choice.offer()
		if !drawn {
			return nil
		}
		if place == len(g.drawn) {
			g.drawn = append(g.drawn, lc0Drawn{})
		}
		d := &g.drawn[place]
		d.ply, d.result = rec.ply, rec.result
		d.indices, d.shares = d.indices[:0], d.shares[:0]
		for i, share := range rec.policy {
			if share >= 0 {
				d.indices, d.shares = append(d.indices, int32(i)), append(d.shares, share)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(g.drawn, func(a, b lc0Drawn) int { return cmp.Compare(a.ply, b.ply) })
	if len(g.moves) == 0 {
		return nil, fmt.Errorf("data: %s: it has no records", name)
	}
	// A record that does not follow from the one before it is damage. The game is replayed up
	// to the last drawn record to find it. That costs little compared to decompression.
	w := checkers.Get().(*worker)
	defer checkers.Put(w)
	return g, g.replay(w, func(*Position) error { return nil })
}

// checkers are workers that replay games only to check them.
var checkers = sync.Pool{New: func() any {
	return &worker{board: chess.NewGame(chess.StartPosition(chess.Standard))}
}}

func (g *lc0Game) positions(_ context.Context, w *worker, yield func(*Position) error) error {
	if len(g.drawn) == 0 { // all records are marked for deletion
		w.counts = Counts{NoMoves: 1}
	} else {
		// The record's result is from the view of the side to move.
		d := &g.drawn[0]
		w.result = chess.Result(d.result.q)
		if g.first.black != (d.ply%2 == 1) {
			w.result = -w.result
		}
	}
	return g.replay(w, yield)
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
	for _, d := range g.drawn {
		for {
			ply := b.Ply() - before
			boards := boardsOf(b.Position())
			if b.Position().Turn() == chess.Black {
				boards = boards.turned()
			}
			if sumBoards(boards[:]) != g.seen[ply] {
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
		p := w.reset(d.ply)
		if w.source != nil && w.source.cfg.Continued {
			if err := w.follow(g.moves[d.ply:], w.source.cfg.Future); err != nil {
				return fail(d.ply, err)
			}
			p.Played = w.played
		}
		p.At, p.Value, p.Draw, p.MovesLeft = b, d.result.q, d.result.d, d.result.m
		err := w.visits(p, &d)
		if err == nil {
			err = yield(p)
		}
		if err != nil {
			return fail(d.ply, err)
		}
	}
	return nil
}

// follow writes the next moves of a game, as many as the targets need, to w.played.
func (w *worker) follow(indices []int16, future int) error {
	w.played = w.played[:0]
	at := *w.board.Position()
	for _, index := range indices[:min(len(indices), max(2, future))] {
		m, err := lc0Move(&at, int(index))
		if err != nil {
			return err
		}
		w.played = append(w.played, m)
		at.Play(m)
	}
	return nil
}

// visits sets Moves to the legal moves and Policy to their shares of visits in a record,
// which lists all legal moves.
func (w *worker) visits(p *Position, d *lc0Drawn) error {
	at := p.At.Position()
	at.LegalMoves(&w.list)
	p.Moves = w.list.Slice()
	for _, m := range p.Moves {
		i, ok := slices.BinarySearch(d.indices, int32(lc0Codec.Index(at, m)))
		if !ok {
			return fmt.Errorf("the move %s of %s is not among its legal moves", at.UCI(m), at.FEN())
		}
		p.Policy = append(p.Policy, d.shares[i])
	}
	if len(p.Moves) != len(d.indices) {
		return fmt.Errorf("it has %d legal moves, and there are %d in %s", len(d.indices), len(p.Moves), at.FEN())
	}
	return nil
}

// lc0Codec is lc0's move numbering.
var lc0Codec = builtIn("lc0-1858")

// builtIn returns the policy encoding of a name that exists.
func builtIn(name string) *encode.Policy {
	p, err := encode.PolicyByName(name)
	if err != nil {
		panic(err)
	}
	return p
}

var lc0MoveNames = encode.LC01858Moves()

// lc0Move returns the legal move with an index.
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

// sumBoards returns a checksum of boards.
func sumBoards(boards []uint64) (sum uint64) {
	for _, b := range boards {
		sum = stats.Mix(sum ^ b)
	}
	return sum
}

// lc0Position is a record's position with the record's history of up to seven plies.
type lc0Position struct {
	boards [8]sideBoards // newest first, from the view of the side to move in the newest
	rights [4]bool       // castling rights: own long, own short, opponent's long, opponent's short
	black  bool          // Black is to move in the newest
	rule50 int
}

func lc0PositionOf(r *lc0Record) lc0Position {
	p := lc0Position{black: r.blackToMove, rule50: r.rule50}
	for i := range p.boards {
		copy(p.boards[i][:], r.planes[i*lc0Step:])
	}
	for i := range p.rights {
		p.rights[i] = r.planes[len(p.boards)*lc0Step+i] != 0
	}
	return p
}

// set sets up the game that leads to the position. It uses as many plies of the record's
// history as legal moves can explain. lc0 stores the moves of its opening book only in this
// history.
//
// A record does not store the move number, the castling rooks where there is a choice (set
// takes the outermost), or repetitions before its history.
func (p *lc0Position) set(g *chess.Game) error {
	known := 0
	for known+1 < len(p.boards) && p.boards[known+1] != (sideBoards{}) {
		known++
	}
	var err error
	for ; known >= 0; known-- {
		if err = p.from(g, known); err == nil {
			return nil
		}
	}
	return err
}

// from sets up the game from the position `back` plies ago.
func (p *lc0Position) from(g *chess.Game, back int) error {
	first := p.white(back)
	rights := homeRights(&first)
	if back == 0 {
		rights = p.whiteRights()
	}
	for range 2 {
		start, err := p.position(&first, rights, back)
		if err != nil {
			return err
		}
		g.Reset(start)
		for i := back - 1; i >= 0; i-- {
			m := moveTo(g.Position(), p.white(i))
			if m == 0 {
				return fmt.Errorf("no move leads from %s to the position %d plies before the first record", g.Position().FEN(), i)
			}
			g.Play(m)
		}
		// Castling rights that exist now but should not were already missing at the start.
		extra := rightsOf(g.Position())
		want := p.whiteRights()
		wrong := false
		for i := range extra {
			if extra[i] && !want[i] {
				rights[i], wrong = false, true
			}
		}
		if !wrong {
			break
		}
	}
	if now := g.Position(); now.Rule50() != p.rule50 || rightsOf(now) != p.whiteRights() {
		return fmt.Errorf("its clock %d and rights to castle contradict its position %s", p.rule50, now.FEN())
	}
	return nil
}

// sideBoards are the boards of a position from one side's view: its own pawns to king, then
// the opponent's.
type sideBoards [lc0Step - 1]uint64

// turned returns the opponent's view.
func (b sideBoards) turned() sideBoards {
	for i := range b {
		b[i] = bits.ReverseBytes64(b[i])
	}
	for i := range b[:6] {
		b[i], b[i+6] = b[i+6], b[i]
	}
	return b
}

// white returns the boards `back` plies ago from White's view.
func (p *lc0Position) white(back int) sideBoards {
	if p.black {
		return p.boards[back].turned()
	}
	return p.boards[back]
}

// Indices of castling rights in arrays of four.
const (
	whiteLong = iota
	whiteShort
	blackLong
	blackShort
)

// whiteRights returns the castling rights: White's long and short, Black's long and short.
func (p *lc0Position) whiteRights() [4]bool {
	r := p.rights
	if p.black {
		r[0], r[1], r[2], r[3] = r[2], r[3], r[0], r[1]
	}
	return r
}

// homeRights returns the castling rights that the king and rook squares would allow in
// standard chess.
func homeRights(b *sideBoards) (r [4]bool) {
	has := func(board uint64, square int) bool { return board>>square&1 == 1 }
	const rook, king = 3, 5
	for side, rank := range [2]int{0, 56} {
		rooks, kings := b[6*side+rook], b[6*side+king]
		r[2*side+whiteLong] = has(kings, rank+4) && has(rooks, rank)
		r[2*side+whiteShort] = has(kings, rank+4) && has(rooks, rank+7)
	}
	return r
}

// rightsOf returns the castling rights of a position.
func rightsOf(p *chess.Position) (r [4]bool) {
	for c := chess.White; c <= chess.Black; c++ {
		short, long := p.CastlingSides(c)
		r[2*c+whiteLong], r[2*c+whiteShort] = long != 0, short != 0
	}
	return r
}

// position makes a position from boards, `back` plies before the record.
func (p *lc0Position) position(b *sideBoards, rights [4]bool, back int) (chess.Position, error) {
	var squares strings.Builder
	for rank := 7; rank >= 0; rank-- {
		for file := range 8 {
			piece := byte('1') // empty square
			for i, board := range b {
				if board>>(8*rank+file)&1 == 0 {
					continue
				}
				if piece != '1' {
					return chess.Position{}, fmt.Errorf("two pieces on %s", chess.NewSquare(file, rank))
				}
				piece = "PNBRQKpnbrqk"[i]
			}
			squares.WriteByte(piece)
		}
		squares.WriteString("/"[:min(rank, 1)])
	}
	turn := "w"
	if p.black != (back%2 == 1) {
		turn = "b"
	}
	castling := ""
	for _, right := range [4]int{whiteShort, whiteLong, blackShort, blackLong} {
		if rights[right] {
			castling += "QKqk"[right : right+1]
		}
	}
	fen := fmt.Sprintf("%s %s %s - %d 1", emptySquares.Replace(squares.String()), turn, cmp.Or(castling, "-"), max(0, p.rule50-back))
	return chess.ParseFEN(chess.Standard, fen)
}

// emptySquares counts adjacent empty squares.
var emptySquares = strings.NewReplacer("11111111", "8", "1111111", "7", "111111", "6", "11111", "5", "1111", "4", "111", "3", "11", "2")

// moveTo returns the legal move that leads to the boards, or 0.
func moveTo(p *chess.Position, b sideBoards) chess.Move {
	var list chess.MoveList
	p.LegalMoves(&list)
	for _, m := range list.Slice() {
		q := *p
		q.Play(m)
		if boardsOf(&q) == b {
			return m
		}
	}
	return 0
}

// boardsOf returns the boards of a position from White's view.
func boardsOf(p *chess.Position) (b sideBoards) {
	encode.PieceBoards(b[:], p, chess.White)
	return b
}
