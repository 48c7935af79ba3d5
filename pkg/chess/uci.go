package chess

import "fmt"

// UCI writes a move as UCI engines do: "e2e4", "e7e8q", and "e1g1" for
// castling. Where king or rook began elsewhere than in chess (chess960), the
// king is written as taking its rook, since the king's own target square could
// be read as a plain move.
func (p *Position) UCI(m Move) string {
	if m.IsCastle() && classicalCastle(m) {
		to, _ := castleTargets(m.From(), m.To())
		return m.From().String() + to.String()
	}
	return m.String()
}

// classicalCastle reports whether king and rook stand as in chess.
func classicalCastle(m Move) bool {
	return m.From().File() == 4 && (m.To().File() == 0 || m.To().File() == 7)
}

// ParseUCI reads a move as UCI engines write it and checks that it is legal.
// Castling is understood in both forms, "e1g1" and "e1h1".
func (p *Position) ParseUCI(s string) (Move, error) {
	if len(s) != 4 && len(s) != 5 {
		return 0, fmt.Errorf("uci move %q: want two squares and perhaps a piece, such as e2e4 or e7e8q", s)
	}
	from, err := ParseSquare(s[:2])
	if err != nil {
		return 0, fmt.Errorf("uci move %q: %w", s, err)
	}
	to, err := ParseSquare(s[2:4])
	if err != nil {
		return 0, fmt.Errorf("uci move %q: %w", s, err)
	}
	promotion := NoPieceType
	if len(s) == 5 {
		switch s[4] {
		case 'n':
			promotion = Knight
		case 'b':
			promotion = Bishop
		case 'r':
			promotion = Rook
		case 'q':
			promotion = Queen
		default:
			return 0, fmt.Errorf("uci move %q: %q is no promotion: want n, b, r or q", s, s[4])
		}
	}
	var l MoveList
	p.LegalMoves(&l)
	for _, m := range l.Slice() {
		target := m.To()
		if m.IsCastle() && classicalCastle(m) && to != target {
			target, _ = castleTargets(m.From(), m.To())
		}
		if m.From() == from && target == to && m.Promotion() == promotion {
			return m, nil
		}
	}
	return 0, fmt.Errorf("uci move %q: not legal in %s", s, p.FEN())
}
