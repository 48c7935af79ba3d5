package match

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/disk"
)

// Config describes a match: a tournament of two players.
type Config struct {
	// Tournament has the games, Rounds in number. Workers is the number of games at once; it
	// does not change the games unless a player is limited by time. Run sets Together.
	Tournament

	Players [2]*Opened
	SPRT    *SPRT   // nil: no test
	File    string  // PGN file of the games; "" stores no games
	Watch   Watcher // may be nil

	tuning *Tuning // the match is one of a tuning
}

// Watcher shows the progress of a match, as the task of a run does (package run). Calls do
// not overlap.
type Watcher interface {
	Resume(games int) // games in the file and its journal
	Set(games, total int, how string)
	Standings(current func() (line string, table []string))
	// Note reports the games of the file, and games with faults of players.
	Note(text string)
}

// match is a running match.
type match struct {
	cfg     *Config
	games   *Games
	pair    Pair
	players []Entry // the first one is player A of the summary
	had     int     // games in the file; these have the lowest numbers

	// tested counts the pairs that the sequential test has used, in order.
	tested Pentanomial
	end    int // number of games that count: all, or those up to the end of the test
}

// Run plays a match until all games are played or the test ends. Games in the file are not
// played again. After an error or cancellation, the file's journal holds the finished
// games, and the next Run continues from there.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	m := &match{cfg: &cfg, end: cfg.Rounds}
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	return m.summary(), nil
}

// run plays the missing games and writes the file.
func (m *match) run(ctx context.Context) error {
	err := m.cfg.validate()
	if err == nil {
		err = m.prepare(ctx)
	}
	if err == nil {
		err = m.restore()
	}
	if err != nil {
		return err
	}
	if !m.test() {
		err = m.games.Play(ctx, m.played)
	}
	if err = errors.Join(err, m.games.Close()); err == nil {
		err = m.finish()
	}
	return err
}

func (c *Config) validate() error {
	if c.Workers < 1 {
		return fmt.Errorf("match: want 1 or more games at once, have %d", c.Workers)
	}
	if c.SPRT != nil {
		if err := c.SPRT.Validate(); err != nil {
			return err
		}
	}
	return c.Judge.Validate()
}

// prepare sets up the players and the games.
func (m *match) prepare(ctx context.Context) error {
	t := m.cfg.Tournament
	chess960, err := t.Chess960()
	if err != nil {
		return err
	}
	t.Together = 1
	if slices.ContainsFunc(m.cfg.Players[:], func(p *Opened) bool { return p.Model != nil }) { // a network evaluates many games as fast as a few
		t.Workers, t.Together = 1, t.Workers
	}
	processes := min(t.Together, runtime.GOMAXPROCS(0)) // more would think slower than they do alone
	if m.players, err = Entries(ctx, m.cfg.Players[:], t.Variant, chess960, processes); err != nil {
		return err
	}
	if m.cfg.tuning != nil {
		m.cfg.tuning.sides(m.players)
	}
	if err := t.validate(m.players); err != nil {
		return err
	}
	m.pair = NewPair(m.players[0].Name, m.players[1].Name)
	name := m.name()
	m.games = NewGames(t, m.players, name, func(Pair) string { return name })
	if m.cfg.tuning != nil {
		m.games.ready = func(number int) bool { return m.cfg.tuning.SPSA.ready(number / 2) }
	}
	return nil
}

// name identifies everything that determines the games of the match. Two matches with the
// same name differ at most in their number of games.
func (m *match) name() string {
	cfg := m.cfg
	var b strings.Builder
	fmt.Fprintf(&b, "3 %s %q %d %d %d %v", cfg.Variant.Spec(), cfg.Start, cfg.RandomPlies, cfg.MaxMoves, cfg.Seed, cfg.Judge)
	for _, o := range cfg.Book {
		fmt.Fprint(&b, " ", o.Start.FEN(), o.Moves)
	}
	for _, p := range m.players {
		fmt.Fprintf(&b, " %q %q", p.Name, p.ID)
	}
	return "match " + disk.SumOf([]byte(b.String()))[:16]
}

func (m *match) journal() string { return m.cfg.File + ".journal" }

var errOther = errors.New("it has games of another match, or of one with other settings or players, of which device and precision are a part: move it away, or name another file")

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
		return m.games.Add(event, g)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m.had > m.cfg.Rounds {
		return fmt.Errorf("%s already has %d games (%d pairs) of this match: ask for at least as many", file, m.had, m.had/2)
	}
	if err := m.games.Peek(m.journal()); err != nil {
		return err
	}
	if m.games.others > 0 {
		return fmt.Errorf("%s: %w", m.journal(), errOther)
	}
	if n := m.games.beyond; n > 0 {
		return fmt.Errorf("%s has a game of this match with the number %d: ask for at least %d", m.journal(), n, n)
	}
	if _, err := m.games.Open(m.journal(), ""); err != nil {
		return err
	}
	if n := m.games.Len(); n > 0 && m.cfg.Watch != nil {
		m.cfg.Watch.Resume(n)
		m.cfg.Watch.Note("continuing after " + english.Plural(n, "game", ""))
	}
	return nil
}

// played records a finished game. It returns [ErrEnough] when the test has ended.
func (m *match) played(g *Game) error {
	over := m.test()
	log := ""
	if m.cfg.File != "" {
		log = strings.TrimSuffix(m.cfg.File, ".pgn") + ".faults.log"
	}
	faults, err := g.LogFaults(log)
	if err != nil {
		return err
	}
	if w := m.cfg.Watch; w != nil {
		if faults != "" {
			w.Note(faults)
		}
		if t := m.cfg.tuning; t != nil {
			w.Set(m.games.Len(), m.cfg.Rounds, t.state())
		} else {
			w.Set(m.games.Len(), m.cfg.Rounds, g.Outcome.String())
			w.Standings(func() (string, []string) {
				s := m.summary()
				return s.Line(), s.Table()
			})
		}
	}
	if over {
		return ErrEnough
	}
	return nil
}

// test adds pairs to the sequential test, or to the tuning, in the order of their numbers. It
// reports whether the test has ended.
func (m *match) test() bool {
	for (m.cfg.SPRT != nil || m.cfg.tuning != nil) && m.end == m.cfg.Rounds {
		at := 2 * m.tested.Pairs()
		first, second := m.games.games[place{m.pair, at}], m.games.games[place{m.pair, at + 1}]
		if at+2 > m.cfg.Rounds || first == nil || second == nil {
			return false
		}
		a := m.players[0].Name
		points := first.Points(a) + second.Points(a)
		m.tested.add(points)
		if t := m.cfg.tuning; t != nil {
			t.SPSA.Add(points)
		} else if m.cfg.SPRT.Test(m.tested).Verdict != Undecided {
			m.end = at + 2
		}
	}
	return m.end < m.cfg.Rounds
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
	if m.games.Len() > m.had {
		games := m.upTo(max(m.end, m.had))
		if err := disk.WriteFile(m.cfg.File, func(w io.Writer) error { return WriteGames(w, m.games.event, games) }); err != nil {
			return err
		}
	}
	return disk.Remove(m.journal())
}
