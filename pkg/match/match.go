package match

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/disk"

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
	SPRT        *SPRT // nil: no test

	Visits int // of networks that have no limit of their own

	// Concurrency is the number of games at once. It changes no game, unless a player
	// has a limit of time.
	Concurrency int
	Timeouts    uci.Timeouts

	// File is where games are kept, in PGN; "" keeps no games.
	File string

	Watch Watcher // may be nil
}

// DefaultConcurrency returns a good number of games at once: the number of cores, but
// more with a network, which evaluates many positions at hardly more than the cost of
// one.
func (c *Config) DefaultConcurrency(cores int) int {
	if c.Players[0].Network() != "" || c.Players[1].Network() != "" {
		return 32
	}
	return cores
}

// Watcher follows a match; it gets one call at a time.
type Watcher interface {
	// Resumed reports how many games the file and its journal have.
	Resumed(games int)
	// Played reports a game that has ended, and the number of games so far. summary
	// returns how the match stands.
	Played(g *Game, games int, summary func() *Summary)
	// Fault reports a game that a player lost by its own fault, and the file that has the
	// end of the conversation with it, "" without one.
	Fault(g *Game, file string)
}

// match is a match under way.
type match struct {
	cfg     *Config
	games   *Games
	pair    Pair
	players []Entry // the first one is A of the summary
	variant chess.Variant
	had     int  // games of the file, which has those of the lowest numbers
	changed bool // the file lacks games

	// Of the sequential test: the pairs in order that it has looked at.
	tested Pentanomial
	end    int // games that count: all, or those at which the test has ended
}

// Run plays a match until its end or that of its test. It does not play games again that
// are in the file. After an error, or the end of ctx, the file's journal has the games
// that were finished, and the next Run continues from there.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	lineup, err := cfg.Opener.Open(cfg.Players[:], cfg.Variant, cfg.Visits)
	if err != nil {
		return nil, err
	}
	defer lineup.Close()
	m := &match{cfg: &cfg, end: cfg.Games, variant: lineup.Variant}
	if err := m.prepare(ctx, lineup); err != nil {
		return nil, err
	}
	if err := m.restore(); err != nil {
		return nil, err
	}
	if !m.test() {
		err = m.games.Play(ctx, m.played)
	}
	if err = errors.Join(err, m.games.Close()); err == nil {
		err = m.finish()
	}
	if err != nil {
		return nil, err
	}
	return m.summary(), nil
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
func (m *match) prepare(ctx context.Context, lineup *Lineup) error {
	cfg := m.cfg
	for i, p := range cfg.Players {
		if lineup.LacksPolicy(i) {
			return fmt.Errorf("%s: its network has no policy, only a value: want alphabeta:%s,depth=N", p.Policy, p.Policy)
		}
	}
	starts, err := chess.ParseStarts(m.variant, cfg.Start)
	if err != nil {
		return err
	}
	book, err := cfg.Book.read(m.variant)
	if err != nil {
		return err
	}
	is960 := starts.Any(uci.Chess960) || slices.ContainsFunc(book, func(o Opening) bool { return uci.Chess960(&o.Start) })
	together := 1
	if lineup.Networks() { // they answer many games as fast as a few
		together = cfg.Concurrency
	}
	if m.players, err = lineup.Entries(ctx, is960, together, cfg.Timeouts); err != nil {
		return err
	}
	m.pair = NewPair(m.players[0].Name, m.players[1].Name)
	t := Tournament{
		Variant: m.variant, Start: cfg.Start, Book: book, Rounds: cfg.Games, MaxMoves: cfg.MaxMoves, RandomPlies: cfg.RandomPlies,
		Seed: cfg.Seed, Workers: cfg.Concurrency / together, Together: together,
	}
	if cfg.Judge != (Judge{}) {
		t.Adjudicate = cfg.Judge.Adjudicate
	}
	name := m.name(book)
	m.games = NewGames(t, m.players, name, func(Pair) string { return name })
	return nil
}

