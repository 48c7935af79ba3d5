package chess

// generateAntichess generates the moves of antichess: captures are compulsory, and a king
// is a piece like any other, to which a pawn may promote.
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

// kingPromotions generates promotions to a king, by captures or by advances to an empty
// square.
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

// pocket counts the pieces in one side's hand: six bits for each kind, from pawn to queen,
// and then for the other kinds of the rules.
type pocket uint64

const (
	pocketBits  = 6
	pocketMost  = 1<<pocketBits - 1
	pocketKinds = 64 / pocketBits
)

// pocketShift returns where a pocket counts a kind; 64 if no pocket holds it.
func (p *Position) pocketShift(t PieceType) uint {
	if t-Pawn <= Queen-Pawn {
		return pocketBits * uint(t-Pawn)
	}
	if b := p.variant.book(); b != nil {
		return b.slots[t%PieceTypes]
	}
	return 64
}

// drops generates the drops of pieces in hand on empty squares.
func (p *Position) drops(l *MoveList, empty Bitboard) (n int) {
	for t := Pawn; t <= Queen; t++ {
		if p.Pocket(p.turn, t) == 0 {
			continue
		}
		to := empty
		if t == Pawn {
			to &^= rank1 | rank8
		}
		if l == nil {
			n += to.Count()
			continue
		}
		for ; to != 0; to &= to - 1 {
			l.add(newDrop(to.First(), t))
		}
	}
	return n
}

// exchange updates pockets and promotion marks for a crazyhouse move, before the move is
// made on the board: a dropped piece leaves the pocket, a captured one enters it (a
// promoted one as a pawn), and the mark of a promoted piece moves with it. It returns the
// change of the key.
func (p *Position) exchange(m Move) (change uint64) {
	us := p.turn & 1
	from, to := m.From(), m.To()
	if t := m.Dropped(); t != NoPieceType {
		return p.refill(us, t, -1)
	}
	if m.IsCastle() {
		return 0
	}
	if m.IsEnPassant() {
		change ^= p.refill(us, Pawn, 1)
	} else if t := p.typeAt(to); t != NoPieceType {
		if p.promoted.Has(to) {
			t = Pawn
			change ^= p.mark(to)
		}
		change ^= p.refill(us, t, 1)
	}
	if p.promoted.Has(from) {
		change ^= p.mark(from) ^ p.mark(to)
	} else if m.Promotion() != NoPieceType {
		change ^= p.mark(to)
	}
	return change
}

// refill adds a piece to a pocket, or takes one out, and returns the change of
// the key.
func (p *Position) refill(c Color, t PieceType, by int) uint64 {
	shift := p.pocketShift(t)
	old := uint64(p.pocket[c] >> shift & pocketMost)
	p.pocket[c] += pocket(by) << shift
	return keys.pocket[c][t]*old ^ keys.pocket[c][t]*uint64(p.pocket[c]>>shift&pocketMost)
}

// mark marks or unmarks a square's piece as promoted and returns the change of the key.
func (p *Position) mark(s Square) uint64 {
	p.promoted ^= s.bit()
	return keys.promoted[s&63]
}

// generateRacing generates the moves of racing kings: as in chess, but no move may give
// check. Nobody is in check, so only two kinds of moves give check: a piece that attacks
// the enemy king from its new square, and a piece that opens the line of a slider.
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

// blockers returns the pieces of both sides that stand alone between s and a
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
// draw by reaching the eighth rank on the next ply.
func (p *Position) raceOver(steps Bitboard) bool {
	there := p.kind[King] & rank8
	return there != 0 && (p.turn == White || there&p.color[Black] != 0 || steps&rank8 == 0)
}
