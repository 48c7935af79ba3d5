package chess

// Perft counts the sequences of depth legal moves from p. The last ply is
// counted without making its moves.
func Perft(p *Position, depth int) uint64 {
	switch {
	case depth <= 0:
		return 1
	case depth == 1:
		return uint64(p.countMoves())
	}
	var l MoveList
	return perft(p, depth, &l)
}

// perft keeps the moves of all plies in one list, each ply's behind those of
// the ply before, so that no list need be cleared.
func perft(p *Position, depth int, l *MoveList) uint64 {
	first := l.n
	if first > len(l.moves)-mostMoves {
		return Perft(p, depth) // with a list of its own
	}
	p.generate(l)
	n := uint64(0)
	var q Position // outside of the loop, or each would be allocated
	for _, m := range l.moves[first:l.n] {
		q = *p
		q.Play(m)
		if depth == 2 {
			n += uint64(q.countMoves())
		} else {
			n += perft(&q, depth-1, l)
		}
	}
	l.n = first
	return n
}