// name returns a name of all that decides the games of the match: two matches of one
// name differ at most in how many games they have.
func (m *match) name(book []Opening) string {
	cfg := m.cfg
	h := sha256.New()
	fmt.Fprintf(h, "1 %v %q %d %d %d %v", m.variant, cfg.Start, cfg.RandomPlies, cfg.MaxMoves, cfg.Seed, cfg.Judge)
	for i := range book {
		fmt.Fprint(h, " ", book[i].Start.FEN(), book[i].Moves)
	}
	for _, p := range m.players {
		fmt.Fprintf(h, " %q %q", p.Name, p.ID)
	}
	return "match " + hex.EncodeToString(h.Sum(nil))[:16]
}

func (m *match) journal() string { return m.cfg.File + ".journal" }

var errOther = errors.New("it has games of another match, or of one with other settings or players: move it away, or name another file")

// restore takes the games of the file and its journal.
func (m *match) restore() error {
	file := m.cfg.File
	if file == "" {
		return nil
	}
	err := ReadGames(file, func(event string, g *Game) error {
		if event != m.games.event {
			return errOther
		}
		m.had++
		_, err := m.games.Add(event, g)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m.had > m.cfg.Games {
		return fmt.Errorf("%s has %d games of this match: want that many, or more", file, m.had)
	}
	if _, err := m.games.Open(m.journal()); err != nil {
		return err
	}
	if m.games.others > 0 {
		return errors.Join(fmt.Errorf("%s: %w", m.journal(), errOther), m.games.Close())
	}
	m.changed = m.games.Len() > m.had
	if m.cfg.Watch != nil {
		m.cfg.Watch.Resumed(m.games.Len())
	}
	return nil
}

// played takes up a game that has ended, and reports whether the test has.
func (m *match) played(g *Game) (over bool, err error) {
	m.changed = true
	w := m.cfg.Watch
	if g.Fault != nil {
		log := ""
		if m.cfg.File != "" {
			log = strings.TrimSuffix(m.cfg.File, ".pgn") + ".faults.log"
			if err := LogFault(log, g); err != nil {
				return false, err
			}
		}
		if w != nil {
			w.Fault(g, log)
		}
	}
	if w != nil {
		w.Played(g, m.games.Len(), m.summary)
	}
	return m.test(), nil
}

// test continues the sequential test, pair by pair in the order of their numbers, and
// reports whether it has ended.
func (m *match) test() bool {
	for m.cfg.SPRT != nil && m.end == m.cfg.Games {
		at := 2 * m.tested.Pairs()
		first, second := m.games.games[place{m.pair, at}], m.games.games[place{m.pair, at + 1}]
		if at+2 > m.cfg.Games || first == nil || second == nil {
			return false
		}
		_ = m.tested.Add(m.points(first), m.points(second)) // points of two games
		if _, v := m.cfg.SPRT.Test(m.tested); v != GoOn {
			m.end = at + 2
		}
	}
	return m.end < m.cfg.Games
}

// points returns those of the first player.
func (m *match) points(g *Game) float64 {
	side := chess.Black
	if g.White == m.players[0].Name {
		side = chess.White
	}
	switch g.Outcome.Result {
	case chess.Draw:
		return 0.5
	case chess.Win(side):
		return 1
	}
	return 0
}

// upTo returns the games of the lowest numbers, in order.
func (m *match) upTo(end int) []*Game {
	return slices.DeleteFunc(m.games.All(), func(g *Game) bool { return g.Number >= end })
}

// finish writes the file of games in their order, unless it has them all. It leaves out
// games after the end of the test, which were under way when the test ended, so that the
// file does not depend on which games ended first. But it takes nothing out of a file.
func (m *match) finish() error {
	if m.cfg.File == "" {
		return nil
	}
	if m.changed {
		games := m.upTo(max(m.end, m.had))
		if err := disk.WriteFile(m.cfg.File, func(w io.Writer) error { return WriteGames(w, m.games.event, games) }); err != nil {
			return err
		}
	}
	return disk.Remove(m.journal())
}

// Book is a file of openings; the zero Book has no openings.
type Book struct {
	File  string
	Plies int // of games; 0: all
}

// read reads the openings.
func (b Book) read(v chess.Variant) ([]Opening, error) {
	if b.File == "" {
		return nil, nil
	}
	f, err := os.Open(b.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	book, err := ReadBook(f, v, b.Plies)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.File, err)
	}
	return book, nil
}
