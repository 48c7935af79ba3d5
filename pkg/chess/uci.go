package chess

import "fmt"

// UCI writes a move as UCI engines do: "e2e4", "e7e8q", "N@f3" for a drop, and
// "e1g1" for castling. Where king or rook began elsewhere than in chess
// (chess960), the king is written as taking its rook, since the king's own target
// square could be read as a plain move.
func (p *Position) UCI(m Move) string {
	if m.IsCastle() && classicalCastle(m) {
		to, _ := castleTargets(m.From(), m.To())
		if b := p.variant.book(); b != nil && b.reach(&b.of[King].quiet[p.turn], m.From(), 0).Has(to) {
			return m.String() // the king can also step there
		}
		return m.From().String() + to.String()
	}
	return m.String()
}

// classicalCastle reports whether king and rook stand as in chess.
func classicalCastle(m Move) bool {
	return m.From().File() == 4 && (m.To().File() == 0 || m.To().File() == 7)
}

// CastlesAs960 reports whether a side may castle with a king or a rook that is not on its
// square of standard chess.
func (p *Position) CastlesAs960() bool {
	for c := White; c <= Black; c++ {
		for rook := range p.CastlingRooks(c).Squares {
			if !classicalCastle(newMove(p.castlingKing(c), rook)) {
				return true
			}
		}
	}
	return false
}

// ParseUCI reads a move as UCI engines write it and checks that it is legal.
// Castling is understood in both forms: the king takes its rook ("e1h1"), or it
// goes two squares or more to where castling brings it ("e1g1").
func (p *Position) ParseUCI(s string) (Move, error) {
	m, err := p.decodeUCI(s)
	if err != nil {
		return 0, fmt.Errorf("uci move %q: %w", s, err)
	}
	if !p.legal(m) {
		return 0, fmt.Errorf("uci move %q: not legal in %s", s, p.FEN())
	}
	return m, nil
}

// decodeUCI returns the one move that the text can mean, legal or not; 0 when
// there is none.
func (p *Position) decodeUCI(s string) (Move, error) {
	if len(s) != 4 && len(s) != 5 {
		return 0, fmt.Errorf("want two squares and perhaps a piece, such as e2e4 or e7e8q, or a drop such as N@f3")
	}
	if p.variant.Defined() {
		return p.listedUCI(s), nil
	}
	to, err := ParseSquare(s[2:4])
	if err != nil {
		return 0, fmt.Errorf("target %w", err)
	}
	if s[1] == '@' {
		t := pieceOf[s[0]]
		if len(s) != 4 || t == NoPieceType || t >= King {
			return 0, fmt.Errorf("want a drop of one of PNBRQ, such as N@f3")
		}
		return newDrop(to, t), nil
	}
	from, err := ParseSquare(s[:2])
	if err != nil {
		return 0, fmt.Errorf("origin %w", err)
	}
	t := p.typeAt(from)
	if len(s) == 5 {
		promotion := NoPieceType
		if s[4] >= 'a' {
			promotion = pieceOf[s[4]-0x20]
		}
		if promotion < Knight || promotion > King || promotion == King && p.variant != Antichess {
			return 0, fmt.Errorf("%q is not a promotion: want n, b, r or q, or k in antichess", s[4])
		}
		if t != Pawn {
			return 0, nil
		}
		return newPromotion(from, to, promotion), nil
	}
	switch {
	case t == King && from>>3 == to>>3 && p.CastlingRooks(p.turn) != 0:
		rooks := p.CastlingRooks(p.turn)
		if rooks.Has(to) {
			return newMove(from, to) | kindCastle, nil
		}
		if right := rooks &^ (from.bit() - 1); right != 0 && to&7 == 6 && to > from+1 {
			return newMove(from, right.First()) | kindCastle, nil
		}
		if left := rooks & (from.bit() - 1); left != 0 && to&7 == 2 && to+1 < from {
			return newMove(from, left.First()) | kindCastle, nil
		}
	case t == Pawn && to == p.enPassant && from&7 != to&7:
		return newMove(from, to) | kindEnPassant, nil
	}
	return newMove(from, to), nil
}

// listedUCI returns the legal move with this text, or 0. Castling is also understood as the
// king taking its rook, unless it can capture it.
func (p *Position) listedUCI(s string) (found Move) {
	var l MoveList
	p.LegalMoves(&l)
	for _, m := range l.Slice() {
		if p.UCI(m) == s {
			return m
		}
		if m.IsCastle() && m.String() == s {
			found = m
		}
	}
	return found
}

// legal reports whether a move is among the legal ones.
func (p *Position) legal(m Move) bool {
	d := sanMove{piece: p.typeAt(m.From()), promotion: m.Promotion(), to: m.To(), origin: m.From().bit()}
	switch t := m.Dropped(); {
	case t != NoPieceType:
		d.piece, d.drop = t, true
	case m.IsCastle() && m.To() > m.From():
		d.castle = castleRight
	case m.IsCastle():
		d.castle = castleLeft
	}
	if m != 0 && p.resolve(d) == m {
		return true
	}
	var l MoveList
	p.LegalMoves(&l)
	return l.Contains(m)
}
