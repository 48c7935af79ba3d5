package puzzle

import (
	"context"
	"slices"

	"alamos/pkg/chess"
)

// Wins returns the moves of the side to move that win by force in at most n of its own
// moves, including the first, in the order of the move list. The search is exhaustive;
// cancel ctx to stop a long proof.
//
// A win counts if the side's own move completes it, or if a forced reply of the opponent
// completes it before the last of these moves.
func Wins(ctx context.Context, p *chess.Position, n int) ([]chess.Move, error) {
	var wins []chess.Move
	s := newProver(ctx)
	var l chess.MoveList
	p.LegalMoves(&l)
	for _, m := range l.Slice() {
		if s.after(p, m, n) {
			wins = append(wins, m)
		}
	}
	return wins, s.err
}

// StillWins reports whether [Wins] contains the legal move m.
func StillWins(ctx context.Context, p *chess.Position, m chess.Move, n int) (bool, error) {
	s := newProver(ctx)
	won := s.after(p, m, n)
	return won && s.err == nil, s.err
}

// Shortest returns the least number of moves in which the side to move wins by force, or 0
// if it needs more than `most` moves.
func Shortest(ctx context.Context, p *chess.Position, most int) (int, error) {
	s := newProver(ctx)
	for n := 1; n <= most; n++ {
		won := s.attack(p, n)
		if s.err != nil {
			return 0, s.err
		}
		if won {
			return n, nil
		}
	}
	return 0, nil
}

// prover proves wins by searching all moves of both sides.
type prover struct {
	ctx   context.Context
	err   error // the context's error; results are meaningless after it
	looks int
	known map[node]bool
	// refuted holds the last refuting reply for each number of moves left. It often refutes
	// the next move, too.
	refuted [MaxMate + 1]chess.Move
}

// node is a position in which the side to move looks for a win in n moves.
type node struct {
	key uint64
	n   int
}

// mostKnown limits the memory of a proof to about 100 MiB.
const mostKnown = 1 << 21

func newProver(ctx context.Context) *prover {
	return &prover{ctx: ctx, known: map[node]bool{}}
}

// attack reports whether the side to move wins by force in at most n >= 1 moves.
func (s *prover) attack(p *chess.Position, n int) bool {
	at := node{p.Key(), n}
	if n > 1 {
		if won, ok := s.known[at]; ok {
			return won
		}
	}
	var l chess.MoveList
	p.LegalMoves(&l)
	var won bool
	if l.Len() == 0 { // the opponent's reply ended the game
		won = p.Ended(&l).Result == chess.Win(p.Turn())
	} else {
		won = slices.ContainsFunc(s.order(p, l.Slice(), n), func(m chess.Move) bool { return s.after(p, m, n) })
	}
	if n > 1 && s.err == nil {
		if len(s.known) >= mostKnown {
			clear(s.known)
		}
		s.known[at] = won
	}
	return won
}

// order puts checks first if more than one move remains, because checks leave few replies.
func (s *prover) order(p *chess.Position, moves []chess.Move, n int) []chess.Move {
	if n == 1 {
		return moves
	}
	checks := 0
	for i, m := range moves {
		q := *p
		q.Play(m)
		if q.InCheck() {
			moves[checks], moves[i] = moves[i], moves[checks]
			checks++
		}
	}
	return moves
}

// after reports whether the side to move wins with m and at most n-1 more moves.
func (s *prover) after(p *chess.Position, m chess.Move, n int) bool {
	q := *p
	q.Play(m)
	return s.defend(&q, n-1)
}

// defend reports whether the side to move loses by force in at most n more moves of the
// opponent.
func (s *prover) defend(p *chess.Position, n int) bool {
	if n == 0 && onlyMates(p.Variant()) && !p.InCheck() {
		return false
	}
	if s.looks++; s.looks%1024 == 0 && s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return false
	}
	var l chess.MoveList
	p.LegalMoves(&l)
	if l.Len() == 0 {
		return p.Ended(&l).Result == chess.Win(p.Turn().Other())
	}
	if n == 0 {
		return false
	}
	replies := l.Slice()
	if i := slices.Index(replies, s.refuted[n]); i > 0 {
		replies[0], replies[i] = replies[i], replies[0]
	}
	for _, m := range replies {
		q := *p
		q.Play(m)
		if !s.attack(&q, n) {
			s.refuted[n] = m
			return false
		}
	}
	return true
}

// onlyMates reports whether mate is the variant's only win. A side that is not in check has
// then not lost.
func onlyMates(v chess.Variant) bool { return v == chess.Standard || v == chess.Crazyhouse }
