package plots

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"

	"alamos/pkg/stats"
)

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
				c.small = errorOf(write(v.Value-v.Low), write(v.High-v.Value))
			}
			t.cells[i] = append(t.cells[i], c)
		}
	}
	return t.figure(h.Frame, h.describe(s))
}

// errorOf writes the distances of a number to the ends of its interval.
func errorOf(down, up string) string {
	if up == down {
		return "± " + up
	}
	return "−" + down + " +" + up
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
