package chess

import (
	"math/bits"
	"slices"
	"sync"
)

// What encoders and drawings need to know of the rules of any variant.

// builtInBooks are the compiled rules of the built-in variants.
var builtInBooks = sync.OnceValue(func() (books [variantCount]*rulebook) {
	for v := range books {
		b, err := compile(RulesOf(Variant(v)), Variant(v))
		if err != nil {
			panic(err) // a test compiles them
		}
		books[v] = b
	}
	return books
})

// rules returns the compiled rules of any variant.
func (v Variant) rules() *rulebook {
	if b := v.book(); b != nil {
		return b
	}
	return builtInBooks()[v]
}

// Kinds returns the kinds of pieces of the variant.
func (v Variant) Kinds() (kinds []PieceType) {
	for _, k := range v.rules().kinds {
		kinds = append(kinds, k.t)
	}
	return kinds
}

// Promotions returns the kinds to which a pawn of either side may promote, each once.
func (v Variant) Promotions() (kinds []PieceType) {
	var seen [PieceTypes]bool
	for _, of := range v.rules().promotes {
		for _, t := range of {
			if !seen[t] {
				seen[t] = true
				kinds = append(kinds, t)
			}
		}
	}
	return kinds
}

// Drops returns the kinds of pieces that can be in hand; none in most variants.
func (v Variant) Drops() (kinds []PieceType) {
	b := v.rules()
	if !b.hand {
		return nil
	}
	for _, k := range b.kinds {
		if !k.royal || b.Royals == "last" {
			kinds = append(kinds, k.t)
		}
	}
	return kinds
}

// Checks returns the number of checks that wins the game; 0 if none does.
func (v Variant) Checks() int { return v.rules().CheckLimit }

// PromotionZone returns the squares on which pawns of the side to move promote, as White sees
// them.
func (v Variant) PromotionZone() Bitboard {
	b := v.rules()
	return b.zone[White] | b.flip(b.zone[Black])
}

// Reach returns the squares to which a piece of White's on a square of the board can move,
// and on which it can capture, if no other stands in its way. Double steps of pawns are
// moves.
func (v Variant) Reach(t PieceType, from Square) (moves, captures Bitboard) {
	b := v.rules()
	k := b.of[t]
	if !b.squares.Has(from) {
		return 0, 0
	}
	moves, captures = b.reach(&k.quiet[White], from, ^b.squares), b.reach(&k.capture[White], from, ^b.squares)
	if b.leaps[White].Has(from) {
		for _, d := range k.twice[White] {
			if middle := from + Square(d); k.quiet[White].leaps[from].Has(middle) {
				moves |= k.quiet[White].leaps[middle] & k.quiet[White].region & (1 << (middle + Square(d)))
			}
		}
	}
	return moves, captures
}

// Moves reports whether a kind of piece moves and captures as Betza's notation says, the steps
// of a pawn's first move aside.
func (v Variant) Moves(t PieceType, betza string) bool {
	k := v.rules().of[t]
	if k == nil {
		return false
	}
	want, err := parseBetza(betza)
	have, _ := parseBetza(k.Piece.Moves) // compiled rules have no errors
	return err == nil && sameSteps(want, have)
}

// Symmetric reports whether the rules, but for castling, are the same on a board of eight
// files that is reflected: the a-file is the h-file.
func (v Variant) Symmetric() bool {
	b := v.rules()
	same := func(s Bitboard) bool { return s == Bitboard(bits.ReverseBytes64(bits.Reverse64(uint64(s)))) }
	if b.Files != 8 || !same(b.squares) {
		return false
	}
	for _, k := range b.kinds {
		steps, _ := parseBetza(k.Moves) // compiled rules have no errors
		for _, s := range steps {
			s.dx = -s.dx
			if !slices.Contains(steps, s) {
				return false
			}
		}
		if !same(k.quiet[White].region) {
			return false
		}
	}
	return !slices.ContainsFunc(b.goals, func(g goalSquares) bool { return !same(g.squares[White]) || !same(g.squares[Black]) })
}

// Squares returns the squares of the board.
func (v Variant) Squares() Bitboard { return v.rules().squares }

// Flip returns a square as the other side sees it, with the ranks of the board reversed.
func (v Variant) Flip(s Square) Square {
	_, ranks := v.Size()
	return NewSquare(s.File(), ranks-1-s.Rank())
}
