package selfplay

import (
	"fmt"
	"sync/atomic"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
)

// Config is a generation of games.
type Config struct {
	Variant chess.Variant
	Search  search.Config

	// Games is their number; they are numbered from 0.
	Games int

	// MaxMoves is the length, in full moves from the start of the game, at
	// which a game that goes on is thrown away and played anew as the next
	// attempt, with random numbers of its own. 0: no limit.
	MaxMoves int

	Temperature Temperature
	Opening     Opening

	// Seed of this generation: all its randomness follows from it.
	Seed uint64

	// Skip, when not nil, tells which games are not to be played, being
	// there already. It does not change the other games.
	Skip func(game int) bool

	// Parallel is the number of games a worker plays at once, and so the
	// size of its batches; 0: all games, shared evenly. It changes speed
	// and memory but not the games.
	Parallel int

	// Progress, when not nil, is counted up while the games go on.
	Progress *Progress
}

// Temperature says how a move is drawn from the visits of the root's moves:
// with a probability proportional to visits^Power during the first Plies plies
// of a game, and visits^Then from there on. Plies 0: Power all through.
// math.Inf(1) is the most visited move.
type Temperature struct {
	Power float64
	Plies int
	Then  float64
}

// at is the power at a ply, counted from 0.
func (t Temperature) at(ply int) float64 {
	if t.Plies > 0 && ply >= t.Plies {
		return t.Then
	}
	return t.Power
}

// Opening says where games begin. With probability Share a game begins
// elsewhere than at the start position of the variant: from one of the FENs,
// if there are any, drawn with equal chances, and after RandomPlies random
// legal moves from there. The game proper, its history, its length and its
// samples begin after that. An opening that ends the game is drawn anew.
type Opening struct {
	RandomPlies int
	FENs        []string
	Share       float64
}

// Progress counts what has been done so far, plies and evaluations of thrown
// attempts included; it may be read at any time.
type Progress struct {
	Games, Thrown, Plies, Evaluations atomic.Int64
}

// prepare checks the settings and reads the opening positions.
func (c *Config) prepare(codec encode.Codec) (openings []chess.Position, err error) {
	if err := c.Search.Validate(); err != nil {
		return nil, err
	}
	if err := codec.Supports(c.Variant); err != nil {
		return nil, err
	}
	type check struct {
		ok   bool
		name string
		have any
		want string
	}
	power := func(name string, p float64) check { return check{p > 0, name, p, "more than 0"} }
	checks := []check{
		{c.Search.Visits >= 1, "search visits", c.Search.Visits, "at least 1, since visits are what is learned"},
		{c.Games >= 0 && c.Games <= 1<<31-1, "games", c.Games, "0 to 2147483647"},
		{c.MaxMoves >= 0, "max_moves", c.MaxMoves, "at least 0"},
		{c.Parallel >= 0, "parallel", c.Parallel, "at least 0"},
		{c.Temperature.Plies >= 0, "temperature plies", c.Temperature.Plies, "at least 0"},
		power("temperature power", c.Temperature.Power),
		{c.Opening.RandomPlies >= 0, "random plies", c.Opening.RandomPlies, "at least 0"},
		{c.Opening.Share >= 0 && c.Opening.Share <= 1, "opening share", c.Opening.Share, "0 to 1"},
	}
	if c.Temperature.Plies > 0 {
		checks = append(checks, power("temperature then", c.Temperature.Then))
	}
	for _, x := range checks {
		if !x.ok {
			return nil, fmt.Errorf("self-play: %s is %v: want %s", x.name, x.have, x.want)
		}
	}
	for i, fen := range c.Opening.FENs {
		p, err := chess.ParseFEN(c.Variant, fen)
		if err != nil {
			return nil, fmt.Errorf("self-play: opening %d: %w", i+1, err)
		}
		g := chess.NewGame(p)
		var l chess.MoveList
		p.LegalMoves(&l)
		if o := g.Outcome(&l); o.Over() {
			return nil, fmt.Errorf("self-play: opening %d, %s: the game is over (%s)", i+1, fen, o)
		}
		openings = append(openings, p)
	}
	if len(openings) == 0 {
		openings = []chess.Position{chess.StartPosition(c.Variant)}
	}
	return openings, nil
}
