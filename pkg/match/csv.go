package match

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
// the results. The column superior is the probability that the player is stronger
// than the one in the next row.
func WriteRatings(w io.Writer, r *Ratings) error {
	order := make([]int, len(r.List))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &r.List[i], &r.List[j]
		// Equal players differ in the last bits. NaN is below all numbers.
		return cmp.Compare(math.Round(b.Elo.Value*10), math.Round(a.Elo.Value*10))
	})
	c := csv.NewWriter(w)
	rows := [][]string{{
		"player", "elo", "lower", "upper", "games", "score", "superior",
		"white_wins", "white_draws", "white_losses", "black_wins", "black_draws", "black_losses",
	}}
	for at, i := range order {
		p := &r.List[i]
		row := []string{p.Name, "", "", "", strconv.Itoa(p.Games), points(p.Score), ""}
		if !p.Elo.Missing() {
			row[1], row[2], row[3] = tenths(p.Elo.Value), tenths(p.Elo.Low), tenths(p.Elo.High)
		}
		if at+1 < len(order) {
			if los := r.LOS(i, order[at+1]); !math.IsNaN(los) {
				row[6] = strconv.FormatFloat(los, 'f', 3, 64)
			}
		}
		for _, record := range []Record{p.White, p.Black} {
			for _, n := range []int{record.Wins, record.Draws, record.Losses} {
				row = append(row, strconv.Itoa(n))
			}
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
