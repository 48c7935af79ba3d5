package match

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
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
		if s := in.Comment(g.turn(i)); s != "" {
			p.SetComment(i, s)
		}
	}
	return p
}

// fromPGN reads a game that [Game.PGN] wrote, so that a tournament can continue from its
// file. Writing the game again gives the same bytes.
func fromPGN(p *chess.PGN) (*Game, error) {
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
		g.Infos[i] = ParseComment(p.Comment(i), g.turn(i))
	}
	return g, nil
}

// turn returns the side to move after this number of plies.
func (g *Game) turn(ply int) chess.Color {
	if ply%2 == 0 {
		return g.Start.Turn()
	}
	return g.Start.Turn().Other()
}

// Info is a player's evaluation of the position in which it moved.
type Info struct {
	Score  *float64 // expected result for this player, -1 to 1; nil when unknown
	Mate   int      // moves to the forced end of Score: negative if this player loses, 0 if none is known
	Visits int      // visits of a tree search; 0 when unknown
	Depth  int      // search depth in plies; 0 when unknown
}

// Comment returns the known fields as the PGN comment of a position with this side to move,
// such as "[%eval 0.35] depth 6 visits 800". It returns "" if no field is known. The
// evaluation is in the form that lichess and chess programs draw: pawns as in
// [uci.ScoreOf], or "#3" for a win in three moves, from White's view.
func (in Info) Comment(turn chess.Color) string {
	var words []string
	if in.Score != nil {
		score := uci.ScoreOf(*in.Score)
		if in.Mate != 0 {
			score = uci.Score{IsMate: true, Mate: in.Mate}
		}
		if turn == chess.Black {
			score.CP, score.Mate = -score.CP, -score.Mate
		}
		if score.IsMate {
			words = append(words, fmt.Sprintf("[%%eval #%d]", score.Mate))
		} else {
			words = append(words, fmt.Sprintf("[%%eval %.2f]", float64(score.CP)/100))
		}
	}
	if in.Depth != 0 {
		words = append(words, "depth", strconv.Itoa(in.Depth))
	}
	if in.Visits != 0 {
		words = append(words, "visits", strconv.Itoa(in.Visits))
	}
	return strings.Join(words, " ")
}

var commentWords = regexp.MustCompile(`\[%eval (#?)([-+]?\d+(?:\.\d+)?)|\b(depth|visits) (\d+)`)

// ParseComment reads what [Info.Comment] writes, also between other text. Writing it again
// gives the same text.
func ParseComment(comment string, turn chess.Color) (in Info) {
	for _, m := range commentWords.FindAllStringSubmatch(comment, -1) {
		x, err := strconv.ParseFloat(m[2]+m[4], 64)
		if err != nil || math.Abs(x) > math.MaxInt32 {
			continue
		}
		n := int(x)
		switch m[3] {
		case "depth":
			in.Depth = n
			continue
		case "visits":
			in.Visits = n
			continue
		}
		score := uci.Score{IsMate: m[1] != "", Mate: n, CP: int(math.Round(100 * x))}
		if turn == chess.Black {
			score.CP, score.Mate = -score.CP, -score.Mate
		}
		expected := score.Expected()
		in.Score, in.Mate = &expected, 0
		if score.IsMate {
			in.Mate = score.Mate
		}
	}
	return in
}
