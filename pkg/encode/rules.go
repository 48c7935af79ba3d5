package encode

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"alamos/pkg/chess"
)

// Rules is the name of the encodings of positions and of moves that are made from the rules
// of a variant. They express every variant, built-in or not. In files of alamos' own the name
// is followed by what [chess.Variant.Spec] returns, so that it says what they are.
const Rules = "rules"

// PlanesOf finds the input encoding of a variant by its name, as PlanesByName does. The name
// rules stands for the encoding made from the variant.
func PlanesOf(name string, v chess.Variant) (*Planes, error) { return PlanesByName(named(name, v)) }

// PolicyOf finds the move encoding of a variant by its name, as PolicyByName does.
func PolicyOf(name string, v chess.Variant) (*Policy, error) { return PolicyByName(named(name, v)) }

func named(name string, v chess.Variant) string {
	if name == Rules {
		return Rules + " " + v.Spec()
	}
	return name
}

// variantIn returns the variant of an encoding that is made from rules.
func variantIn(name string) (v chess.Variant, ok bool, err error) {
	spec, ok := strings.CutPrefix(name, Rules+" ")
	if ok {
		v, err = chess.ParseVariant(spec)
	}
	return v, ok, err
}

// ofRules reports whether an encoding is made from rules.
func ofRules(e *Planes) bool { return e.kinds != nil }

var madePlanes, madePolicies sync.Map // by chess.Variant

// planesOfRules returns the planes of a variant, as the side to move sees the board (for
// black the ranks are reversed):
//
//	each kind of piece of the rules, own, then those of the other side
//	the board's squares
//	own and other rooks that may still castle
//	the square of a capture en passant
//	the pieces that were pawns
//	constant: the number of pieces of each kind in hand, own and other, divided by 8
//	constant: checks left to give, own and other, divided by 8
//	constant: 1 if Black is to move
//	constant: the number of plies without capture or pawn move divided by 100
//	constant: how often the position occurred before, a half each, 1 at most
//	constant: 1 if castling is allowed already
func planesOfRules(v chess.Variant) *Planes {
	if e, ok := madePlanes.Load(v); ok {
		return e.(*Planes)
	}
	rules := chess.RulesOf(v)
	kinds := v.Kinds()
	n := len(kinds)
	pocket := n
	if rules.Hand == "none" {
		pocket = 0
	}
	first := 2*n + 5 // of the constant planes
	count := first + 2*pocket + 6
	_, ranks := v.Size()
	e := &Planes{name: named(Rules, v), kinds: kinds, count: count, constant: constantFrom(first, count), names: rulesNames(rules)}
	e.only = &v
	e.sides = newSides(count, ranks, 2*n) // the first square of the board, the same in all positions
	if king := slices.Index(kinds, chess.King); king >= 0 {
		e.sides.King = king
	}
	e.sides.exchange(0, n)
	e.sides.Other[2*n] = -1
	e.sides.exchange(2*n+1, 1)
	for i := range pocket + 1 {
		e.sides.exchange(first+2*i, 1) // and the checks
	}
	if v.Symmetric() {
		e.castling = []int{2*n + 1, 2*n + 2}
	}
	e.encode = func(dst []uint64, g *chess.Game) {
		p := g.Position()
		own := p.Turn()
		dst = dst[:count]
		for i, t := range kinds {
			dst[i], dst[n+i] = uint64(p.Pieces(own, t)), uint64(p.Pieces(own.Other(), t))
		}
		dst[2*n] = uint64(v.Squares())
		dst[2*n+1], dst[2*n+2], dst[2*n+3] = uint64(p.CastlingRooks(own)), uint64(p.CastlingRooks(own.Other())), 1<<p.EnPassant()
		dst[2*n+4] = uint64(p.Promoted())
		if own == chess.Black {
			reverseRanks(dst[:first], ranks)
		}
		at := first
		constant := func(x float64) {
			dst[at] = uint64(math.Float32bits(float32(x)))
			at++
		}
		for i := range pocket {
			constant(float64(p.Pocket(own, kinds[i])) / 8)
			constant(float64(p.Pocket(own.Other(), kinds[i])) / 8)
		}
		constant(float64(p.ChecksLeft(own)) / 8)
		constant(float64(p.ChecksLeft(own.Other())) / 8)
		constant(float64(own))
		constant(float64(p.Rule50()) / 100)
		constant(min(1, float64(g.Repetitions())/2))
		castling := 0.0
		if p.FullMove() > rules.CastleAfter {
			castling = 1
		}
		constant(castling)
	}
	made, _ := madePlanes.LoadOrStore(v, e)
	return made.(*Planes)
}

// reverseRanks exchanges the ranks of boards that have a number of them.
func reverseRanks(boards []uint64, ranks int) {
	for i, b := range boards {
		boards[i] = bits.ReverseBytes64(b) >> (8 * (8 - ranks))
	}
}

// policyOfRules returns the numbering of the moves of a variant, as the side to move sees the
// board (for black the ranks are reversed):
//
//	every move and capture of every kind on an empty board, by origin, then by destination;
//	a king castles to the square of the rook
//	promotions by origin, then destination, then kind
//	drops by kind, then square
func policyOfRules(v chess.Variant) *Policy {
	if e, ok := madePolicies.Load(v); ok {
		return e.(*Policy)
	}
	rules := chess.RulesOf(v)
	var moves []string
	plain, promotion := new([64][64]int32), new([64][64]int32)
	kinds, promotes := v.Kinds(), v.Promotions()
	var promoted, dropped [256]int32
	each := func(f func(from, to chess.Square)) {
		for from := range v.Squares().Squares {
			for to := range v.Squares().Squares {
				f(from, to)
			}
		}
	}
	reaches := func(from, to chess.Square, kinds ...chess.PieceType) bool {
		for _, t := range kinds {
			if moves, captures := v.Reach(t, from); (moves | captures).Has(to) {
				return true
			}
		}
		return rules.Castling && len(kinds) > 1 && from != to && from.Rank() == 0 && to.Rank() == 0
	}
	each(func(from, to chess.Square) {
		if reaches(from, to, kinds...) {
			plain[from][to] = int32(len(moves))
			moves = append(moves, from.String()+to.String())
		}
	})
	for i, t := range promotes {
		promoted[t] = int32(i)
	}
	each(func(from, to chess.Square) {
		if len(promotes) > 0 && v.PromotionZone().Has(to) && reaches(from, to, chess.Pawn) {
			promotion[from][to] = int32(len(moves))
			for _, t := range promotes {
				moves = append(moves, from.String()+to.String()+string(t.Letter(chess.Black)))
			}
		}
	})
	if rules.Hand != "none" {
		for _, t := range kinds {
			dropped[t] = int32(len(moves))
			for s := range chess.Square(64) {
				moves = append(moves, string(t.Letter(chess.White))+"@"+s.String())
			}
		}
	}
	index := func(p *chess.Position, m chess.Move) int {
		from, to := m.From(), m.To()
		if p.Turn() == chess.Black {
			from, to = v.Flip(from), v.Flip(to)
		}
		if t := m.Dropped(); t != chess.NoPieceType {
			return int(dropped[t]) + int(to)
		}
		if t := m.Promotion(); t != chess.NoPieceType {
			return int(promotion[from][to] + promoted[t])
		}
		return int(plain[from][to])
	}
	e := &Policy{name: named(Rules, v), size: len(moves), index: index, only: &v, moves: func() []string { return slices.Clone(moves) }}
	made, _ := madePolicies.LoadOrStore(v, e)
	return made.(*Policy)
}
