package match

import (
	"context"
	"errors"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// Player plays chess. It is for one goroutine at a time; a tournament makes one
// for each of its workers.
type Player interface {
	// Name is the name in tables, the same in all workers.
	Name() string

	// Moves sets Move and Info of each turn, or Err where the player lost the
	// game by a fault of its own. The games are different ones, in any number
	// and order; the answer to one must not depend on the others. An error ends
	// the tournament: it is for failures that are nobody's loss.
	Moves(ctx context.Context, turns []*Turn) error

	// GameOver tells that a game has ended and can be forgotten.
	GameOver(match int)

	// Close releases what the player holds.
	Close() error
}

// Turn is a position in which a player is to move, and the answer.
type Turn struct {
	Match int         // number of the game, unique in the tournament
	Game  *chess.Game // to be read only, and during the call only
	Seed  uint64      // for random choices: a function of game and move number

	Move chess.Move // the answer
	Info Info       // what the player thinks, as far as it tells
	Err  error      // the player lost: see [Fault] for what counts as what
}

// Fault is the reason for which a game is lost when a player fails with err. The
// kinds of failure are those of package uci; any other error counts as a crash.
func Fault(err error) chess.Reason {
	switch {
	case errors.Is(err, uci.ErrIllegalMove):
		return chess.IllegalMove
	case errors.Is(err, uci.ErrTime):
		return chess.TimeForfeit
	case errors.Is(err, uci.ErrStall):
		return chess.EngineStall
	case errors.Is(err, uci.ErrProtocol):
		return chess.EngineGarbage
	}
	return chess.EngineCrash
}
