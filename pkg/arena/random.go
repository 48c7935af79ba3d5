package arena

import "context"

// random plays random legal moves.
type random struct{ name string }

// NewRandom is a player that draws its moves from all legal ones alike.
func NewRandom(name string) Player { return random{name} }

func (r random) Name() string { return r.name }

func (r random) Moves(_ context.Context, turns []*Turn) error {
	for _, t := range turns {
		t.Move = randomMove(t.Game.Position(), newRand(t.Seed))
	}
	return nil
}

func (random) GameOver(int) {}

func (random) Close() error { return nil }
