package match

import "context"

// random plays random legal moves.
type randomPlayer struct{ name string }

// NewRandom is a player that draws its moves from all legal ones alike.
func NewRandom(name string) Player { return randomPlayer{name} }

func (r randomPlayer) Name() string { return r.name }

func (r randomPlayer) Moves(_ context.Context, turns []*Turn) error {
	for _, t := range turns {
		t.Move = randomMove(t.Game.Position(), newRand(t.Seed))
	}
	return nil
}

func (randomPlayer) GameOver(int) {}

func (randomPlayer) Close() error { return nil }
