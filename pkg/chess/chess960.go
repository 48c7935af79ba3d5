package chess

import "fmt"

// The start positions of chess960 are numbered from 0 to 959 as Reinhard
// Scharnagl did: n mod 4 places the light-squared bishop, the next factor 4 the
// dark-squared one, the next factor 6 the queen on one of the free squares, and
// the rest both knights; rook, king and rook take what is left.
const chess960Count = 960

// chess960Knights are the pairs of the five free squares that knights take.
var chess960Knights = [10][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}

// Chess960 is start position n of chess960, 0 to 959, played by the rules of a
// variant; number 518 is that of chess. It fails for another number, and for
// horde and racing kings, whose start positions are their own.
func Chess960(v Variant, n int) (Position, error) {
	if n < 0 || n >= chess960Count {
		return Position{}, fmt.Errorf("chess960 position %d: want 0 to %d", n, chess960Count-1)
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

// Chess960Number gives the number of a chess960 start position, and false for
// any other position. The number of the start of chess is 518.
func Chess960Number(p *Position) (int, bool) {
	if p.variant == Horde || p.variant == RacingKings {
		return 0, false
	}
	for n := range chess960Count {
		if q, err := Chess960(p.variant, n); err == nil && q == *p {
			return n, true
		}
	}
	return 0, false
}
