package chess

// InsufficientMaterial reports whether neither side can win with what is left
// on the board, by lichess' rules.
//
// Chess: kings alone, kings and one minor piece, or kings and bishops that all
// stand on squares of one color.
//
// Atomic: if both sides have more than a king, two bishops, one a side, on squares of
// different colors, which can never capture each other. If one king is bare: nothing
// else, any single piece but a queen or a pawn, or two knights. Closed positions, which
// lichess ends too, are not recognized.
//
// Antichess: bishops, each side's on squares of one color and not the other
// side's, and pawns that block each other where no bishop can take them.
//
// Three-check: kings alone. Horde: no move of either side ever frees another
// (see hordeClosed). King of the hill, racing kings and crazyhouse: never.
func (p *Position) InsufficientMaterial() bool {
	v := p.variant
	if b := v.book(); b != nil {
		if v = b.insufficient; p.kind[0] != 0 || p.pocket != [2]pocket{} {
			return false
		}
	}
	switch v {
	case Standard:
		return p.insufficientStandard()
	case Atomic:
		return p.insufficientAtomic()
	case Antichess:
		return p.insufficientAntichess()
	case ThreeCheck:
		return p.Occupied() == p.kind[King]
	case Horde:
		return p.hordeClosed()
	}
	return false
}

// CanWin reports whether a side can still win with its pieces, by lichess' rules for a fallen
// flag. A bare king cannot; in chess, neither can a knight where the other side has only queens
// besides its king, nor bishops of one color where the other side has no pawn, no knight and no
// bishop of the other color. In variants other than atomic, three-check and chess every side can.
func (p *Position) CanWin(side Color) bool {
	own := func(t PieceType) Bitboard { return p.Pieces(side, t) }
	other := func(t PieceType) Bitboard { return p.Pieces(side.Other(), t) }
	bare := p.Side(side) == own(King)
	switch p.Variant() {
	case Atomic, ThreeCheck:
		return !bare
	case Standard:
	default:
		return true
	}
	light, dark := own(Bishop)&^darkSquares, own(Bishop)&darkSquares
	switch {
	case bare:
		return false
	case own(Pawn)|own(Rook)|own(Queen) != 0, own(Knight).Count() > 1, light != 0 && dark != 0:
		return true
	case own(Knight) != 0:
		return own(Bishop) != 0 || other(Pawn)|other(Knight)|other(Bishop)|other(Rook) != 0
	}
	opposite := other(Bishop) & darkSquares
	if dark != 0 {
		opposite = other(Bishop) &^ darkSquares
	}
	return other(Pawn)|other(Knight)|opposite != 0
}

// definitions maps the words of Rules.Insufficient to the variant whose test applies; Crazyhouse
// has no test.
var definitions = map[string]Variant{"none": Crazyhouse, "chess": Standard, "atomic": Atomic, "antichess": Antichess, "3check": ThreeCheck, "horde": Horde}

// sameColored reports whether the squares are all light or all dark.
func sameColored(b Bitboard) bool { return b&lightSquares == 0 || b&darkSquares == 0 }

func (p *Position) insufficientStandard() bool {
	kings, bishops := p.kind[King], p.kind[Bishop]
	occupied := p.Occupied()
	switch {
	case occupied == kings|bishops:
		return occupied.Count() <= 3 || sameColored(bishops)
	case occupied == kings|bishops|p.kind[Knight]:
		return occupied.Count() <= 3
	}
	return false
}

func (p *Position) insufficientAtomic() bool {
	kings, bishops, knights := p.kind[King], p.kind[Bishop], p.kind[Knight]
	occupied := p.Occupied()
	count := occupied.Count()
	switch {
	case kings.Count() != 2:
		return false // exploded: the game is won
	case p.color[White].Count() > 1 && p.color[Black].Count() > 1:
		return occupied == kings|bishops && count == 4 && !sameColored(bishops)
	case occupied == kings|knights:
		return count <= 4
	}
	return occupied == kings|bishops|knights|p.kind[Rook] && count <= 3
}

func (p *Position) insufficientAntichess() bool {
	bishops, pawns := p.kind[Bishop], p.kind[Pawn]
	white, black := bishops&p.color[White], bishops&p.color[Black]
	if p.Occupied() != bishops|pawns || white == 0 || black == 0 || !sameColored(white) || !sameColored(black) {
		return false
	}
	whites, blacks := lightSquares, darkSquares // those of each side's bishops
	if white&darkSquares != 0 {
		whites, blacks = blacks, whites
	}
	if black&whites != 0 {
		return false
	}
	whitePawns, blackPawns := pawns&p.color[White], pawns&p.color[Black]
	return whitePawns&blacks == 0 && blackPawns&whites == 0 &&
		whitePawns<<8&^blackPawns == 0 && blackPawns>>8&^whitePawns == 0
}

// hordeClosed reports whether the horde is stuck for good: White cannot move,
// whoever's turn it is, Black can move the king only, and no king's move gives
// White a move. A last white piece that Black can take is not a draw.
func (p *Position) hordeClosed() bool {
	horde, black := p.color[White], p.color[Black]
	if horde == 0 {
		return false // destroyed
	}
	if forward(White, horde&p.kind[Pawn])&^p.Occupied() != 0 {
		return false // the usual case: a pawn can advance
	}
	if horde&(horde-1) == 0 && p.attackers(Black, horde.First(), p.Occupied())|
		black&p.kind[King]&kingAttacks[horde.First()&63] != 0 {
		return false
	}
	q := p.withTurn(White)
	if q.countMoves() != 0 {
		return false
	}
	q = p.withTurn(Black)
	var l MoveList
	q.LegalMoves(&l)
	for _, m := range l.Slice() {
		if q.typeAt(m.From()) != King {
			return false
		}
		next := q
		if next.Play(m); next.countMoves() != 0 {
			return false
		}
	}
	return true
}

// withTurn is the position as if it were c's turn. Only the side to
// move can capture en passant.
func (p *Position) withTurn(c Color) Position {
	q := *p
	if q.turn != c {
		q.turn, q.enPassant = c, NoSquare
	}
	return q
}
