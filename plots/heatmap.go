package plots

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heatmap shows a number over two settings of a sweep: a cell for each
// combination, its color and its text the number.
type Heatmap struct {
	Frame
	X Categories // columns, from the left
	Y Categories // rows, from the bottom, as on any axis

	// Value is what the cells show; Log makes the scale of colors logarithmic,
	// FromZero begins it at 0.
	Value Axis

	// Cells[row][column], as many as Y and X have ticks.
	Cells [][]Cell

	// Best marks the cell of the highest or lowest number.
	Best Extreme
}

// Categories are the values of a setting.
type Categories struct {
	Label, Unit string
	Ticks       []string // one a row or column
}

func (c Categories) text() string { return Axis{Label: c.Label, Unit: c.Unit}.text() }

// Cell is a number with its interval. A Value of NaN is an empty cell; Low and
// High are both 0, or NaN, where the interval is not known.
type Cell struct{ Value, Low, High float64 }

func (c Cell) interval() bool {
	return !(c.Low == 0 && c.High == 0) && !math.IsNaN(c.Low) && !math.IsNaN(c.High)
}

// Extreme says which numbers are the good ones.
type Extreme int

// Which number of a picture is marked.
const (
	NoExtreme Extreme = iota
	Highest
	Lowest
)

const mostCells = 100 // a side

// Figure implements [Chart].
func (h Heatmap) Figure() (*Figure, error) {
	s, err := h.check()
	if err != nil {
		return nil, err
	}
	g := h.measure(s)
	lay, err := newLayout(h.Frame, nil, float64((g.naturalWidth()+2*margin)/vg.Centimeter), float64(g.naturalHeight()/vg.Centimeter))
	if err != nil {
		return nil, err
	}
	g.stretch(lay)
	if min(g.cell.X, g.cell.Y) < 3 {
		return nil, fmt.Errorf("plots: heat map of %d by %d cells in %.4g by %.4g cm: %w",
			g.columns, g.rows, lay.width/vg.Centimeter, lay.height/vg.Centimeter, ErrSize)
	}
	return lay.figure(h.describe(), func(c draw.Canvas) { h.paint(c, g) }), nil
}

// check returns the range of the numbers.
func (h Heatmap) check() (span, error) {
	s := emptySpan()
	rows, columns := len(h.Y.Ticks), len(h.X.Ticks)
	if rows > mostCells || columns > mostCells {
		return s, fmt.Errorf("plots: heat map of %d by %d cells: want at most %d a side: %w", columns, rows, mostCells, ErrSize)
	}
	if len(h.Cells) != rows {
		return s, fmt.Errorf("plots: heat map with %d ticks of rows has %d rows: %w", rows, len(h.Cells), ErrLength)
	}
	for i, row := range h.Cells {
		if len(row) != columns {
			return s, fmt.Errorf("plots: heat map row %d (%q) has %d of %d cells: %w", i, h.Y.Ticks[i], len(row), columns, ErrLength)
		}
		for j, c := range row {
			where := fmt.Sprintf("heat map: cell %q, %q", h.X.Ticks[j], h.Y.Ticks[i])
			if err := checkNumbers(where, []float64{c.Value, c.Low, c.High}); err != nil {
				return s, err
			}
			if c.interval() && (c.Low > c.Value || c.High < c.Value) {
				return s, fmt.Errorf("plots: %s: %g is not within its interval of %g to %g: %w", where, c.Value, c.Low, c.High, ErrRange)
			}
			s.add(c.Value)
		}
	}
	if s.empty() {
		return s, fmt.Errorf("plots: heat map of %d by %d cells without a number: %w", columns, rows, ErrNoData)
	}
	return s, checkLog(h.Value, s, "values of a heat map")
}

// extremes returns the cells of the highest and the lowest number, the first of
// equals.
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

func (h Heatmap) describe() string {
	if given := clean(h.Description); given != "" {
		return given
	}
	value := h.Value.text()
	if value == "" {
		value = "a number"
	}
	highest, lowest := h.extremes()
	tell := func(at [2]int) string {
		return fmt.Sprintf("%s at %s %s, %s %s", brief(h.Cells[at[0]][at[1]].Value),
			clean(h.X.Label), clean(h.X.Ticks[at[1]]), clean(h.Y.Label), clean(h.Y.Ticks[at[0]]))
	}
	empty := 0
	for _, row := range h.Cells {
		for _, c := range row {
			if math.IsNaN(c.Value) {
				empty++
			}
		}
	}
	s := fmt.Sprintf("Heat map of %s over %s (columns) and %s (rows): highest %s; lowest %s.", value, h.X.text(), h.Y.text(), tell(highest), tell(lowest))
	if empty > 0 {
		s += fmt.Sprintf(" %d of %d cells are empty.", empty, len(h.Cells)*len(h.X.Ticks))
	}
	return strings.Join(strings.Fields(s), " ")
}

