package match

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// Entry is a player of a tournament.
type Entry struct {
	Name string
	ID   string // what decides its moves, beside the settings of the tournament

	// Rounds is the number of games against each other player, 0 for that of the
	// tournament. A pair plays the smaller number of its two.
	Rounds int

	// New makes the player for a worker, when the worker first needs it. Several workers
	// may call it at once. The tournament closes the player. What two players share must
	// be safe for use by many goroutines.
	New func(worker int) (Player, error)
}

// Tournament says which games are played.
type Tournament struct {
	Variant chess.Variant

	// Start is where games begin, in the words of [chess.ParseStarts]; empty is the start
	// position of the variant. The games 2k and 2k+1 of a pair begin alike, with the
	// colors changed.
	Start []string

	// Book, when it is not empty, has the openings of the games, in place of Start. The
	// games 2k and 2k+1 of every pair have the k-th of an order that Seed draws.
	Book []Opening

	Format Format

	// Rounds is the number of games a pair; with an even number each player has each
	// color as often as the other.
	Rounds int

	// MaxMoves is the number of full moves, those of the opening included, after which a
	// game is a draw with the reason move_limit; 0 for no limit.
	MaxMoves int

	// RandomPlies is the number of random plies at the beginning, after the opening of
	// the book. The games 2k and 2k+1 of a pair have the same.
	RandomPlies int

	Seed uint64

	Workers  int // jobs that are played at once, each with players of its own; 0 is taken as 1
	Together int // games of a pair that are played in lock step, as one job; 0 for all

	Adjudicate Adjudicator // nil: only the rules end games

	// Have reports which games an earlier run has finished: they are not played. nil: no
	// games.
	Have func(p Pair, number int) bool

	// Done is given each game as it ends, in any order, one call at a time.
	Done func(*Game)
}

// Format says which pairs of a tournament meet. The zero Format is a round robin, in
// which all do.
type Format struct {
	_ struct{} `short:"kind"`

	Kind string `key:"kind" enum:"gauntlet ladder" flags:"required" doc:"gauntlet: the first players of the list meet all behind them, who do not meet each other; ladder: everybody meets those near in the list."`
	// First is above 0 in a gauntlet only, Span in a ladder only. Code may leave Kind empty.
	First int `key:"first" default:"1" range:"1.." unit:"players" when:"kind=gauntlet" doc:"How many players run the gauntlet."`
	Span  int `key:"span" default:"1" range:"1.." unit:"players" when:"kind=ladder" doc:"How far apart in the list those may stand who meet."`
}

// Fixture is a pair with the number of its games.
type Fixture struct {
	Pair
	Games int
}

// Fixtures lists the pairs of a tournament in the order of its players: the first
// against the others, the second against those after it, and so on.
func Fixtures(t Tournament, entries []Entry) []Fixture {
	rounds := func(e Entry) int {
		if e.Rounds > 0 {
			return e.Rounds
		}
		return t.Rounds
	}
	f := t.Format
	var fixtures []Fixture
	for i, a := range entries {
		for j := i + 1; j < len(entries); j++ {
			if (f.First == 0 || i < f.First && j >= f.First) && (f.Span == 0 || j-i <= f.Span) {
				fixtures = append(fixtures, Fixture{NewPair(a.Name, entries[j].Name), min(rounds(a), rounds(entries[j]))})
			}
		}
	}
	return fixtures
}

