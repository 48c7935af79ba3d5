package data

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Sizes of the lc0-112 planes and the lc0-1858 policy.
const (
	lc0Planes = 112
	lc0Moves  = 1858
)

// lc0Record is the used part of a record: one position of lc0's training data. Planes and
// policy have the encodings lc0-112 and lc0-1858 for every input format.
//
// In formats 1 and 2 the history is complete. Formats 3 and 4 (with 132) omit the plies
// before the last capture, pawn move or loss of a castling right: the planes of those steps
// are zero. Format 5 (with 133) keeps only positions that occurred before and does not say
// when, so its history is omitted too. In all formats an en passant square implies the last
// move, and so the previous step.
type lc0Record struct {
	ply    int // index of the record in the game, from 0
	planes [lc0Planes]uint64
	policy [lc0Moves]float32 // visit shares, with sum 1; -1 for illegal moves
	played int               // index of the move played
	result lc0Score

	discarded   bool // lc0's rescorer marked the record for deletion
	blackToMove bool
	rule50      int // plies since the last capture or pawn move
	format      int // input format in which lc0 stored the record: 1 to 5, 132 or 133
}

// lc0Score is the result of a game for the side to move: q is 1, 0 or -1, d is 1 for a
// draw, and m is the number of plies left.
type lc0Score struct{ q, d, m float32 }

// A record as lc0 writes it (src/trainingdata/trainingdata_v6.h), little endian:
//
//	offset  type         field
//	0       u32          version, 6
//	4       u32          input format
//	8       f32[1858]    probabilities, -1 for illegal moves
//	7440    u64[104]     history; a byte is a rank, its highest bit the a-file
//	8272    u8[4]        castling: us long, us short, them long, them short; in
//	                     formats from 2 on the rook's file as a bit
//	8276    u8           formats 1, 2: black to move; from 3 on: file of the en
//	                     passant square as a bit
//	8277    u8           plies since the last capture or pawn move
//	8278    u8           7 black to move (from 3 on), 6 to be deleted, 5 adjudicated,
//	                     4 too long, 3 best is proven, 2..0 transformation (from 3 on)
//	8279    u8           unused
//	8280    f32[6]       root q, best q, root d, best d, root m, best m
//	8304    f32          plies left
//	8308    f32[2]       result q, d
//	8316    f32[3]       played q, d, m
//	8328    f32[3]       network's q, d, m
//	8340    u32          visits
//	8344    u16[2]       index played, best
//	8348    f32[2]       divergence of the policy, deviation of q
const (
	lc0Version    = 6
	lc0PolicyAt   = 8
	lc0HistoryAt  = 7440
	lc0CastlingAt = 8272
	lc0SideAt     = 8276
	lc0Rule50At   = 8277
	lc0FlagsAt    = 8278
	lc0ResultAt   = 8304
	lc0PlayedAt   = 8344
	lc0Size       = 8356
)

// The history in a record, and in lc0-112: eight steps of thirteen boards.
const (
	lc0Step    = 13
	lc0History = 8 * lc0Step
)

// decode decodes a record.
func (r *lc0Record) decode(b *[lc0Size]byte) error {
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	f32 := func(at int) float32 { return math.Float32frombits(u32(at)) }
	if v := u32(0); v > 1000 { // no real version is this high: the file is text or comes from another program
		return fmt.Errorf("no training data of lc0: it begins with %q", b[:8])
	} else if v != lc0Version {
		return fmt.Errorf("version %d: want training data of version %d", v, lc0Version)
	}
	r.format = int(u32(4))
	canonical := r.format >= 3
	if f := r.format; (f < 1 || f > 5) && f != 132 && f != 133 {
		return fmt.Errorf("input format %d is unknown: want 1 to 5, 132 or 133", f)
	}
	side, flags := b[lc0SideAt], b[lc0FlagsAt]
	r.blackToMove = side == 1
	transformation := 0
	if canonical {
		r.blackToMove = flags>>7 == 1
		transformation = int(flags & 7)
	} else if side > 1 {
		return fmt.Errorf("the side to move is %d: want 0 or 1", side)
	}
	r.discarded = flags>>6&1 == 1
	r.rule50 = int(b[lc0Rule50At])

	if err := r.decodePlanes(b, transformation); err != nil {
		return err
	}
	if err := r.decodePolicy(b, lc0Transforms()[transformation]); err != nil {
		return err
	}
	r.result = lc0Score{q: f32(lc0ResultAt + 4), d: f32(lc0ResultAt + 8), m: f32(lc0ResultAt)}
	// The negated comparisons also reject NaN.
	if q, d, m := r.result.q, r.result.d, r.result.m; !(q >= -1 && q <= 1 && d >= 0 && d <= 1 && math.Abs(float64(m)) <= maxPliesLeft) {
		return fmt.Errorf("the result is %v, drawn %v, in %v plies: want -1 to 1, 0 to 1, and at most %d", q, d, m, maxPliesLeft)
	}
	return nil
}

