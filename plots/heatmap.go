package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"alamos/pkg/stats"
)

// Heatmap shows a number over two settings of a sweep. Each combination is a cell, and the
// number is its color and its text.
type Heatmap struct {
	Frame
	X Categories // columns, from the left
	Y Categories // rows, from the bottom, as on any axis

	// Value describes the number. Log makes the scale of colors logarithmic.
	Value Axis

	// Cells[row][column], as many as Y and X have ticks; a missing value is an
	// empty cell.
	Cells [][]stats.Interval

	// Best marks the cell of the highest or lowest number.
	Best Extreme
}

// Categories are the values of a setting.
type Categories struct {
	Label string
	Ticks []string // one per row or column
}

// Extreme selects the number to mark.
type Extreme int

// Extremes to mark.
const (
	NoExtreme Extreme = iota
	Highest
	Lowest
)

// Figure implements [Chart].
func (h Heatmap) Figure() (*Figure, error) {
	s, err := h.check()
	if err != nil {
		return nil, err
	}
	columns, rows := len(h.X.Ticks), len(h.Y.Ticks)
	room := vg.Length(cmp.Or(h.Width, defaultWidth)-5) * vg.Centimeter
	size := vg.Point{X: max(3, min(2.2*vg.Centimeter, room/vg.Length(columns))), Y: min(1.05*vg.Centimeter, 20*vg.Centimeter/vg.Length(rows))}
	write := h.writer(s)
	if style := textStyle(tickSize, ink, false); max(style.Width(write(s.min)), style.Width(write(s.max))) > size.X-5 {
		size.Y = min(size.Y, max(size.X, tickSize+3)) // cells without text can be low
	}
	highest, lowest := h.extremes()
	marked := map[Extreme][2]int{NoExtreme: {-1, -1}, Highest: highest, Lowest: lowest}[h.Best]
	cells := make([][]cell, rows)
	for i, row := range h.Cells {
		for j, v := range row {
			c := cell{value: v.Value, text: "×"}
			if !v.Missing() {
				c.text, c.bold = write(v.Value), marked == [2]int{i, j}
			}
			if v.Known() {
				down, up := write(v.Value-v.Low), write(v.High-v.Value)
				if c.small = "−" + down + " +" + up; up == down {
					c.small = "± " + up
				}
			}
			cells[rows-1-i] = append(cells[rows-1-i], c)
		}
	}
	names := slices.Clone(h.Y.Ticks)
	slices.Reverse(names)
	t := newTable(names, cells, newColorScale(h.Value, s, viridis), size)
	t.plot.X.Tick.Marker = nominal(&t.plot.X, h.X.Ticks, size.X)
	if x, y := float64(marked[1]), float64(marked[0]); x >= 0 {
		// A white line within a dark one is visible on every color.
		box := []plotter.XYs{{{X: x - .5, Y: y - .5}, {X: x + .5, Y: y - .5}, {X: x + .5, Y: y + .5}, {X: x - .5, Y: y + .5}}}
		add(t.plot, &plotter.Polygon{XYs: box, LineStyle: draw.LineStyle{Color: ink, Width: 2.6}},
			&plotter.Polygon{XYs: box, LineStyle: draw.LineStyle{Color: color.White, Width: 0.9}})
	}
	return t.figure(h.Frame, clean(h.X.Label), clean(h.Y.Label), h.describe(highest, lowest))
}

// check returns the range of the numbers.
func (h Heatmap) check() (span, error) {
	s := emptySpan()
	rows, columns := len(h.Y.Ticks), len(h.X.Ticks)
	if len(h.Cells) != rows {
		return s, fmt.Errorf("plots: heat map with %d ticks of rows has %d rows: %w", rows, len(h.Cells), ErrInvalid)
	}
	for i, row := range h.Cells {
		if len(row) != columns {
			return s, fmt.Errorf("plots: heat map row %d (%q) has %d of %d cells: %w", i, h.Y.Ticks[i], len(row), columns, ErrInvalid)
		}
		for j, c := range row {
			if err := checkNumbers(fmt.Sprintf("heat map: cell %q, %q", h.X.Ticks[j], h.Y.Ticks[i]), c.Value, c.Low, c.High); err != nil {
				return s, err
			}
			s.add(c.Value)
		}
	}
	if s.empty() {
		return s, fmt.Errorf("plots: heat map of %d by %d cells without a number: %w", columns, rows, ErrNoData)
	}
	return s, h.Value.check(s)
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

// extremes returns the cells of the highest and the lowest number. The first wins a tie.
func (h Heatmap) extremes() (highest, lowest [2]int) {
	most, least := math.Inf(-1), math.Inf(1)
	for i, row := range h.Cells {
		for j, c := range row {
			if c.Value > most {
				most, highest = c.Value, [2]int{i, j}
			}
			if c.Value < least {
				least, lowest = c.Value, [2]int{i, j}
			}
		}
	}
	return highest, lowest
}

func (h Heatmap) describe(highest, lowest [2]int) string {
	tell := func(at [2]int) string {
		return fmt.Sprintf("%s at %s %s, %s %s", brief(h.Cells[at[0]][at[1]].Value),
			clean(h.X.Label), clean(h.X.Ticks[at[1]]), clean(h.Y.Label), clean(h.Y.Ticks[at[0]]))
	}
	empty := 0
	for _, row := range h.Cells {
		for _, c := range row {
			if c.Missing() {
				empty++
			}
		}
	}
	s := fmt.Sprintf("Heat map of %s over %s (columns) and %s (rows): highest %s; lowest %s.",
		cmp.Or(h.Value.text(), "a number"), clean(h.X.Label), clean(h.Y.Label), tell(highest), tell(lowest))
	if empty > 0 {
		s += fmt.Sprintf(" %d of %d cells are empty.", empty, len(h.Cells)*len(h.X.Ticks))
	}
	return strings.Join(strings.Fields(s), " ")
}
