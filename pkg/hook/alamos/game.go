package alamos

import (
	"fmt"
	"strings"

	"alamos/pkg/chess"
)

// Generation has the games of one generation's self-play.
type Generation struct {
	Number  int // from 1
	Variant string
	Games   []Game
}

// Game is a game: a finished one for Measure, a running one for Adjudicate.
type Game struct {
	Number  int      // from 0, in its generation
	Variant string   // as experiment files name it: "chess", "atomic", "3check", ...
	Start   string   // FEN of its first position
	Moves   []string // in UCI notation; drops as "N@f3"
	Result  string   // "1-0", "0-1" or "1/2-1/2"; "" while the game runs
	Reason  string   // how it ended: "checkmate", "stalemate", "king_exploded", "three_checks", ...; "" while the game runs

	// Scores has one element for each move: the result that the player who made it
	// expects after its search, from -1 (Black wins) to 1 (White wins), for both
	// players. NaN if the player reports none, and for the random moves of an opening.
	// Only Adjudicate gets scores.
	Scores []float64
}

// Plies returns the number of moves of both sides.
func (g Game) Plies() int { return len(g.Moves) }

// Winner returns "white", "black", or "" after a draw and while the game runs.
func (g Game) Winner() string {
	switch g.Result {
	case "1-0":
		return "white"
	case "0-1":
		return "black"
	}
	return ""
}

// Positions plays the game and returns all its positions: the first is the start,
// number i the one after i moves, the last the current or final one. It panics if a
// move is not legal, which ends the hook with an error.
func (g Game) Positions() []Position {
	var p chess.Position
	v, err := chess.ParseVariant(g.Variant)
	if err == nil {
		p, err = chess.ParseFEN(v, g.Start)
	}
	if err != nil {
		panic(fmt.Sprintf("game %d: %v", g.Number, err))
	}
	all := make([]Position, 0, len(g.Moves)+1)
	all = append(all, Position{p})
	for i, move := range g.Moves {
		m, err := p.ParseUCI(move)
		if err != nil {
			panic(fmt.Sprintf("game %d, ply %d: %v", g.Number, i, err))
		}
		p.Play(m)
		all = append(all, Position{p})
	}
	return all
}

// Position returns the position after the last move.
func (g Game) Position() Position { return g.Positions()[len(g.Moves)] }

// Position is a position of a game, without the moves before it.
type Position struct{ p chess.Position }

// ParsePosition reads a FEN of a variant such as "chess" or "atomic". It panics if
// there is no such variant or the position is not valid in it.
func ParsePosition(variant, fen string) Position {
	return Position{must(chess.ParseFEN(must(chess.ParseVariant(variant)), fen))}
}

// StartPosition returns the position with which games of a variant begin.
func StartPosition(variant string) Position {
	return Position{chess.StartPosition(must(chess.ParseVariant(variant)))}
}

// must returns v, or ends the script with an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err.Error())
	}
	return v
}

// Variant returns the name of the variant, or the rules of one from a file, as [ParsePosition]
// reads it.
func (p Position) Variant() string { return p.p.Variant().Spec() }

// FEN returns the position in Forsyth-Edwards notation.
func (p Position) FEN() string { return p.p.FEN() }

// Turn returns the side to move, "white" or "black".
func (p Position) Turn() string {
	if p.p.Turn() == chess.White {
		return "white"
	}
	return "black"
}

// InCheck reports whether the side to move is in check.
func (p Position) InCheck() bool { return p.p.InCheck() }

// Ended returns how the position itself ends the game: "checkmate", "stalemate", or
// by the rules of a variant "king_exploded", "king_in_center", "three_checks",
// "horde_destroyed", "race_finished" or "pieces_lost"; "" if it does not. Only
// Game.Reason has draws by material, by repetition and by fifty moves.
func (p Position) Ended() string {
	var l chess.MoveList
	p.p.LegalMoves(&l)
	if o := p.p.Ended(&l); o.Over() {
		return o.Reason.String()
	}
	return ""
}

// ChecksLeft returns the number of checks with which a side, "white" or "black", wins
// three-check; it is 0 in other variants. It panics for any other side.
func (p Position) ChecksLeft(side string) int {
	return p.p.ChecksLeft(color(side))
}

// color reads the name of a side.
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

// Play returns the position after a move in UCI notation. It panics if the move is
// not legal.
func (p Position) Play(move string) Position {
	p.p.Play(must(p.p.ParseUCI(move)))
	return p
}

// SAN converts a move from UCI notation to standard algebraic notation: "Nf3" for
// "g1f3". It panics if the move is not legal.
func (p Position) SAN(move string) string {
	return p.p.SAN(must(p.p.ParseUCI(move)))
}

// Piece returns the letter of the piece on a square such as "e4": "P", "N", "B", "R",
// "Q" or "K" for White, in lower case for Black, "" for none. It panics if there is no
// such square.
func (p Position) Piece(square string) string {
	t, c := p.p.PieceAt(must(chess.ParseSquare(square)))
	if t == chess.NoPieceType {
		return ""
	}
	return string(t.Letter(c))
}

// King returns the square of the king of "white" or "black", and "" if the side does
// not have exactly one: after an explosion, in antichess, as White in horde.
func (p Position) King(side string) string {
	kings := p.p.Pieces(color(side), chess.King)
	if kings.Count() != 1 {
		return ""
	}
	return kings.First().String()
}

// Squares returns the squares of the pieces with one of the letters, from a1, b1 to
// h8: Squares("P") are those of White's pawns.
func (p Position) Squares(pieces string) []string {
	var all []string
	for s := range chess.Square(64) {
		if t, c := p.p.PieceAt(s); t != chess.NoPieceType && strings.IndexByte(pieces, t.Letter(c)) >= 0 {
			all = append(all, s.String())
		}
	}
	return all
}

// Distance returns the number of moves that a king needs from one square to another
// on an empty board, 0 to 7. It panics if there is no such square.
func Distance(a, b string) int {
	from, to := must(chess.ParseSquare(a)), must(chess.ParseSquare(b))
	files, ranks := from.File()-to.File(), from.Rank()-to.Rank()
	return max(files, -files, ranks, -ranks)
}

// Count returns the number of pieces on the board with one of the letters: Count("P")
// counts White's pawns, Count("nb") Black's minor pieces.
func (p Position) Count(pieces string) int {
	return p.count(pieces, func(c chess.Color, t chess.PieceType) int { return p.p.Pieces(c, t).Count() })
}

// Pocket returns the number of pieces in hand with one of the letters, as in crazyhouse:
// Pocket("Q") counts White's queens, Pocket("pnbrq") all of Black's pieces. It is 0 in
// variants without drops.
func (p Position) Pocket(pieces string) int { return p.count(pieces, p.p.Pocket) }

// count adds up number for each piece with one of the letters.
func (p Position) count(pieces string, number func(chess.Color, chess.PieceType) int) int {
	n := 0
	for _, t := range p.p.Variant().Kinds() {
		for _, c := range []chess.Color{chess.White, chess.Black} {
			if strings.IndexByte(pieces, t.Letter(c)) >= 0 {
				n += number(c, t)
			}
		}
	}
	return n
}
