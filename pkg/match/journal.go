package match

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"reflect"
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
	told     Plan // in the journal
	others   int  // games in the journal with a different key
	beyond   int  // highest number, from 1, of a game in the journal that has the right key but is one too many
}

// place identifies a game of a tournament.
type place struct {
	Pair
	number int
}

// journaled is an entry of a journal: a game, or the plan of a tournament that begins or continues.
type journaled struct {
	Key, PGN string `json:",omitempty"`
	Replaces bool   `json:",omitempty"` // an earlier entry of this game, which was wrong
	Plan     Plan   `json:",omitzero"`
}

// Plan tells those who watch a journal which of its games count.
type Plan struct {
	Total int            // games of the tournament
	Games map[string]int // games of each pair, by its key
}

// plan returns the plan of the tournament.
func (a *Games) plan() Plan {
	p := Plan{a.total, map[string]int{}}
	for _, f := range a.fixtures {
		p.Games[a.key(f.Pair)] = max(p.Games[a.key(f.Pair)], f.Games)
	}
	return p
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
	_, held := errors.AsType[*disk.HeldError](err)
	_, unread := errors.AsType[*fs.PathError](err)
	if held || unread {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w (delete it to play its games again)", err)
	}
	if plan := a.plan(); !reflect.DeepEqual(a.told, plan) {
		var entry []byte
		if entry, err = json.Marshal(journaled{Plan: plan}); err == nil {
			err = a.journal.Add(entry)
		}
		if err != nil {
			return nil, errors.Join(err, a.journal.Close())
		}
	}
	return a.journal, nil
}

// Peek restores the games of a journal without changing the journal.
func (a *Games) Peek(journal string) error { return disk.ReadJournal(journal, JournalHead, a.replay) }

func (a *Games) replay(entry []byte) error {
	var e journaled
	if err := json.Unmarshal(entry, &e); err != nil {
		return err
	}
	if e.Plan.Total > 0 {
		a.told = e.Plan
	}
	return e.read(func(g *Game) error {
		if e.Replaces && e.Key == a.key(g.Pair()) {
			delete(a.games, place{g.Pair(), g.Number})
		}
		if a.take(e.Key, g) {
			return nil
		}
		if e.Key != a.key(g.Pair()) {
			a.others++
		} else if f, ours := a.fixtures[g.Pair()]; ours && g.Number >= f.Games {
			a.beyond = max(a.beyond, g.Number+1)
		}
		return nil
	})
}

// Watched holds what the journal of a tournament has told to those who only watch it.
type Watched struct {
	Plan  Plan
	games map[watchedGame]*Game
	order []watchedGame // by when they ended
}

type watchedGame struct {
	place
	key string // that it was played under
}

// Add adds an entry of the journal.
func (w *Watched) Add(entry []byte) error {
	var e journaled
	if err := json.Unmarshal(entry, &e); err != nil {
		return err
	}
	if e.Plan.Total > 0 {
		w.Plan = e.Plan
	}
	return e.read(func(g *Game) error {
		at := watchedGame{place{g.Pair(), g.Number}, e.Key}
		if _, known := w.games[at]; !known {
			w.order = append(w.order, at)
		}
		if w.games == nil {
			w.games = map[watchedGame]*Game{}
		}
		w.games[at] = g
		return nil
	})
}

// Games returns the games that count, by when they ended.
func (w *Watched) Games() (games []*Game) {
	for _, at := range w.order {
		if at.number < w.Plan.Games[at.key] {
			games = append(games, w.games[at])
		}
	}
	return games
}

