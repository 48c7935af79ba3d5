package chess

import "math/bits"

// Zobrist keys. They come from a fixed generator, so that keys are the same in
// every run and on every machine.
var keys struct {
	piece     [2][PieceTypes][64]uint64
	castle    [64]uint64 // by the square of a rook that may castle
	enPassant [8]uint64  // by file
	variant   [variantCount]uint64
	black     uint64 // black to move
	promoted  [64]uint64
	pocket    [2][PieceTypes]uint64 // times the number of pieces
	checks    [2][16]uint64         // by the checks still to give
	passed    [64]uint64            // by the square of a capture en passant, in defined rules
	castleNow uint64                // castling is allowed, where at first it is not
}

// passedKey is the part of the key for a capture en passant, in defined rules.
func passedKey(to, victim Square) uint64 { return bits.RotateLeft64(keys.passed[to&63], int(victim)) }

func init() {
	var state uint64
	next := func() uint64 { // splitmix64
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	for c := range keys.piece {
		for t := range keys.piece[c] {
			for s := range keys.piece[c][t] {
				keys.piece[c][t][s] = next()
			}
		}
	}
	for s := range keys.castle {
		keys.castle[s] = next()
	}
	for f := range keys.enPassant {
		keys.enPassant[f] = next()
	}
	for v := range keys.variant {
		keys.variant[v] = next()
	}
	keys.black = next()
	for s := range keys.promoted {
		keys.promoted[s] = next()
	}
	for c := range keys.pocket {
		for t := range keys.pocket[c] {
			keys.pocket[c][t] = next()
		}
		for n := range keys.checks[c] {
			keys.checks[c][n] = next()
		}
	}
	for s := range keys.passed {
		keys.passed[s] = next()
	}
	keys.castleNow = next()
}

// computeKey computes the key from scratch; Play updates it incrementally.
func (p *Position) computeKey() uint64 {
	b := p.variant.book()
	var key uint64
	if b == nil {
		key = keys.variant[p.variant]
	} else if key = b.key; b.CastleAfter > 0 && int(p.fullMove) > b.CastleAfter {
		key ^= keys.castleNow
	}
	for c := White; c <= Black; c++ {
		for t := Pawn; t < PieceTypes; t++ {
			for s := range p.Pieces(c, t).Squares {
				key ^= keys.piece[c][t][s]
			}
		}
	}
	for s := range p.promoted.Squares {
		key ^= keys.promoted[s]
	}
	for c := White; c <= Black; c++ {
		for t := Pawn; t < PieceTypes; t++ {
			key ^= keys.pocket[c][t] * uint64(p.Pocket(c, t))
		}
		if p.checkLimit() > 0 {
			key ^= keys.checks[c][p.checks[c]]
		}
	}
	for s := range p.castle.Squares {
		key ^= keys.castle[s]
	}
	if p.enPassant != NoSquare {
		if b != nil {
			key ^= passedKey(p.enPassant, p.victim)
		} else {
			key ^= keys.enPassant[p.enPassant.File()]
		}
	}
	if p.turn == Black {
		key ^= keys.black
	}
	return key
}
