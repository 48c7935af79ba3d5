package chess

// decided returns the outcome if a rule other than mate and stalemate has decided the game.
func (b *rulebook) decided(p *Position) Outcome {
	us, them := p.turn&1, (p.turn^1)&1
	if b.Explosion > 0 {
		for _, c := range [2]Color{us, them} {
			if b.bound[c] && b.pieces(p, c, b.royals) == 0 {
				return Outcome{Win(c ^ 1), KingExploded}
			}
		}
	}
	for i := range b.extinct {
		x := &b.extinct[i]
		for _, c := range [2]Color{them, us} {
			if x.sides[c] && x.left(b, p, c) <= x.count {
				winner := c.Other()
				if x.win {
					winner = c
				}
				return Outcome{Win(winner), Extinction}
			}
		}
	}
	if o := b.goalReached(p); o.Over() {
		return o
	}
	if b.CheckLimit > 0 && p.checks[them] == 0 {
		return Outcome{Win(them), CheckLimit}
	}
	return Outcome{Unfinished, NoReason}
}

// left counts the pieces of a side that it would lose or win without.
func (x *extinctKinds) left(b *rulebook, p *Position, c Color) (n int) {
	if x.all && !b.hand {
		return p.color[c].Count()
	}
	for _, t := range x.kinds {
		n += (p.color[c] & p.board(t)).Count() + p.Pocket(c, t)
	}
	return n
}

// goalReached returns the outcome if a piece has reached a goal.
func (b *rulebook) goalReached(p *Position) Outcome {
	us, them := p.turn&1, (p.turn^1)&1
	switch theirs := b.atGoal(p, them); {
	case len(b.goals) == 0:
	case b.LastReply && us == White && b.atGoal(p, us):
		if theirs {
			return Outcome{Draw, GoalReached}
		}
		return Outcome{WhiteWins, GoalReached} // Black has not replied
	case theirs && !(b.LastReply && us == Black && b.canReply(p)):
		return Outcome{Win(them), GoalReached}
	}
	return Outcome{Unfinished, NoReason}
}

func (b *rulebook) atGoal(p *Position, c Color) bool {
	for i := range b.goals {
		if b.pieces(p, c, b.goals[i].kinds)&b.goals[i].squares[c] != 0 {
			return true
		}
	}
	return false
}

// canReply reports whether the side to move can reach a goal at once.
func (b *rulebook) canReply(p *Position) bool {
	var l MoveList
	b.moves(p, &l)
	for _, m := range l.Slice() {
		q := *p
		if b.play(&q, m); b.atGoal(&q, p.turn) {
			return true
		}
	}
	return false
}

// ended is [Position.Ended] for defined rules.
func (b *rulebook) ended(p *Position, l *MoveList) Outcome {
	if l.n > 0 {
		return Outcome{Unfinished, NoReason}
	}
	if o := b.decided(p); o.Over() {
		return o
	}
	if b.attacked(p, p.turn) {
		return Outcome{valueFor(p.turn, b.Checkmate), Checkmate}
	}
	return Outcome{valueFor(p.turn, b.Stalemate), Stalemate}
}

// valueFor returns the result of side c by its word.
func valueFor(c Color, word string) Result {
	switch word {
	case "win":
		return Win(c)
	case "loss":
		return Win(c.Other())
	}
	return Draw
}

// play is [Position.Play] for defined rules.
func (b *rulebook) play(p *Position, m Move) {
	us := p.turn & 1
	them := us ^ 1
	from, to := m.From(), m.To()
	key := p.key ^ keys.black
	passed := p.enPassant
	if passed != NoSquare {
		key ^= passedKey(passed, p.victim)
		p.enPassant = NoSquare
	}
	p.rule50++
	p.fullMove += uint32(us)
	p.turn = them
	castle := p.castle

	switch t := m.Dropped(); {
	case m.IsCastle():
		castle &^= p.color[us]
		key ^= p.playCastle(us, from, to)
	case t != NoPieceType:
		key ^= p.refill(us, t, -1) ^ p.set(us, t, to)
		if t == Pawn && !b.PawnsCount {
			p.rule50 = 0
		}
	default:
		t = p.typeAt(from)
		victim := to
		if m.IsEnPassant() {
			victim = p.victim
		}
		if taken := p.typeAt(victim); taken != NoPieceType {
			p.rule50 = 0
			key ^= b.take(p, us, taken, victim)
		}
		exploding := b.Explosion > 0 && p.rule50 == 0
		if p.promoted.Has(from) {
			key ^= p.mark(from)
			if !exploding {
				key ^= p.mark(to)
			}
		}
		key ^= p.clear(us, t, from)
		if exploding {
			key ^= b.explode(p, to)
			castle &= p.board(Rook)
			break
		}
		switch t {
		case Pawn:
			if m.Promotion() != NoPieceType || !b.PawnsCount && !b.reach(&b.of[Pawn].quiet[us], to, p.Occupied()|^b.squares).Has(from) {
				p.rule50 = 0
			}
			if promoted := m.Promotion(); promoted != NoPieceType {
				if t = promoted; b.Hand == "captures" && b.Demote {
					key ^= p.mark(to)
				}
			} else if m.isDouble() && b.answered[us].Has(from) {
				middle := (from + to) / 2
				if b.pawnReaches(p, them, middle, p.Occupied()|to.bit()) {
					p.enPassant, p.victim = middle, to
					key ^= passedKey(middle, to)
				}
			}
		case King:
			castle &^= p.color[us]
		}
		key ^= p.set(us, t, to)
		castle &^= from.bit() | to.bit()
	}

	for c := range p.color { // a king that is taken, or explodes, castles no more
		rights := castle & p.color[c]
		if rights != 0 && p.color[c]&p.board(King)&(rank1<<(rights.First()&56)) == 0 {
			castle &^= rights
		}
	}
	if lost := p.castle ^ castle; lost != 0 {
		for ; lost != 0; lost &= lost - 1 {
			key ^= keys.castle[lost.First()&63]
		}
		p.castle = castle
	}
	if b.CastleAfter > 0 && us == Black && int(p.fullMove) == b.CastleAfter+1 {
		key ^= keys.castleNow
	}
	p.key = key
	if b.CheckLimit > 0 && b.attacked(p, them) {
		p.key ^= keys.checks[us][p.checks[us]&15]
		p.checks[us]--
		p.key ^= keys.checks[us][p.checks[us]&15]
	}
}

// take removes a captured piece, which may go to the hand, and returns the change of the
// key.
func (b *rulebook) take(p *Position, us Color, t PieceType, s Square) (change uint64) {
	c := us ^ 1
	if p.color[us].Has(s) {
		c = us
	}
	change = p.clear(c, t, s)
	if p.promoted.Has(s) {
		change ^= p.mark(s)
		t = Pawn
	}
	if b.Hand == "captures" && c != us {
		change ^= p.refill(us, t, 1)
	}
	return change
}

// explode removes what a capture on s destroys besides the two pieces, and returns the
// change of the key.
func (b *rulebook) explode(p *Position, s Square) (change uint64) {
	for gone := p.Occupied() & b.blast[s&63]; gone != 0; gone &= gone - 1 {
		at := gone.First()
		t, c := p.PieceAt(at)
		if b.immune[t] {
			continue
		}
		change ^= p.clear(c, t, at)
		if p.promoted.Has(at) {
			change ^= p.mark(at)
		}
	}
	return change
}
