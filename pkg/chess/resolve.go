package chess

// Reading a single move without generating all: the few pieces that can reach a square are
// found by looking back from it, and each is then tested against the rules. This reads
// notation an order of magnitude faster than generating moves. It may give up; the caller
// then generates the moves.

// resolve finds the one legal move that a text means. It returns 0 if no legal move fits or
// several do, and if the variant's own rule may have ended the game.
func (p *Position) resolve(d sanMove) Move {
	us := p.turn & 1
	own := p.color[us]
	to := d.to & 63
	if p.variant.Defined() || d.piece > King { // a letter of some rules, or of another language
		return 0
	}
	if p.variant != Standard && p.mayHaveEnded() {
		return 0
	}
	if d.castle != castleNone {
		return p.resolveCastle(d.castle)
	}
	if own.Has(to) {
		return 0
	}
	if d.drop {
		return p.resolveDrop(d.piece, to)
	}
	occupied := p.Occupied()
	var from Bitboard
	switch d.piece {
	case Pawn:
		return p.resolvePawn(d)
	case Knight:
		from = knightAttacks[to]
	case Bishop:
		from = bishopAttacks(to, occupied)
	case Rook:
		from = rookAttacks(to, occupied)
	case Queen:
		from = bishopAttacks(to, occupied) | rookAttacks(to, occupied)
	case King:
		from = kingAttacks[to]
	}
	if d.promotion != NoPieceType {
		return 0
	}
	var found Move
	for from &= own & p.kind[d.piece] & d.origin; from != 0; from &= from - 1 {
		if s := from.First(); p.safe(s, to, to.bit()&occupied) {
			if found != 0 {
				return 0
			}
			found = newMove(s, to)
		}
	}
	return found
}

// mayHaveEnded reports whether the variant's own rule has ended the game or may
// have.
func (p *Position) mayHaveEnded() bool {
	them := p.turn.Other()
	switch p.variant {
	default:
		b := p.variant.book()
		return b != nil && (b.Stalemate == "loss" || b.decided(p).Over())
	case Atomic:
		return p.color[them]&p.kind[King] == 0 || p.color[p.turn&1]&p.kind[King] == 0
	case KingOfTheHill:
		return p.Pieces(them, King)&hill != 0
	case ThreeCheck:
		return p.checks[them] == 0
	case RacingKings:
		return p.kind[King]&rank8 != 0 // the race may have been decided
	}
}

// resolvePawn finds a pawn's advance or capture.
func (p *Position) resolvePawn(d sanMove) Move {
	us := p.turn & 1
	them := us ^ 1
	to := d.to & 63
	target := to.bit()
	pawns := p.color[us] & p.kind[Pawn]
	move := newMove(0, to)
	if target&backRank(them) != 0 {
		if d.promotion < Knight || d.promotion > King || d.promotion == King && p.variant != Antichess {
			return 0
		}
		move = newPromotion(0, to, d.promotion)
	} else if d.promotion != NoPieceType {
		return 0
	}

	if p.color[them]&target != 0 {
		var found Move
		for from := pawnAttacks[them][to] & pawns & d.origin; from != 0; from &= from - 1 {
			if s := from.First(); p.safe(s, to, target) {
				if found != 0 {
					return 0
				}
				found = move | Move(s)
			}
		}
		return found
	}
	var found Move
	from := forward(them, target)
	if from&(pawns|p.Occupied()) == 0 { // two squares, in horde from the first rank too
		from = forward(them, from) & (backRank(us) | forward(us, backRank(us)))
	}
	if from &= pawns & d.origin; from != 0 {
		if s := from.First(); p.safe(s, to, 0) {
			found = move | Move(s)
		}
	}
	if to == p.enPassant {
		for from := pawnAttacks[them][to] & pawns & d.origin; from != 0; from &= from - 1 {
			if s := from.First(); p.safe(s, to, (to ^ 8).bit()) {
				if found != 0 {
					return 0
				}
				found = move | Move(s) | kindEnPassant
			}
		}
	}
	return found
}

// resolveCastle finds castling to the right or to the left.
func (p *Position) resolveCastle(side uint8) Move {
	king := p.King(p.turn)
	if king == NoSquare || p.castle == 0 || p.InCheck() {
		return 0
	}
	q := *p
	right, left := p.CastlingSides(p.turn)
	if q.castle = left; side == castleRight {
		q.castle = right
	}
	if q.castle == 0 || q.castling(nil, king) == 0 {
		return 0
	}
	return newMove(king, q.castle.First()) | kindCastle
}

// resolveDrop finds the placing of a piece in hand on a square that no own piece
// stands on.
func (p *Position) resolveDrop(t PieceType, to Square) Move {
	us := p.turn & 1
	occupied := p.Occupied()
	king := p.King(us)
	if p.variant != Crazyhouse || p.Pocket(us, t) == 0 || occupied.Has(to) ||
		t == Pawn && (rank1|rank8).Has(to) || p.attackers(us^1, king, occupied|to.bit()) != 0 {
		return 0
	}
	return newDrop(to, t)
}

// safe reports whether a pseudo-legal move is legal: it must not leave its own king in
// check or explode it, must not give check where that is forbidden, and must capture where
// captures are compulsory. taken holds the piece that the move captures.
func (p *Position) safe(from, to Square, taken Bitboard) bool {
	us := p.turn & 1
	them := us ^ 1
	king := p.color[us] & p.kind[King]
	switch {
	case p.variant == Antichess:
		return taken != 0 || p.generateFree(nil, p.color[them], 0) == 0
	case king == 0:
		return true
	case p.variant == Atomic:
		return p.safeAtomic(from, to, taken)
	}
	after := p.Occupied()&^(from.bit()|taken) | to.bit()
	if king == from.bit() {
		if kingAttacks[to&63]&p.color[them]&p.kind[King] != 0 || p.attackers(them, to, after) != 0 {
			return false
		}
	} else if p.attackers(them, king.First(), after)&^taken != 0 {
		return false
	}
	if p.variant != RacingKings {
		return true
	}
	q := *p
	q.Play(newMove(from, to))
	return !q.InCheck()
}

// safeAtomic is [Position.safe] in atomic chess; both kings are there.
func (p *Position) safeAtomic(from, to Square, taken Bitboard) bool {
	us := p.turn & 1
	them := us ^ 1
	king := (p.color[us] & p.kind[King]).First()
	near := kingAttacks[(p.color[them]&p.kind[King]).First()&63] // next to the enemy king, where nobody is in check
	if taken == 0 {
		if king == from {
			king = to
		}
		return near.Has(king) || p.attackers(them, king, p.Occupied()&^from.bit()|to.bit()) == 0
	}
	if king == from || kingAttacks[king&63].Has(to) {
		return false
	}
	if near.Has(to) || near.Has(king) {
		return true
	}
	blast := from.bit() | to.bit() | taken | kingAttacks[to&63]&^p.kind[Pawn]
	return p.attackers(them, king, p.Occupied()&^blast)&^blast == 0
}
