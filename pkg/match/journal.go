package match

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/uci"
)

// Games plays a tournament and keeps its games, so that a killed tournament continues from
// its finished games. A game is a function of its pair, its number and the pair's key. A
// game that was played under the same key, in this run or another, is not played again.
type Games struct {
	tournament Tournament
	entries    []Entry
	event      string            // event tag of the PGN games
	key        func(Pair) string // identifies everything that determines a pair's games except their numbers

	// ready reports whether a game may begin; nil means that every game may. The first game that
	// is not finished must be ready.
	ready func(number int) bool

	fixtures map[Pair]Fixture
	games    map[place]*Game
	total    int
	journal  *disk.Journal
	told     int // total in the journal
	others   int // games in the journal with a different key
}

// place identifies a game of a tournament.
type place struct {
	Pair
	number int
}

// journaled is an entry of a journal: a game, or how many games there will be.
type journaled struct {
	Key, PGN string `json:",omitempty"`
	Total    int    `json:",omitempty"`
}

// JournalHead begins the head of every journal of games; the kind of machine follows. The keys
// are in the entries.
var JournalHead = []byte("games with their keys\n")

// NewGames returns the state of a tournament before its first game.
func NewGames(t Tournament, entries []Entry, event string, key func(Pair) string) *Games {
	a := &Games{tournament: t, entries: entries, event: event, key: key, fixtures: map[Pair]Fixture{}, games: map[place]*Game{}}
	for _, f := range Fixtures(t, entries) {
		a.fixtures[f.Pair] = f
		a.total += f.Games
	}
	return a
}

// Open restores the games of a journal, or creates the journal, and then appends every
// added game to it. It empties a journal of another kind of machine; an empty kind is any.
// Open returns the journal: what was damaged or of another kind is played again.
func (a *Games) Open(journal, kind string) (*disk.Journal, error) {
	var err error
	a.journal, err = disk.OpenJournal(journal, append(slices.Clip(JournalHead), kind...), a.replay)
	if err != nil {
		return nil, fmt.Errorf("%w (delete it to play its games again)", err)
	}
	if a.told != a.total { // for those who watch
		var entry []byte
		if entry, err = json.Marshal(journaled{Total: a.total}); err == nil {
			err = a.journal.Add(entry)
		}
	}
	return a.journal, err
}

// Peek restores the games of a journal without changing the journal.
func (a *Games) Peek(journal string) error { return disk.ReadJournal(journal, JournalHead, a.replay) }

func (a *Games) replay(entry []byte) error {
	total, err := ReadEntry(entry, func(key string, g *Game) error {
		if !a.take(key, g) && key != a.key(g.Pair()) {
			a.others++
		}
		return nil
	})
	if total > 0 {
		a.told = total
	}
	return err
}

// ReadEntry calls f with the game of an entry of a journal, and the key under which it was
// played. An entry without a game has the number of all games of the tournament.
func ReadEntry(entry []byte, f func(key string, g *Game) error) (total int, err error) {
	var e journaled
	if err := json.Unmarshal(entry, &e); err != nil {
		return 0, err
	}
	return e.Total, readPGN(bytes.NewReader([]byte(e.PGN)), func(_ string, g *Game) error { return f(e.Key, g) })
}

func (a *Games) Close() error {
	j := a.journal
	a.journal = nil
	if j == nil {
		return nil
	}
	return j.Close()
}

// Add adds a game that was played under a key, and writes it to the journal if one is open.
// It reports whether the game was missing.
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
	entry, err := json.Marshal(journaled{Key: key, PGN: b.String()})
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

// Has reports whether a game is finished.
func (a *Games) Has(p Pair, number int) bool { return a.games[place{p, number}] != nil }

// Missing returns the number of games of a fixture that are not finished, without its first
// games.
func (a *Games) Missing(f Fixture, first int) (n int) {
	for i := first; i < f.Games; i++ {
		if !a.Has(f.Pair, i) {
			n++
		}
	}
	return n
}

