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

// Entrant is a participant of a tournament.
type Entry struct {
	Name string
	ID   string // what decides its moves, beside the settings of the tournament

	// Rounds is how many games the player plays against each other, 0 for as
	// many as the tournament says. A pair plays the smaller number of its two.
	Rounds int

	// New makes the player for a worker. It is called when the worker first
	// needs it, perhaps by several workers at once; the tournament closes the
	// player. What two players share must be safe for use by many goroutines.
	New func(worker int) (Player, error)
}

// Config is a tournament.
type Tournament struct {
	Variant chess.Variant

	// Start is where games begin, in the words of [start.Parse]; empty is the
	// start position of the variant. The games 2k and 2k+1 of a pair begin alike,
	// with the colors changed.
	Start []string

	// Book, when it is not empty, has the openings of the games, in place of Start.
	// The games 2k and 2k+1 of every pair have the k-th of an order that Seed draws.
	Book []Opening

	// Format says who meets whom.
	Format Format

	// Rounds is the number of games a pair; with an even number each player has
	// each color as often as the other.
	Rounds int

	// MaxMoves is the number of full moves, those of the opening included, after
	// which a game is a draw with the reason move_limit; 0 for no limit.
	MaxMoves int

	// RandomPlies is the number of random plies that games begin with, after the
	// opening of the book. The games 2k and 2k+1 of a pair have the same, with the
	// colors changed.
	RandomPlies int

	Seed uint64

	// Workers is how many lots of games are played at once, each with players of its
	// own; 0 is taken as 1. A lot is Together games of a pairing.
	Workers int

	// Together is how many games of a pairing are played in lock-step; 0 for all.
	Together int

	Adjudicate Adjudicator // nil: only the rules end games

	// Have tells which games an earlier run has finished: they are not played.
	Have func(p Pair, number int) bool

	// Done is given each game as it ends, in any order, one call at a time.
	Done func(*Game)
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

// Is makes it one with the illegal move of an engine.
func (e *IllegalMoveError) Is(target error) bool { return target == uci.ErrIllegalMove }

// Fixture is a pairing with the number of its games.
type Fixture struct {
	Pair
	Games int
}

// Format says which pairs of a tournament meet. The zero Format is a round robin:
// all.
type Format struct {
	// Gauntlet is the number of entrants, the first ones, that meet all those behind
	// them; these do not meet among themselves, nor do those. 0: no gauntlet.
	Gauntlet int

	// Ladder is how far apart in the list those may stand who meet: with 1 everybody
	// meets its two neighbors only. 0: no ladder.
	Ladder int
}

// meet tells whether the entrants i < j do.
func (f Format) meet(i, j int) bool {
	return (f.Gauntlet == 0 || i < f.Gauntlet && j >= f.Gauntlet) && (f.Ladder == 0 || j-i <= f.Ladder)
}

// Fixtures lists the pairings of a tournament in the order of the entrants: the
// first against the others, the second against those after it, and so on.
func Fixtures(cfg Tournament, entrants []Entry) []Fixture {
	rounds := func(e Entry) int {
		if e.Rounds > 0 {
			return e.Rounds
		}
		return cfg.Rounds
	}
	var fixtures []Fixture
	for i, a := range entrants {
		for j := i + 1; j < len(entrants); j++ {
			if b := entrants[j]; cfg.Format.meet(i, j) {
				fixtures = append(fixtures, Fixture{NewPair(a.Name, b.Name), min(rounds(a), rounds(b))})
			}
		}
	}
	return fixtures
}

// Play plays the tournament: all its fixtures. It returns when all games are
// finished, or at the first error that is not a player's own fault, or with the
// cause of ctx; games that were then under way are lost, and are played again
// from their beginning by the next run.
func Play(ctx context.Context, cfg Tournament, entrants []Entry) error {
	if err := validate(cfg, entrants); err != nil {
		return err
	}
	from, err := chess.ParseStarts(cfg.Variant, cfg.Start)
	if err != nil {
		return fmt.Errorf("arena: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lots := lots(&cfg, entrants)
	var mu sync.Mutex
	done := func(g *Game) {
		mu.Lock()
		defer mu.Unlock()
		if cfg.Done != nil {
			cfg.Done(g)
		}
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range max(1, min(cfg.Workers, len(lots))) {
		wg.Go(func() {
			room := &workshop{worker: w, start: from, entrants: entrants, players: make(map[string]Player)}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(lots) {
					break
				}
				if err := room.play(ctx, &cfg, &lots[i], done); err != nil {
					cancel(err)
				}
			}
			if err := room.close(); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// validate checks what cannot be played.
func validate(cfg Tournament, entrants []Entry) error {
	switch {
	case cfg.Rounds < 1:
		return fmt.Errorf("arena: want at least 1 game a pair, have %d", cfg.Rounds)
	case cfg.MaxMoves < 0 || cfg.RandomPlies < 0 || cfg.Together < 0 || cfg.Workers < 0:
		return fmt.Errorf("arena: negative number: max moves %d, random plies %d, together %d, workers %d",
			cfg.MaxMoves, cfg.RandomPlies, cfg.Together, cfg.Workers)
	case cfg.MaxMoves > 0 && cfg.RandomPlies >= 2*cfg.MaxMoves:
		return fmt.Errorf("arena: %d random plies leave nothing of %d moves", cfg.RandomPlies, cfg.MaxMoves)
	case cfg.Format.Gauntlet < 0 || cfg.Format.Ladder < 0 || cfg.Format.Gauntlet > 0 && cfg.Format.Ladder > 0:
		return fmt.Errorf("arena: want a gauntlet or a ladder, of 1 or more, have %+v", cfg.Format)
	case cfg.Format.Gauntlet >= len(entrants):
		return fmt.Errorf("arena: a gauntlet of %d players leaves no opponent among %d", cfg.Format.Gauntlet, len(entrants))
	case len(entrants) < 2:
		return fmt.Errorf("arena: a tournament needs two players, have %d", len(entrants))
	}
	seen := make(map[string]bool)
	for _, e := range entrants {
		switch {
		case e.Name == "" || strings.ContainsAny(e.Name, "\r\n"):
			return fmt.Errorf("arena: a player cannot be called %q", e.Name)
		case seen[e.Name]:
			return fmt.Errorf("arena: two players are called %q", e.Name)
		case e.Rounds < 0:
			return fmt.Errorf("arena: player %s: want 0 or more rounds, have %d", e.Name, e.Rounds)
		case e.New == nil:
			return fmt.Errorf("arena: player %s cannot be made: New is nil", e.Name)
		}
		seen[e.Name] = true
	}
	return nil
}

// lot is some games of a pair, which are played in lock-step.
type lot struct {
	Pair
	numbers []int
	match   int // Turn.Match of the pair's first game
}

// lots are the games of a tournament that are missing, in the order of its fixtures.
func lots(cfg *Tournament, entrants []Entry) []lot {
	var all []lot
	match := 0
	for _, f := range Fixtures(*cfg, entrants) {
		var missing []int
		for n := range f.Games {
			if cfg.Have == nil || !cfg.Have(f.Pair, n) {
				missing = append(missing, n)
			}
		}
		together := cfg.Together
		if together == 0 {
			together = max(1, len(missing))
		}
		for numbers := range slices.Chunk(missing, together) {
			all = append(all, lot{f.Pair, numbers, match})
		}
		match += f.Games
	}
	return all
}

// workshop is a worker with its players.
type workshop struct {
	worker   int
	start    chess.Starts
	entrants []Entry
	players  map[string]Player
}

// play plays a lot.
func (w *workshop) play(ctx context.Context, cfg *Tournament, l *lot, done func(*Game)) error {
	for _, name := range []string{l.A, l.B} {
		if err := w.hire(name); err != nil {
			return err
		}
	}
	p := &pairing{cfg: cfg, start: w.start, pair: l.Pair, players: w.players, done: done}
	return p.play(ctx, l.numbers, l.match)
}

// hire makes a player unless the worker has it.
func (w *workshop) hire(name string) error {
	if w.players[name] != nil {
		return nil
	}
	i := slices.IndexFunc(w.entrants, func(e Entry) bool { return e.Name == name })
	player, err := w.entrants[i].New(w.worker)
	if err != nil {
		return fmt.Errorf("arena: player %s: %w", name, err)
	}
	if player.Name() != name {
		return errors.Join(fmt.Errorf("arena: player %s calls itself %s", name, player.Name()), player.Close())
	}
	w.players[name] = player
	return nil
}

// close dismisses the players.
func (w *workshop) close() error {
	var errs []error
	for _, e := range w.entrants {
		if p := w.players[e.Name]; p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}
