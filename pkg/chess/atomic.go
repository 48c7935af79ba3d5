package chess

// threats holds the enemy pieces that attack, or could attack, the king of the side to move
// in atomic chess: the leapers that give check, and every enemy slider on a line with the
// king together with the pieces between them. A capture is legal if it leaves no
// leaper and on every line either no slider or some piece between.
type threats struct {
	leapers Bitboard
	n       int
	lines   [16]threat
}

type threat struct{ slider, between Bitboard }

// survive reports whether the king is safe once the squares in gone are empty.
func (t *threats) survive(gone Bitboard) bool {
	if t.leapers&^gone != 0 {
		return false
	}
	for i := range t.lines[:t.n&15] {
		if x := &t.lines[i]; x.between&^gone == 0 && x.slider&^gone != 0 {
			return false
		}
	}
	return true
}

// generateAtomic generates the moves of atomic chess. Quiet moves obey pins and checks as
// in chess. Captures are tested against the threats, because an explosion can open or
// close any line. While the kings touch there are no threats.
func (p *Position) generateAtomic(l *MoveList) (n int) {
	us := p.turn & 1
	them := us ^ 1
	own, enemy := p.color[us], p.color[them]
	if own&p.kind[King] == 0 || enemy&p.kind[King] == 0 {
		return 0
	}
	occupied := own | enemy
	king := (own & p.kind[King]).First() & 63
	near := kingAttacks[(enemy&p.kind[King]).First()&63] // next to the enemy king

	var t threats
	pinned := Bitboard(0)
	quiet := ^occupied
	check := false
	if !near.Has(king) {
		t.leapers = enemy & (knightAttacks[king]&p.kind[Knight] | pawnAttacks[us][king]&p.kind[Pawn])
		if t.leapers != 0 {
			check, quiet = true, 0
		}
		for s := p.snipers(them, king); s != 0; s &= s - 1 {
			path := between[king][s.First()&63]
			b := path & occupied
			switch {
			case b == 0:
				check = true
				quiet &= path
			case b&(b-1) == 0:
				pinned |= b & own
			}
			t.lines[t.n&15] = threat{s & -s, b}
			t.n++
		}
	}
	threatened := t.n > 0 || t.leapers != 0

	// A capture must not touch one's own king; one that touches the enemy's wins.
	victims := enemy &^ kingAttacks[king]
	wins := victims & near

	steps := kingAttacks[king] &^ occupied
	n += l.targets(king, steps&near|p.unattacked(them, steps&^near, occupied&^king.bit()))
	if !check && p.castle&own != 0 {
		n += p.castling(l, king)
	}

	piece := func(s Square, attacks Bitboard) {
		free := attacks & quiet
		if pinned.Has(s) {
			free &= line[king][s]
		}
		captures := attacks & victims
		if threatened {
			free |= captures & wins
			for c := captures &^ wins; c != 0; c &= c - 1 {
				if t.survive(s.bit() | c&-c | kingAttacks[c.First()&63]&^p.kind[Pawn]) {
					free |= c & -c
				}
			}
		} else {
			free |= captures
		}
		n += l.targets(s, free)
	}
	for b := own & p.kind[Knight]; b != 0; b &= b - 1 {
		s := b.First() & 63
		piece(s, knightAttacks[s])
	}
	for b := own & (p.kind[Bishop] | p.kind[Queen]); b != 0; b &= b - 1 {
		s := b.First() & 63
		piece(s, bishopAttacks(s, occupied))
	}
	for b := own & (p.kind[Rook] | p.kind[Queen]); b != 0; b &= b - 1 {
		s := b.First() & 63
		piece(s, rookAttacks(s, occupied))
	}

	pawns := own & p.kind[Pawn]
	n += p.pawnPushes(l, pawns&(^pinned|fileA<<(king&7)), ^occupied, quiet)
	rising, falling := p.pawnAttackSets(pawns, pawns)
	for _, c := range [2]struct {
		to   Bitboard
		step int8
	}{{rising & victims, risingStep[us]}, {falling & victims, fallingStep[us]}} {
		to := c.to
		if threatened {
			to &= wins
			for b := c.to &^ wins; b != 0; b &= b - 1 {
				from := b.First() - Square(c.step)
				if t.survive(from.bit() | b&-b | kingAttacks[b.First()&63]&^p.kind[Pawn]) {
					to |= b & -b
				}
			}
		}
		n += l.pawnTargets(to, c.step)
	}

	if to := p.enPassant & 63; p.enPassant != NoSquare && !kingAttacks[king].Has(to) {
		blast := to.bit() | (to ^ 8).bit() | kingAttacks[to]&^p.kind[Pawn]
		for b := pawns & pawnAttacks[them][to]; b != 0; b &= b - 1 {
			if near.Has(to) || t.survive(b&-b|blast) {
				n += l.one(newMove(b.First(), to) | kindEnPassant)
			}
		}
	}
	return n
}
