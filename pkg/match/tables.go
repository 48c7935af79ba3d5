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
)

// WriteCrosstable writes crosstable.csv. It has one row for each player in the order of the
// results: games, wins, draws, losses and score over all games, and the score against each
// other player ("" without games).
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

// WriteRatings writes ratings.csv. It has one row for each player, the strongest first.
// Players without a rating come last, without numbers. Equal players keep the order of the
// results. The column superior is the probability that the player is stronger than the
// player in the next row.
func WriteRatings(w io.Writer, r *Ratings) error {
	order := make([]int, len(r.List))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &r.List[i], &r.List[j]
		// Ratings of equal players may differ in the low-order bits, so tenths are
		// compared. cmp.Compare puts NaN below all numbers.
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

// points formats a score, such as "12" or "12.5".
func points(score float64) string { return strconv.FormatFloat(score, 'f', -1, 64) }

// tenths formats a rating with one decimal digit and without negative zero.
func tenths(elo float64) string {
	return strconv.FormatFloat(math.Round(elo*10)/10+0, 'f', 1, 64)
}

// ScoreLine returns the shares of the points in a line, such as "score: a 75 %, b 25 %".
func ScoreLine(players []Standing) string {
	var parts []string
	for _, i := range byShare(players) {
		if p := &players[i]; p.Games() > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", p.Name, 100*p.Share()))
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
// the rows. against(i, j) is the record of player i against player j.
func Table(players []Standing, against func(i, j int) Record) []string {
	order := byShare(players)
	shown := order[:min(len(order), tableRows)]
	wide := utf8.RuneCountInString("player")
	for _, i := range shown {
		wide = max(wide, min(tableName, utf8.RuneCountInString(players[i].Name)))
	}
	head := fmt.Sprintf("%2s %-*s %6s %5s ", "", wide, "player", "games", "score")
	for at := range shown {
		head += fmt.Sprintf(" %5d", at+1)
	}
	lines := []string{head}
	for at, i := range shown {
		p := &players[i]
		name := p.Name
		if utf8.RuneCountInString(name) > tableName {
			name = string([]rune(name)[:tableName-1]) + "…"
		}
		score := "-"
		if p.Games() > 0 {
			score = fmt.Sprintf("%.0f %%", 100*p.Share())
		}
		line := fmt.Sprintf("%2d %-*s %6d %5s ", at+1, wide, name, p.Games(), score)
		for _, j := range shown {
			cell := ""
			if r := against(i, j); i == j {
				cell = "·"
			} else if r.Games() > 0 {
				cell = fmt.Sprintf("%.1f", r.Score())
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

// byShare returns the indices of players in descending order of their share of the points.
// Players without games come last.
func byShare(players []Standing) []int {
	order := make([]int, len(players))
	for i := range order {
		order[i] = i
	}
	// Without games the share is NaN, which cmp.Compare puts below all numbers.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(players[b].Share(), players[a].Share()) })
	return order
}
