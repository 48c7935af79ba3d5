package chess

// InsufficientMaterial reports whether neither side can win with what is left
// on the board, by lichess' rules.
//
// Chess: kings alone, kings and one minor piece, or kings and bishops that all
// stand on squares of one color.
//
// Atomic chess: where both sides have more than a king, two bishops, one a
// side, on squares of different colors: they can never blow each other up.
// Where one king is bare: nothing, any single piece but a queen or a pawn, or
// two knights.
func (p *Position) InsufficientMaterial() bool {
	kings, bishops, knights := p.kind[King], p.kind[Bishop], p.kind[Knight]
	occupied := p.Occupied()
	count := occupied.Count()
	twoColored := bishops&lightSquares != 0 && bishops&darkSquares != 0
	if p.variant != Atomic {
		switch {
		case occupied == kings|bishops:
			return count <= 3 || !twoColored
		case occupied == kings|bishops|knights:
			return count <= 3
		}
		return false
	}
	switch {
	case kings.Count() != 2:
		return false // exploded: the game is won
	case p.color[White].Count() > 1 && p.color[Black].Count() > 1:
		return occupied == kings|bishops && count == 4 && twoColored
	case occupied == kings|knights:
		return count <= 4
	}
	return occupied == kings|bishops|knights|p.kind[Rook] && count <= 3
}
