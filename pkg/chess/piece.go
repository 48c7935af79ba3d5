package chess

import (
	"fmt"
	"strings"
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

// String gives "white" or "black".
func (c Color) String() string {
	if c == White {
		return "white"
	}
	return "black"
}

// PieceType is a kind of piece, without its color.
type PieceType uint8

// The kinds of pieces.
const (
	NoPieceType PieceType = iota
	Pawn
	Knight
	Bishop
	Rook
	Queen
	King
)

const pieceLetters = "?PNBRQK"

// String gives the English name of the piece.
func (t PieceType) String() string {
	names := [...]string{"nothing", "pawn", "knight", "bishop", "rook", "queen", "king"}
	if int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("PieceType(%d)", uint8(t))
}

// letter is the piece's letter in FEN: upper case for white.
func (t PieceType) letter(c Color) byte {
	if c == White {
		return pieceLetters[t]
	}
	return pieceLetters[t] | 0x20
}

// pieceOf reads an upper-case English piece letter.
func pieceOf(letter byte) PieceType {
	if i := strings.IndexByte(pieceLetters[1:], letter); i >= 0 {
		return PieceType(i + 1)
	}
	return NoPieceType
}
