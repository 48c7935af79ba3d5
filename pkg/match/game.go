package match

import (
	"fmt"
	"strconv"

	"alamos/pkg/chess"
)

// Pair is a pairing: two names, A before B in the order of strings, whatever the
// order in which a tournament lists its players.
type Pair struct{ A, B string }

// NewPair is the pairing of two players.
func NewPair(x, y string) Pair {
	if x > y {
		x, y = y, x
	}
	return Pair{x, y}
}

// Players tells who has which color in a game: A is White in games of an even
// number.
func (p Pair) Players(number int) (white, black string) {
	if number%2 == 0 {
		return p.A, p.B
	}
	return p.B, p.A
}

// Game is a finished game of a tournament.
type Game struct {
	Variant      chess.Variant
	White, Black string // names
	Number       int    // within its pairing, from 0
	Start        chess.Position
	Opening      int          // plies that nobody thought about: of the book, then random ones
	Book         int          // those of the book
	Moves        []chess.Move // from Start, opening included
	Outcome      chess.Outcome
	Infos        []Info // what the player thought at each ply; zero in the opening
	Fault        error  // why the game was lost, when a player failed; not kept in PGN
}

// Pair is the pairing that the game belongs to.
func (g *Game) Pair() Pair { return NewPair(g.White, g.Black) }

// Tags that tell how long the opening is.
const (
	bookTag   = "BookPlies"
	randomTag = "RandomPlies"
)

// PGN is the game as it is written to a file. There is no date in it, so that the
// same game gives the same bytes.
func (g *Game) PGN(event string) *chess.PGN {
	p := &chess.PGN{
		Tags: []chess.Tag{
			{Name: "Event", Value: event},
			{Name: "Site", Value: "alamos"},
			{Name: "Date", Value: "????.??.??"},
			{Name: "Round", Value: strconv.Itoa(g.Number + 1)},
			{Name: "White", Value: g.White},
			{Name: "Black", Value: g.Black},
			{Name: "Termination", Value: g.Outcome.Reason.String()},
		},
		Variant: g.Variant,
		Start:   g.Start,
		Moves:   g.Moves,
		Result:  g.Outcome.Result,
	}
	if g.Book > 0 {
		p.SetTag(bookTag, strconv.Itoa(g.Book))
	}
	if random := g.Opening - g.Book; random > 0 {
		p.SetTag(randomTag, strconv.Itoa(random))
	}
	for i, in := range g.Infos {
		if s := in.String(); s != "" {
			p.SetComment(i+1, s)
		}
	}
	return p
}

// FromPGN reads a game that [Game.PGN] wrote, so that a tournament can go on from
// its file. Written again it gives the same bytes.
func FromPGN(p *chess.PGN) (*Game, error) {
	g := &Game{
		Variant: p.Variant,
		Start:   p.Start,
		White:   p.Tag("White"),
		Black:   p.Tag("Black"),
		Moves:   p.Moves,
		Outcome: chess.Outcome{Result: p.Result},
		Infos:   make([]Info, len(p.Moves)),
	}
	bad := func(err error) (*Game, error) {
		return nil, fmt.Errorf("arena: game of %q against %q, round %q: %w", g.White, g.Black, p.Tag("Round"), err)
	}
	round, err := strconv.Atoi(p.Tag("Round"))
	if err != nil || round < 1 {
		return bad(fmt.Errorf("the round is no number of a game"))
	}
	g.Number = round - 1
	if white, black := g.Pair().Players(g.Number); white != g.White || black != g.Black {
		return bad(fmt.Errorf("the colors are the wrong way round"))
	}
	if p.Result == chess.Unfinished {
		return bad(fmt.Errorf("the game is not finished"))
	}
	if g.Outcome.Reason, err = chess.ParseReason(p.Tag("Termination")); err != nil {
		return bad(err)
	}
	for _, tag := range []string{bookTag, randomTag} {
		s := p.Tag(tag)
		if s == "" {
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > len(g.Moves)-g.Opening {
			return bad(fmt.Errorf("%s %q is no number of plies", tag, s))
		}
		if g.Opening += n; tag == bookTag {
			g.Book = n
		}
	}
	for i := range g.Infos {
		if g.Infos[i], err = ParseInfo(p.Comment(i + 1)); err != nil {
			return bad(err)
		}
	}
	return g, nil
}