// heatGeometry has the sizes of a heat map's parts.
type heatGeometry struct {
	rows, columns int
	xNames        [][]string // as shown, in one line or two
	yNames        []string
	names, head   vg.Length
	turned        bool // names of columns stand upright
	xLabel        vg.Length
	yLabel        vg.Length
	cell          vg.Point
	scale         colorScale
	write         func(float64) string
}

const (
	widestCell = 2.2 * vg.Centimeter
	cellHeight = 1.05 * vg.Centimeter
	scaleGap   = vg.Length(14)
)

// measure finds the sizes at which everything is readable.
func (h Heatmap) measure(s span) heatGeometry {
	style := textStyle(tickSize, ink, false)
	g := heatGeometry{rows: len(h.Y.Ticks), columns: len(h.X.Ticks), scale: newColorScale(h.Value, s)}
	g.write = brief
	if !h.Value.Log && s.max > s.min {
		// Two cells that look different differ in their text as well.
		g.write = labeler(math.Max(math.Abs(s.min), math.Abs(s.max)), niceStep((s.max-s.min)/100))
		if s.whole && s.max-s.min < 1e4 {
			g.write = labeler(math.Max(math.Abs(s.min), math.Abs(s.max)), 1)
		}
	}
	var widest vg.Length
	for _, name := range h.Y.Ticks {
		name = fitName(clean(name), style, nameWidth)
		g.yNames = append(g.yNames, name)
		g.names = max(g.names, style.Width(name))
	}
	label := textStyle(labelSize, ink, false).Height("x") + labelGap
	if h.X.text() != "" {
		g.xLabel = label
	}
	if h.Y.text() != "" {
		g.yLabel = label
	}
	room := defaultWidth*vg.Centimeter - 2*margin - g.fixedWidth()
	if h.Width > 0 {
		room = vg.Length(h.Width)*vg.Centimeter - 2*margin - g.fixedWidth()
	}
	g.cell = vg.Point{X: min(widestCell, room/vg.Length(g.columns)), Y: min(cellHeight, 20*vg.Centimeter/vg.Length(g.rows))}
	text := g.write(s.min)
	if other := g.write(s.max); len(other) > len(text) {
		text = other
	}
	if style.Width(text) > g.cell.X-5 { // colors alone need no high cells
		g.cell.Y = min(g.cell.Y, max(g.cell.X, tickSize+2))
	}
	lines := 1
	for _, name := range h.X.Ticks {
		rows := twoLines(clean(name), style, g.cell.X-4)
		g.xNames = append(g.xNames, rows)
		lines = max(lines, len(rows))
		g.turned = g.turned || strings.ContainsRune(strings.Join(rows, ""), '…')
		widest = max(widest, min(style.Width(clean(name)), nameWidth))
	}
	g.head = vg.Length(lines)*(tickSize+2) + 4
	if g.turned {
		g.head = widest + 6
		for i, name := range h.X.Ticks {
			g.xNames[i] = []string{fitName(clean(name), style, nameWidth)}
		}
	}
	return g
}

func (g heatGeometry) fixedWidth() vg.Length {
	return g.yLabel + g.names + 6 + scaleGap + g.scale.width()
}
func (g heatGeometry) naturalWidth() vg.Length {
	return g.fixedWidth() + g.cell.X*vg.Length(g.columns)
}
func (g heatGeometry) naturalHeight() vg.Length {
	return max(g.head+g.xLabel+g.cell.Y*vg.Length(g.rows), (leastData+0.5)*vg.Centimeter)
}

// stretch makes the cells fit a layout of a given height; their width was
// chosen for it.
func (g *heatGeometry) stretch(lay layout) {
	room := lay.height - lay.headHeight() - 2*margin - g.head - g.xLabel
	g.cell.Y = min(g.cell.Y*1.5, room/vg.Length(g.rows))
	g.cell.X = min(g.cell.X, (lay.width-2*margin-g.fixedWidth())/vg.Length(g.columns))
}

