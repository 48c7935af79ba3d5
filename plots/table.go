package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"alamos/pkg/stats"
)

// cells is a rectangle of equal cells: the squares of a board, or the cells of a table.
type cells struct {
	corner        vg.Point // at the lower left
	size          vg.Point // of a cell
	columns, rows int
}

// box returns the place of a cell; rows count from the bottom.
func (g cells) box(column, row int) vg.Rectangle {
	at := g.corner.Add(vg.Point{X: g.size.X * vg.Length(column), Y: g.size.Y * vg.Length(row)})
	return vg.Rectangle{Min: at, Max: at.Add(g.size)}
}

// paint fills the cells, except those of a nil color, and draws lines between them.
func (g cells) paint(c *draw.Canvas, line draw.LineStyle, fill func(column, row int) color.Color) {
	for row := range g.rows {
		for column := range g.columns {
			if col := fill(column, row); col != nil {
				c.SetColor(col)
				c.Fill(g.box(column, row).Path())
			}
		}
	}
	end := g.box(g.columns, g.rows).Min
	for row := range g.rows + 1 {
		y := g.box(0, row).Min.Y
		c.StrokeLine2(line, g.corner.X, y, end.X, y)
	}
	for column := range g.columns + 1 {
		x := g.box(column, 0).Min.X
		c.StrokeLine2(line, x, g.corner.Y, x, end.Y)
	}
}

// table is a rectangle of colored cells with text, for heat maps and crosstables.
type table struct {
	rows, columns []string // names; rows from the bottom
	x, y          string   // labels of the columns and of the rows
	cells         [][]cell // by row from the bottom
	scale         colorScale
	size          vg.Point // of a cell
	marked        *[2]int  // row and column of a cell with a frame
}

// cell is a number, which determines the color, with two lines of text. A cell without a
// number is gray, or white if it is plain.
type cell struct {
	value       float64
	text, small string
	bold, plain bool
}

const nameWidth = 4.5 * cm // of the longest name of a row or column

// figure lays the table out with names and labels at its sides, and its scale at the right.
func (t table) figure(f Frame, description string) (*Figure, error) {
	p := newPlot()
	hideTicks(&p.X)
	hideTicks(&p.Y)
	p.X.Tick.Length, p.X.Tick.LineStyle.Color = 4, color.Transparent // keeps upright names off the cells
	columns, rows := len(t.columns), len(t.rows)
	p.X.Tick.Marker = nominal(&p.X, t.columns, t.size.X, true)
	p.Y.Tick.Marker = nominal(&p.Y, t.rows, t.size.Y, false)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(columns)-0.5, -0.5, float64(rows)-0.5
	add(p, t)
	drawn := grid{plots: [][]*plot.Plot{{p}}, x: t.x, y: []string{t.y}}
	around := drawn.around()
	beside := scaleGap + t.scale.width()
	width, height := t.size.X*vg.Length(columns), around.Y+t.size.Y*vg.Length(rows)
	paint := func(c draw.Canvas) {
		drawn.paint(draw.Crop(c, 0, -beside, c.Size().Y-height, 0))
		t.scale.paint(&c, vg.Rectangle{Min: vg.Point{X: c.Max.X - t.scale.width(), Y: max(c.Min.Y, c.Max.Y-longestBar)}, Max: c.Max})
	}
	return f.figure(content{
		width: around.X + width + beside, least: around.X + width/2 + beside, height: max(3*cm, height), description: description, paint: paint,
	})
}

