package chess

// LegalMoves fills l with the legal moves, in an order that depends on the
// position alone. It is empty on checkmate, on stalemate, and when the variant's
// own rule has decided the game (see [Position.Ended]); draws by material or
// clock do not empty it.
func (p *Position) LegalMoves(l *MoveList) {
	l.n = 0
	p.generate(l)
}

// countMoves is the number of legal moves.
func (p *Position) countMoves() int { return p.generate(nil) }

// generate adds the legal moves to l and returns 0, or with l == nil counts the
// moves without naming them, which is what perft needs at its last ply. The
// generators below do the same.
func (p *Position) generate(l *MoveList) int {
	them := p.turn.Other()
	switch p.variant {
	default:
		return p.variant.book().generate(p, l)
	case Standard, Crazyhouse:
	case Atomic:
		return p.generateAtomic(l)
	case Antichess:
		return p.generateAntichess(l)
	case RacingKings:
		return p.generateRacing(l)
	case KingOfTheHill:
		if p.Pieces(them, King)&hill != 0 {
			return 0
		}
	case ThreeCheck:
		if p.checks[them] == 0 {
			return 0
		}
	case Horde:
		if p.turn == White {
			return p.generateFree(l, p.color[them], ^p.Occupied())
		}
	}
	return p.generateStandard(l)
}

// hill is where a king wins king of the hill.
const hill Bitboard = 1<<27 | 1<<28 | 1<<35 | 1<<36

// generateStandard: with the pieces pinned to the king and the squares that
// answer a check known at the start, every target is legal as it is found. The
// side to move has a king; the other has none in horde.
func (p *Position) generateStandard(l *MoveList) (n int) {
	us := p.turn & 1
	them := us ^ 1
	own, enemy := p.color[us], p.color[them]
	occupied := own | enemy
	king := (own & p.kind[King]).First() & 63

	checkers := enemy & (knightAttacks[king]&p.kind[Knight] | pawnAttacks[us][king]&p.kind[Pawn])
	pinned := Bitboard(0)
	for s := p.snipers(them, king); s != 0; s &= s - 1 {
		switch b := between[king][s.First()&63] & occupied; {
		case b == 0:
			checkers |= s & -s
		case b&(b-1) == 0:
			pinned |= b & own
		}
	}

	danger := aroundKing(enemy & p.kind[King])
	n += l.targets(king, p.unattacked(them, kingAttacks[king]&^(own|danger), occupied&^king.bit()))
	mask := ^own
	if checkers != 0 {
		if checkers&(checkers-1) != 0 {
			return n
		}
		mask = between[king][checkers.First()&63] | checkers
	} else if p.castle&own != 0 {
		n += p.castling(l, king)
	}

	for b := own & p.kind[Knight] &^ pinned; b != 0; b &= b - 1 {
		s := b.First() & 63
		n += l.targets(s, knightAttacks[s]&mask)
	}
	for b := own & (p.kind[Bishop] | p.kind[Queen]); b != 0; b &= b - 1 {
		s := b.First() & 63
		t := bishopAttacks(s, occupied) & mask
		if b&-b&pinned != 0 {
			t &= line[king][s]
		}
		n += l.targets(s, t)
	}
	for b := own & (p.kind[Rook] | p.kind[Queen]); b != 0; b &= b - 1 {
		s := b.First() & 63
		t := rookAttacks(s, occupied) & mask
		if b&-b&pinned != 0 {
			t &= line[king][s]
		}
		n += l.targets(s, t)
	}

	pawns := own & p.kind[Pawn]
	n += p.pawnPushes(l, pawns&(^pinned|fileA<<(king&7)), ^occupied, mask)
	rising, falling := p.pawnAttackSets(pawns&(^pinned|diagonals[king]), pawns&(^pinned|antidiagonals[king]))
	n += l.pawnTargets(rising&enemy&mask, risingStep[us])
	n += l.pawnTargets(falling&enemy&mask, fallingStep[us])

	if p.pocket[us] != 0 {
		n += p.drops(l, mask&^occupied)
	}

	if p.enPassant != NoSquare {
		to := p.enPassant & 63
		victim := (to ^ 8).bit()
		for b := pawns & pawnAttacks[them][to]; b != 0; b &= b - 1 {
			// Two pawns leave a rank at once, which no pin mask foresees.
			after := occupied ^ b&-b ^ victim ^ to.bit()
			if p.attackers(them, king, after)&^victim == 0 {
				n += l.one(newMove(b.First(), to) | kindEnPassant)
			}
		}
	}
	return n
}

// generateFree generates the moves of a side that has no king to guard: the
// pieces go to empty squares and squares to capture on, as given.
func (p *Position) generateFree(l *MoveList, victims, quiet Bitboard) (n int) {
	us := p.turn & 1
	own, occupied := p.color[us], p.Occupied()
	mask := victims | quiet
	for b := own & p.kind[Knight]; b != 0; b &= b - 1 {
		s := b.First() & 63
		n += l.targets(s, knightAttacks[s]&mask)
	}
	for b := own & p.kind[King]; b != 0; b &= b - 1 {
		s := b.First() & 63
		n += l.targets(s, kingAttacks[s]&mask)
	}
	for b := own & (p.kind[Bishop] | p.kind[Queen]); b != 0; b &= b - 1 {
		s := b.First() & 63
		n += l.targets(s, bishopAttacks(s, occupied)&mask)
	}
	for b := own & (p.kind[Rook] | p.kind[Queen]); b != 0; b &= b - 1 {
		s := b.First() & 63
		n += l.targets(s, rookAttacks(s, occupied)&mask)
	}
	pawns := own & p.kind[Pawn]
	n += p.pawnPushes(l, pawns, ^occupied, quiet)
	rising, falling := p.pawnAttackSets(pawns, pawns)
	n += l.pawnTargets(rising&victims, risingStep[us])
	n += l.pawnTargets(falling&victims, fallingStep[us])
	if p.enPassant != NoSquare && victims != 0 {
		to := p.enPassant & 63
		for b := pawns & pawnAttacks[us^1][to]; b != 0; b &= b - 1 {
			n += l.one(newMove(b.First(), to) | kindEnPassant)
		}
	}
	return n
}