// Len returns the number of finished games. Total returns the number of games in the
// tournament.
func (a *Games) Len() int   { return len(a.games) }
func (a *Games) Total() int { return a.total }

// All returns the finished games by pair, in the order of [Fixtures], and then by number.
func (a *Games) All() []*Game {
	games := make([]*Game, 0, len(a.games))
	for _, f := range a.Fixtures() {
		for n := range f.Games {
			if g := a.games[place{f.Pair, n}]; g != nil {
				games = append(games, g)
			}
		}
	}
	return games
}

// ErrEnough ends a tournament early without an error, see [Games.Play].
var ErrEnough = errors.New("enough games")

// Play plays the missing games. It adds each game and then calls played with it, one call at
// a time and in the order in which games end. It returns when all games are finished, at an
// error of played ([ErrEnough] is none for the caller), at the first error that is not a
// player's own fault, or with the cause of ctx. Unfinished games are lost then, and the next
// run plays them from their beginning.
func (a *Games) Play(ctx context.Context, played func(*Game) error) error {
	t := &a.tournament
	if err := t.validate(a.entries); err != nil {
		return err
	}
	start, err := chess.ParseStarts(t.Variant, t.Start)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var adding sync.Mutex
	finished := func(g *Game) {
		adding.Lock()
		defer adding.Unlock()
		_, err := a.Add(a.key(g.Pair()), g)
		if err == nil {
			err = played(g)
		}
		if err != nil { // for example, the disk is full: further games could not be stored
			cancel(err)
		}
	}
	games := a.missing()
	workers := max(1, min(t.Workers, len(games)))
	together := min(cmp.Or(t.Together, DefaultTogether), (len(games)+workers-1)/workers)
	taken := 0
	next := func() *place {
		adding.Lock()
		defer adding.Unlock()
		if taken == len(games) || a.ready != nil && !a.ready(games[taken].number) {
			return nil
		}
		taken++
		return &games[taken-1]
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			w := &worker{Games: a, start: start, players: map[string]Player{}, next: next, together: together, finished: finished}
			if err := w.play(ctx); err != nil {
				cancel(err)
			}
			for _, p := range w.players {
				p.Close()
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); !errors.Is(err, ErrEnough) {
		return err
	}
	return nil
}

// Fixtures lists the pairs of the tournament in its order.
func (a *Games) Fixtures() []Fixture { return Fixtures(a.tournament, a.entries) }

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

// ReadGames calls f with each game, and its event, of a file that [WriteGames] wrote.
func ReadGames(file string, f func(event string, g *Game) error) error {
	r, err := disk.Open(file)
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

// Faults returns the failures of the players: crashes of engines that were started again,
// and last the fault that lost the game.
func (g *Game) Faults() []error {
	var all []error
	game := fmt.Sprintf("%s - %s, game %d", g.White, g.Black, g.Number+1)
	for _, crash := range g.Crashes {
		all = append(all, fmt.Errorf("%s: %w; it was started again", game, crash))
	}
	if g.Fault != nil {
		all = append(all, fmt.Errorf("%s: %s: %w", game, g.Outcome, g.Fault))
	}
	return all
}

// LogFaults returns a text about the faults of a game; it is empty if there are none. It
// appends them to a file, unless its name is empty, each with the last lines exchanged with
// the engine. The log contains times and is not a result.
func (g *Game) LogFaults(file string) (note string, err error) {
	faults := g.Faults()
	if len(faults) == 0 {
		return "", nil
	}
	note = errors.Join(faults...).Error()
	if file == "" {
		return note, nil
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, fault := range faults {
		fmt.Fprintf(&text, "%s  %v\n", time.Now().UTC().Format(time.RFC3339), fault)
		if e, ok := errors.AsType[*uci.Error](fault); ok {
			text.WriteString(e.Transcript())
		}
		text.WriteString("\n")
	}
	_, err = f.WriteString(text.String())
	return note + " (see " + file + ")", errors.Join(err, f.Close())
}
