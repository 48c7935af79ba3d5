package chess

// The general generator: it serves all rules that are data. Moves that cannot leave a royal
// piece attacked are taken as they are found; the others are tried.

// generate is [Position.generate] for defined rules.
func (b *rulebook) generate(p *Position, l *MoveList) (n int) {
	if (len(b.goals) > 0 || len(b.extinct) > 0 || b.CheckLimit > 0 || b.Explosion > 0) && b.decided(p).Over() {
		return 0
	}
	return b.moves(p, l)
}

// moves generates or counts the moves of a position as if the game were not over.
func (b *rulebook) moves(p *Position, l *MoveList) (n int) {
	g := b.prepare(p)
	if b.MustCapture {
		before := 0
		if l != nil {
			before = l.n
		}
		if n = g.pieces(l, g.theirs, 0); n > 0 || l != nil && l.n > before {
			return n
		}
		return g.pieces(l, 0, ^g.occupied) + g.rest(l)
	}
	victims := g.theirs
	if b.SelfCapture {
		victims |= g.own &^ b.pieces(p, g.us, b.royals)
	}
	n = g.pieces(l, victims, ^g.occupied)
	return n + g.rest(l)
}

// generation is the state of one generation of moves.
type generation struct {
	b        *rulebook
	p        *Position
	us       Color
	own      Bitboard
	theirs   Bitboard
	occupied Bitboard // also what is not on the board
	royal    Bitboard // own pieces that must not be left attacked
	mustTry  Bitboard // pieces all of whose moves must be tried
	evasions Bitboard // where a move of another piece answers a check; all without one
	quick    bool     // there is one royal piece, and nothing explodes
	captures bool     // every capture must be tried: it explodes
}

// prepare finds checks and pins.
func (b *rulebook) prepare(p *Position) generation {
	us := p.turn & 1
	g := generation{
		b: b, p: p, us: us, own: p.color[us], theirs: p.color[us^1], occupied: p.Occupied() | ^b.squares,
		royal: b.royalsOf(p, us), evasions: ^Bitboard(0), captures: b.Explosion > 0,
	}
	switch {
	case !b.GiveCheck:
		g.mustTry = g.own
		return g
	case g.royal == 0:
		g.captures = g.captures && (b.bound[us] || b.pieces(p, us, b.royals) != 0)
		return g
	case g.royal&(g.royal-1) != 0 || b.Explosion > 0 && b.near(p, us, g.royal.First()):
		g.mustTry = g.own
		return g
	}
	g.quick = b.Explosion == 0
	king := g.royal.First() & 63
	var checkers, lines, leaps Bitboard
	riderChecks := false // a rider that is no bishop, rook or queen gives check
	for _, k := range b.kinds {
		theirs := g.theirs & p.board(k.t)
		if theirs == 0 || !k.capture[us^1].region.Has(king) {
			continue
		}
		m := &k.back[us^1]
		leaps |= m.leaps[king] & theirs
		if !k.sliding {
			continue
		}
		if m.rook {
			lines |= rookRays[king] & theirs
		}
		if m.bishop {
			lines |= bishopRays[king] & theirs
		}
		for i := range m.rays {
			r := &m.rays[i]
			if r.squares[king]&theirs == 0 {
				continue
			}
			reached := r.reach(king, g.occupied)
			checkers |= reached & theirs
			riderChecks = riderChecks || reached&theirs != 0
			if own := reached & g.own; own != 0 && r.reach(king, g.occupied&^own)&theirs != 0 {
				g.mustTry |= own
			}
		}
	}
	checkers |= leaps
	for ; lines != 0; lines &= lines - 1 {
		s := lines.First() & 63
		switch x := between[king][s] & g.occupied; {
		case x == 0:
			checkers |= lines & -lines
		case x&(x-1) == 0:
			g.mustTry |= x & g.own
		}
	}
	if checkers != 0 {
		g.evasions = 0
		if checkers&(checkers-1) == 0 {
			if g.evasions = checkers; leaps == 0 {
				g.evasions |= between[king][checkers.First()&63]
			}
		}
		if b.Explosion > 0 || riderChecks {
			g.mustTry, g.evasions = g.own, ^Bitboard(0)
		}
	}
	g.mustTry |= g.royal
	return g
}

