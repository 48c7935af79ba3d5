package match

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"alamos/pkg/chess"
)

// Entry is a player of a tournament.
type Entry struct {
	Name string
	ID   string // determines its moves, together with the tournament's settings

	// Rounds is the number of games against each other player; 0 leaves it to that player, and
	// then to the tournament. Of two numbers the smaller one counts.
	Rounds int

	// New makes the player for a worker when the worker first needs it. Several workers may
	// call it at once. The tournament closes the player. State that players share must be
	// safe for concurrent use.
	New func() (Player, error)
}

// Tournament describes the games to play.
type Tournament struct {
	Variant chess.Variant

	// Start lists the start positions, in the syntax of [chess.ParseStarts]. Empty means
	// the variant's start position. Games 2k and 2k+1 of a pair have the same start, with
	// colors swapped.
	Start []string

	// Book replaces Start if it is not empty. Games 2k and 2k+1 of every pair use opening k
	// of an order drawn from Seed.
	Book []Opening

	Format Format

	// Rounds is the number of games of each pair. With an even number each player has each
	// color equally often.
	Rounds int

	// MaxMoves is the number of full moves, including the opening, after which a game is a
	// draw with the reason move_limit. 0: no limit.
	MaxMoves int

	// RandomPlies is the number of random plies after the book opening. Games 2k and 2k+1
	// of a pair have the same random plies.
	RandomPlies int

	Seed uint64

	Workers  int // goroutines that play games, each with its own players; 0 means 1
	Together int // games that a worker plays in lock step; 0 means [DefaultTogether]

	// What ends games before the rules do: the players' scores, then an adjudicator. The
	// zero Judge and a nil Adjudicate end none.
	Judge      Judge
	Adjudicate Adjudicator
}

// Chess960 reports whether games may start with castling rights that only chess960 has.
func (t *Tournament) Chess960() (bool, error) {
	starts, err := chess.ParseStarts(t.Variant, t.Start)
	castles := func(o Opening) bool { return o.Start.CastlesAs960() }
	return err == nil && (starts.Any((*chess.Position).CastlesAs960) || slices.ContainsFunc(t.Book, castles)), err
}

// Format selects the pairs that play. The zero Format is a round robin: all pairs play.
type Format struct {
	_ struct{} `short:"kind"`

	Kind string `key:"kind" enum:"gauntlet ladder" flags:"required" doc:"gauntlet: the first players of the list play all later ones, who do not play each other. ladder: players that are near each other in the list play."`
	// First is above 0 only in a gauntlet, and Span only in a ladder. Code may leave Kind
	// empty.
	First int `key:"first" default:"1" range:"1.." unit:"players" when:"kind=gauntlet" doc:"Number of players that run the gauntlet."`
	Span  int `key:"span" default:"1" range:"1.." unit:"players" when:"kind=ladder" doc:"Maximum distance in the list between two players that play each other."`
}

// Fixture is a pair with its number of games.
type Fixture struct {
	Pair
	Games int
}

// Fixtures lists the pairs of a tournament in the order of its players: the first against
// all later ones, then the second against those after it, and so on.
func Fixtures(t Tournament, entries []Entry) []Fixture {
	f := t.Format
	var fixtures []Fixture
	for i, a := range entries {
		for j := i + 1; j < len(entries); j++ {
			if b := entries[j]; (f.First == 0 || i < f.First && j >= f.First) && (f.Span == 0 || j-i <= f.Span) {
				rounds := min(cmp.Or(a.Rounds, b.Rounds), cmp.Or(b.Rounds, a.Rounds)) // the only one, or the lower
				fixtures = append(fixtures, Fixture{NewPair(a.Name, b.Name), cmp.Or(rounds, t.Rounds)})
			}
		}
	}
	return fixtures
}

func (t *Tournament) validate(entries []Entry) error {
	switch {
	case t.Rounds < 1 || min(t.MaxMoves, t.RandomPlies, t.Together, t.Workers, t.Format.First, t.Format.Span) < 0:
		return errors.New("match: want 1 game a pair or more, and no negative numbers")
	case t.MaxMoves > 0 && t.RandomPlies >= 2*t.MaxMoves:
		return fmt.Errorf("match: %d random plies leave nothing of %d moves", t.RandomPlies, t.MaxMoves)
	case t.Format.First > 0 && t.Format.Span > 0:
		return fmt.Errorf("match: want a gauntlet or a ladder, have %+v", t.Format)
	case len(entries) < 2 || t.Format.First >= len(entries):
		return fmt.Errorf("match: %d players have no opponents", len(entries))
	}
	seen := map[string]bool{}
	for _, e := range entries {
		switch {
		case e.Name == "" || strings.ContainsAny(e.Name, "\r\n"):
			return fmt.Errorf("match: %q is not the name of a player", e.Name)
		case seen[e.Name]:
			return fmt.Errorf("match: two players are called %q", e.Name)
		case e.Rounds < 0 || e.New == nil:
			return fmt.Errorf("match: player %s: want 0 or more rounds and New, have %d", e.Name, e.Rounds)
		}
		seen[e.Name] = true
	}
	return nil
}

// DefaultTogether is the number of games that a worker plays in lock step. More games fill
// the batches of more networks. A killed tournament loses the games that it is playing.
const DefaultTogether = 128

// worker plays several games at a time.
type worker struct {
	*Games  // shared by all workers
	start   chess.Starts
	players map[string]Player
	// next returns the next game to play, or nil: after the last, or if none can be played now.
	// With wait it waits for one.
	next     func(wait bool) *place
	together int         // games played at once
	finished func(*Game) // receives each game as it ends
}

// player returns the worker's player with this name, and makes it at first use.
func (w *worker) player(name string) (Player, error) {
	if p := w.players[name]; p != nil {
		return p, nil
	}
	i := slices.IndexFunc(w.entries, func(e Entry) bool { return e.Name == name })
	p, err := w.entries[i].New()
	if err != nil {
		return nil, fmt.Errorf("match: player %s: %w", name, err)
	}
	if p.Name() != name {
		p.Close()
		return nil, fmt.Errorf("match: player %s calls itself %s", name, p.Name())
	}
	w.players[name] = p
	return p, nil
}
