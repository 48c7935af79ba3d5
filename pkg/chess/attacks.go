package chess

// Attack tables, built once. All are plain arrays indexed by squares.
var (
	knightAttacks, kingAttacks [64]Bitboard
	pawnAttacks                [2][64]Bitboard // squares a pawn of the color attacks
	rookRays, bishopRays       [64]Bitboard    // sliding attacks on an empty board
	diagonals, antidiagonals   [64]Bitboard    // whole lines through the square: a1-h8 and h1-a8 direction

	// between holds the squares strictly between two squares of one line, and
	// line that whole line; both are empty when no line joins the two.
	between, line [64][64]Bitboard
)

func init() {
	initMagics()
	for s := Square(0); s < 64; s++ {
		b := s.bit()
		sides := b | east(b) | west(b)
		kingAttacks[s] = (sides | sides<<8 | sides>>8) &^ b
		one, two := east(b)|west(b), east(east(b))|west(west(b))
		knightAttacks[s] = one<<16 | one>>16 | two<<8 | two>>8
		pawnAttacks[White][s] = (east(b) | west(b)) << 8
		pawnAttacks[Black][s] = (east(b) | west(b)) >> 8
		rookRays[s], bishopRays[s] = rookAttacks(s, 0), bishopAttacks(s, 0)
	}
	for s := Square(0); s < 64; s++ {
		rising := s.bit()
		for t := Square(0); t < 64; t++ {
			switch {
			case rookRays[s].Has(t):
				between[s][t] = rookAttacks(s, t.bit()) & rookAttacks(t, s.bit())
				line[s][t] = rookRays[s]&rookRays[t] | s.bit() | t.bit()
			case bishopRays[s].Has(t):
				between[s][t] = bishopAttacks(s, t.bit()) & bishopAttacks(t, s.bit())
				line[s][t] = bishopRays[s]&bishopRays[t] | s.bit() | t.bit()
				if (s.File() < t.File()) == (s.Rank() < t.Rank()) {
					rising |= t.bit()
				}
			}
		}
		diagonals[s] = rising
		antidiagonals[s] = bishopRays[s]&^rising | s.bit()
	}
}

func east(b Bitboard) Bitboard { return b &^ fileH << 1 }
func west(b Bitboard) Bitboard { return b &^ fileA >> 1 }

// forward moves a set one rank towards the opponent of c.
func forward(c Color, b Bitboard) Bitboard {
	if c == White {
		return b << 8
	}
	return b >> 8
}

// backRank is the first rank as c sees it.
func backRank(c Color) Bitboard {
	if c == White {
		return rank1
	}
	return rank8
}