// pieces generates the moves of the pieces on the board, without castling.
func (g *generation) pieces(l *MoveList, victims, empty Bitboard) (n int) {
	b, p := g.b, g.p
	for _, k := range b.kinds {
		quiet, capture := &k.quiet[g.us], &k.capture[g.us]
		for own := g.own & p.board(k.t); own != 0; own &= own - 1 {
			s := own.First() & 63
			var to Bitboard
			switch {
			case k.alike:
				to = b.reach(quiet, s, g.occupied) & (victims | empty)
			case quiet.simple && capture.simple:
				to = quiet.leaps[s]&empty | capture.leaps[s]&victims
			default:
				to = b.reach(quiet, s, g.occupied)&empty | b.reach(capture, s, g.occupied)&victims
			}
			if k.t == King {
				to &^= p.castle & g.own // the move to the rook is castling, or none
			}
			switch {
			case k.t == Pawn:
				n += g.pawn(l, s, to, empty)
			case g.quick && !g.mustTry.Has(s):
				n += l.targets(s, to&g.evasions)
			default:
				n += g.emit(l, s, to)
			}
		}
	}
	return n
}

// emit adds or counts the moves of a piece that need no promotion.
func (g *generation) emit(l *MoveList, from Square, to Bitboard) (n int) {
	tried := Bitboard(0)
	switch {
	case g.mustTry.Has(from):
		to, tried = 0, to
	case g.captures:
		to, tried = to&g.evasions, to&(g.own|g.theirs)
		to &^= tried
	default:
		to &= g.evasions
	}
	n = l.targets(from, to)
	if g.quick && g.royal.Has(from) {
		var free Bitboard
		for ; tried != 0; tried &= tried - 1 {
			if b := g.b; b.attackers(g.p, g.us^1, tried.First(), g.occupied&^from.bit())&^(tried&-tried) == 0 {
				free |= tried & -tried
			}
		}
		return n + l.targets(from, free)
	}
	for ; tried != 0; tried &= tried - 1 {
		n += g.try(l, newMove(from, tried.First()))
	}
	return n
}

// try adds or counts a move if it is legal.
func (g *generation) try(l *MoveList, m Move) int {
	if !g.b.safe(g.p, m) {
		return 0
	}
	return l.one(m)
}

// pawn adds or counts the moves of a pawn to squares, its double steps and its captures en
// passant. Where one of these and another move lead to the same square, the other is none.
func (g *generation) pawn(l *MoveList, s Square, to, empty Bitboard) (n int) {
	b, p, us := g.b, g.p, g.us
	if p.enPassant != NoSquare && empty == 0 == b.MustCapture && b.reach(&b.of[Pawn].capture[us], s, g.occupied).Has(p.enPassant) {
		if m := newMove(s, p.enPassant) | kindEnPassant; b.safe(p, m) {
			n += l.one(m)
			to &^= p.enPassant.bit()
		}
	}
	doubles := g.doubles(s, empty)
	to &^= doubles
	if ahead := to & b.zone[us]; ahead != 0 {
		to &^= ahead
		for ; ahead != 0; ahead &= ahead - 1 {
			t := ahead.First()
			n += g.promotions(l, newMove(s, t), g.captures && (g.own|g.theirs).Has(t))
		}
	}
	n += g.emit(l, s, to)
	if doubles != 0 {
		for _, d := range b.of[Pawn].twice[us] {
			if to := s + 2*Square(d); doubles.Has(to) {
				n += g.double(l, s, to)
			}
		}
	}
	return n
}

// doubles returns the squares of the double steps of a pawn.
func (g *generation) doubles(s Square, empty Bitboard) (to Bitboard) {
	if !g.b.leaps[g.us].Has(s) || empty == 0 {
		return 0
	}
	pawn := g.b.of[Pawn]
	quiet := &pawn.quiet[g.us]
	for _, d := range pawn.twice[g.us] {
		if middle := s + Square(d); quiet.leaps[s]&empty&(1<<middle) != 0 {
			to |= quiet.leaps[middle&63] & empty & quiet.region & (1 << (middle + Square(d)))
		}
	}
	return to
}

// promotions adds or counts the promotions that a pawn's move leads to, and the move itself
// if it need not promote.
func (g *generation) promotions(l *MoveList, m Move, captures bool) (n int) {
	from, to := m.From(), m.To()
	tried := g.mustTry.Has(from) || captures || g.b.of[Pawn].royal
	for _, kind := range g.b.promotes[g.us] {
		switch promotion := newPromotion(from, to, kind); {
		case tried || g.b.of[kind].royal: // a royal piece may be attacked there, or be one more
			n += g.try(l, promotion)
		case g.evasions.Has(to):
			n += l.one(promotion)
		}
	}
	if g.b.MayPromote && (tried || g.evasions.Has(to)) {
		n += g.try(l, m)
	}
	return n
}

// double adds or counts a double step.
func (g *generation) double(l *MoveList, from, to Square) int {
	m := newMove(from, to) | kindDouble
	switch {
	case g.b.zone[g.us].Has(to):
		return g.promotions(l, m, false)
	case g.mustTry.Has(from):
		return g.try(l, m)
	case !g.evasions.Has(to):
		return 0
	}
	return l.one(m)
}

