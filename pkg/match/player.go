package match

import (
	"context"
	"errors"
	"fmt"
	"math"

	"alamos/pkg/chess"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// Player plays chess. One goroutine uses it at a time. Each worker of a tournament has its
// own Player.
type Player interface {
	// Name is the name in tables. It is the same in all workers.
	Name() string

	// Moves sets Move and Info of each turn, or Err if the player loses the game by its own
	// fault. The turns belong to different games, in any number and order. The move in one
	// game must not depend on the others. A returned error ends the tournament; it is for
	// failures that are not a player's fault.
	Moves(ctx context.Context, turns []*Turn) error

	// GameOver releases the state of a finished game.
	GameOver(*chess.Game)

	Close()
}

// Turn is a position in which a player is to move, and the player's move.
type Turn struct {
	Number int         // of the game, within its pairing
	Game   *chess.Game // read-only, and valid until GameOver
	Seed   uint64      // for random choices; a function of game and move number

	Move    chess.Move // the chosen move
	Info    Info       // the player's evaluation of the position, as far as known
	Err     error      // the fault that loses the game, see [Fault]
	Crashes []error    // of an engine that was started again for this turn
}

// Fault returns the reason for a loss when a player fails with err. The kinds of failure
// are those of package uci. Any other error counts as a crash.
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

// Parts are the components of a player that are not in its [Spec]. New uses those that the
// kind of player needs.
type Parts struct {
	Network  func() (search.Evaluator, func(), error) // opens the network; the returned function closes it
	Script   func() (search.Valuer, func(), error)    // opens the script; the returned function closes it
	Engine   *uci.Found                               // the engine found on this machine
	Engines  int                                      // maximum number of processes of the engine
	Defaults TreeSearch                               // tree search settings that the Spec leaves unset
}

// TreeSearch configures how a network searches for a move.
type TreeSearch struct {
	search.Config
	Power float64   // 1/temperature of the choice of a move by visits; +Inf: most visited move
	Limit uci.Limit // ends the search before its visits are used up: by MoveTime, or by Depth of the principal variation
	Batch int       // minimum leaves per batch of a time-limited tree, which is searched alone

	// OfGame returns the settings of the search by the number of a game; nil: Config in all.
	OfGame func(number int) search.Config
}

// alphaBeta returns the search of an alpha-beta player that has no script. Only one that counts
// material needs no evaluator.
func (s *Spec) alphaBeta(e search.Evaluator) search.AlphaBeta {
	if s.Material > 0 {
		return search.AlphaBeta{Valuer: &Material{}}
	}
	return search.AlphaBeta{Valuer: search.NewValuer(e), ValueEnds: s.Ends == endsByNetwork}
}

// New makes the player for one worker.
func (s *Spec) New(ctx context.Context, name string, parts Parts) (Player, error) {
	limit := s.Limit()
	switch {
	case s.UCI != "":
		return NewUCI(ctx, name, *parts.Engine, parts.Engines)
	case s.Material > 0:
		return NewAlphaBeta(name, limit, s.alphaBeta(nil))
	case s.Hook != nil:
		v, end, err := parts.Script()
		if err != nil {
			return nil, err
		}
		p, err := NewAlphaBeta(name, limit, search.AlphaBeta{Valuer: v})
		return closing(p, end, err)
	case s.Player == Random:
		return NewRandom(name), nil
	}
	e, end, err := parts.Network()
	if err != nil {
		return nil, err
	}
	var p Player
	switch {
	case s.AlphaBeta != "":
		p, err = NewAlphaBeta(name, limit, s.alphaBeta(e))
	case s.Policy != "":
		p, err = NewMCTS(name, TreeSearch{Power: math.Inf(1)}, e)
	default:
		p, err = NewMCTS(name, s.treeSearch(parts.Defaults), e)
	}
	return closing(p, end, err)
}

// treeSearch returns the defaults overridden by the player's settings.
func (s *Spec) treeSearch(t TreeSearch) TreeSearch {
	if s.Depth > 0 || s.MoveTime > 0 {
		t.Limit = s.Limit().Within(t.Limit)
	}
	if s.MoveTime > 0 {
		t.Leaves = max(t.Leaves, t.Batch)
	}
	if s.Visits > 0 {
		t.Visits = s.Visits
	}
	if t.Visits == mostVisits {
		t.Bytes = mostTree
	}
	if s.Temperature > 0 {
		t.Power = 1 / s.Temperature
	}
	set(&t.Config, s.Search)
	return t
}

// set sets settings that [Spec.Set] or [ParseRange] has checked. The kind of root comes first,
// since it decides on the other settings of the root.
func set(cfg *search.Config, settings []uci.Setting) {
	for _, first := range []bool{true, false} {
		for _, s := range settings {
			if (s.Name == "root") != first {
				continue
			}
			if err := cfg.Set(s.Name, s.Value); err != nil {
				panic(fmt.Sprintf("match: %s=%s: %v", s.Name, s.Value, err))
			}
		}
	}
}

// closing returns a player that also calls end on Close. If err is not nil, it calls end at
// once.
func closing(p Player, end func(), err error) (Player, error) {
	if err != nil {
		end()
		return nil, err
	}
	return closingPlayer{p, end}, nil
}

type closingPlayer struct {
	Player
	end func()
}

func (p closingPlayer) Close() {
	p.Player.Close()
	p.end()
}
