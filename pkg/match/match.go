package match

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"alamos/pkg/chess"

	"alamos/pkg/uci"
)

// Config is a match.
type Config struct {
	Players [2]*Spec
	Opener  Opener         // of their networks
	Variant *chess.Variant // nil: what the networks play, or else chess

	Games       int
	Seed        uint64
	Start       []string // where games begin, in the words of package start
	Book        Book     // in place of Start
	RandomPlies int
	MaxMoves    int // 0: no limit
	Judge       Judge
	SPRT        *SPRT // nil: none

	Visits int // of networks that have no limit of their own

	// Concurrency is the number of games at once. It changes no game, unless a player
	// has a limit of time.
	Concurrency int
	Timeouts    uci.Timeouts

	// File is where games are kept, in PGN; "" keeps none.
	File string

	Watch Watcher // nil: nobody
}

// DefaultConcurrency is a good number of games at once on so many cores: as many, but
// more where a network answers many at hardly more than the cost of one.
func (c *Config) DefaultConcurrency(cores int) int {
	if c.Players[0].Network() != "" || c.Players[1].Network() != "" {
		return 32
	}
	return cores
}

// Watcher hears of a match, one call at a time.
type Watcher interface {
	// Resumed tells how many games there were already.
	Resumed(games int)
	// Played tells of a game that has ended, and how to know how the match stands.
	Played(g *Game, games int, standing func() *Summary)
	// Fault tells of a game that a player has lost by a fault of its own, and the file
	// that has the end of the conversation with it, if there is one.
	Fault(g *Game, file string)
}

// match is a match under way.
type match struct {
	cfg      *Config
	variant  chess.Variant
	book     []Opening
	chess960 bool
	lineup   *Lineup
	players  []Entry
	together int // games that a worker plays at once
	pair     Pair
	event    string // names the match in its games

	games map[int]*kept // by number
	files files

	// Of the sequential test: the pairs in order that it has looked at.
	tested Pentanomial
	end    int // games that count: all, or those at which the test has ended
}

// kept is a finished game.
type kept struct {
	number  int
	outcome chess.Outcome
	pgn     string // "" where games are not kept
}

// errDecided ends a match whose test has ended.
var errDecided = errors.New("the test has ended")

// Run plays a match to its end, or to that of its test. Games that are in the file are
// not played again. After an error, or the end of ctx, the file's journal has the games
// that were finished, and Run goes on from there.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	m := &match{cfg: &cfg, games: map[int]*kept{}, end: cfg.Games}
	var err error
	if m.lineup, err = cfg.Opener.Open(cfg.Players[:], cfg.Variant, cfg.Visits); err != nil {
		return nil, err
	}
	defer m.lineup.Close()
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	if err := m.restore(); err != nil {
		return nil, err
	}
	if err = m.play(ctx); err == nil {
		err = m.finish()
	}
	if err = errors.Join(err, m.files.close()); err != nil {
		return nil, err
	}
	return m.standing(m.counted()), nil
}

func (c *Config) validate() error {
	switch {
	case c.Games < 1:
		return fmt.Errorf("match: want 1 game or more, have %d", c.Games)
	case c.Visits < 1:
		return fmt.Errorf("match: want 1 visit or more, have %d", c.Visits)
	case c.Concurrency < 1:
		return fmt.Errorf("match: want 1 game or more at once, have %d", c.Concurrency)
	}
	if c.SPRT != nil {
		if err := c.SPRT.Validate(); err != nil {
			return err
		}
	}
	return c.Judge.Validate()
}

// prepare finds the players and where games begin.
func (m *match) prepare(ctx context.Context) error {
	cfg := m.cfg
	for i, p := range cfg.Players {
		if m.lineup.LacksPolicy(i) {
			return fmt.Errorf("%s: its network has no policy, only a value: want alphabeta:%s,depth=N", p.Policy, p.Policy)
		}
	}
	m.variant = m.lineup.Variant
	starts, err := chess.ParseStarts(m.variant, cfg.Start)
	if err != nil {
		return err
	}
	if m.book, err = cfg.Book.read(m.variant); err != nil {
		return err
	}
	m.chess960 = starts.Any(uci.Chess960) || slices.ContainsFunc(m.book, func(o Opening) bool { return uci.Chess960(&o.Start) })
	m.together = 1
	if m.lineup.Networks() { // they answer many games as fast as a few
		m.together = cfg.Concurrency
	}
	if m.players, err = m.lineup.Entries(ctx, m.chess960, m.together, cfg.Timeouts); err != nil {
		return err
	}
	m.pair = NewPair(m.players[0].Name, m.players[1].Name)
	m.event = m.name()
	return nil
}

// play plays the games that are missing.
func (m *match) play(ctx context.Context) error {
	cfg := m.cfg
	if m.test(); m.missing() == 0 {
		return nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := ArenaConfig{
		Variant: m.variant, Start: cfg.Start, Book: m.book, Rounds: cfg.Games, MaxMoves: cfg.MaxMoves, RandomPlies: cfg.RandomPlies,
		Seed: cfg.Seed, Workers: cfg.Concurrency / m.together, Together: m.together,
		Have: func(_ Pair, number int) bool { return m.games[number] != nil },
	}
	if cfg.Judge != (Judge{}) {
		c.Adjudicate = cfg.Judge.Adjudicate
	}
	c.Done = func(g *Game) {
		if err := m.take(g); err != nil {
			stop(err) // a full disk: games that cannot be kept are not worth playing
			return
		}
		if m.test() {
			stop(errDecided)
		}
	}
	err := Play(ctx, c, m.players)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, errDecided) {
		return nil
	}
	return err
}

// take takes up a game that has ended.
func (m *match) take(g *Game) error {
	k, err := m.keep(g)
	if err != nil {
		return err
	}
	m.games[g.Number] = k
	if g.Fault != nil {
		file, err := m.files.logFault(g)
		if err != nil {
			return err
		}
		if m.cfg.Watch != nil {
			m.cfg.Watch.Fault(g, file)
		}
	}
	if m.cfg.Watch != nil {
		m.cfg.Watch.Played(g, len(m.games), func() *Summary { return m.standing(m.counted()) })
	}
	return nil
}

// test goes on with the sequential test, pair by pair in their order, and tells
// whether it has ended.
func (m *match) test() bool {
	if m.cfg.SPRT == nil || m.end < m.cfg.Games {
		return m.end < m.cfg.Games
	}
	for {
		at := 2 * m.tested.Pairs()
		first, second := m.games[at], m.games[at+1]
		if at+2 > m.cfg.Games || first == nil || second == nil {
			return false
		}
		_ = m.tested.Add(m.points(first), m.points(second)) // points of two games
		if _, v := m.cfg.SPRT.Test(m.tested); v != GoOn {
			m.end = at + 2
			return true
		}
	}
}

// counted are the games that there are and that count, in order.
func (m *match) counted() []*kept {
	var list []*kept
	for n, g := range m.games {
		if n < m.end {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b *kept) int { return a.number - b.number })
	return list
}

// missing is the number of games that there are not.
func (m *match) missing() int { return m.end - len(m.counted()) }
