package data

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/parquet-go/parquet-go"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// ChessMarro's files ("Training ChessMarro", 2026) have one row for each position, with
// these columns:
//
//	board         list of 77 integers of 64 bits, a plane each: see marro77 of encode
//	best          integer, the move played: see marro4096 of encode
//	fen_original  text, the position before it was turned for black; may be missing
//
// Other columns are ignored. The paper leaves these points open:
//
//   - The order of squares in the bits. The first rows of a file decide it. If
//     fen_original exists, it is the order that puts the pieces where the FEN has
//     them. Otherwise it is the order in which every mark of a legal move stands on
//     a white piece and the move stays on the board. If the rows fit several orders,
//     the first of these is taken: a1 lowest, as in all our encodings; a8 highest;
//     a8 lowest; h8 lowest, a1 highest.
//   - Whether a position with Black to move, which is turned, has ones in the plane
//     of the side to move. The reader sets zeros, as marro77 does.
//   - Games. Each row is a game of its own, at ply 0.
//   - Results. The value is 0 and means nothing (see [HasResult]). Only a policy can
//     be learned from these files.
//   - The piece of a promotion. It is a queen.
//
// With fen_original, rows are positions, which every encoding can express, without history.
// Without it, they are in marro77 and marro4096 only.

// marroPlanes is the number of planes of a row.
const marroPlanes = 77

// marroColumns holds the columns' indices among the leaves of the schema.
type marroColumns struct{ board, best, fen int }

// marroColumnsOf finds the columns and reports whether a file is one of ChessMarro's.
func marroColumnsOf(schema *parquet.Schema) (c marroColumns, ok bool) {
	c = marroColumns{-1, -1, -1}
	for i, path := range schema.Columns() {
		switch path[0] {
		case "board":
			c.board = i
		case "best":
			c.best = i
		case "fen_original":
			c.fen = i
		}
	}
	return c, c.board >= 0 && c.best >= 0
}

// marroRow is a row: one position.
type marroRow struct {
	number int // from 1
	planes [marroPlanes]uint64
	best   int64
	fen    string
}

// marroFile reads rows.
type marroFile struct {
	name    string
	table   *parquet.File
	columns marroColumns
}

// marroGames yields the rows of a file, each as a game.
func (s *Source) marroGames(name string, table *parquet.File, c marroColumns, yield func(pending, error) bool) error {
	if s.cfg.Variant != chess.Standard {
		return fmt.Errorf("data: %s: ChessMarro's data is of chess, not of %s", name, s.cfg.Variant)
	}
	f := &marroFile{name, table, c}
	order, err := f.order()
	if err != nil {
		return err
	}
	for r, err := range f.rows {
		if err != nil {
			return err
		}
		g := &marroGame{where: fmt.Sprintf("%s, row %d", name, r.number), order: order, row: r}
		at := table.Size() * int64(r.number) / table.NumRows()
		if !yield(pending{at, func(uint64) (game, error) { return game{size: 1, positions: g.positions}, nil }}, nil) {
			return nil
		}
	}
	return nil
}

// rows yields the rows, which the caller owns. An error is the last element.
func (f *marroFile) rows(yield func(*marroRow, error) bool) {
	number := 1
	for row, err := range rowsOf(f.table, func() rowReader[parquet.Row] {
		return untypedRows{parquet.MultiRowGroup(f.table.RowGroups()...).Rows()}
	}) {
		r := &marroRow{number: number}
		if err == nil {
			err = f.decode(*row, r)
		}
		if err != nil {
			yield(nil, f.fail(number, err))
			return
		}
		if !yield(r, nil) {
			return
		}
		number++
	}
}

// untypedRows is the rows of a file whose columns are not those of a Go type.
type untypedRows struct{ parquet.Rows }

func (r untypedRows) Read(rows []parquet.Row) (int, error) { return r.ReadRows(rows) }

// fail adds the location to an error.
func (f *marroFile) fail(row int, err error) error {
	return fmt.Errorf("data: %s, row %d: %w", f.name, row, err)
}

func (f *marroFile) decode(row parquet.Row, r *marroRow) error {
	planes, best := 0, false
	for _, v := range row {
		if v.IsNull() {
			continue
		}
		switch v.Column() {
		case f.columns.board:
			if planes == marroPlanes || v.Kind() != parquet.Int64 {
				return fmt.Errorf("board is not a list of %d integers of 64 bits", marroPlanes)
			}
			r.planes[planes] = uint64(v.Int64())
			planes++
		case f.columns.best:
			switch v.Kind() {
			case parquet.Int32:
				r.best, best = int64(v.Int32()), true
			case parquet.Int64:
				r.best, best = v.Int64(), true
			}
		case f.columns.fen:
			if v.Kind() == parquet.ByteArray {
				r.fen = string(v.ByteArray())
			}
		}
	}
	switch {
	case planes != marroPlanes:
		return fmt.Errorf("board has %d integers, want %d", planes, marroPlanes)
	case !best || r.best < 0 || r.best >= int64(len(marroMoves)) || marroMoves[r.best] == "":
		return fmt.Errorf("best is %d: want the number of a move, 0 to %d", r.best, len(marroMoves)-1)
	}
	return nil
}

