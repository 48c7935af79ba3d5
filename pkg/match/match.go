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

// Config describes a two-player match.
type Config struct {
	Players [2]*Spec
	Opener  Opener         // finds and opens the networks
	Variant *chess.Variant // nil: the variant of the networks, else standard chess

	Games       int
	Seed        uint64
	Start       []string // start positions, in the syntax of [chess.ParseStarts]
	Book        Book     // replaces Start
	RandomPlies int
	MaxMoves    int // 0: no limit
	Judge       Judge
	SPRT        *SPRT // nil: no test

	Visits int // for networks without their own limit

	// Concurrency is the number of games at once. It does not change the games unless a
	// player is limited by time.
	Concurrency int
	Timeouts    uci.Timeouts

	// File is the PGN file of the games. "" stores no games.
	File string

	Watch Watcher // may be nil
}

// DefaultConcurrency returns the default number of games at once. It is the number of
// cores, or more with a network, because a network evaluates many positions at little more
// than the cost of one.
func (c *Config) DefaultConcurrency(cores int) int {
	if c.Players[0].Network() != "" || c.Players[1].Network() != "" {
		return 32
	}
	return cores
}

// Watcher follows a match. Calls do not overlap.
type Watcher interface {
	// Resumed reports the number of games in the file and its journal.
	Resumed(games int)
	// Played reports a finished game and the number of finished games. summary returns the
	// current state of the match.
	Played(g *Game, games int, summary func() *Summary)
	// Fault reports a game that a player lost by its own fault. file holds the last lines
	// exchanged with the engine; it is "" if there is no file.
	Fault(g *Game, file string)
}

// match is a running match.
type match struct {
	cfg     *Config
	games   *Games
	pair    Pair
	players []Entry // the first one is player A of the summary
	variant chess.Variant
	had     int  // games in the file; these have the lowest numbers
	changed bool // the file lacks games

	// tested counts the pairs that the sequential test has used, in order.
	tested Pentanomial
	end    int // number of games that count: all, or those up to the end of the test
}

// Run plays a match until all games are played or the test ends. Games in the file are not
// played again. After an error or cancellation, the file's journal holds the finished
// games, and the next Run continues from there.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	defer cfg.Opener.Close()
	m := &match{cfg: &cfg, end: cfg.Games}
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	err := m.restore()
	if err != nil {
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
	if min(c.Games, c.Visits, c.Concurrency) < 1 {
		return fmt.Errorf("match: want 1 or more games, visits and games at once, have %d, %d and %d", c.Games, c.Visits, c.Concurrency)
	}
	if c.SPRT != nil {
		if err := c.SPRT.Validate(); err != nil {
			return err
		}
	}
	return c.Judge.Validate()
}

// prepare sets up the players and the start positions.
func (m *match) prepare(ctx context.Context) error {
	cfg := m.cfg
	LimitVisits(cfg.Players[:], cfg.Visits)
	opened, v, err := cfg.Opener.OpenAll(cfg.Players[:], cfg.Variant)
	if err != nil {
		return err
	}
	m.variant = v
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
	if slices.ContainsFunc(opened, func(p *Opened) bool { return p.Model != nil }) { // a network evaluates many games as fast as a few
		together = cfg.Concurrency
	}
	if m.players, err = Entries(ctx, opened, v, is960, together, cfg.Timeouts); err != nil {
		return err
	}
	m.pair = NewPair(m.players[0].Name, m.players[1].Name)
	t := Tournament{
		Variant: m.variant, Start: cfg.Start, Book: book, Rounds: cfg.Games, MaxMoves: cfg.MaxMoves, RandomPlies: cfg.RandomPlies,
		Seed: cfg.Seed, Judge: cfg.Judge, Workers: cfg.Concurrency / together, Together: together,
	}
	name := m.name(book)
	m.games = NewGames(t, m.players, name, func(Pair) string { return name })
	return nil
}

// name identifies everything that determines the games of the match. Two matches with the
// same name differ at most in their number of games.
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

// restore loads the games of the file and its journal.
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

// played records a finished game and reports whether the test has ended.
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

// test adds pairs to the sequential test in the order of their numbers. It reports whether
// the test has ended.
func (m *match) test() bool {
	for m.cfg.SPRT != nil && m.end == m.cfg.Games {
		at := 2 * m.tested.Pairs()
		first, second := m.games.games[place{m.pair, at}], m.games.games[place{m.pair, at + 1}]
		if at+2 > m.cfg.Games || first == nil || second == nil {
			return false
		}
		a := m.players[0].Name
		m.tested.add(first.points(a), second.points(a))
		if m.cfg.SPRT.Test(m.tested).Verdict != Undecided {
			m.end = at + 2
		}
	}
	return m.end < m.cfg.Games
}

// upTo returns the games with numbers below end, in order.
func (m *match) upTo(end int) []*Game {
	return slices.DeleteFunc(m.games.All(), func(g *Game) bool { return g.Number >= end })
}

// finish writes the games in order to the file, unless the file is complete. It leaves out
// games after the end of the test, which were running when the test ended, so that the file
// does not depend on timing. It never removes games from an existing file.
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

// Book is a file of openings. The zero Book has no openings.
type Book struct {
	File  string
	Plies int // plies used from each game; 0: all
}

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
