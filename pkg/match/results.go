package match

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"alamos/pkg/chess"
	"alamos/pkg/stats"
)

// Results are the results of all games of a tournament. Ratings, standings and tables are
// computed from them.
type Results struct {
	Names []string         `json:"names"` // of the players
	White [][]stats.Record `json:"white"` // White[i][j] has the games of i as White against j, from i's view

	// Pairs[i][j] has the pairs of games of i against a later player j, from i's view.
	Pairs [][]Pentanomial `json:"pairs"`

	single map[place]float64 // points of A in games whose partner is missing, by the even number
}

// ResultsOf returns the results of games between these players.
func ResultsOf(names []string, games []*Game) (*Results, error) {
	r := NewResults(names)
	for _, g := range games {
		if err := r.Add(g); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// NewResults returns empty results for these players.
func NewResults(names []string) *Results {
	n := len(names)
	r := &Results{slices.Clone(names), make([][]stats.Record, n), make([][]Pentanomial, n), map[place]float64{}}
	for i := range names {
		r.White[i], r.Pairs[i] = make([]stats.Record, n), make([]Pentanomial, n)
	}
	return r
}

// Add counts a game. It returns an error for unknown players and unfinished games.
func (r *Results) Add(g *Game) error {
	i, j := slices.Index(r.Names, g.White), slices.Index(r.Names, g.Black)
	if i < 0 || j < 0 || i == j {
		return fmt.Errorf("match: a game of %q against %q is not one of this tournament", g.White, g.Black)
	}
	cell := &r.White[i][j]
	switch g.Outcome.Result {
	case chess.WhiteWins:
		cell.Wins++
	case chess.Draw:
		cell.Draws++
	case chess.BlackWins:
		cell.Losses++
	default:
		return fmt.Errorf("match: the game of %q against %q has no result", g.White, g.Black)
	}
	first, second := min(i, j), max(i, j)
	points := g.Points(r.Names[first])
	at := place{g.Pair(), g.Number &^ 1}
	if partner, ok := r.single[at]; ok {
		r.Pairs[first][second].add(partner + points)
		delete(r.single, at)
	} else {
		r.single[at] = points
	}
	return nil
}

// Against returns the record of player i against player j with both colors: a cell of the
// crosstable.
func (r *Results) Against(i, j int) stats.Record {
	return r.White[i][j].Plus(r.White[j][i].Reversed())
}

// Standing is a player's record over all games.
type Standing struct {
	Name string `json:"name"`
	stats.Record
	White stats.Record `json:"white"` // the part as White
	Black stats.Record `json:"black"`
}

// Standings returns all players in the order of their names in the results.
func (r *Results) Standings() []Standing {
	list := make([]Standing, len(r.Names))
	for i, name := range r.Names {
		s := Standing{Name: name}
		for j := range r.Names {
			s.White = s.White.Plus(r.White[i][j])
			s.Black = s.Black.Plus(r.White[j][i].Reversed())
		}
		s.Record = s.White.Plus(s.Black)
		list[i] = s
	}
	return list
}

// WriteCrosstable writes crosstable.csv. It has one row for each player in the order of the
// results: games, wins, draws, losses and score over all games, and the score against each
// other player ("" without games).
func WriteCrosstable(w io.Writer, r *Results) error {
	rows := [][]string{append([]string{"player", "games", "wins", "draws", "losses", "score"}, r.Names...)}
	for i, s := range r.Standings() {
		row := csvRow(s.Name, s.Games(), s.Wins, s.Draws, s.Losses, s.Score())
		for j := range r.Names {
			points := ""
			if a := r.Against(i, j); a.Games() > 0 {
				points = fmt.Sprint(a.Score())
			}
			row = append(row, points)
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteRatings writes ratings.csv. It has one row for each player, the strongest first.
// Players without a rating come last, without numbers. Equal players keep the order of the
// results. The column superior is the probability that the player is stronger than the
// player in the next row.
func WriteRatings(w io.Writer, r *Ratings) error {
	// Ratings of equal players may differ in the low-order bits, so tenths are compared.
	order := Descending(len(r.List), func(i int) float64 { return math.Round(r.List[i].Elo.Value * 10) })
	rows := [][]string{{
		"player", "elo", "lower", "upper", "games", "score", "superior",
		"white_wins", "white_draws", "white_losses", "black_wins", "black_draws", "black_losses",
	}}
	for at, i := range order {
		p := &r.List[i]
		superior := math.NaN()
		if at+1 < len(order) {
			superior = r.LOS(i, order[at+1])
		}
		rows = append(rows, csvRow(p.Name, decimal(p.Elo.Value, 1), decimal(p.Elo.Low, 1), decimal(p.Elo.High, 1), p.Games(), p.Score(),
			decimal(superior, 3), p.White.Wins, p.White.Draws, p.White.Losses, p.Black.Wins, p.Black.Draws, p.Black.Losses))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func csvRow(values ...any) []string {
	row := make([]string, len(values))
	for i, v := range values {
		row[i] = fmt.Sprint(v)
	}
	return row
}

// decimal formats a number with this many digits and without negative zero, and NaN as "".
func decimal(x float64, digits int) string {
	if math.IsNaN(x) {
		return ""
	}
	unit := math.Pow10(digits)
	return strconv.FormatFloat(math.Round(x*unit)/unit+0, 'f', digits, 64)
}

// Descending returns the indices below n in descending order of their values. NaN comes
// last, because cmp.Compare puts it below all numbers.
func Descending(n int, value func(i int) float64) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(value(j), value(i)) })
	return order
}

// ScoreLine returns the shares of the points in a line, such as "score: a 75 %, b 25 %".
func (r *Results) ScoreLine() string {
	players := r.Standings()
	var parts []string
	for _, i := range Descending(len(players), func(i int) float64 { return players[i].Share() }) {
		if p := &players[i]; p.Games() > 0 {
			parts = append(parts, p.Name+" "+p.Percent(0))
		}
	}
	return "score: " + strings.Join(parts, ", ")
}

// Limits of a crosstable on the screen.
const (
	tableRows = 12
	tableName = 28 // characters
)

// Table returns the standings as lines of text, the best player first. A row has the
// player's games, its share of the points and its points against the others in the order of
// the rows.
func (r *Results) Table() []string {
	players := r.Standings()
	order := Descending(len(players), func(i int) float64 { return players[i].Share() })
	shown := order[:min(len(order), tableRows)]
	wide := len("player")
	for _, i := range shown {
		wide = max(wide, min(tableName, utf8.RuneCountInString(players[i].Name)))
	}
	head := fmt.Sprintf("   %-*s %6s %5s ", wide, "player", "games", "score")
	for at := range shown {
		head += fmt.Sprintf(" %5d", at+1)
	}
	lines := []string{head}
	for at, i := range shown {
		p := &players[i]
		name := []rune(p.Name)
		if len(name) > tableName {
			name = append(name[:tableName-1], '…')
		}
		line := fmt.Sprintf("%2d %-*s %6d %5s ", at+1, wide, string(name), p.Games(), p.Percent(0))
		for _, j := range shown {
			cell := ""
			if a := r.Against(i, j); i == j {
				cell = "·"
			} else if a.Games() > 0 {
				cell = fmt.Sprintf("%.1f", a.Score())
			}
			line += fmt.Sprintf(" %5s", cell)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	if n := len(order) - len(shown); n > 0 {
		lines = append(lines, fmt.Sprintf("   and %d more", n))
	}
	return lines
}
