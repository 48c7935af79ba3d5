package chess

// Play makes a move in place. The move must be one of [Position.LegalMoves]:
// nothing is checked, and any other leaves a meaningless position.
func (p *Position) Play(m Move) {
	if b := p.variant.book(); b != nil {
		b.play(p, m)
		return
	}
	us := p.turn & 1
	them := us ^ 1
	from, to := m.From(), m.To()
	key := p.key ^ keys.black
	if p.enPassant != NoSquare {
		key ^= keys.enPassant[p.enPassant&7]
		p.enPassant = NoSquare
	}
	if p.variant == Crazyhouse {
		key ^= p.exchange(m)
	}
	p.rule50++
	p.fullMove += uint32(us)
	p.turn = them

	castle := p.castle
	switch kind := m & kindMask; {
	case kind == kindCastle:
		castle &^= backRank(us)
		key ^= p.playCastle(us, from, to)
	case kind == kindEnPassant:
		p.rule50 = 0
		victim := to ^ 8 // the square beside the capturing pawn: one rank back from to
		key ^= p.lift(them, Pawn, victim.bit())
		if p.variant == Atomic {
			key ^= p.explode(from, to)
			castle &= p.intact()
		} else {
			key ^= p.lift(us, Pawn, from.bit()) ^ p.put(us, Pawn, to)
		}
	case p.color[them].Has(to):
		p.rule50 = 0
		if p.variant == Atomic {
			key ^= p.explode(from, to)
			castle &= p.intact()
			break
		}
		key ^= p.lift(them, p.typeAt(to), to.bit())
		castle &^= to.bit()
		fallthrough
	case !m.IsDrop():
		t := p.typeAt(from)
		key ^= p.lift(us, t, from.bit())
		castle &^= from.bit()
		switch t {
		case Pawn:
			p.rule50 = 0
			if promoted := m.Promotion(); promoted != NoPieceType {
				t = promoted
			} else if to^from == 16 {
				middle := (from + to) / 2 // on the second rank only in horde, where nothing can be captured so
				if (rank3 | rank6).Has(middle) && pawnAttacks[us][middle&63]&p.color[them]&p.kind[Pawn] != 0 {
					p.enPassant = middle
					key ^= keys.enPassant[middle&7]
				}
			}
		case King:
			castle &^= backRank(us)
		}
		key ^= p.put(us, t, to)
	default:
		if m.Dropped() == Pawn {
			p.rule50 = 0
		}
		key ^= p.put(us, m.Dropped(), to)
	}

	if lost := p.castle ^ castle; lost != 0 {
		for ; lost != 0; lost &= lost - 1 {
			key ^= keys.castle[lost.First()&63]
		}
		p.castle = castle
	}
	p.key = key
	if p.variant == ThreeCheck && p.InCheck() {
		p.key ^= keys.checks[us][p.checks[us]&3]
		p.checks[us]--
		p.key ^= keys.checks[us][p.checks[us]&3]
	}
}

// lift removes a piece from its square and returns the change of the key.
func (p *Position) lift(c Color, t PieceType, b Bitboard) uint64 {
	p.color[c&1] &^= b
	p.kind[t] &^= b
	return keys.piece[c&1][t][b.First()&63]
}

// put places a piece on an empty square and returns the change of the key.
func (p *Position) put(c Color, t PieceType, s Square) uint64 {
	p.color[c&1] |= s.bit()
	p.kind[t] |= s.bit()
	return keys.piece[c&1][t][s&63]
}

func (p *Position) playCastle(us Color, king, rook Square) uint64 {
	kingTo, rookTo := castleTargets(king, rook)
	return p.lift(us, King, king.bit()) ^ p.lift(us, Rook, rook.bit()) ^
		p.put(us, King, kingTo) ^ p.put(us, Rook, rookTo)
}

// castleTargets returns the squares on which king and rook end: the g- and
// f-file, or the c- and d-file, wherever they started.
func castleTargets(king, rook Square) (kingTo, rookTo Square) {
	rank := king & 56
	if rook > king {
		return rank | 6, rank | 5
	}
	return rank | 2, rank | 3
}

// explode removes the capturing piece, the captured one, and all but pawns
// around the square of capture, and returns the change of the key.
func (p *Position) explode(from, to Square) (change uint64) {
	center := from.bit() | to.bit()
	gone := p.Occupied() & (center | kingAttacks[to&63]&^p.kind[Pawn])
	for b := gone; b != 0; b &= b - 1 {
		t, c := p.PieceAt(b.First())
		change ^= p.lift(c, t, b&-b)
	}
	return change
}

// intact returns the castling rights that an explosion leaves: those with rook and king
// still in place.
func (p *Position) intact() Bitboard {
	b := p.kind[Rook]
	for c := White; c <= Black; c++ {
		if p.color[c]&p.kind[King] == 0 {
			b &^= backRank(c)
		}
	}
	return b
}
