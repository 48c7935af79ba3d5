package chess

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// startFEN is the initial position, the same in both variants.
const startFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// starts is made on first use: it needs the tables that init builds.
var starts = sync.OnceValue(func() (start [len(variantNames)]Position) {
	for v := range start {
		p, err := parseFEN(Variant(v), startFEN)
		if err != nil {
			panic(err) // cannot be: startFEN is a constant
		}
		start[v] = p
	}
	return start
})

// StartPosition is the position a game of the variant begins with.
func StartPosition(v Variant) Position { return starts()[v] }

// ParseFEN reads a position in Forsyth-Edwards notation.
//
// It is strict about what can be: one king a side, at most 16 pieces a side
// and no more promoted ones than pawns are missing, no pawns on the first and
// last rank, castling rights with king and rook in place, an en passant square
// behind a pawn that can have come there, and the side that has just moved not
// in check. In atomic chess the side to move may have no king: the game is
// over. The two clocks may be missing (0 and 1 are assumed). Castling rights
// may be written KQkq (the outermost rook) or by the rook's file, as in X-FEN
// and Shredder-FEN.
//
// Errors name the field and say what is wrong with it.
func ParseFEN(v Variant, fen string) (Position, error) {
	if int(v) >= len(variantNames) {
		return Position{}, fmt.Errorf("fen: unknown variant %d", v)
	}
	p, err := parseFEN(v, fen)
	if err != nil {
		return Position{}, fmt.Errorf("fen %q: %w", fen, err)
	}
	return p, nil
}

func parseFEN(v Variant, fen string) (Position, error) {
	p := Position{variant: v, enPassant: NoSquare, fullMove: 1}
	fields := strings.Fields(fen)
	if len(fields) < 4 || len(fields) > 6 {
		return p, fmt.Errorf("want 4 to 6 fields (pieces, turn, castling, en passant, and the two clocks), have %d", len(fields))
	}
	if err := p.parsePieces(fields[0]); err != nil {
		return p, fmt.Errorf("field 1 (pieces): %w", err)
	}
	switch fields[1] {
	case "w":
		p.turn = White
	case "b":
		p.turn = Black
	default:
		return p, fmt.Errorf("field 2 (turn): want w or b, have %q", fields[1])
	}
	if err := p.checkKings(); err != nil {
		return p, fmt.Errorf("field 1 (pieces): %w", err)
	}
	if err := p.parseCastling(fields[2]); err != nil {
		return p, fmt.Errorf("field 3 (castling): %w", err)
	}
	if err := p.parseEnPassant(fields[3]); err != nil {
		return p, fmt.Errorf("field 4 (en passant): %w", err)
	}
	if len(fields) > 4 {
		n, err := parseClock(fields[4], 0)
		if err != nil {
			return p, fmt.Errorf("field 5 (plies without capture or pawn move): %w", err)
		}
		p.rule50 = n
	}
	if len(fields) > 5 {
		n, err := parseClock(fields[5], 1)
		if err != nil {
			return p, fmt.Errorf("field 6 (move number): %w", err)
		}
		p.fullMove = n
	}
	p.key = p.computeKey()
	return p, nil
}

func (p *Position) parsePieces(s string) error {
	ranks := strings.Split(s, "/")
	if len(ranks) != 8 {
		return fmt.Errorf("want 8 ranks, have %d", len(ranks))
	}
	for i, rank := range ranks {
		file := 0
		digit := false
		for j := 0; j < len(rank); j++ {
			ch := rank[j]
			if ch >= '1' && ch <= '8' {
				if digit {
					return fmt.Errorf("rank %d: two digits in a row in %q", 8-i, rank)
				}
				digit = true
				file += int(ch - '0')
				continue
			}
			digit = false
			c, letter := White, ch
			if ch >= 'a' && ch <= 'z' {
				c, letter = Black, ch-0x20
			}
			t := pieceOf(letter)
			if t == NoPieceType {
				return fmt.Errorf("rank %d: %q is no piece (PNBRQK, pnbrqk) and no digit 1-8", 8-i, ch)
			}
			if file > 7 {
				return fmt.Errorf("rank %d: more than 8 squares in %q", 8-i, rank)
			}
			p.drop(c, t, NewSquare(file, 7-i))
			file++
		}
		if file != 8 {
			return fmt.Errorf("rank %d: want 8 squares, have %d in %q", 8-i, file, rank)
		}
	}
	if bad := p.kind[Pawn] & (rank1 | rank8); bad != 0 {
		return fmt.Errorf("a pawn on %v: pawns cannot stand on the first or last rank", bad.First())
	}
	return p.checkMaterial()
}

// checkMaterial refuses what no game can bring about, and thereby bounds the
// number of legal moves.
func (p *Position) checkMaterial() error {
	for c := White; c <= Black; c++ {
		if n := p.color[c].Count(); n > 16 {
			return fmt.Errorf("%v has %d pieces: at most 16 are possible", c, n)
		}
		pawns := p.Pieces(c, Pawn).Count()
		if pawns > 8 {
			return fmt.Errorf("%v has %d pawns: at most 8 are possible", c, pawns)
		}
		promoted := 0
		for t, n := range [...]int{Pawn: 8, Knight: 2, Bishop: 2, Rook: 2, Queen: 1} {
			promoted += max(0, p.Pieces(c, PieceType(t)).Count()-n)
		}
		if promoted > 8-pawns {
			return fmt.Errorf("%v has %d pieces more than the initial ones, but only %d pawns can have been promoted", c, promoted, 8-pawns)
		}
	}
	return nil
}

