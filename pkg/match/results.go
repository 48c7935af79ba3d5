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

func (r Record) Games() int { return r.Wins + r.Draws + r.Losses }

// Score returns the points: 1 for a win and 1/2 for a draw.
func (r Record) Score() float64 { return float64(r.Wins) + float64(r.Draws)/2 }

// Share returns the fraction of points scored. It is NaN without games.
func (r Record) Share() float64 { return r.Score() / float64(r.Games()) }

func (r Record) plus(o Record) Record {
	return Record{r.Wins + o.Wins, r.Draws + o.Draws, r.Losses + o.Losses}
}

// Reversed returns the record from the opponent's view.
func (r Record) Reversed() Record { return Record{r.Losses, r.Draws, r.Wins} }

// Results are the results of all games of a tournament.
type Results struct {
	names []string
	white [][]Record // white[i][j] has the games of i as White against j, from i's view
}

// NewResults returns empty results for these players.
func NewResults(names []string) *Results {
	r := &Results{names: slices.Clone(names), white: make([][]Record, len(names))}
	for i := range r.white {
		r.white[i] = make([]Record, len(names))
	}
	return r
}

// Names returns the players in the order given to [NewResults].
func (r *Results) Names() []string { return slices.Clone(r.names) }

// Add counts a game. It returns an error for unknown players and unfinished games.
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

// AsWhite returns the record of player i as White against player j, from i's view.
func (r *Results) AsWhite(i, j int) Record { return r.white[i][j] }

// Against returns the record of player i against player j with both colors: a cell of the
// crosstable.
func (r *Results) Against(i, j int) Record {
	return r.white[i][j].plus(r.white[j][i].Reversed())
}

// Standing is a player's record over all games.
type Standing struct {
	Name string
	Record
	White, Black Record // by color
}

// Standings returns all players in the order given to [NewResults].
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

// Crosstable returns the records of every player against every other player, with both
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

// SortGames sorts games by pair, in the order in which [Fixtures] lists the pairs of these
// players, then by number.
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
