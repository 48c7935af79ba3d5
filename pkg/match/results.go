package match

import (
	"cmp"
	"fmt"
	"slices"

	"alamos/pkg/chess"
)

// Record counts results from one player's view.
type Record struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// Games is the number of results.
func (r Record) Games() int { return r.Wins + r.Draws + r.Losses }

// Score is 1 for a win and 1/2 for a draw.
func (r Record) Score() float64 { return float64(r.Wins) + float64(r.Draws)/2 }

// Share is the share of the points, NaN without games.
func (r Record) Share() float64 { return r.Score() / float64(r.Games()) }

// plus adds two records.
func (r Record) plus(o Record) Record {
	return Record{r.Wins + o.Wins, r.Draws + o.Draws, r.Losses + o.Losses}
}

// Reversed is the record from the opponent's view.
func (r Record) Reversed() Record { return Record{r.Losses, r.Draws, r.Wins} }

// Results are the results of all games of a tournament.
type Results struct {
	names []string
	white [][]Record // [i][j]: games of i as White against j, from i's view
}

// NewResults are those of a tournament of these players with no games yet.
func NewResults(names []string) *Results {
	r := &Results{names: slices.Clone(names), white: make([][]Record, len(names))}
	for i := range r.white {
		r.white[i] = make([]Record, len(names))
	}
	return r
}

// Names lists the players, in the order in which they were given.
func (r *Results) Names() []string { return slices.Clone(r.names) }

// Add counts a game. It fails for players that are not in the list and for games
// that are not finished.
func (r *Results) Add(white, black string, result chess.Result) error {
	i, j := slices.Index(r.names, white), slices.Index(r.names, black)
	if i < 0 || j < 0 || i == j {
		return fmt.Errorf("match: a game of %q against %q is not one of this tournament", white, black)
	}
	cell := &r.white[i][j]
	switch result {
	case chess.WhiteWins:
		cell.Wins++
	case chess.Draw:
		cell.Draws++
	case chess.BlackWins:
		cell.Losses++
	default:
		return fmt.Errorf("match: the game of %q against %q has no result", white, black)
	}
	return nil
}

// AsWhite is the record of player i as White against player j, in i's view.
func (r *Results) AsWhite(i, j int) Record { return r.white[i][j] }

// Against is the record of player i against player j with both colors: a cell of
// the crosstable.
func (r *Results) Against(i, j int) Record {
	return r.white[i][j].plus(r.white[j][i].Reversed())
}

// Standing is what a player has reached.
type Standing struct {
	Name string
	Record
	White, Black Record // the same by color
}

// Standings lists all players in the order in which they were given.
func (r *Results) Standings() []Standing {
	list := make([]Standing, len(r.names))
	for i, name := range r.names {
		s := Standing{Name: name}
		for j := range r.names {
			s.White = s.White.plus(r.white[i][j])
			s.Black = s.Black.plus(r.white[j][i].Reversed())
		}
		s.Record = s.White.plus(s.Black)
		list[i] = s
	}
	return list
}

// Crosstable returns the records of every player against every other one, with both
// colors and as White.
func (r *Results) Crosstable() (both, white [][]Record) {
	for i := range r.names {
		b, w := make([]Record, len(r.names)), make([]Record, len(r.names))
		for j := range r.names {
			if j != i {
				b[j], w[j] = r.Against(i, j), r.white[i][j]
			}
		}
		both, white = append(both, b), append(white, w)
	}
	return both, white
}

// SortGames puts games in the order of the tournament: by pair, as [Fixtures] lists them
// for players in the order of names, then by number.
func SortGames(games []*Game, names []string) {
	place := func(g *Game) (int, int) {
		i, j := slices.Index(names, g.White), slices.Index(names, g.Black)
		return min(i, j), max(i, j)
	}
	slices.SortStableFunc(games, func(a, b *Game) int {
		ai, aj := place(a)
		bi, bj := place(b)
		return cmp.Or(cmp.Compare(ai, bi), cmp.Compare(aj, bj), cmp.Compare(a.Number, b.Number))
	})
}
