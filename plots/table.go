package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
			return color.RGBA{0xF4, 0xF4, 0xF4, 0xFF}
		default:
			return t.scale.color(v.value)
		}
	})
	for i, row := range t.cells {
		for j, v := range row {
			col := markGray
			if v.plain {
				col = ink
			} else if !math.IsNaN(v.value) {
				col = inkOn(t.scale.color(v.value))
			}
			at := center(g.box(j, i))
			style, small := middle(textStyle(tickSize, col, v.bold)), middle(textStyle(smallSize, col, false))
			switch {
			case style.Width(v.text) > g.size.X-5 || g.size.Y < tickSize+2:
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