// Play plays the games of a tournament that are missing. It returns when all are
// finished, or at the first error that is not a player's own fault, or with the cause of
// ctx; games that were then being played are lost, and the next run plays them from
// their beginning.
func Play(ctx context.Context, t Tournament, entries []Entry) error {
	if err := t.validate(entries); err != nil {
		return err
	}
	start, err := chess.ParseStarts(t.Variant, t.Start)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := t.jobs(entries)
	var next atomic.Int64
	var finished sync.Mutex
	var wg sync.WaitGroup
	for number := range max(1, min(t.Workers, len(jobs))) {
		wg.Go(func() {
			w := &worker{tournament: &t, number: number, start: start, entries: entries, players: map[string]Player{}, finished: &finished}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) {
					break
				}
				if err := w.play(ctx, jobs[i]); err != nil {
					cancel(err)
				}
			}
			if err := w.close(); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// validate returns an error for a tournament that cannot be played.
func (t *Tournament) validate(entries []Entry) error {
	switch {
	case t.Rounds < 1:
		return fmt.Errorf("match: want at least 1 game a pair, have %d", t.Rounds)
	case t.MaxMoves < 0 || t.RandomPlies < 0 || t.Together < 0 || t.Workers < 0:
		return fmt.Errorf("match: negative number: max moves %d, random plies %d, together %d, workers %d",
			t.MaxMoves, t.RandomPlies, t.Together, t.Workers)
	case t.MaxMoves > 0 && t.RandomPlies >= 2*t.MaxMoves:
		return fmt.Errorf("match: %d random plies leave nothing of %d moves", t.RandomPlies, t.MaxMoves)
	case t.Format.First < 0 || t.Format.Span < 0 || t.Format.First > 0 && t.Format.Span > 0:
		return fmt.Errorf("match: want a gauntlet or a ladder, of 1 or more, have %+v", t.Format)
	case t.Format.First >= len(entries):
		return fmt.Errorf("match: a gauntlet of %d players leaves no opponent among %d", t.Format.First, len(entries))
	case len(entries) < 2:
		return fmt.Errorf("match: a tournament needs two players, have %d", len(entries))
	}
	seen := map[string]bool{}
	for _, e := range entries {
		switch {
		case e.Name == "" || strings.ContainsAny(e.Name, "\r\n"):
			return fmt.Errorf("match: %q is no name of a player", e.Name)
		case seen[e.Name]:
			return fmt.Errorf("match: two players are called %q", e.Name)
		case e.Rounds < 0:
			return fmt.Errorf("match: player %s: want 0 or more rounds, have %d", e.Name, e.Rounds)
		case e.New == nil:
			return fmt.Errorf("match: player %s: New is nil", e.Name)
		}
		seen[e.Name] = true
	}
	return nil
}

// job is some games of a pair, which are played in lock step.
type job struct {
	Pair
	numbers []int
	match   int // Turn.Match of the pair's game 0
}

// jobs lists the games that are missing, in the order of the fixtures.
func (t *Tournament) jobs(entries []Entry) []job {
	var all []job
	match := 0
	for _, f := range Fixtures(*t, entries) {
		var missing []int
		for n := range f.Games {
			if t.Have == nil || !t.Have(f.Pair, n) {
				missing = append(missing, n)
			}
		}
		together := t.Together
		if together == 0 {
			together = max(1, len(missing))
		}
		for numbers := range slices.Chunk(missing, together) {
			all = append(all, job{f.Pair, numbers, match})
		}
		match += f.Games
	}
	return all
}

// worker plays jobs, one at a time.
type worker struct {
	tournament *Tournament
	number     int
	start      chess.Starts
	entries    []Entry
	players    map[string]Player
	finished   *sync.Mutex // of calls of Tournament.Done
}

// player returns the worker's player of a name, which it makes when it is first needed.
func (w *worker) player(name string) (Player, error) {
	if p := w.players[name]; p != nil {
		return p, nil
	}
	i := slices.IndexFunc(w.entries, func(e Entry) bool { return e.Name == name })
	p, err := w.entries[i].New(w.number)
	if err != nil {
		return nil, fmt.Errorf("match: player %s: %w", name, err)
	}
	if p.Name() != name {
		return nil, errors.Join(fmt.Errorf("match: player %s calls itself %s", name, p.Name()), p.Close())
	}
	w.players[name] = p
	return p, nil
}

// close closes the players.
func (w *worker) close() error {
	var errs []error
	for _, e := range w.entries {
		if p := w.players[e.Name]; p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}

// IllegalMoveError is the fault of a player whose move is not legal.
type IllegalMoveError struct {
	Player string
	Move   chess.Move
	FEN    string
}

func (e *IllegalMoveError) Error() string {
	return fmt.Sprintf("player %s: illegal move %v in %s", e.Player, e.Move, e.FEN)
}

// Is makes it equal to the illegal move of an engine.
func (e *IllegalMoveError) Is(target error) bool { return target == uci.ErrIllegalMove }