func (h Heatmap) paint(c draw.Canvas, g heatGeometry) {
	left := c.Min.X + g.yLabel + g.names + 6
	top := c.Max.Y
	right, bottom := left+g.cell.X*vg.Length(g.columns), top-g.cell.Y*vg.Length(g.rows)
	highest, lowest := h.extremes()
	marked := [2]int{-1, -1}
	switch h.Best {
	case Highest:
		marked = highest
	case Lowest:
		marked = lowest
	}
	var markedBox vg.Rectangle
	for i := len(h.Cells) - 1; i >= 0; i-- { // from the top, see paintCell
		for j, cell := range h.Cells[i] {
			box := vg.Rectangle{
				Min: vg.Point{X: left + vg.Length(j)*g.cell.X, Y: bottom + vg.Length(i)*g.cell.Y},
				Max: vg.Point{X: left + vg.Length(j+1)*g.cell.X, Y: bottom + vg.Length(i+1)*g.cell.Y},
			}
			best := marked == [2]int{i, j}
			if best {
				markedBox = box
			}
			g.paintCell(c, box, cell, best)
		}
	}
	if marked[0] >= 0 {
		// A white line within a dark one shows on every color.
		for _, l := range []draw.LineStyle{{Color: ink, Width: 2.6}, {Color: color.White, Width: 0.9}} {
			c.SetLineStyle(l)
			c.Stroke(markedBox.Path())
		}
	}
	h.paintNames(c, g, left, bottom)
	label := aligned(textStyle(labelSize, ink, false), draw.XCenter, draw.YBottom)
	descent := label.FontExtents().Descent
	x, atX := centered(h.X.text(), label, (left+right)/2, c.Min.X, right)
	c.FillText(label, vg.Point{X: atX, Y: bottom - g.head - g.xLabel + descent}, x)
	turned := label
	turned.Rotation = math.Pi / 2
	y, atY := centered(h.Y.text(), label, (top+bottom)/2, c.Min.Y+g.xLabel, top)
	c.FillText(turned, vg.Point{X: c.Min.X + label.Height("x") - descent, Y: atY}, y)
	g.scale.paint(c, vg.Rectangle{Min: vg.Point{X: right + scaleGap, Y: c.Min.Y}, Max: vg.Point{X: c.Max.X, Y: top}})
}

// paintNames writes the ticks, every second, fifth, ... where they are dense.
func (h Heatmap) paintNames(c draw.Canvas, g heatGeometry, left, bottom vg.Length) {
	style := textStyle(tickSize, softInk, false)
	every := sparse(len(g.yNames), g.cell.Y, tickSize+1)
	for i, name := range g.yNames {
		if i%every == 0 {
			beside(&c, aligned(style, draw.XRight, draw.YCenter), vg.Point{X: left - 6, Y: bottom + (vg.Length(i)+0.5)*g.cell.Y}, name)
		}
	}
	every = sparse(len(g.xNames), g.cell.X, tickSize+1)
	for j, name := range g.xNames {
		x := left + (vg.Length(j)+0.5)*g.cell.X
		switch {
		case j%every != 0:
		case g.turned:
			turned := aligned(style, draw.XRight, draw.YCenter)
			turned.Rotation = math.Pi / 2
			c.FillText(turned, vg.Point{X: x, Y: bottom - 4}, strings.Join(name, " "))
		default:
			for k, line := range name {
				c.FillText(aligned(style, draw.XCenter, draw.YTop), vg.Point{X: x, Y: bottom - 4 - vg.Length(k)*(tickSize+2)}, line)
			}
		}
	}
}

// sparse returns of how many ticks a room apart one is labeled.
func sparse(n int, room, want vg.Length) int {
	for _, every := range []int{1, 2, 5, 10, 20} {
		if room*vg.Length(every) >= want {
			return every
		}
	}
	return max(1, n)
}

// paintCell draws a cell and writes its number where there is room.
func (g heatGeometry) paintCell(c draw.Canvas, box vg.Rectangle, cell Cell, best bool) {
	mid := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	ground := color.RGBA{0xF2, 0xF2, 0xF2, 0xFF}
	missing := math.IsNaN(cell.Value)
	if !missing {
		ground = g.scale.color(cell.Value)
	}
	c.SetColor(ground)
	if min(g.cell.X, g.cell.Y) < 14 {
		// Lines between so small cells would gray the picture. Each cell
		// reaches under the next, or hairlines of white would show.
		under := vg.Rectangle{Min: vg.Point{X: box.Min.X, Y: box.Min.Y - 0.5}, Max: vg.Point{X: box.Max.X + 0.5, Y: box.Max.Y}}
		c.Fill(under.Path())
	} else {
		c.Fill(box.Path())
		c.SetLineStyle(draw.LineStyle{Color: color.White, Width: 1})
		c.Stroke(box.Path())
	}
	room := g.cell.X - 5
	style := aligned(textStyle(tickSize, inkOn(ground), best), draw.XCenter, draw.YCenter)
	if missing {
		// A cross, which no color of the scale can be taken for.
		line := draw.LineStyle{Color: markGray, Width: 0.6}
		r := min(g.cell.X, g.cell.Y) / 5
		c.StrokeLine2(line, mid.X-r, mid.Y-r, mid.X+r, mid.Y+r)
		c.StrokeLine2(line, mid.X-r, mid.Y+r, mid.X+r, mid.Y-r)
		return
	}
	text := g.write(cell.Value)
	if style.Width(text) > room || g.cell.Y < tickSize+2 {
		return
	}
	if cell.interval() {
		small := aligned(textStyle(smallSize, inkOn(ground), false), draw.XCenter, draw.YCenter)
		down, up := g.write(cell.Value-cell.Low), g.write(cell.High-cell.Value)
		around := "± " + up
		if up != down {
			around = "−" + down + " +" + up
		}
		if small.Width(around) <= room && g.cell.Y >= tickSize+smallSize+6 {
			beside(&c, small, vg.Point{X: mid.X, Y: mid.Y - 6.5}, around)
			mid.Y += 4.5
		}
	}
	beside(&c, style, mid, text)
}
