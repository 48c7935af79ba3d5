package chess

import (
	"fmt"
	"math/rand/v2"
)

// AnyChess960 is the word for all start positions of chess960, each equally likely.
const AnyChess960 = "chess960"

// Starts are the positions with which the games of a variant begin, each entry equally
// likely. [ParseStarts] makes them.
type Starts struct {
	variant Variant
	entries []entry // at least one
}

// entry is a position, or all of chess960.
type entry struct {
	fixed    Position
	chess960 bool
}

// ParseStarts reads the values of game.start in experiment files: any number of FENs and
// the word chess960. An empty list means the start position of the variant. Positions in
// which the game is over are errors, and so is chess960 in variants that have no chess960.
func ParseStarts(v Variant, words []string) (Starts, error) {
	if len(words) == 0 {
		return Starts{v, []entry{{fixed: StartPosition(v)}}}, nil
	}
	s := Starts{variant: v}
	for i, w := range words {
		e := entry{chess960: w == AnyChess960}
		var err error
		if e.chess960 {
			_, err = Chess960(v, 0)
		} else {
			e.fixed, err = ParseOngoing(v, w)
		}
		if err != nil {
			return Starts{}, fmt.Errorf("start position %d: %w", i+1, err)
		}
		s.entries = append(s.entries, e)
	}
	return s, nil
}

// ParseOngoing is [ParseFEN] for a position in which the game is not over.
func ParseOngoing(v Variant, fen string) (Position, error) {
	p, err := ParseFEN(v, fen)
	if err == nil {
		err = checkOngoing(&p)
	}
	return p, err
}

// checkOngoing returns an error if a game that begins at p is over.
func checkOngoing(p *Position) error {
	var l MoveList
	p.LegalMoves(&l)
	if o := NewGame(*p).Outcome(&l); o.Over() {
		return fmt.Errorf("%s: the game is over (%s)", p.FEN(), o)
	}
	return nil
}

// Draw returns a start position. It uses rng only if there is a choice.
func (s Starts) Draw(rng *rand.Rand) Position {
	i := 0
	if len(s.entries) > 1 {
		i = rng.IntN(len(s.entries))
	}
	if !s.entries[i].chess960 {
		return s.entries[i].fixed
	}
	p, err := Chess960(s.variant, rng.IntN(chess960Count))
	if err != nil {
		panic(fmt.Sprintf("chess: %v", err)) // ParseStarts has checked it
	}
	return p
}

// Any reports whether f is true of a position that can be drawn.
func (s Starts) Any(f func(*Position) bool) bool {
	for _, e := range s.entries {
		if !e.chess960 {
			if f(&e.fixed) {
				return true
			}
			continue
		}
		for n := range chess960Count {
			if p, err := Chess960(s.variant, n); err == nil && f(&p) {
				return true
			}
		}
	}
	return false
}

// The start positions of chess960 are numbered from 0 to 959 as Reinhard
// Scharnagl did: n mod 4 places the light-squared bishop, the next factor 4 the
// dark-squared one, the next factor 6 the queen on one of the free squares, and
// the rest both knights; rook, king and rook take what is left.
const chess960Count = 960

// chess960Knights are the pairs of the five free squares that knights take.
var chess960Knights = [10][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}

// Chess960 is start position n of chess960, 0 to 959, played by the rules of a
// variant; number 518 is that of chess. It fails for any other number, and for
// horde and racing kings, which have start positions of their own.
func Chess960(v Variant, n int) (Position, error) {
	if n < 0 || n >= chess960Count {
		return Position{}, fmt.Errorf("chess960 position %d: want 0 to %d", n, chess960Count-1)
	}
	if v.Defined() && RulesOf(v).Start == variantFacts[Standard].start {
		return v.book().chess960(n)
	}
	if int(v) >= variantCount || v == Horde || v == RacingKings {
		return Position{}, fmt.Errorf("chess960: %v has a start position of its own", v)
	}
	var files [8]PieceType
	place := func(t PieceType, nth int) { // on the nth free file
		for f := range files {
			if files[f] == NoPieceType {
				if nth == 0 {
					files[f] = t
					return
				}
				nth--
			}
		}
	}
	files[2*(n%4)+1] = Bishop
	files[2*(n/4%4)] = Bishop
	place(Queen, n/16%6)
	knights := chess960Knights[n/96]
	place(Knight, knights[1]) // the later one first: it does not move the other's count
	place(Knight, knights[0])
	for _, t := range [...]PieceType{Rook, King, Rook} {
		place(t, 0)
	}

	p := Position{variant: v, enPassant: NoSquare, fullMove: 1}
	for f, t := range files {
		p.put(White, t, NewSquare(f, 0))
		p.put(White, Pawn, NewSquare(f, 1))
		p.put(Black, Pawn, NewSquare(f, 6))
		p.put(Black, t, NewSquare(f, 7))
	}
	if v == ThreeCheck {
		p.checks = [2]uint8{checksToWin, checksToWin}
	}
	if v != Antichess {
		p.castle = p.kind[Rook]
	}
	p.key = p.computeKey()
	return p, nil
}
