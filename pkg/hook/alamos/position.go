package alamos

import (
	"fmt"
	"strings"

	"alamos/pkg/chess"
)

// Position is a position of a game, with no memory of the moves before it.
type Position struct{ p chess.Position }

// ParsePosition reads a position in FEN of a variant, "chess" or "atomic" and so
// on. It panics when there is no such variant or the position is none of it.
func ParsePosition(variant, fen string) Position {
	v := parseVariant(variant)
	p, err := chess.ParseFEN(v, fen)
	if err != nil {
		panic(err.Error())
	}
	return Position{p}
}

// StartPosition is the position with which games of a variant begin.
func StartPosition(variant string) Position {
	return Position{chess.StartPosition(parseVariant(variant))}
}

func parseVariant(name string) chess.Variant {
	v, err := chess.ParseVariant(name)
	if err != nil {
		panic(err.Error())
	}
	return v
}

// Variant is the name of the variant.
func (p Position) Variant() string { return p.p.Variant().String() }

// FEN returns the position in Forsyth-Edwards notation.
func (p Position) FEN() string { return p.p.FEN() }

// Turn is the side to move, "white" or "black".
func (p Position) Turn() string {
	if p.p.Turn() == chess.White {
		return "white"
	}
	return "black"
}

// InCheck tells whether the side to move is in check.
func (p Position) InCheck() bool { return p.p.InCheck() }

// Ended tells how the position itself ends the game: "checkmate", "stalemate", or
// by the rules of a variant "king_exploded", "king_in_center", "three_checks",
// "horde_destroyed", "race_finished" or "pieces_lost"; "" when it does not. Draws
// by material, by repetition and by fifty moves are told by Game.Reason only.
func (p Position) Ended() string {
	var l chess.MoveList
	p.p.LegalMoves(&l)
	if o := p.p.Ended(&l); o.Over() {
		return o.Reason.String()
	}
	return ""
}

// ChecksLeft is the number of checks with which a side, "white" or "black", wins
// three-check; it is 0 in other variants. It panics for another side.
func (p Position) ChecksLeft(side string) int {
	return p.p.ChecksLeft(color(side))
}

// color is the side that a script names.
func color(side string) chess.Color {
	switch side {
	case "white":
		return chess.White
	case "black":
		return chess.Black
	}
	panic(fmt.Sprintf("side %q: want white or black", side))
}

// Moves returns the legal moves in UCI notation.
func (p Position) Moves() []string {
	var l chess.MoveList
	p.p.LegalMoves(&l)
	all := make([]string, l.Len())
	for i, m := range l.Slice() {
		all[i] = p.p.UCI(m)
	}
	return all
}

// Play returns the position after a move in UCI notation. It panics when the
// move is not legal.
func (p Position) Play(move string) Position {
	m, err := p.p.ParseUCI(move)
	if err != nil {
		panic(err.Error())
	}
	p.p.Play(m)
	return p
}

// SAN returns a move in UCI notation as people write it: "Nf3" for "g1f3". It
// panics when the move is not legal.
func (p Position) SAN(move string) string {
	m, err := p.p.ParseUCI(move)
	if err != nil {
		panic(err.Error())
	}
	return p.p.SAN(m)
}

// letters are the pieces as FEN writes white's, at their chess.PieceType.
const letters = " PNBRQK"

// Piece returns the letter of the piece on a square such as "e4": "P", "N",
// "B", "R", "Q" or "K" of white, the same in lower case of black, "" for none.
// It panics when there is no such square.
func (p Position) Piece(square string) string {
	s, err := chess.ParseSquare(square)
	if err != nil {
		panic(err.Error())
	}
	t, c := p.p.PieceAt(s)
	if t == chess.NoPieceType {
		return ""
	}
	return letter(c, t)
}

func letter(c chess.Color, t chess.PieceType) string {
	if c == chess.White {
		return letters[t : t+1]
	}
	return strings.ToLower(letters[t : t+1])
}

// King returns the square of a side's king, "white"'s or "black"'s, and "" where
// it has none: after an explosion, in antichess with several, as White in horde.
func (p Position) King(side string) string {
	kings := p.p.Pieces(color(side), chess.King)
	if kings.Count() != 1 {
		return ""
	}
	return kings.First().String()
}

// Squares returns the squares of the pieces that one of the letters names, from
// a1, b1 to h8: Squares("P") where white's pawns are.
func (p Position) Squares(pieces string) []string {
	var all []string
	for s := range chess.Square(64) {
		if t, c := p.p.PieceAt(s); t != chess.NoPieceType && strings.Contains(pieces, letter(c, t)) {
			all = append(all, s.String())
		}
	}
	return all
}

// Distance is the number of moves that a king needs from one square to another
// on an empty board, 0 to 7. It panics when there is no such square.
func Distance(a, b string) int {
	from, err := chess.ParseSquare(a)
	if err != nil {
		panic(err.Error())
	}
	to, err := chess.ParseSquare(b)
	if err != nil {
		panic(err.Error())
	}
	files, ranks := from.File()-to.File(), from.Rank()-to.Rank()
	return max(files, -files, ranks, -ranks)
}

// Count returns how many pieces stand on the board that one of the letters
// names: Count("P") white's pawns, Count("nb") black's minor pieces.
func (p Position) Count(pieces string) int {
	return count(pieces, func(c chess.Color, t chess.PieceType) int { return p.p.Pieces(c, t).Count() })
}

// Pocket returns how many pieces that one of the letters names are held in hand
// in crazyhouse: Pocket("Q") white's queens, Pocket("pnbrq") all of black's. It is
// 0 in other variants.
func (p Position) Pocket(pieces string) int { return count(pieces, p.p.Pocket) }

// count adds up what number gives for each piece that one of the letters names.
func count(pieces string, number func(chess.Color, chess.PieceType) int) int {
	n := 0
	for t := chess.Pawn; t <= chess.King; t++ {
		letter := letters[t : t+1]
		if strings.Contains(pieces, letter) {
			n += number(chess.White, t)
		}
		if strings.Contains(pieces, strings.ToLower(letter)) {
			n += number(chess.Black, t)
		}
	}
	return n
}
