package chess

import "fmt"

// SAN writes a move in standard algebraic notation: "Nbd2", "exd6", "e8=Q+",
// "O-O-O#", and in crazyhouse "N@f3", "P@e4". Origin squares are given only
// where another piece of the kind has a legal move to the square. As on
// lichess, # follows a move that wins at once (mate, an exploded king, the third check),
// and + any other check. The move must be legal.
func (p *Position) SAN(m Move) string {
	var l MoveList
	p.LegalMoves(&l)
	b := p.appendSAN(make([]byte, 0, 8), m, &l)
	q := *p
	q.Play(m)
	q.LegalMoves(&l)
	return string(q.appendSign(b, &l))
}

// appendSign writes + or # if the move that led to this position needs it; l holds the
// legal moves.
func (p *Position) appendSign(b []byte, l *MoveList) []byte {
	switch r := p.Ended(l).Result; {
	case r == WhiteWins || r == BlackWins:
		return append(b, '#')
	case p.InCheck():
		return append(b, '+')
	}
	return b
}

// appendSAN writes the move without its sign; l holds the legal moves.
func (p *Position) appendSAN(b []byte, m Move, l *MoveList) []byte {
	from, to := m.From(), m.To()
	if m.IsCastle() {
		if to > from {
			return append(b, "O-O"...)
		}
		return append(b, "O-O-O"...)
	}
	if m.IsDrop() {
		return append(b, pieceLetters[m.Dropped()], '@', 'a'+byte(to&7), '1'+byte(to>>3))
	}
	t := p.typeAt(from)
	captures := p.Occupied().Has(to) || m.IsEnPassant()
	if t == Pawn && p.variant.Defined() {
		b = p.appendPawn(b, m, l, captures)
	} else if t == Pawn {
		if captures {
			b = append(b, 'a'+byte(from&7))
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
			b = append(b, 'a'+byte(from&7))
		}
		if same && sameFile {
			b = append(b, '1'+byte(from>>3))
		}
	}
	if captures {
		b = append(b, 'x')
	}
	b = append(b, 'a'+byte(to&7), '1'+byte(to>>3))
	if promoted := m.Promotion(); promoted != NoPieceType {
		b = append(b, '=', pieceLetters[promoted])
	}
	return b
}

// appendPawn writes the origin of a pawn's move as far as it is needed where pawns may move
// in other ways than in chess: in full if another move to the square could be meant.
func (p *Position) appendPawn(b []byte, m Move, l *MoveList, captures bool) []byte {
	d := sanMove{piece: Pawn, promotion: m.Promotion(), to: m.To(), origin: ^Bitboard(0)}
	if captures {
		d.origin = fileA << m.From().File()
	}
	meant := 0
	for _, other := range l.Slice() {
		if d.means(p, other) {
			meant++
		}
	}
	if captures || meant > 1 {
		b = append(b, 'a'+byte(m.From().File()))
	}
	if meant > 1 {
		b = append(b, '1'+byte(m.From().Rank()))
	}
	return b
}

// ParseSAN reads a move in standard algebraic notation and checks that it is
// legal. It is lenient where the meaning is clear: signs of check and
// annotation (+ # ! ?) are ignored whether they are true or not, as are x and
// =; castling may be written with zeros; the origin may be given in full, the
// letter of a promotion in lower case; a pawn is dropped as "P@e4" or "@e4".
func (p *Position) ParseSAN(s string) (Move, error) {
	d, err := decodeSAN(s)
	if err != nil {
		return 0, err
	}
	if m := p.resolve(d); m != 0 {
		return m, nil
	}
	return search(p, s, d)
}

// sanMove is the content of a move in SAN, before it is matched with a position.
type sanMove struct {
	piece     PieceType
	promotion PieceType
	to        Square
	drop      bool
	castle    uint8    // castleNone, castleRight or castleLeft
	origin    Bitboard // the squares that the piece may come from, as far as the text says
}

const (
	castleNone uint8 = iota
	castleRight
	castleLeft
)

// decodeSAN parses a move's text. PGN files are read from bytes and single
// moves from strings.
func decodeSAN[T string | []byte](s T) (sanMove, error) {
	n := len(s)
	for n > 0 && (s[n-1] == '+' || s[n-1] == '#' || s[n-1] == '!' || s[n-1] == '?') {
		n--
	}
	d := sanMove{piece: Pawn, origin: ^Bitboard(0)}
	if n < 2 {
		return d, errSANShort(s)
	}
	i := 0
	if t := pieceOf[s[0]]; t != NoPieceType {
		d.piece, i = t, 1
	} else if s[0] == 'O' || s[0] == '0' {
		switch string(s[:n]) {
		case "O-O", "0-0":
			d.castle = castleRight
			return d, nil
		case "O-O-O", "0-0-0":
			d.castle = castleLeft
			return d, nil
		}
	}
	if s[i] == '@' {
		d.drop = true
		i++
	} else if last := s[n-1]; last > '8' && n-i > 2 {
		if t := pieceOf[last&^0x20]; t != NoPieceType {
			d.promotion = t
			n--
			if s[n-1] == '=' {
				n--
			}
		}
	}
	if n-i < 2 {
		return d, errSANShort(s)
	}
	file, rank := s[n-2]-'a', s[n-1]-'1'
	if file > 7 || rank > 7 {
		_, err := ParseSquare(string(s[n-2 : n]))
		return d, fmt.Errorf("san move %q: target %w", s, err)
	}
	d.to = Square(rank<<3 | file)
	if n -= 2; n > i && (s[n-1] == 'x' || s[n-1] == '-') && !d.drop {
		n--
	}
	hint := i
	if i < n && s[i]-'a' <= 7 && !d.drop {
		d.origin = fileA << (s[i] - 'a')
		i++
	}
	if i < n && s[i]-'1' <= 7 && !d.drop {
		d.origin &= rank1 << (8 * (s[i] - '1'))
		i++
	}
	if i < n {
		return d, fmt.Errorf("san move %q: %q before the target square has no meaning", s, string(s[hint:n]))
	}
	return d, nil
}

func errSANShort[T string | []byte](s T) error {
	return fmt.Errorf("san move %q: want a move such as Nf3, exd5 or O-O", s)
}

// search finds the one legal move that a text can mean, or reports why there is
// none. s is the text as it was written.
func search[T string | []byte](p *Position, s T, d sanMove) (found Move, err error) {
	var l MoveList
	p.LegalMoves(&l)
	for _, m := range l.Slice() {
		if !d.means(p, m) {
			continue
		}
		if found != 0 {
			return 0, fmt.Errorf("san move %q: ambiguous in %s: the %v on %v and on %v can go there", s, p.FEN(), d.piece, found.From(), m.From())
		}
		found = m
	}
	if found == 0 {
		return 0, fmt.Errorf("san move %q: not legal in %s", s, p.FEN())
	}
	return found, nil
}

// means reports whether the text can mean m, a legal move of p.
func (d sanMove) means(p *Position, m Move) bool {
	switch {
	case m.IsCastle():
		return d.castle == castleRight && m.To() > m.From() || d.castle == castleLeft && m.To() < m.From()
	case d.castle != castleNone || m.To() != d.to || m.IsDrop() != d.drop:
		return false
	case d.drop:
		return m.Dropped() == d.piece
	}
	return m.Promotion() == d.promotion && d.origin.Has(m.From()) && p.typeAt(m.From()) == d.piece
}
