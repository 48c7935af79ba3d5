package encode

import (
	"fmt"
	"slices"

	"alamos/pkg/chess"
)

// lacks says what an encoding has no numbers for, by the variant that needs it.
// It expresses all variants that are not in the table.
type lacks map[chess.Variant]string

// support is the Supports of an encoding.
func (l lacks) support(name string, v chess.Variant) error {
	if !slices.Contains(chess.Variants(), v) {
		return fmt.Errorf("encoding %s: there is no variant %d", name, v)
	}
	if what, refused := l[v]; refused {
		return fmt.Errorf("encoding %s cannot express variant %s: it has %s", name, v, what)
	}
	return nil
}

// The views of the board, which change a square to the one that the side to
// move sees in its place.
const (
	asItIs     chess.Square = 0
	upsideDown chess.Square = 56 // ranks change places
	leftRight  chess.Square = 7  // files change places
)

// view is how the side to move sees the board in encodings of the mover's: white
// as it is, black upside down, so that both sides' pawns go up the board. In
// racing kings both sides run up the board, and start beside each other: there
// black sees left and right change places.
func view(p *chess.Position) chess.Square {
	switch {
	case p.Turn() == chess.White:
		return asItIs
	case p.Variant() == chess.RacingKings:
		return leftRight
	}
	return upsideDown
}
