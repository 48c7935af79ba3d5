package chess

import (
	"fmt"
	"math/rand/v2"
)

// Chess960 is the word for a start position of chess960, each equally likely.
const StartChess960 = "chess960"

// Positions are those that the games of a variant begin with, each entry
// equally likely. Make one with [Parse].
type Positions struct {
	variant Variant
	entries []entry // at least one
}

// entry is a position, or all of chess960.
type entry struct {
	fixed    Position
	chess960 bool
}

// Parse reads what experiment files say under game.start: the word chess960 or a
// FEN, any number of them; none is the start position of the variant. It refuses
// positions in which the game is over, and chess960 in variants whose start is
// their own.
func Parse(v Variant, words []string) (Positions, error) {
	if len(words) == 0 {
		return Positions{v, []entry{{fixed: StartPosition(v)}}}, nil
	}
	s := Positions{variant: v}
	for i, w := range words {
		e := entry{chess960: w == StartChess960}
		var err error
		if e.chess960 {
			_, err = Chess960(v, 0)
		} else if e.fixed, err = ParseFEN(v, w); err == nil {
			err = GoesOn(&e.fixed)
		}
		if err != nil {
			return Positions{}, fmt.Errorf("start position %d: %w", i+1, err)
		}
		s.entries = append(s.entries, e)
	}
	return s, nil
}

// GoesOn is an error when a game that begins at p is over.
func GoesOn(p *Position) error {
	var l MoveList
	p.LegalMoves(&l)
	if o := NewGame(*p).Outcome(&l); o.Over() {
		return fmt.Errorf("%s: the game is over (%s)", p.FEN(), o)
	}
	return nil
}

// Draw is the position that a game begins with. It draws nothing from rng where
// there is no choice.
func (s Positions) Draw(rng *rand.Rand) Position {
	i := 0
	if len(s.entries) > 1 {
		i = rng.IntN(len(s.entries))
	}
	if !s.entries[i].chess960 {
		return s.entries[i].fixed
	}
	p, err := Chess960(s.variant, rng.IntN(960))
	if err != nil {
		panic(fmt.Sprintf("start: %v", err)) // Parse has asked
	}
	return p
}

// Any reports whether f holds for one of the positions that can be drawn.
func (s Positions) Any(f func(*Position) bool) bool {
	for _, e := range s.entries {
		if !e.chess960 {
			if f(&e.fixed) {
				return true
			}
			continue
		}
		for n := range 960 {
			if p, err := Chess960(s.variant, n); err == nil && f(&p) {
				return true
			}
		}
	}
	return false
}
