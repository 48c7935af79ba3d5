package chess

// Perft counts the sequences of depth legal moves from p. The last ply is
// counted without making its moves.
func Perft(p *Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	if depth == 1 {
		return uint64(p.countMoves())
	}
	var l MoveList
	p.LegalMoves(&l)
	n := uint64(0)
	for _, m := range l.Slice() {
		q := *p
		q.Play(m)
		n += Perft(&q, depth-1)
	}
	return n
}

// PerftMove is a move with the number of sequences that begin with it.
type PerftMove struct {
	Move  Move
	Nodes uint64
}

// PerftDivide is [Perft] split by the first move, in the order of
// [Position.LegalMoves]: where two programs disagree it shows where to look.
// It is empty for depth < 1.
func PerftDivide(p *Position, depth int) []PerftMove {
	if depth < 1 {
		return nil
	}
	var l MoveList
	p.LegalMoves(&l)
	divided := make([]PerftMove, 0, l.Len())
	for _, m := range l.Slice() {
		q := *p
		q.Play(m)
		divided = append(divided, PerftMove{m, Perft(&q, depth-1)})
	}
	return divided
}
