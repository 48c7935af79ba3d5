package match

import "context"

// random plays random legal moves.
type arenaRandom struct{ name string }

// NewRandom is a player that draws its moves from all legal ones alike.
func NewRandom(name string) ArenaPlayer { return arenaRandom{name} }

func (r arenaRandom) Name() string { return r.name }

func (r arenaRandom) Moves(_ context.Context, turns []*Turn) error {
	for _, t := range turns {
		t.Move = randomMove(t.Game.Position(), newRand(t.Seed))
	}
	return nil
}

func (arenaRandom) GameOver(int) {}

func (arenaRandom) Close() error { return nil }
