package chess

import (
	"fmt"
	"strings"
)

// SAN writes a move in standard algebraic notation: "Nbd2", "exd6", "e8=Q+",
// "O-O-O#". Origin squares are given only where another piece of the kind has
// a legal move to the square. A move that explodes the enemy king ends in #,
// as lichess writes it. The move must be legal.
func (p *Position) SAN(m Move) string {
	var l MoveList
	p.LegalMoves(&l)
	b := p.appendSAN(make([]byte, 0, 8), m, &l)
	q := *p
	q.Play(m)
	q.LegalMoves(&l)
	switch {
	case q.King(q.turn) == NoSquare || l.n == 0 && q.InCheck():
		b = append(b, '#')
	case q.InCheck():
		b = append(b, '+')
	}
	return string(b)
}

// appendSAN writes the move without the sign of check; l holds the legal moves.
func (p *Position) appendSAN(b []byte, m Move, l *MoveList) []byte {
	from, to := m.From(), m.To()
	if m.IsCastle() {
		if to > from {
			return append(b, "O-O"...)
		}
		return append(b, "O-O-O"...)
	}
	t := p.typeAt(from)
	captures := p.Occupied().Has(to) || m.IsEnPassant()
	if t == Pawn {
		if captures {
			b = append(b, 'a'+byte(from.File()))
		}
	} else {
		b = append(b, pieceLetters[t])
		var same, sameFile, sameRank bool
		for _, o := range l.Slice() {
			if o.To() == to && o.From() != from && !o.IsCastle() && p.typeAt(o.From()) == t {
				same = true
				sameFile = sameFile || o.From().File() == from.File()
				sameRank = sameRank || o.From().Rank() == from.Rank()
			}
		}
		if same && (!sameFile || sameRank) {
			b = append(b, 'a'+byte(from.File()))
		}
		if same && sameFile {
			b = append(b, '1'+byte(from.Rank()))
		}
	}
	if captures {
		b = append(b, 'x')
	}
	b = append(b, to.String()...)
	if promoted := m.Promotion(); promoted != NoPieceType {
		b = append(b, '=', pieceLetters[promoted])
	}
	return b
}

// ParseSAN reads a move in standard algebraic notation and checks that it is
// legal. It is lenient where the meaning is clear: signs of check and
// annotation (+ # ! ?) are ignored whether they are true or not, as are x and
// =; castling may be written with zeros; the origin may be given in full.
func (p *Position) ParseSAN(s string) (Move, error) {
	var l MoveList
	p.LegalMoves(&l)
	text := strings.TrimRight(s, "+#!?")
	switch text {
	case "O-O", "0-0":
		return p.findCastle(s, &l, true)
	case "O-O-O", "0-0-0":
		return p.findCastle(s, &l, false)
	}

	t := Pawn
	rest := text
	if rest != "" {
		if piece := pieceOf(rest[0]); piece != NoPieceType {
			t, rest = piece, rest[1:]
		}
	}
	promotion := NoPieceType
	if n := len(rest); n > 2 {
		if piece := pieceOf(rest[n-1]); piece != NoPieceType {
			promotion, rest = piece, strings.TrimSuffix(rest[:n-1], "=")
		}
	}
	if len(rest) < 2 {
		return 0, fmt.Errorf("san move %q: want a move such as Nf3, exd5 or O-O", s)
	}
	to, err := ParseSquare(rest[len(rest)-2:])
	if err != nil {
		return 0, fmt.Errorf("san move %q: target %w", s, err)
	}
	origin := ^Bitboard(0)
	hint := rest[:len(rest)-2]
	if n := len(hint); n > 0 && (hint[n-1] == 'x' || hint[n-1] == '-') {
		hint = hint[:n-1]
	}
	if hint != "" && hint[0] >= 'a' && hint[0] <= 'h' {
		origin &= fileA << (hint[0] - 'a')
		hint = hint[1:]
	}
	if hint != "" && hint[0] >= '1' && hint[0] <= '8' {
		origin &= rank1 << (8 * (hint[0] - '1'))
		hint = hint[1:]
	}
	if hint != "" {
		return 0, fmt.Errorf("san move %q: %q before the target square has no meaning", s, hint)
	}

	var found Move
	for _, m := range l.Slice() {
		if m.To() != to || m.IsCastle() || m.Promotion() != promotion ||
			!origin.Has(m.From()) || p.typeAt(m.From()) != t {
			continue
		}
		if found != 0 {
			return 0, fmt.Errorf("san move %q: ambiguous in %s: the %v on %v and on %v can go there", s, p.FEN(), t, found.From(), m.From())
		}
		found = m
	}
	if found == 0 {
		return 0, fmt.Errorf("san move %q: not legal in %s", s, p.FEN())
	}
	return found, nil
}

func (p *Position) findCastle(s string, l *MoveList, right bool) (Move, error) {
	for _, m := range l.Slice() {
		if m.IsCastle() && (m.To() > m.From()) == right {
			return m, nil
		}
	}
	return 0, fmt.Errorf("san move %q: not legal in %s", s, p.FEN())
}