// decodePlanes sets the planes and undoes the transformation of the canonical formats.
func (r *lc0Record) decodePlanes(b *[lc0Size]byte, transformation int) error {
	for i := range lc0History {
		board := encode.ReflectBoard(binary.LittleEndian.Uint64(b[lc0HistoryAt+8*i:]))
		if transformation != 0 && board != ^uint64(0) {
			board = transformBoard(board, transformation)
		}
		r.planes[i] = board
	}
	for i, side := range b[lc0CastlingAt:][:4] {
		r.planes[lc0History+i] = encode.Plane(side != 0)
		if r.format == 1 && side > 1 || bits.OnesCount8(side) > 1 {
			return fmt.Errorf("the right to castle is %#b: want one bit at most", side)
		}
	}
	r.planes[lc0History+4] = encode.Plane(r.blackToMove)
	r.planes[lc0History+5] = uint64(math.Float32bits(float32(r.rule50)))
	r.planes[lc0History+6] = 0
	r.planes[lc0History+7] = ^uint64(0)
	if r.format < 3 {
		return nil
	}

	if r.format == 5 || r.format == 133 {
		clear(r.planes[lc0Step:lc0History])
	}
	file := b[lc0SideAt]
	if file == 0 {
		return nil
	}
	if transformation&1 != 0 {
		file = bits.Reverse8(file)
	}
	const theirPawns = 6
	after := uint64(file) << 32 // the pawn moved from the seventh to the fifth rank
	before := after << 16
	if bits.OnesCount8(file) > 1 || r.planes[theirPawns]&after == 0 {
		return fmt.Errorf("en passant on files %#b: want one file, with a pawn on its fifth rank", file)
	}
	copy(r.planes[lc0Step:], r.planes[:lc0Step-1])
	r.planes[lc0Step+theirPawns] ^= after | before
	r.planes[2*lc0Step-1] = 0 // the previous position cannot be a repetition
	return nil
}

// decodePolicy sets the policy and the move played. index maps stored indices to indices of
// lc0-1858.
func (r *lc0Record) decodePolicy(b *[lc0Size]byte, index []int16) error {
	for i := range r.policy {
		r.policy[i] = -1
	}
	sum := 0.0
	for i := range index {
		p := math.Float32frombits(binary.LittleEndian.Uint32(b[lc0PolicyAt+4*i:]))
		switch {
		case p == -1:
			continue
		case !(p >= 0 && p <= 1+sumTolerance):
			return fmt.Errorf("the probability of move %d is %v: want 0 to 1, or -1", i, p)
		case index[i] < 0:
			return fmt.Errorf("move %d is a promotion where the board was transformed as only one without pawns is", i)
		}
		r.policy[index[i]] = p
		sum += float64(p)
	}
	if !(math.Abs(sum-1) <= sumTolerance) {
		return fmt.Errorf("the probabilities of the legal moves have the sum %v, want 1", sum)
	}
	played := int(binary.LittleEndian.Uint16(b[lc0PlayedAt:]))
	if played >= lc0Moves || index[played] < 0 {
		return fmt.Errorf("played is move %d: want one of 0 to %d that the position allows", played, lc0Moves-1)
	}
	r.played = int(index[played])
	return nil
}

// transformSquare undoes a transformation of lc0's canonical formats. lc0 applied, for each
// bit that is set, a swap of files (1), then of ranks (2), then a reflection in the
// diagonal from a8 to h1 (4).
func transformSquare(s chess.Square, transformation int) chess.Square {
	if transformation&4 != 0 {
		s = chess.NewSquare(7-s.Rank(), 7-s.File())
	}
	if transformation&2 != 0 {
		s ^= 56
	}
	if transformation&1 != 0 {
		s ^= 7
	}
	return s
}

func transformBoard(board uint64, transformation int) (b uint64) {
	for s := range chess.Bitboard(board).Squares {
		b |= 1 << transformSquare(s, transformation)
	}
	return b
}

// lc0Transforms maps a transformation and a stored index to the index of lc0-1858. It is -1
// for promotions that a transformation makes impossible.
var lc0Transforms = sync.OnceValue(func() (table [8][]int16) {
	list := encode.LC01858Moves()
	index := make(map[string]int16, len(list))
	for i, name := range list {
		index[name] = int16(i)
	}
	for t := range table {
		table[t] = make([]int16, len(list))
		for i, name := range list {
			squares := [4]byte([]byte(name))
			for k := 0; k < len(squares); k += 2 {
				s := transformSquare(chess.NewSquare(int(squares[k]-'a'), int(squares[k+1]-'1')), t)
				squares[k], squares[k+1] = 'a'+byte(s.File()), '1'+byte(s.Rank())
			}
			table[t][i] = -1
			if k, ok := index[string(squares[:])+name[4:]]; ok {
				table[t][i] = k
			}
		}
	}
	return table
})
