package plots

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Record is the result of one player against another.
type Record struct{ Wins, Draws, Losses int }

// Games returns the number of games played.
func (r Record) Games() int { return r.Wins + r.Draws + r.Losses }

// Points counts a win as 1 and a draw as one half.
func (r Record) Points() float64 { return float64(r.Wins) + float64(r.Draws)/2 }

// Share returns the points per game, NaN without games.
func (r Record) Share() float64 { return r.Points() / float64(r.Games()) }

// Crosstable shows a tournament as a table of colored cells: the score of the
// row's player against the column's, with wins, draws and losses below it, and
// the row's total at the right.
type Crosstable struct {
	Frame
	Players []string // in the order of rows and columns

	// Cells[i][j] is the record of player i against player j. The diagonal is
	// not read; a record without games is an empty cell.
	Cells [][]Record
}

// Figure implements [Chart].
func (t Crosstable) Figure() (*Figure, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	n := len(t.Players)
	side := min(1.25*vg.Centimeter, max(0.5*vg.Centimeter, 22*vg.Centimeter/vg.Length(n)))
	cells := make([][]cell, n)
	var told []string
	var points, games labels
	style := textStyle(tickSize, ink, false)
	for i, row := range t.Cells {
		for j, r := range row {
			c := cell{value: math.NaN()}
			switch {
			case i == j:
			case r.Games() == 0:
				c.text = "–"
			default:
				c = cell{value: r.Share(), text: strconv.FormatFloat(r.Share(), 'f', 2, 64), small: fmt.Sprintf("%d/%d/%d", r.Wins, r.Draws, r.Losses)}
			}
			cells[i] = append(cells[i], c)
		}
		total := t.total(i)
		text := strconv.FormatFloat(total.Points(), 'f', -1, 64)
		told = append(told, fmt.Sprintf("%s %s of %d", fitName(clean(t.Players[i]), style, nameWidth), text, total.Games()))
		if total.Games() > 0 {
			right := plotter.XY{X: float64(n) - 0.5, Y: float64(n - 1 - i)}
			points.add(right, text, aligned(textStyle(tickSize, ink, true), draw.XLeft, yMiddle))
			games.add(right, fmt.Sprintf("of %d", total.Games()), aligned(textStyle(smallSize, softInk, false), draw.XLeft, yMiddle))
		}
	}
	scale := newColorScale(Axis{Label: "score", Most: 1}, span{}, scores)
	table := newTable(t.Players, cells, scale, vg.Point{X: side, Y: side})
	points.Offset, games.Offset = vg.Point{X: 8, Y: lineAbove}, vg.Point{X: 8, Y: lineBelow}
	if side < vg.Centimeter {
		points.Offset.Y, games = 0, labels{}
	}
	columns := t.columnNames(side)
	add(table.plot, &points.Labels, &games.Labels, &columns.Labels)
	return table.figure(t.Frame, "", "", describe("Table of scores of the player of each row against that of each column", "", "", told...))
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
func (t Crosstable) total(i int) (total Record) {
	for j, r := range t.Cells[i] {
		if j != i {
			total.Wins += r.Wins
			total.Draws += r.Draws
			total.Losses += r.Losses
		}
	}
	return total
}

// columnNames returns the names above the columns. They are upright if one is wider than
// its column.
func (t Crosstable) columnNames(side vg.Length) *labels {
	top := &labels{}
	top.Offset.Y = 4
	style := aligned(textStyle(tickSize, ink, false), draw.XCenter, draw.YBottom)
	for _, name := range t.Players {
		if style.Width(clean(name)) > side-4 {
			style = aligned(style, draw.XLeft, draw.YCenter)
			style.Rotation = math.Pi / 2
			break
		}
	}
	n := len(t.Players)
	for j, name := range t.Players {
		top.add(plotter.XY{X: float64(j), Y: float64(n) - 0.5}, fitName(clean(name), style, nameWidth), style)
	}
	total := aligned(textStyle(tickSize, softInk, false), draw.XLeft, draw.YBottom)
	top.add(plotter.XY{X: float64(n) - 0.5, Y: float64(n) - 0.5}, " total", total)
	return top
}
