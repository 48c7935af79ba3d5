package chess

// pocket counts the pieces in one side's hand: six bits for each kind from pawn
// to queen.
type pocket uint32

const (
	pocketBits = 6
	pocketMost = 1<<pocketBits - 1
)

func pocketShift(t PieceType) uint { return pocketBits * uint(t-Pawn) }

// count is the number of pieces of a kind; none of a kind that no pocket holds.
func (h pocket) count(t PieceType) int {
	if t < Pawn || t > Queen {
		return 0
	}
	return int(h >> pocketShift(t) & pocketMost)
}

// inPocket is a pocket with a single piece, pawn to queen. Pockets add up.
func inPocket(t PieceType) pocket { return 1 << pocketShift(t) }

// drops generates the placing of pieces in hand on empty squares.
func (p *Position) drops(l *MoveList, empty Bitboard) (n int) {
	for t := Pawn; t <= Queen; t++ {
		if p.pocket[p.turn&1].count(t) == 0 {
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

// exchange does what a crazyhouse move does beside the board, before it is made
// there: a dropped piece leaves the pocket, a captured one enters it, as a pawn
// if it was one, and the mark of a promoted piece goes where the piece goes. It
// gives the change of the key.
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

// refill adds a piece to a pocket, or takes one out, and gives the change of
// the key.
func (p *Position) refill(c Color, t PieceType, by int) uint64 {
	old := uint64(p.pocket[c].count(t))
	if by > 0 {
		p.pocket[c] += inPocket(t)
	} else {
		p.pocket[c] -= inPocket(t)
	}
	return keys.pocket[c][t]*old ^ keys.pocket[c][t]*uint64(p.pocket[c].count(t))
}

// mark marks or unmarks a square's piece as promoted and gives the change of
// the key.
func (p *Position) mark(s Square) uint64 {
	p.promoted ^= s.bit()
	return keys.promoted[s&63]
}
