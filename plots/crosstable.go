package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"alamos/pkg/stats"

	"gonum.org/v1/plot/vg"
)

// Crosstable shows a tournament as a table of colored cells: the score of the
// row's player against the column's, with wins, draws and losses below it, and
// the row's total at the right.
type Crosstable struct {
	Frame
	Players []string // in the order of rows and columns

	// Cells[i][j] is the record of player i against player j. The diagonal is
	// not read; a record without games is an empty cell.
	Cells [][]stats.Record
}

// Figure implements [Chart].
func (t Crosstable) Figure() (*Figure, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	n := len(t.Players)
	side := min(1.25*cm, max(0.5*cm, 22*cm/vg.Length(n)))
	drawn := table{
		columns: append(slices.Clone(t.Players), "total"), cells: make([][]cell, n), size: vg.Point{X: side, Y: side},
		scale: newColorScale(Axis{Label: "score", Most: 1}, span{}, scores),
	}
	var texts []string
	for i, player := range t.Players {
		var row []cell
		for j, r := range t.Cells[i] {
			c := cell{value: math.NaN()}
			switch {
			case i == j:
			case r.Games() == 0:
				c.text = "–"
			default:
				c = cell{value: r.Share(), text: strconv.FormatFloat(r.Share(), 'f', 2, 64), small: fmt.Sprintf("%d/%d/%d", r.Wins, r.Draws, r.Losses)}
			}
			row = append(row, c)
		}
		total := t.total(i)
		points := strconv.FormatFloat(total.Score(), 'f', -1, 64)
		texts = append(texts, fmt.Sprintf("%s %s of %d", fit(clean(player), textStyle(tickSize, ink, false), nameWidth), points, total.Games()))
		sum := cell{plain: true}
		if total.Games() > 0 {
			sum = cell{text: points, small: fmt.Sprintf("of %d", total.Games()), bold: true, plain: true}
		}
		drawn.rows = append(drawn.rows, player)
		drawn.cells[i] = append(row, sum)
	}
	slices.Reverse(drawn.rows) // the first player is at the top
	slices.Reverse(drawn.cells)
	return drawn.figure(t.Frame, describe("Table of scores of the player of each row against that of each column", "", "", texts...))
}

func (t Crosstable) check() error {
	n := len(t.Players)
	games := 0
	for i, row := range t.Cells {
		if len(t.Cells) != n || len(row) != n {
			return fmt.Errorf("plots: crosstable of %d players: row %d of %d has %d cells: %w", n, i, len(t.Cells), len(row), ErrInvalid)
		}
		for j, r := range row {
			if i == j {
				continue
			}
			if min(r.Wins, r.Draws, r.Losses) < 0 {
				return fmt.Errorf("plots: crosstable %q against %q: record %d/%d/%d: %w", t.Players[i], t.Players[j], r.Wins, r.Draws, r.Losses, ErrInvalid)
			}
			games += r.Games()
		}
	}
	if games == 0 {
		return fmt.Errorf("plots: crosstable of %d players without games: %w", n, ErrNoData)
	}
	return nil
}

// total returns the record of a player against all others.
func (t Crosstable) total(i int) (total stats.Record) {
	for j, r := range t.Cells[i] {
		if j != i {
			total = total.Plus(r)
		}
	}
	return total
}
