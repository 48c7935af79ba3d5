package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// table is a rectangle of colored cells with text, for heat maps and crosstables.
type table struct {
	rows  []string // names, from the top
	cells [][]cell // by row
	scale colorScale
	size  vg.Point // of a cell
	plot  *plot.Plot
}

// cell is a number, which determines the color, with two lines of text. A cell without a
// number is gray.
type cell struct {
	value       float64
	text, small string
	bold        bool
}

// Distances of two lines of text from the middle of a cell.
const (
	lineAbove = vg.Length(4.5)
	lineBelow = vg.Length(-6.5)
)

const nameWidth = 4.5 * vg.Centimeter // of the longest name of a row or column

// newTable makes the plot of a table with the names of rows. The caller adds the names of
// columns.
func newTable(rows []string, cells [][]cell, scale colorScale, size vg.Point) table {
	t := table{rows: rows, cells: cells, scale: scale, size: size, plot: newPlot()}
	p := t.plot
	p.Add(&plotter.HeatMap{GridXYZ: t, Palette: scale.colors, Min: 0, Max: 1, NaN: color.RGBA{0xF4, 0xF4, 0xF4, 0xFF}})
	n, m := len(cells[0]), len(rows)
	white := draw.LineStyle{Color: color.White, Width: 1}
	if min(size.X, size.Y) < 14 { // lines between small cells would make the picture gray
		white.Width = 0.25
	}
	for i := range m + 1 {
		add(p, &plotter.Line{LineStyle: white, XYs: plotter.XYs{{X: -0.5, Y: float64(i) - 0.5}, {X: float64(n) - 0.5, Y: float64(i) - 0.5}}})
	}
	for j := range n + 1 {
		add(p, &plotter.Line{LineStyle: white, XYs: plotter.XYs{{X: float64(j) - 0.5, Y: -0.5}, {X: float64(j) - 0.5, Y: float64(m) - 0.5}}})
	}
	hideTicks(&p.X)
	hideTicks(&p.Y)
	p.X.Padding, p.Y.Padding = 3, 3
	ticks := plot.ConstantTicks{}
	every := sparse(m, size.Y, tickSize+1)
	for i := range m {
		if name := rows[m-1-i]; i%every == 0 {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: fitName(clean(name), p.Y.Tick.Label, nameWidth)})
		}
	}
	p.Y.Tick.Marker = ticks
	p.X.Tick.Marker = plot.ConstantTicks{}
	t.addText()
	return t
}

// Dims and the methods below implement plotter.GridXYZ.
func (t table) Dims() (columns, rows int) { return len(t.cells[0]), len(t.rows) }
func (t table) X(column int) float64      { return float64(column) }
func (t table) Y(row int) float64         { return float64(row) }
func (t table) Z(column, row int) float64 {
	v := t.cells[len(t.rows)-1-row][column].value
	if math.IsNaN(v) {
		return v
	}
	return math.Max(0, math.Min(1, t.scale.Norm(v)))
}

// addText writes the text of cells that have room for it.
func (t table) addText() {
	var alone, above, below labels
	for i, row := range t.cells {
		for j, c := range row {
			col := markGray
			if !math.IsNaN(c.value) {
				col = inkOn(t.scale.color(c.value))
			}
			at := plotter.XY{X: float64(j), Y: float64(len(t.rows) - 1 - i)}
			style, small := middle(textStyle(tickSize, col, c.bold)), middle(textStyle(smallSize, col, false))
			switch {
			case style.Width(c.text) > t.size.X-5 || t.size.Y < tickSize+2:
			case c.small == "" || small.Width(c.small) > t.size.X-3 || t.size.Y < tickSize+smallSize+6:
				alone.add(at, c.text, style)
			default:
				above.add(at, c.text, style)
				below.add(at, c.small, small)
			}
		}
	}
	above.Offset.Y, below.Offset.Y = lineAbove, lineBelow
	add(t.plot, &alone.Labels, &above.Labels, &below.Labels)
}

// labels collects texts at places of a plot.
type labels struct{ plotter.Labels }

func (l *labels) add(at plotter.XY, s string, style text.Style) {
	l.XYs = append(l.XYs, at)
	l.Labels.Labels = append(l.Labels.Labels, s)
	l.TextStyle = append(l.TextStyle, style)
}

// figure lays the table out with labels of its sides, and its scale at the right.
func (t table) figure(f Frame, x, y, description string) (*Figure, error) {
	// The size of the parts around the cells does not depend on the cells.
	const size = 30 * vg.Centimeter
	data := t.plot.DataCanvas(draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: size, Y: size}}}).Size()
	around := vg.Point{X: size - data.X + scaleGap + t.scale.width() + 2*margin, Y: size - data.Y}
	if y != "" {
		around.X += labelSize + 6
	}
	if x != "" {
		around.Y += labelSize + 6
	}
	columns := vg.Length(len(t.cells[0]))
	height := max(3*vg.Centimeter, around.Y+t.size.Y*vg.Length(len(t.rows)))
	lay, err := newLayout(f, nil, float64((around.X+t.size.X*columns)/vg.Centimeter), float64(height/vg.Centimeter))
	if err != nil {
		return nil, err
	}
	if lay.width-around.X < columns*t.size.X/2 {
		return nil, fmt.Errorf("plots: table of %g columns in %.4g cm of width: %w", float64(columns), lay.width/vg.Centimeter, ErrSize)
	}
	return lay.figure(description, func(c draw.Canvas) {
		left := draw.Crop(c, 0, -t.scale.width()-scaleGap, 0, 0)
		paintPlot(t.plot, x, y)(left)
		top := min(c.Max.Y, t.plot.DataCanvas(left).Max.Y+13)
		t.scale.paint(&c, vg.Rectangle{Min: vg.Point{X: left.Max.X + scaleGap, Y: max(c.Min.Y, top-longestBar)}, Max: vg.Point{X: c.Max.X, Y: top}})
	}), nil
}