// read calls f with the entry's game if it has one.
func (e *journaled) read(f func(*Game) error) error {
	return readPGN(strings.NewReader(e.PGN), func(_ string, g *Game) error { return f(g) })
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
// A game that is not missing changes nothing.
func (a *Games) Add(key string, g *Game) error {
	if !a.take(key, g) || a.journal == nil {
		return nil
	}
	return a.keep(key, g, false)
}

// Replace replaces a game that was added and turned out to be wrong. It adds a game that is missing.
func (a *Games) Replace(key string, g *Game) error {
	at := place{g.Pair(), g.Number}
	old := a.games[at]
	delete(a.games, at)
	if !a.take(key, g) {
		return fmt.Errorf("%s - %s, game %d, is not of this tournament", g.White, g.Black, g.Number+1)
	}
	return a.keep(key, g, old != nil)
}

// keep writes a game to the journal.
func (a *Games) keep(key string, g *Game, replaces bool) error {
	text, err := a.Pack(g)
	if err != nil {
		return err
	}
	entry, err := json.Marshal(journaled{Key: key, PGN: string(text), Replaces: replaces})
	if err != nil {
		return err
	}
	return a.journal.Add(entry)
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

// Missing returns the number of games of a fixture that are not finished, without its first
// games.
func (a *Games) Missing(f Fixture, first int) (n int) {
	for i := first; i < f.Games; i++ {
		if a.games[place{f.Pair, i}] == nil {
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
	for _, at := range a.places() {
		if g := a.games[at]; g != nil {
			games = append(games, g)
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
	var adding sync.Mutex
	var games []place // to play
	for _, at := range a.places() {
		if a.games[at] == nil {
			games = append(games, at)
		}
	}
	taken := 0
	next := func(bool) *place {
		adding.Lock()
		defer adding.Unlock()
		if taken == len(games) || a.ready != nil && !a.ready(games[taken].number) {
			return nil
		}
		taken++
		return &games[taken-1]
	}
	return a.play(ctx, len(games), next, func(g *Game) error {
		adding.Lock()
		defer adding.Unlock()
		if err := a.Add(a.key(g.Pair()), g); err != nil {
			return err
		}
		return played(g)
	})
}

// PlayNumbers plays the games with the numbers that it receives, see [Games.Numbers], until todo
// is closed. It adds none of them. It calls played with each, one call at a time.
func (a *Games) PlayNumbers(ctx context.Context, todo <-chan int, played func(number int, g *Game) error) error {
	var all []place
	numbers := map[place]int{}
	for n, at := range a.places() {
		all = append(all, at)
		numbers[at] = n
	}
	next := func(wait bool) *place {
		var n int
		more := false
		if wait {
			select {
			case <-ctx.Done():
			case n, more = <-todo:
			}
		} else {
			select {
			case n, more = <-todo:
			default:
			}
		}
		if !more || n < 0 || n >= len(all) {
			return nil
		}
		return &all[n]
	}
	var playing sync.Mutex
	return a.play(ctx, cap(todo), next, func(g *Game) error {
		playing.Lock()
		defer playing.Unlock()
		return played(numbers[place{g.Pair(), g.Number}], g)
	})
}

// Numbers returns the numbers of the missing games of pairs of which both players are wanted.
// A game's number is its position in the list of all games, by pair in the order of [Fixtures].
func (a *Games) Numbers(wanted func(player string) bool) (numbers []int) {
	for n, at := range a.places() {
		if wanted(at.A) && wanted(at.B) && a.games[at] == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// places yields all games of the tournament with their numbers.
func (a *Games) places() iter.Seq2[int, place] {
	return func(yield func(int, place) bool) {
		n := 0
		for _, f := range a.Fixtures() {
			for i := range f.Games {
				if !yield(n, place{f.Pair, i}) {
					return
				}
				n++
			}
		}
	}
}

// Pack returns a game in PGN. Unpack reads it, and refuses one that is not the game of its number.
func (a *Games) Pack(g *Game) ([]byte, error) {
	var b bytes.Buffer
	err := chess.WritePGN(&b, g.PGN(a.event))
	return b.Bytes(), err
}

// Unpack is the inverse of Pack.
func (a *Games) Unpack(number int, text []byte) (g *Game, err error) {
	err = readPGN(bytes.NewReader(text), func(_ string, read *Game) error {
		if g != nil {
			return errors.New("want one game")
		}
		g = read
		return nil
	})
	for _, f := range a.Fixtures() {
		if number >= 0 && number < f.Games && err == nil && g != nil && g.Pair() == f.Pair && g.Number == number {
			return g, nil
		}
		number -= f.Games
	}
	if err == nil {
		err = errors.New("want the game of the number that was asked for")
	}
	return nil, err
}

// play plays the games that next returns, at most count at once.
func (a *Games) play(ctx context.Context, count int, next func(wait bool) *place, played func(*Game) error) error {
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
	finished := func(g *Game) {
		if err := played(g); err != nil { // for example, the disk is full: further games could not be stored
			cancel(err)
		}
	}
	workers := max(1, min(t.Workers, count))
	together := min(cmp.Or(t.Together, DefaultTogether), (count+workers-1)/workers)
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

// AllGames reads the games of a file that [WriteGames] wrote.
func AllGames(file string) (all []*Game, err error) {
	err = ReadGames(file, func(_ string, g *Game) error {
		all = append(all, g)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
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
		g, err := fromPGN(p)
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