// squareOrder describes how bits number squares, by the flips that make a1 the lowest. The
// zero value changes nothing.
type squareOrder struct{ ranks, files bool }

// squareOrders are a1 lowest, a8 highest, a8 lowest, and a1 highest.
var squareOrders = []squareOrder{{}, {files: true}, {ranks: true}, {ranks: true, files: true}}

func (o squareOrder) apply(b uint64) uint64 {
	if o.ranks {
		b = bits.ReverseBytes64(b)
	}
	if o.files {
		b = encode.ReflectBoard(b)
	}
	return b
}

// orderRows is the number of rows that decide the order of squares.
const orderRows = 1000

// order determines how the file numbers squares.
func (f *marroFile) order() (squareOrder, error) {
	left := squareOrders
	for r, err := range f.rows {
		if err != nil {
			return squareOrder{}, err
		}
		var fit []squareOrder
		for _, o := range left {
			ok, err := r.fits(o)
			if err != nil {
				return o, f.fail(r.number, err)
			}
			if ok {
				fit = append(fit, o)
			}
		}
		if len(fit) == 0 {
			return squareOrder{}, f.fail(r.number, errors.New("its boards contradict those of the rows before it, its FEN or its legal moves, in every order of squares"))
		}
		if left = fit; r.number == orderRows {
			break
		}
	}
	return left[0], nil
}

// The planes of a row.
const (
	marroTurn  = 12
	marroLegal = 13
)

// fits reports whether a row is consistent with an order of squares.
func (r *marroRow) fits(o squareOrder) (bool, error) {
	if r.fen != "" {
		p, err := chess.ParseFEN(chess.Standard, r.fen)
		if err != nil {
			return false, fmt.Errorf("fen_original: %w", err)
		}
		return r.stands(&p, o), nil
	}
	var own uint64
	for i := 0; i < marroTurn; i += 2 {
		own |= r.planes[i]
	}
	own = o.apply(own)
	for t := range 64 {
		for b := o.apply(r.planes[marroLegal+t]); b != 0; b &= b - 1 {
			s := bits.TrailingZeros64(b)
			if own>>s&1 == 0 || marroMoves[64*t+s^56] == "" {
				return false, nil
			}
		}
	}
	return true, nil
}

// stands reports whether the pieces match a position, turned for Black.
func (r *marroRow) stands(p *chess.Position, o squareOrder) bool {
	own := p.Turn()
	for t := chess.Pawn; t <= chess.King; t++ {
		for i, c := range [2]chess.Color{own, own.Other()} {
			b := uint64(p.Pieces(c, t))
			if own == chess.Black {
				b = bits.ReverseBytes64(b)
			}
			if o.apply(r.planes[2*int(t-chess.Pawn)+i]) != b {
				return false
			}
		}
	}
	return true
}

// marroMeta names the encodings of the files.
var marroMeta = Meta{Encoder: "marro77", Policy: "marro4096"}

var marroMoves = encode.Marro4096Moves()

// marroGame is a row.
type marroGame struct {
	where string
	order squareOrder
	row   *marroRow
}

func (g *marroGame) positions(_ context.Context, w *worker, yield func(*Position) error) error {
	p := w.reset(0)
	p.Draw = -1
	var err error
	if g.row.fen != "" {
		err = g.at(w, p)
	} else {
		g.encoded(p)
	}
	if err == nil {
		err = yield(p)
	}
	if err != nil {
		return fmt.Errorf("data: %s: %w", g.where, err)
	}
	return nil
}

func (g *marroGame) at(w *worker, p *Position) error {
	at, err := chess.ParseFEN(chess.Standard, g.row.fen)
	if err != nil {
		return fmt.Errorf("fen_original: %w", err)
	}
	if !g.row.stands(&at, g.order) {
		return fmt.Errorf("its boards are not those of its FEN %s", g.row.fen)
	}
	w.board.Reset(at)
	p.At = w.board
	at.LegalMoves(&w.list)
	for _, m := range w.list.Slice() {
		if marroNumbers.Index(&at, m) == int(g.row.best) {
			return p.target(&w.list, m)
		}
	}
	return fmt.Errorf("its move %s, from White's view, is not legal in %s", marroMoves[g.row.best], g.row.fen)
}

// encoded sets the planes, and as the policy the marked legal moves.
func (g *marroGame) encoded(p *Position) {
	p.Encoding = &marroMeta
	for _, b := range g.row.planes {
		p.Planes = append(p.Planes, g.order.apply(b))
	}
	p.Planes[marroTurn] = 0
	marked := false
	add := func(index int, target float32) {
		p.Indices = append(p.Indices, int32(index))
		p.Policy = append(p.Policy, target)
	}
	for t := range 64 {
		for b := p.Planes[marroLegal+t]; b != 0; b &= b - 1 {
			index := 64*t + bits.TrailingZeros64(b) ^ 56
			target := float32(0)
			if index == int(g.row.best) {
				target, marked = 1, true
			}
			add(index, target)
		}
	}
	if !marked {
		add(int(g.row.best), 1)
	}
}

// marroNumbers is the files' move numbering.
var marroNumbers = builtIn(marroMeta.Policy)
