package chess

// generateAntichess: who can capture must, and a king is a piece like any
// other, which a pawn may become.
func (p *Position) generateAntichess(l *MoveList) (n int) {
	us := p.turn & 1
	enemy, occupied := p.color[us^1], p.Occupied()
	first := 0
	if l != nil {
		first = l.n
	}
	n = p.generateFree(l, enemy, 0) + p.kingPromotions(l, enemy, 0)
	if n > 0 || l != nil && l.n > first {
		return n
	}
	return p.generateFree(l, 0, ^occupied) + p.kingPromotions(l, 0, ^occupied)
}

// kingPromotions generates the promotions to a king that captures, or that
// advances to an empty square, make.
func (p *Position) kingPromotions(l *MoveList, victims, empty Bitboard) (n int) {
	us := p.turn & 1
	ready := p.Pieces(us, Pawn) & forward(us^1, backRank(us^1))
	for b := ready; b != 0; b &= b - 1 {
		from := b.First()
		to := pawnAttacks[us][from&63]&victims | forward(us, b&-b)&empty
		if l == nil {
			n += to.Count()
			continue
		}
		for ; to != 0; to &= to - 1 {
			l.add(newPromotion(from, to.First(), King))
		}
	}
	return n
}
