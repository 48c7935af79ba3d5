package chess

import (
	"fmt"
	"math/bits"
)

// Square is a square of the board: a1 = 0, b1 = 1, ..., h8 = 63.
type Square uint8

// NoSquare is the absence of a square. It is not a valid index.
const NoSquare Square = 64

// NewSquare returns the square on a file and a rank, both 0 to 7 (a1 is 0, 0).
func NewSquare(file, rank int) Square { return Square(rank<<3 | file) }

// ParseSquare reads a square such as "e4".
func ParseSquare(s string) (Square, error) {
	if len(s) != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8' {
		return NoSquare, fmt.Errorf("square %q: want a file a-h and a rank 1-8, such as e4", s)
	}
	return NewSquare(int(s[0]-'a'), int(s[1]-'1')), nil
}

// File is 0 for the a-file to 7 for the h-file.
func (s Square) File() int { return int(s & 7) }

// Rank is 0 for the first rank to 7 for the eighth.
func (s Square) Rank() int { return int(s >> 3) }

// String returns the name of the square ("e4"), or "-" for no square.
func (s Square) String() string {
	if s >= NoSquare {
		return "-"
	}
	return string([]byte{'a' + byte(s&7), '1' + byte(s>>3)})
}

func (s Square) bit() Bitboard { return 1 << (s & 63) }

// Bitboard is a set of squares: bit s stands for Square(s).
type Bitboard uint64

// Count is the number of squares in the set.
func (b Bitboard) Count() int { return bits.OnesCount64(uint64(b)) }

// First is the lowest square of the set, [NoSquare] when it is empty.
func (b Bitboard) First() Square { return Square(bits.TrailingZeros64(uint64(b))) }

// last is the highest square of a set that is not empty.
func (b Bitboard) last() Square { return Square(63 - bits.LeadingZeros64(uint64(b))) }

// Has reports whether the set contains s.
func (b Bitboard) Has(s Square) bool { return b&(1<<s) != 0 }

// Squares calls yield for each square of the set, lowest first.
func (b Bitboard) Squares(yield func(Square) bool) {
	for ; b != 0; b &= b - 1 {
		if !yield(b.First()) {
			return
		}
	}
}

// String draws the set as eight lines of eight characters, rank 8 first.
func (b Bitboard) String() string {
	var buf [72]byte
	for i := range buf {
		switch file, rank := i%9, 7-i/9; {
		case file == 8:
			buf[i] = '\n'
		case b.Has(NewSquare(file, rank)):
			buf[i] = '1'
		default:
			buf[i] = '.'
		}
	}
	return string(buf[:71])
}

const (
	fileA Bitboard = 0x0101010101010101
	fileH Bitboard = fileA << 7
	rank1 Bitboard = 0xff
	rank2 Bitboard = rank1 << 8
	rank3 Bitboard = rank1 << 16
	rank6 Bitboard = rank1 << 40
	rank8 Bitboard = rank1 << 56

	lightSquares Bitboard = 0x55aa55aa55aa55aa
	darkSquares           = ^lightSquares
)

// Color is White or Black.
type Color uint8

// The two sides.
const (
	White Color = 0
	Black Color = 1
)

// Other is the opponent.
func (c Color) Other() Color { return c ^ 1 }

// String returns "white" or "black".
func (c Color) String() string {
	if c == White {
		return "white"
	}
	return "black"
}

// PieceType is a kind of piece, without its color.
type PieceType uint8

// The kinds of pieces of chess. [Rules] can have others: their type is that of their letter.
const (
	NoPieceType PieceType = iota
	Pawn
	Knight
	Bishop
	Rook
	Queen
	King
)

const pieceLetters = "?PNBRQKACDEFGHIJLMSTUVWXYZ"

// PieceTypes is the number of types, that of no piece included.
const PieceTypes = PieceType(len(pieceLetters))

// String returns the English name of the piece.
func (t PieceType) String() string {
	names := [...]string{"nothing", "pawn", "knight", "bishop", "rook", "queen", "king"}
	if int(t) < len(names) {
		return names[t]
	}
	if t < PieceTypes {
		return "piece " + pieceLetters[t:t+1]
	}
	return fmt.Sprintf("PieceType(%d)", uint8(t))
}

// Letter returns the piece's letter in FEN: upper case for White.
func (t PieceType) Letter(c Color) byte {
	if c == White {
		return pieceLetters[t]
	}
	return pieceLetters[t] | 0x20
}

// pieceOf has the kind of piece of each upper-case English letter.
var pieceOf = func() (types [256]PieceType) {
	for t := Pawn; t < PieceTypes; t++ {
		types[pieceLetters[t]] = t
	}
	return types
}()
