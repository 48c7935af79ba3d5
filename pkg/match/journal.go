package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/uci"
)

// Games plays a tournament and keeps its games, so that a killed tournament continues
// from those that were finished. A game is a function of its pair, its number and the
// key of the pair. So what was played under a key, here or elsewhere, is not played
// again.
type Games struct {
	tournament Tournament
	entries    []Entry
	event      string            // of games in PGN
	key        func(Pair) string // names what decides the games of a pair beside their numbers

	fixtures map[Pair]Fixture
	games    map[place]*Game
	total    int
	journal  *disk.Journal
	others   int // games of the journal that have another key
}

// place is a game of a tournament.
type place struct {
	Pair
	number int
}

// journaled is an entry of a journal.
type journaled struct{ Key, PGN string }

// journalHead is that of every journal of games: the entries have their keys.
var journalHead = []byte("games with their keys")

// NewGames returns the games of a tournament before any was played.
func NewGames(t Tournament, entries []Entry, event string, key func(Pair) string) *Games {
	a := &Games{tournament: t, entries: entries, event: event, key: key, fixtures: map[Pair]Fixture{}, games: map[place]*Game{}}
	for _, f := range Fixtures(t, entries) {
		a.fixtures[f.Pair] = f
		a.total += f.Games
	}
	return a
}

// Open restores the games of a journal, or makes one, and keeps every game there that is
// added from now on. It returns the bytes of the journal that were damaged; the games
// in them are played again.
func (a *Games) Open(journal string) (damaged int64, err error) {
	a.journal, err = disk.OpenJournal(journal, journalHead, a.replay)
	if err != nil {
		return 0, fmt.Errorf("%w (delete it to play its games again)", err)
	}
	return a.journal.Dropped, nil
}

// Peek restores the games of a journal and changes nothing.
func (a *Games) Peek(journal string) error { return disk.ReadJournal(journal, journalHead, a.replay) }

func (a *Games) replay(entry []byte) error {
	var e journaled
	if err := json.Unmarshal(entry, &e); err != nil {
		return err
	}
	return readPGN(bytes.NewReader([]byte(e.PGN)), func(_ string, g *Game) error {
		if !a.take(e.Key, g) && e.Key != a.key(g.Pair()) {
			a.others++
		}
		return nil
	})
}

// Close closes the journal.
func (a *Games) Close() error {
	j := a.journal
	a.journal = nil
	if j == nil {
		return nil
	}
	return j.Close()
}

// Add adds a game that was played under a key, to the journal too where one is open. It
// reports whether the game was missing.
func (a *Games) Add(key string, g *Game) (bool, error) {
	if !a.take(key, g) {
		return false, nil
	}
	if a.journal == nil {
		return true, nil
	}
	var b bytes.Buffer
	if err := chess.WritePGN(&b, g.PGN(a.event)); err != nil {
		return false, err
	}
	entry, err := json.Marshal(journaled{key, b.String()})
	if err != nil {
		return false, err
	}
	return true, a.journal.Add(entry)
}

func (a *Games) take(key string, g *Game) bool {
	f, ours := a.fixtures[g.Pair()]
	at := place{g.Pair(), g.Number}
	if !ours || g.Number >= f.Games || a.games[at] != nil || a.key(f.Pair) != key {
		return false
	}
	a.games[at] = g
	return true
}

// Has reports whether a game is there.
func (a *Games) Has(p Pair, number int) bool { return a.games[place{p, number}] != nil }

// Len returns the number of games that are there, Total that of all games of the
// tournament.
func (a *Games) Len() int   { return len(a.games) }
func (a *Games) Total() int { return a.total }

// All returns the games that are there, in the order of [SortGames].
func (a *Games) All() []*Game {
	names := make([]string, len(a.entries))
	for i, e := range a.entries {
		names[i] = e.Name
	}
	games := slices.Collect(maps.Values(a.games))
	SortGames(games, names)
	return games
}

// errEnough ends a tournament that its user needs no more games of.
var errEnough = errors.New("enough games")

// Play plays the games that are missing. It calls played with each, one call at a time,
// which returns true to end the tournament.
func (a *Games) Play(ctx context.Context, played func(*Game) (enough bool, err error)) error {
	if a.Len() == a.total {
		return nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	t := a.tournament
	t.Have = a.Has
	t.Done = func(g *Game) {
		_, err := a.Add(a.key(g.Pair()), g)
		enough := false
		if err == nil {
			enough, err = played(g)
		}
		switch {
		case err != nil:
			stop(err) // the disk may be full: games that cannot be kept are not worth playing
		case enough:
			stop(errEnough)
		}
	}
	err := Play(ctx, t, a.entries)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// Fixtures lists the pairs of the tournament in its order.
func (a *Games) Fixtures() []Fixture { return Fixtures(a.tournament, a.entries) }

// Key returns the key of a pair.
func (a *Games) Key(p Pair) string { return a.key(p) }

// WriteGames writes games in PGN.
func WriteGames(w io.Writer, event string, games []*Game) error {
	for _, g := range games {
		if err := chess.WritePGN(w, g.PGN(event)); err != nil {
			return err
		}
	}
	return nil
}

// ReadGames calls f with each game of a file that [WriteGames] wrote, and its event.
func ReadGames(file string, f func(event string, g *Game) error) error {
	r, err := os.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := readPGN(r, f); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func readPGN(r io.Reader, f func(event string, g *Game) error) error {
	for pgn := chess.NewPGNReader(r); ; {
		p, err := pgn.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		g, err := FromPGN(p)
		if err == nil {
			err = f(p.Tag("Event"), g)
		}
		if err != nil {
			return err
		}
	}
}

// FaultText describes the fault by which a player lost a game.
func FaultText(g *Game) string {
	return fmt.Sprintf("%s - %s, game %d: %s: %v", g.White, g.Black, g.Number+1, g.Outcome, g.Fault)
}

// LogFault appends a fault to a file, with the end of the conversation with the engine.
// The log has times and is no result.
func LogFault(file string, g *Game) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	text := time.Now().UTC().Format(time.RFC3339) + "  " + FaultText(g) + "\n"
	var e *uci.Error
	if errors.As(g.Fault, &e) {
		text += e.Transcript()
	}
	_, err = f.WriteString(text + "\n")
	return errors.Join(err, f.Close())
}
