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

	// Start is where games begin, in the words of [start.Parse]; empty is the
	// start position of the variant.
	Start []string

	Search search.Config

	// Games is their number; they are numbered from 0.
	Games int

	// MaxMoves is the length, in full moves from the start of the game, at
	// which a game that goes on is thrown away and played anew as the next
	// attempt, with random numbers of its own. 0: no limit.
	MaxMoves int

	Temperature Temperature
	Opening     Opening
	PlayoutCap  PlayoutCap

	// Surprise is the share of a game's samples that goes to the positions whose
	// searches were surprising to the network: see repeat. 0: every position
	// is a sample once.
	Surprise float64

	// ValueMix is the share of the value of the search in the value of a sample;
	// the rest is the result of the game. 0: the result alone. The probability of a
	// draw is always that of the result, 1 or 0, as far as the value leaves it room.
	ValueMix float64

	// Adjudicate, when not nil, may end a game before the rules do. It is asked
	// after every move of a game that goes on, about the record so far, which has no
	// outcome; it returns chess.Unfinished where the game goes on. It is called by
	// many goroutines at once and must keep nothing of the record. An error ends all
	// games.
	Adjudicate func(*Record) (chess.Result, error)

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

// PlayoutCap divides the searches into full and fast ones (playout cap
// randomization: Wu 2019, Accelerating Self-Play Learning in Go, section 3.1).
// Results are learned from better when there are many games, policies when
// searches are long: so most moves of a game are made fast, and only the positions
// of full searches become samples. A search is full with probability Full, as the
// game's random numbers say; the others have Visits instead of those of
// Config.Search and explore nothing (see [search.Tree.SetExploring]). Visits that
// the tree keeps count in both. Visits 0: all searches are full.
type PlayoutCap struct {
	Full   float64
	Visits int
}

// MeanVisits is the number of visits that a search is given, on average.
func (c *Config) MeanVisits() float64 {
	full, most := c.FullShare(), c.Search.Budget()
	return full*float64(most) + (1-full)*float64(min(most, c.PlayoutCap.Visits))
}

// FullShare is the share of the searches that are full and give samples.
func (c *Config) FullShare() float64 {
	if c.PlayoutCap.Visits == 0 {
		return 1
	}
	return c.PlayoutCap.Full
}

// Opening says what comes before a game. With probability Share a game begins
// elsewhere than at Config.Start: from one of the FENs, if there are any, drawn
// with equal chances, and after RandomPlies random legal moves from there. The game proper, its history, its length and its
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

// beginnings are the positions that games can begin with, before random plies.
type beginnings struct {
	start    chess.Starts
	openings []chess.Position // instead of start for a share of the games; may be empty
}

// Validate returns an error that names the first setting out of range.
func (c *Config) Validate(codec encode.Codec) error {
	_, err := c.prepare(codec)
	return err
}

// prepare checks the settings and reads the positions that games begin with.
func (c *Config) prepare(codec encode.Codec) (b beginnings, err error) {
	if err := c.Search.Validate(); err != nil {
		return b, err
	}
	if err := codec.Supports(c.Variant); err != nil {
		return b, err
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
		{c.PlayoutCap.Visits >= 0 && c.PlayoutCap.Visits <= c.Search.Visits, "playout cap visits", c.PlayoutCap.Visits, "at least 0, and no more than a full search has"},
		{c.PlayoutCap.Visits == 0 || c.PlayoutCap.Full > 0 && c.PlayoutCap.Full <= 1, "playout cap full", c.PlayoutCap.Full, "more than 0 and at most 1"},
		{c.Surprise >= 0 && c.Surprise <= 1, "surprise", c.Surprise, "0 to 1"},
		{c.ValueMix >= 0 && c.ValueMix <= 1, "value mix", c.ValueMix, "0 to 1"},
		{c.Opening.Share >= 0 && c.Opening.Share <= 1, "opening share", c.Opening.Share, "0 to 1"},
	}
	if c.Temperature.Plies > 0 {
		checks = append(checks, power("temperature then", c.Temperature.Then))
	}
	for _, x := range checks {
		if !x.ok {
			return b, fmt.Errorf("self-play: %s is %v: want %s", x.name, x.have, x.want)
		}
	}
	if b.start, err = chess.ParseStarts(c.Variant, c.Start); err != nil {
		return b, fmt.Errorf("self-play: %w", err)
	}
	for i, fen := range c.Opening.FENs {
		p, err := chess.ParseFEN(c.Variant, fen)
		if err == nil {
			err = chess.CheckOngoing(&p)
		}
		if err != nil {
			return b, fmt.Errorf("self-play: opening %d: %w", i+1, err)
		}
		b.openings = append(b.openings, p)
	}
	return b, nil
}