// risingStep and fallingStep are what a pawn capture adds to the square when
// it goes along an a1-h8 or an h1-a8 diagonal, by color.
var (
	risingStep  = [2]int8{9, -9}
	fallingStep = [2]int8{7, -7}
)

// pawnAttackSets returns the squares that own pawns attack: those of the first set
// along diagonals of the a1-h8 direction, those of the second along diagonals of
// the h1-a8 direction.
func (p *Position) pawnAttackSets(first, second Bitboard) (rising, falling Bitboard) {
	if p.turn == White {
		return east(first) << 8, west(second) << 8
	}
	return west(first) >> 8, east(second) >> 8
}

// snipers returns the sliders of side c that would attack s on an empty board.
func (p *Position) snipers(c Color, s Square) Bitboard {
	return p.color[c&1] & (bishopRays[s&63]&(p.kind[Bishop]|p.kind[Queen]) |
		rookRays[s&63]&(p.kind[Rook]|p.kind[Queen]))
}

// unattacked returns those of a few squares, around a king, that no piece of
// side c but its king attacks.
func (p *Position) unattacked(c Color, squares, occupied Bitboard) Bitboard {
	if squares == 0 {
		return 0
	}
	theirs := p.color[c&1]
	pawns := forward(c, theirs&p.kind[Pawn])
	squares &^= east(pawns) | west(pawns)
	for b := theirs & p.kind[Knight]; b != 0; b &= b - 1 {
		squares &^= knightAttacks[b.First()&63]
	}
	for b := theirs & (p.kind[Bishop] | p.kind[Queen]); b != 0; b &= b - 1 {
		if s := b.First() & 63; bishopRays[s]&squares != 0 {
			squares &^= bishopAttacks(s, occupied)
		}
	}
	for b := theirs & (p.kind[Rook] | p.kind[Queen]); b != 0; b &= b - 1 {
		if s := b.First() & 63; rookRays[s]&squares != 0 {
			squares &^= rookAttacks(s, occupied)
		}
	}
	return squares
}

// pawnPushes generates one- and two-square advances onto squares of mask. A
// pawn of the first rank, which only horde has, may advance two squares as one
// of the second may.
func (p *Position) pawnPushes(l *MoveList, pawns, empty, mask Bitboard) int {
	us := p.turn & 1
	one := forward(us, pawns) & empty
	third, step := rank2|rank3, int8(8)
	if us == Black {
		third, step = rank6, -8
	}
	two := forward(us, one&third) & empty
	return l.pawnTargets(one&mask, step) + l.pawnTargets(two&mask, 2*step)
}

// castling generates castling for a king that is not in check. King and rook
// may begin anywhere on the first rank: all squares they cross or reach must
// be empty except for the two, and those that the king crosses must not be attacked. In atomic
// chess a square that touches the enemy king counts as unattacked.
func (p *Position) castling(l *MoveList, king Square) (n int) {
	us := p.turn & 1
	them := us ^ 1
	occupied := p.Occupied()
	for b := p.castle & p.color[us]; b != 0; b &= b - 1 {
		rook := b.First() & 63
		kingTo, rookTo := castleTargets(king, rook)
		others := occupied &^ (king.bit() | rook.bit())
		crossed := between[king][kingTo&63]
		reached := kingTo.bit()
		if (crossed|reached|between[rook][rookTo&63]|rookTo.bit())&others != 0 {
			continue
		}
		near := aroundKing(p.color[them] & p.kind[King])
		if p.variant == Atomic {
			crossed &^= near
			reached &^= near
		} else if (crossed|reached)&near != 0 {
			continue
		}
		// The rook where it stands and where it ends may shield or bare the king.
		if p.unattacked(them, crossed, occupied&^king.bit()) != crossed ||
			p.unattacked(them, reached, others|rookTo.bit()) != reached {
			continue
		}
		n += l.one(newMove(king, rook) | kindCastle)
	}
	return n
}

// aroundKing returns the squares next to a king; none where there is no king.
func aroundKing(king Bitboard) Bitboard {
	if king == 0 {
		return 0
	}
	return kingAttacks[king.First()&63]
}

// targets adds or counts the moves from one square to a set.
func (l *MoveList) targets(from Square, to Bitboard) int {
	if l == nil {
		return to.Count()
	}
	l.addTargets(from, to)
	return 0
}

// one adds or counts a single move.
func (l *MoveList) one(m Move) int {
	if l == nil {
		return 1
	}
	l.add(m)
	return 0
}

// pawnTargets adds or counts pawn moves to a set, each from step squares back.
func (l *MoveList) pawnTargets(to Bitboard, step int8) int {
	if l == nil {
		return to.Count() + 3*(to&(rank1|rank8)).Count()
	}
	for ; to != 0; to &= to - 1 {
		s := to.First()
		l.addPawn(s-Square(step), s)
	}
	return 0
}
