package encode

import "alamos/pkg/chess"

// noPolicy has no place for any move: it belongs to networks that only value
// positions, whose priors are equal.
type noPolicy struct{}

func (noPolicy) Name() string                          { return "none" }
func (noPolicy) Size() int                             { return 0 }
func (noPolicy) Supports(chess.Variant) error          { return nil }
func (noPolicy) Index(*chess.Position, chess.Move) int { return -1 }
