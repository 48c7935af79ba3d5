package run

import (
	"context"

	"alamos/pkg/chess"
	"alamos/pkg/hook"
)

// Valuer values positions by a script's Evaluate.
type Valuer struct {
	session   *hook.Session
	positions []chess.Position
}

// NewValuer asks a session, which the caller keeps.
func NewValuer(s *hook.Session) *Valuer { return &Valuer{session: s} }

func (v *Valuer) Add(g *chess.Game, _ []chess.Move) {
	v.positions = append(v.positions, *g.Position())
}

func (v *Valuer) Values(ctx context.Context) ([]float64, error) {
	positions := v.positions
	v.positions = v.positions[:0]
	return v.session.Evaluate(ctx, positions)
}
