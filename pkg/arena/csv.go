package arena

import (
	"cmp"
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
)

// WriteCrosstable writes crosstable.csv: a row a player in the order of the
// results, with games, wins, draws, losses and score over all, and the score
// against each other player ("" where there were no games).
func WriteCrosstable(w io.Writer, r *Results) error {
	c := csv.NewWriter(w)
	rows := [][]string{append([]string{"player", "games", "wins", "draws", "losses", "score"}, r.names...)}
	for i, s := range r.Standings() {
		row := []string{s.Name, strconv.Itoa(s.Games()), strconv.Itoa(s.Wins), strconv.Itoa(s.Draws), strconv.Itoa(s.Losses), points(s.Score())}
		for j := range r.names {
			if a := r.Against(i, j); a.Games() > 0 {
				row = append(row, points(a.Score()))
			} else {
				row = append(row, "")
			}
		}
		rows = append(rows, row)
	}
	return c.WriteAll(rows)
}

// WriteRatings writes ratings.csv: a row a player, the strongest first, those
// that could not be rated last and without numbers; equal ones in the order of
// the results.
func WriteRatings(w io.Writer, r *Ratings) error {
	list := slices.Clone(r.List)
	slices.SortStableFunc(list, func(a, b Rating) int {
		if a.Rated != b.Rated {
			if a.Rated {
				return -1
			}
			return 1
		}
		// Equal players differ in the last bits.
		return cmp.Compare(math.Round(b.Elo*10), math.Round(a.Elo*10))
	})
	c := csv.NewWriter(w)
	rows := [][]string{{"player", "elo", "lower", "upper", "games", "score"}}
	for _, p := range list {
		row := []string{p.Name, "", "", "", strconv.Itoa(p.Games), points(p.Score)}
		if p.Rated {
			row[1], row[2], row[3] = tenths(p.Elo), tenths(p.Lower), tenths(p.Upper)
		}
		rows = append(rows, row)
	}
	return c.WriteAll(rows)
}

// points writes a score: "12" or "12.5".
func points(score float64) string { return strconv.FormatFloat(score, 'f', -1, 64) }

// tenths writes a rating with one digit, and no negative zero.
func tenths(elo float64) string {
	return strconv.FormatFloat(math.Round(elo*10)/10+0, 'f', 1, 64)
}