// Plot implements plot.Plotter. It draws the cells, and the text of those that have room for
// it.
func (t table) Plot(c draw.Canvas, p *plot.Plot) {
	size := c.Size()
	g := cells{c.Min, vg.Point{X: size.X / vg.Length(len(t.columns)), Y: size.Y / vg.Length(len(t.rows))}, len(t.columns), len(t.rows)}
	white := draw.LineStyle{Color: color.White, Width: 1}
	if min(g.size.X, g.size.Y) < 14 { // lines between small cells would make the picture gray
		white.Width = 0.25
	}
	g.paint(&c, white, func(column, row int) color.Color {
		switch v := t.cells[row][column]; {
		case v.plain:
			return nil
		case math.IsNaN(v.value):
			return emptyGray
		default:
			return t.scale.color(v.value)
		}
	})
	allSmall := true // all texts have room in small type
	for _, v := range slices.Concat(t.cells...) {
		allSmall = allSmall && textStyle(smallSize, ink, v.bold).Width(v.text) <= g.size.X-3
	}
	for i, row := range t.cells {
		for j, v := range row {
			col := markGray
			if v.plain {
				col = ink
			} else if !math.IsNaN(v.value) {
				if col = inkOn(t.scale.color(v.value)); col == ink {
					col = fixedInk
				}
			}
			at := center(g.box(j, i))
			style, small := middle(textStyle(tickSize, col, v.bold)), middle(textStyle(smallSize, col, false))
			if style.Width(v.text) > g.size.X-5 && allSmall {
				style = middle(textStyle(smallSize, col, v.bold))
			}
			switch {
			case style.Width(v.text) > g.size.X-3 || g.size.Y < tickSize+2:
			case v.small == "" || small.Width(v.small) > g.size.X-3 || g.size.Y < tickSize+smallSize+6:
				c.FillText(style, at, v.text)
			default:
				c.FillText(style, at.Add(vg.Point{Y: 4.5}), v.text)
				c.FillText(small, at.Add(vg.Point{Y: -6.5}), v.small)
			}
		}
	}
	if t.marked != nil { // a white line within a dark one is visible on every color
		box := g.box(t.marked[1], t.marked[0]).Path()
		for _, line := range []draw.LineStyle{{Color: ink, Width: 2.6}, {Color: color.White, Width: 0.9}} {
			c.SetLineStyle(line)
			c.Stroke(box)
		}
	}
}

// Heatmap shows a number over two settings of a sweep. Each combination is a cell, and the
// number is its color and its text.
type Heatmap struct {
	Frame
	X Axis // columns, from the left, with a name for each
	Y Axis // rows, from the bottom, as on any axis

	// Value describes the number. Log makes the scale of colors logarithmic.
	Value Axis

	// Cells[row][column], as many as Y and X have names; a missing value is an empty cell.
	Cells [][]stats.Interval

	// Best is the preferred direction of the number. The best cell is marked.
	Best stats.Better
}

// Figure implements [Chart].
func (h Heatmap) Figure() (*Figure, error) {
	s, err := h.check()
	if err != nil {
		return nil, err
	}
	columns, rows := len(h.X.Names), len(h.Y.Names)
	t := table{
		rows: h.Y.Names, columns: h.X.Names, x: clean(h.X.Label), y: clean(h.Y.Label), scale: newColorScale(h.Value, s.span, viridis),
		size: vg.Point{X: max(3, min(2.2*cm, (h.inner()-4.5*cm)/vg.Length(columns))), Y: min(1.05*cm, 20*cm/vg.Length(rows))},
	}
	write := h.writer(s.span)
	if style := textStyle(tickSize, ink, false); max(style.Width(write(s.min)), style.Width(write(s.max))) > t.size.X-5 {
		t.size.Y = min(t.size.Y, max(t.size.X, tickSize+3)) // cells without text can be low
	}
	t.marked = map[stats.Better]*[2]int{stats.Higher: &s.highest, stats.Lower: &s.lowest}[h.Best]
	for i, row := range h.Cells {
		t.cells = append(t.cells, nil)
		for j, v := range row {
			c := cell{value: v.Value, text: "×"}
			if !v.Missing() {
				c.text, c.bold = write(v.Value), t.marked != nil && *t.marked == [2]int{i, j}
			}
			if v.Known() {
				c.small = errorOf(v, write)
			}
			t.cells[i] = append(t.cells[i], c)
		}
	}
	return t.figure(h.Frame, h.describe(s))
}

// errorOf writes the half of a symmetric interval, "± 45", or the ends of another, "83 … 173".
func errorOf(i stats.Interval, write func(float64) string) string {
	if half := write(i.High - i.Value); half == write(i.Value-i.Low) {
		if half == "0" && i.High > i.Value {
			half = brief(i.High - i.Value)
		}
		return "± " + half
	}
	return write(i.Low) + " … " + write(i.High)
}

// summary is what a heat map's cells have in common.
type summary struct {
	span
	highest, lowest [2]int // row and column; the first wins a tie
	missing         int
}

