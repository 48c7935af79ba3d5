package chess

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

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

// perft keeps the moves of all plies in one list, each ply's moves after those of the
// previous ply, so that no list has to be cleared.
func perft(p *Position, depth int, l *MoveList) uint64 {
	first := l.n
	room := mostMoves
	if p.variant.Defined() {
		room = len(l.moves)
	}
	if first > len(l.moves)-room {
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

// PerftUntil is [Perft] until ctx ends, which is an error: its cause.
func PerftUntil(ctx context.Context, p *Position, depth int) (n uint64, err error) {
	if depth <= 3 {
		return Perft(p, depth), context.Cause(ctx)
	}
	var l MoveList
	p.LegalMoves(&l)
	for _, m := range l.Slice() {
		next := *p
		next.Play(m)
		below, err := PerftUntil(ctx, &next, depth-1)
		if err != nil {
			return 0, err
		}
		n += below
	}
	return n, nil
}

// SuiteEntry is one line of a perft suite.
type SuiteEntry struct {
	Line     int // in the file, from 1
	Position Position
	Counts   []PerftCount // in the order of the line
}

// PerftCount is the number of sequences of Depth moves.
type PerftCount struct {
	Depth int
	Nodes uint64
}

// ReadSuite reads a perft suite of lines such as
//
//	rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400
//
// as [ReadEPD] does. Errors name file and line.
func ReadSuite(r io.Reader, file string, v Variant) (suite []SuiteEntry, err error) {
	err = ReadEPD(r, file, func(line int, fen, counts string) error {
		e := SuiteEntry{Line: line}
		if counts == "" {
			return fmt.Errorf("no count after the position: want %q", "FEN ;D1 n ;D2 n")
		}
		if e.Position, err = ParseFEN(v, fen); err != nil {
			return err
		}
		for s := range strings.SplitSeq(strings.TrimPrefix(counts, ";"), ";") {
			c, err := parseCount(s)
			if err != nil {
				return err
			}
			e.Counts = append(e.Counts, c)
		}
		suite = append(suite, e)
		return nil
	})
	return suite, err
}

func parseCount(s string) (PerftCount, error) {
	fields := strings.Fields(s)
	if len(fields) == 2 && strings.HasPrefix(fields[0], "D") {
		depth, err1 := strconv.ParseUint(fields[0][1:], 10, 8)
		nodes, err2 := strconv.ParseUint(fields[1], 10, 64)
		if err1 == nil && err2 == nil && depth > 0 {
			return PerftCount{int(depth), nodes}, nil
		}
	}
	return PerftCount{}, fmt.Errorf("count %q: want a depth of at least 1 and a number, such as D4 197281", strings.TrimSpace(s))
}
