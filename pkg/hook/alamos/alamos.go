// Package alamos is what a hook script sees of alamos: the games of a
// generation, the positions in them, and the metrics to return. It is a small
// window on pkg/chess, made of plain values, so that a script stays short and
// keeps working when the inside of alamos changes.
//
// A hook is one Go file with the function
//
//	func Measure(g alamos.Generation) alamos.Metrics
//
// See package hook for what else a script may and may not do.
package alamos

import (
	"fmt"
	"strings"

	"alamos/pkg/chess"
)

// Metrics are the results of a hook by name: lowercase letters, digits and
// underscores, beginning with a letter. Each becomes a column of the hook's
// CSV file. NaN stands for a metric that the games do not have, such as a mean
// over no games; its cell stays empty.
type Metrics map[string]float64

// Generation is the games that one generation's self-play produced.
type Generation struct {
	Number  int // from 1
	Variant string
	Games   []Game
}

// Game is a finished game.
type Game struct {
	Number  int      // from 0, in its generation
	Variant string   // as experiment files name it: "chess", "atomic", "3check", ...
	Start   string   // FEN of the position it began with
	Moves   []string // in UCI notation; drops as "N@f3"
	Result  string   // "1-0", "0-1" or "1/2-1/2"
	Reason  string   // how it ended: "checkmate", "stalemate", "king_exploded", "three_checks", ...
}

// Plies is the number of moves of both sides.
func (g Game) Plies() int { return len(g.Moves) }

// Winner is "white", "black", or "" after a draw.
func (g Game) Winner() string {
	switch g.Result {
	case "1-0":
		return "white"
	case "0-1":
		return "black"
	}
	return ""
}

// Positions plays the game and returns all its positions: the first is the
// start, number i the one after i moves, the last the one that ended it. It
// panics when a move is not legal, which ends the hook with an error.
func (g Game) Positions() []Position {
	v, err := chess.ParseVariant(g.Variant)
	if err != nil {
		panic(fmt.Sprintf("game %d: %v", g.Number, err))
	}
	p, err := chess.ParseFEN(v, g.Start)
	if err != nil {
		panic(fmt.Sprintf("game %d: %v", g.Number, err))
	}
	all := make([]Position, 0, len(g.Moves)+1)
	all = append(all, Position{p})
	for i, s := range g.Moves {
		m, err := p.ParseUCI(s)
		if err != nil {
			panic(fmt.Sprintf("game %d, ply %d: %v", g.Number, i, err))
		}
		p.Play(m)
		all = append(all, Position{p})
	}
	return all
}

// Position is a position of a game.
type Position struct{ p chess.Position }

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
	switch side {
	case "white":
		return p.p.ChecksLeft(chess.White)
	case "black":
		return p.p.ChecksLeft(chess.Black)
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
	switch {
	case t == chess.NoPieceType:
		return ""
	case c == chess.White:
		return letters[t : t+1]
	}
	return strings.ToLower(letters[t : t+1])
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
