package match

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/chess"
)

// Pair holds two player names in string order, regardless of their order in the tournament.
type Pair struct{ A, B string }

// NewPair returns the pair of two players.
func NewPair(x, y string) Pair {
	if x > y {
		x, y = y, x
	}
	return Pair{x, y}
}

// Players returns the names by color in a game. A is White in even-numbered games.
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
	Opening      int          // plies before the players' first own move: book plies, then random plies
	Book         int          // book plies
	Moves        []chess.Move // from Start, including the opening
	Outcome      chess.Outcome
	Infos        []Info // the player's evaluation at each ply; zero in the opening
	// Fault is why the game was lost when a player failed. Crashes are those of engines that
	// were started again and then moved. Both are not kept in PGN.
	Fault   error
	Crashes []error
}

func (g *Game) Pair() Pair { return NewPair(g.White, g.Black) }

// Points returns the points of one of its players.
func (g *Game) Points(player string) float64 {
	side := chess.Black
	if g.White == player {
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

// PGN tags for the length of the opening.
const (
	bookTag   = "BookPlies"
	randomTag = "RandomPlies"
)

// PGN returns the game for a file. It writes no date, so that the same game gives the same
// bytes.
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

// FromPGN reads a game that [Game.PGN] wrote, so that a tournament can continue from its
// file. Writing the game again gives the same bytes.
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
		return nil, fmt.Errorf("match: game of %q against %q, round %q: %w", g.White, g.Black, p.Tag("Round"), err)
	}
	round, err := strconv.Atoi(p.Tag("Round"))
	if err != nil || round < 1 {
		return bad(fmt.Errorf("the round is not the number of a game"))
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
			return bad(fmt.Errorf("%s %q is not a number of plies", tag, s))
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

// Info is a player's evaluation of the position in which it moved.
type Info struct {
	Score  *float64 // expected result for this player, -1 to 1; nil when unknown
	Visits int      // visits of a tree search; 0 when unknown
	Depth  int      // search depth in plies; 0 when unknown
}

// String returns the known fields as a PGN comment, such as "score 0.125 depth 6 visits
// 800". It returns "" if no field is known.
func (in Info) String() string {
	var words []string
	if in.Score != nil {
		x := math.Round(*in.Score*1000)/1000 + 0 // adding 0 turns -0 into 0
		words = append(words, "score", strconv.FormatFloat(x, 'f', 3, 64))
	}
	if in.Depth != 0 {
		words = append(words, "depth", strconv.Itoa(in.Depth))
	}
	if in.Visits != 0 {
		words = append(words, "visits", strconv.Itoa(in.Visits))
	}
	return strings.Join(words, " ")
}

// ParseInfo parses the output of [Info.String]. The score has three digits.
func ParseInfo(s string) (in Info, err error) {
	words := strings.Fields(s)
	if len(words)%2 != 0 {
		return Info{}, fmt.Errorf("match: comment %q: want words with numbers", s)
	}
	for pair := range slices.Chunk(words, 2) {
		switch pair[0] {
		case "score":
			in.Score = new(float64)
			*in.Score, err = strconv.ParseFloat(pair[1], 64)
			if err == nil && !(math.Abs(*in.Score) <= 1) {
				err = errors.New("out of range")
			}
		case "depth":
			in.Depth, err = strconv.Atoi(pair[1])
		case "visits":
			in.Visits, err = strconv.Atoi(pair[1])
		default:
			err = errors.New("unknown")
		}
		if err != nil {
			return Info{}, fmt.Errorf("match: comment %q: %s %q: %w", s, pair[0], pair[1], err)
		}
	}
	return in, nil
}