// check summarizes the cells.
func (h Heatmap) check() (summary, error) {
	s := summary{span: emptySpan()}
	rows, columns := len(h.Y.Names), len(h.X.Names)
	if len(h.Cells) != rows {
		return s, fmt.Errorf("plots: heat map with %d names of rows has %d rows: %w", rows, len(h.Cells), ErrInvalid)
	}
	for i, row := range h.Cells {
		if len(row) != columns {
			return s, fmt.Errorf("plots: heat map row %d (%q) has %d of %d cells: %w", i, h.Y.Names[i], len(row), columns, ErrInvalid)
		}
		for j, c := range row {
			if err := checkNumbers(fmt.Sprintf("heat map: cell %q, %q", h.X.Names[j], h.Y.Names[i]), c.Value, c.Low, c.High); err != nil {
				return s, err
			}
			if c.Missing() {
				s.missing++
			}
			if c.Value > s.max {
				s.highest = [2]int{i, j}
			}
			if c.Value < s.min {
				s.lowest = [2]int{i, j}
			}
			s.add(c.Value)
		}
	}
	if s.empty() {
		return s, fmt.Errorf("plots: heat map of %d by %d cells without a number: %w", columns, rows, ErrNoData)
	}
	return s, h.Value.check(s.span)
}

// writer returns a formatter of the cells' numbers. Cells of different color also differ in
// their text.
func (h Heatmap) writer(s span) func(float64) string {
	largest := math.Max(math.Abs(s.min), math.Abs(s.max))
	switch {
	case h.Value.Log || s.max == s.min:
		return brief
	case s.whole && s.max-s.min < 1e4:
		return labeler(largest, 1)
	}
	return labeler(largest, niceStep((s.max-s.min)/100))
}

// describe names the extremes.
func (h Heatmap) describe(s summary) string {
	at := func(cell [2]int) string {
		return joined(brief(h.Cells[cell[0]][cell[1]].Value), "at", h.X.Label, h.X.Names[cell[1]]) + ", " + joined(h.Y.Label, h.Y.Names[cell[0]])
	}
	text := joined("Heat map of", cmp.Or(h.Value.text(), "a number"), "over", h.X.Label, "(columns) and", h.Y.Label, "(rows): highest", at(s.highest)) + "; lowest " + at(s.lowest) + "."
	if s.missing > 0 {
		text += fmt.Sprintf(" %d of %d cells are empty.", s.missing, len(h.Cells)*len(h.X.Names))
	}
	return text
}

// Crosstable shows a tournament as a table of colored cells: the score of the
// row's player against the column's, with wins, draws and losses below it, and
// the row's total at the right.
type Crosstable struct {
	Frame
	Players []string // in the order of rows, and of columns unless there are Opponents

	// Opponents are the players of the columns if no two players of the rows have met, as in a
	// gauntlet.
	Opponents []string

	// Cells[i][j] is the record of player i against the player of column j. The diagonal of
	// players against themselves is not read; a record without games is an empty cell.
	Cells [][]stats.Record
}

// Figure implements [Chart].
func (t Crosstable) Figure() (*Figure, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	n, columns := len(t.Players), t.columns()
	side := min(1.25*cm, max(0.5*cm, 22*cm/vg.Length(max(n, len(columns)))))
	colors := scores
	if t.Style.gray() {
		colors = grayScores
	}
	drawn := table{
		columns: append(slices.Clone(columns), "total"), cells: make([][]cell, n), size: vg.Point{X: side, Y: side},
		scale: newColorScale(Axis{Label: "score", Most: 1}, span{}, colors),
	}
	var texts []string
	for i, player := range t.Players {
		var row []cell
		for j, r := range t.Cells[i] {
			c := cell{value: math.NaN()}
			switch {
			case t.same(i, j):
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

// columns returns the players of the columns.
func (t Crosstable) columns() []string {
	if len(t.Opponents) > 0 {
		return t.Opponents
	}
	return t.Players
}

// same reports whether a cell is on the diagonal.
func (t Crosstable) same(row, column int) bool { return row == column && len(t.Opponents) == 0 }

func (t Crosstable) check() error {
	n, columns := len(t.Players), t.columns()
	games := 0
	for i, row := range t.Cells {
		if len(t.Cells) != n || len(row) != len(columns) {
			return fmt.Errorf("plots: crosstable of %d by %d players: row %d of %d has %d cells: %w", n, len(columns), i, len(t.Cells), len(row), ErrInvalid)
		}
		for j, r := range row {
			if t.same(i, j) {
				continue
			}
			if min(r.Wins, r.Draws, r.Losses) < 0 {
				return fmt.Errorf("plots: crosstable %q against %q: record %d/%d/%d: %w", t.Players[i], columns[j], r.Wins, r.Draws, r.Losses, ErrInvalid)
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
		if !t.same(i, j) {
			total = total.Plus(r)
		}
	}
	return total
}
