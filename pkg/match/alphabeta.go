package match

import (
	"context"
	"fmt"

	"alamos/pkg/search"
)

// alphaBeta plays the moves of an alpha-beta search. It knows nothing of a game
// but its current turn.
type alphaBeta struct {
	name   string
	depth  int
	search search.AlphaBeta
}

// NewAlphaBeta is a player that looks so many plies ahead and values what it finds
// there by v. Of equally good moves it draws one. The caller closes what is behind
// v.
func NewAlphaBeta(name string, depth int, v search.Valuer) (Player, error) {
	if depth < 1 {
		return nil, fmt.Errorf("arena: player %s: want a depth of at least 1, have %d", name, depth)
	}
	return &alphaBeta{name, depth, search.AlphaBeta{Valuer: v}}, nil
}

func (p *alphaBeta) Name() string { return p.name }

func (p *alphaBeta) Moves(ctx context.Context, turns []*Turn) error {
	for _, t := range turns {
		line, err := p.search.Search(ctx, t.Game, p.depth)
		if err != nil {
			return fmt.Errorf("player %s: %w", p.name, err)
		}
		t.Move = line.Best[newRand(t.Seed).IntN(len(line.Best))]
		t.Info = Info{Score: &line.Value, Depth: line.Depth}
	}
	return nil
}

func (*alphaBeta) GameOver(int) {}

func (*alphaBeta) Close() error { return nil }
