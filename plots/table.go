package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
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
	above         bool     // names of columns stand above the table
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
	tick := textStyle(tickSize, softInk, false)
	rows, left := fitNames(t.rows, tick)
	columns, upright, widest := nameColumns(t.columns, tick, t.size.X)
	beside, room := left+6, vg.Length(tickSize+3) // for the names of rows and of columns
	if upright {
		room = widest + 6
	}
	below := vg.Length(0)
	if t.y != "" {
		beside += labelSize + 6
	}
	if t.x != "" {
		below = labelSize + 6
	}
	width, height := t.size.X*vg.Length(len(columns)), t.size.Y*vg.Length(len(rows))
	around := beside + scaleGap + t.scale.width()
	paint := func(c draw.Canvas) {
		size := t.size
		size.X = (c.Size().X - around) / vg.Length(len(columns))
		g := cells{vg.Point{X: c.Min.X + beside, Y: c.Max.Y - height}, size, len(columns), len(rows)}
		if t.above {
			g.corner.Y -= room
		}
		t.paintCells(&c, g)
		end := g.box(g.columns, g.rows).Min
		mid := vg.Point{X: (g.corner.X + end.X) / 2, Y: (g.corner.Y + end.Y) / 2}
		every := sparse(len(rows), size.Y, tickSize+1)
		for i, name := range rows {
			if i%every == 0 {
				box := g.box(0, i)
				c.FillText(aligned(tick, draw.XRight, yMiddle), vg.Point{X: box.Min.X - 4, Y: center(box).Y}, name)
			}
		}
		style, y := aligned(tick, draw.XCenter, draw.YTop), g.corner.Y-3
		if t.above {
			style, y = aligned(tick, draw.XCenter, draw.YBottom), end.Y+4
		}
		if upright {
			style.Rotation = math.Pi / 2
			style.YAlign = draw.YCenter
			if style.XAlign = draw.XRight; t.above {
				style.XAlign = draw.XLeft
			}
		}
		for j, name := range columns {
			c.FillText(style, vg.Point{X: center(g.box(j, 0)).X, Y: y}, name)
		}
		labelBelow(c, t.x, mid.X)
		labelBeside(c, t.y, mid.Y)
		right := vg.Point{X: end.X + scaleGap, Y: end.Y + 13}
		if t.above {
			right.Y = c.Max.Y
		}
		t.scale.paint(&c, vg.Rectangle{Min: vg.Point{X: right.X, Y: max(c.Min.Y, right.Y-longestBar)}, Max: vg.Point{X: c.Max.X, Y: right.Y}})
	}
	return f.figure(content{width: around + width, least: around + width/2, height: max(3*cm, height+room+below), description: description, paint: paint})
}

// fitNames shortens names, and returns the width of the widest.
func fitNames(names []string, style text.Style) (fitting []string, widest vg.Length) {
	for _, name := range names {
		name = fit(clean(name), style, nameWidth)
		fitting = append(fitting, name)
		widest = max(widest, style.Width(name))
	}
	return fitting, widest
}

// paintCells draws the cells, and the text of those that have room for it.
func (t table) paintCells(c *draw.Canvas, g cells) {
	white := draw.LineStyle{Color: color.White, Width: 1}
	if min(g.size.X, g.size.Y) < 14 { // lines between small cells would make the picture gray
		white.Width = 0.25
	}
	g.paint(c, white, func(column, row int) color.Color {
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
