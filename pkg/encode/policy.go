package encode

import "alamos/pkg/chess"

// Policy numbers moves: the index of a move is its place in a network's
// policy vector. Implementations hold no changing state: all methods are safe
// for use by many goroutines at once.
type Policy interface {
	// Name is the name that experiment files use.
	Name() string

	// Size is the length of the policy vector.
	Size() int

	// Supports returns an error when moves of the variant cannot be
	// expressed.
	Supports(v chess.Variant) error

	// Index is the place, 0 to Size-1, of the legal move m of p, or -1 when
	// the encoding cannot express it. Legal moves of one position that can
	// be expressed have different indices, unless the encoding says so.
	Index(p *chess.Position, m chess.Move) int
}