// rest generates castling and drops.
func (g *generation) rest(l *MoveList) (n int) {
	b, p := g.b, g.p
	if p.castle&g.own != 0 && int(p.fullMove) > b.CastleAfter && !b.attacked(p, g.us) {
		n += g.castling(l)
	}
	if !b.hand || p.pocket[g.us] == 0 {
		return n
	}
	for _, k := range b.kinds {
		if p.Pocket(g.us, k.t) == 0 {
			continue
		}
		to := ^g.occupied & k.quiet[g.us].region
		if k.t == Pawn {
			to &= b.drops[g.us]
		}
		if !b.GiveCheck || g.mustTry == g.own && g.royal != 0 || k.royal {
			for ; to != 0; to &= to - 1 {
				n += g.try(l, newDrop(to.First(), k.t))
			}
			continue
		}
		if to &= g.evasions; l == nil {
			n += to.Count()
			continue
		}
		for ; to != 0; to &= to - 1 {
			l.add(newDrop(to.First(), k.t))
		}
	}
	return n
}

// castling is [Position.castling] for defined rules.
func (g *generation) castling(l *MoveList) (n int) {
	b, p := g.b, g.p
	for rooks := p.castle & g.own; rooks != 0; rooks &= rooks - 1 {
		rook := rooks.First() & 63
		king := (g.own & p.board(King) & (rank1 << (rook & 56))).First() & 63
		kingTo, rookTo := castleTargets(king, rook)
		others := g.occupied &^ (king.bit() | rook.bit())
		crossed := between[king][kingTo&63] | kingTo.bit()
		if (crossed|between[rook][rookTo&63]|rookTo.bit())&others != 0 {
			continue
		}
		m := newMove(king, rook) | kindCastle
		safe := true
		if g.royal.Has(king) {
			for path := crossed &^ kingTo.bit(); path != 0 && safe; path &= path - 1 {
				safe = !b.attackedOn(p, g.us, path.First(), g.occupied&^king.bit())
			}
		}
		if safe {
			n += g.try(l, m)
		}
	}
	return n
}

// pieces returns the squares of one side's pieces of some kinds.
func (b *rulebook) pieces(p *Position, c Color, kinds []PieceType) (set Bitboard) {
	for _, t := range kinds {
		set |= p.board(t)
	}
	return set & p.color[c&1]
}

// royalsOf returns the pieces of a side that must not be left attacked.
func (b *rulebook) royalsOf(p *Position, c Color) Bitboard {
	royals := b.pieces(p, c, b.royals)
	if b.Royals == "last" && royals&(royals-1) != 0 {
		return 0
	}
	return royals
}

// near reports whether a capture on s, where side c has a royal piece, would explode one of
// the other side's too, so that it is none that c has to fear.
func (b *rulebook) near(p *Position, c Color, s Square) bool {
	return b.Explosion > 0 && b.blast[s&63]&b.explodable(p, c^1) != 0
}

// explodable returns the royal pieces of a side that an explosion destroys.
func (b *rulebook) explodable(p *Position, c Color) (set Bitboard) {
	royals := b.royalsOf(p, c)
	for _, t := range b.royals {
		if !b.immune[t] {
			set |= royals & p.board(t)
		}
	}
	return set
}

// attackers returns the pieces of side c that could capture on s when the squares in
// occupied stop riders.
func (b *rulebook) attackers(p *Position, c Color, s Square, occupied Bitboard) (set Bitboard) {
	theirs := p.color[c&1]
	for _, k := range b.kinds {
		if of := theirs & p.board(k.t); of != 0 && k.capture[c&1].region.Has(s) {
			set |= b.reach(&k.back[c&1], s, occupied) & of
		}
	}
	return set
}

// attackedOn reports whether a royal piece of side c would be attacked on s.
func (b *rulebook) attackedOn(p *Position, c Color, s Square, occupied Bitboard) bool {
	return !b.near(p, c, s) && b.attackers(p, c^1, s, occupied) != 0
}

// attacked reports whether side c is in check.
func (b *rulebook) attacked(p *Position, c Color) bool {
	occupied := p.Occupied() | ^b.squares
	for r := b.royalsOf(p, c); r != 0; r &= r - 1 {
		if b.attackedOn(p, c, r.First(), occupied) {
			return true
		}
	}
	return false
}

// safe reports whether a move that a piece can make is legal.
func (b *rulebook) safe(p *Position, m Move) bool {
	us := p.turn & 1
	q := *p
	b.play(&q, m)
	if b.bound[us] {
		before, after := b.pieces(p, us, b.royals).Count(), b.pieces(&q, us, b.royals).Count()
		if after == 0 && before > 0 || after < before && b.Royals == "each" {
			return false
		}
	}
	if b.bound[us^1] && b.pieces(&q, us^1, b.royals) == 0 {
		return true // it has won
	}
	return !b.attacked(&q, us) && (b.GiveCheck || !b.attacked(&q, us^1))
}
