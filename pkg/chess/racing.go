package chess

// generateRacing: as in chess, but no move may give check either. Nobody is in
// check, so a move gives one only by a piece that comes to attack the enemy king
// or by one that leaves the line of a slider behind it.
func (p *Position) generateRacing(l *MoveList) (n int) {
	us := p.turn & 1
	them := us ^ 1
	own, enemy := p.color[us], p.color[them]
	occupied := own | enemy
	king := (own & p.kind[King]).First() & 63
	target := (enemy & p.kind[King]).First() & 63

	steps := kingAttacks[king] &^ (own | kingAttacks[target])
	pinned := p.blockers(them, king) & own
	hiding := p.blockers(us, target) & own // what gives a discovered check when it leaves its line
	if hiding.Has(king) {
		steps &= line[target][king]
	}
	steps = p.unattacked(them, steps, occupied&^king.bit())
	if p.raceOver(steps) {
		return 0
	}
	n += l.targets(king, steps)

	diagonal, straight := bishopAttacks(target, occupied), rookAttacks(target, occupied)
	piece := func(s Square, attacks Bitboard) {
		to := attacks &^ own
		if pinned.Has(s) {
			to &= line[king][s]
		}
		if hiding.Has(s) {
			to &= line[target][s]
		}
		n += l.targets(s, to)
	}
	for b := own & p.kind[Knight]; b != 0; b &= b - 1 {
		s := b.First() & 63
		piece(s, knightAttacks[s]&^knightAttacks[target])
	}
	for b := own & p.kind[Bishop]; b != 0; b &= b - 1 {
		s := b.First() & 63
		piece(s, bishopAttacks(s, occupied)&^diagonal)
	}
	for b := own & p.kind[Rook]; b != 0; b &= b - 1 {
		s := b.First() & 63
		piece(s, rookAttacks(s, occupied)&^straight)
	}
	for b := own & p.kind[Queen]; b != 0; b &= b - 1 {
		s := b.First() & 63
		piece(s, (bishopAttacks(s, occupied)|rookAttacks(s, occupied))&^(diagonal|straight))
	}
	return n
}

// blockers gives the pieces of both sides that stand alone between s and a
// slider of side c.
func (p *Position) blockers(c Color, s Square) (alone Bitboard) {
	occupied := p.Occupied()
	for b := p.snipers(c, s); b != 0; b &= b - 1 {
		if between := between[s&63][b.First()&63] & occupied; between&(between-1) == 0 {
			alone |= between
		}
	}
	return alone
}

// raceOver reports whether racing kings has been decided, given the squares to
// which the king of the side to move can go. White moves first, so Black may
// answer a king on the eighth rank by the same on the next ply, for a draw.
func (p *Position) raceOver(steps Bitboard) bool {
	there := p.kind[King] & rank8
	return there != 0 && (p.turn == White || there&p.color[Black] != 0 || steps&rank8 == 0)
}