func (p *Position) checkKings() error {
	for c := White; c <= Black; c++ {
		n := p.Pieces(c, King).Count()
		if n == 1 {
			continue
		}
		if n > 1 {
			return fmt.Errorf("%v has %d kings: want one", c, n)
		}
		if p.variant != Atomic {
			return fmt.Errorf("%v has no king", c)
		}
		if c != p.turn {
			return fmt.Errorf("%v has no king: in atomic chess only the side to move can have lost it", c)
		}
	}
	if p.attacked(p.turn.Other()) {
		return fmt.Errorf("it is %v's turn, but %v is in check", p.turn, p.turn.Other())
	}
	return nil
}

func (p *Position) parseCastling(s string) error {
	if s == "-" {
		return nil
	}
	for i := 0; i < len(s); i++ {
		ch := s[i]
		c, letter := White, ch
		if ch >= 'a' && ch <= 'z' {
			c, letter = Black, ch-0x20
		}
		if letter != 'K' && letter != 'Q' && (letter < 'A' || letter > 'H') {
			return fmt.Errorf("%q: want - or letters of KQkq (or files A-H, a-h)", ch)
		}
		king, home := p.King(c), backRank(c)
		if king == NoSquare || !home.Has(king) {
			return fmt.Errorf("%q: the %v king is not on its first rank", ch, c)
		}
		rooks := p.Pieces(c, Rook) & home
		left := king.bit() - 1 // squares before the king; on its rank, those to its left
		right := ^left &^ king.bit()
		var rook Bitboard
		switch letter {
		case 'K':
			for rook = rooks & right; rook&(rook-1) != 0; rook &= rook - 1 {
			}
		case 'Q':
			rook = rooks & left
			rook &= -rook
		default:
			rook = rooks & (fileA << (letter - 'A'))
		}
		if rook == 0 {
			return fmt.Errorf("%q: no %v rook stands there to castle with", ch, c)
		}
		side := left
		if rook&right != 0 {
			side = right
		}
		if p.castle&side&home != 0 {
			return fmt.Errorf("%q: a second right to castle on that side", ch)
		}
		p.castle |= rook
	}
	return nil
}

func (p *Position) parseEnPassant(s string) error {
	if s == "-" {
		return nil
	}
	target, err := ParseSquare(s)
	if err != nil {
		return err
	}
	us, them := p.turn, p.turn.Other()
	want := rank6
	if us == Black {
		want = rank3
	}
	if !want.Has(target) {
		return fmt.Errorf("%s: wrong rank for %v to capture on", s, us)
	}
	pawn := forward(them, target.bit())
	if p.Pieces(them, Pawn)&pawn == 0 || p.Occupied()&(target.bit()|forward(us, target.bit())) != 0 {
		return fmt.Errorf("%s: no %v pawn can just have advanced two squares over it", s, them)
	}
	if pawnAttacks[them][target]&p.Pieces(us, Pawn) != 0 {
		p.enPassant = target
	}
	return nil
}

// parseClock reads a number of at most five digits.
func parseClock(s string, least int) (uint32, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || int(n) < least || n > 99999 || s[0] == '+' {
		return 0, fmt.Errorf("want a whole number from %d to 99999, have %q", least, s)
	}
	return uint32(n), nil
}

// FEN writes the position in Forsyth-Edwards notation. The en passant square
// is given only where a capture on it is pseudo-legal. A castling right is
// written KQkq when it belongs to the outermost rook, else by the rook's file
// (X-FEN).
func (p *Position) FEN() string {
	b := make([]byte, 0, 96)
	for rank := 7; rank >= 0; rank-- {
		empty := byte(0)
		for file := range 8 {
			t, c := p.PieceAt(NewSquare(file, rank))
			if t == NoPieceType {
				empty++
				continue
			}
			if empty > 0 {
				b = append(b, '0'+empty)
				empty = 0
			}
			b = append(b, t.letter(c))
		}
		if empty > 0 {
			b = append(b, '0'+empty)
		}
		if rank > 0 {
			b = append(b, '/')
		}
	}
	b = append(b, ' ', "wb"[p.turn], ' ')
	b = p.appendCastling(b)
	b = append(b, ' ')
	b = append(b, p.enPassant.String()...)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(p.rule50), 10)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(p.fullMove), 10)
	return string(b)
}

func (p *Position) appendCastling(b []byte) []byte {
	if p.castle == 0 {
		return append(b, '-')
	}
	for c := White; c <= Black; c++ {
		king := p.King(c).bit()
		rooks := p.Pieces(c, Rook) & backRank(c)
		lower := byte(c) * 0x20
		if right := p.castle & p.color[c] &^ (king<<1 - 1); right != 0 {
			letter := byte('K')
			if rooks&^(right<<1-1) != 0 {
				letter = 'A' + byte(right.First().File())
			}
			b = append(b, letter|lower)
		}
		if left := p.castle & p.color[c] & (king - 1); left != 0 {
			letter := byte('Q')
			if rooks&(left-1) != 0 {
				letter = 'A' + byte(left.First().File())
			}
			b = append(b, letter|lower)
		}
	}
	return b
}
