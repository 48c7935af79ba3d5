package plots

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Multiples shows the same two numbers in many small panels of the same axes,
// one a trial as a rule. Where each of a few panels has one series, the others
// stand behind it in gray, so that a panel shows how it differs.
type Multiples struct {
	Frame
	X, Y       Axis // of all panels
	Panels     []Panel
	References []Reference // in every panel
	Columns    int         // 0: as suits the number of panels
}

// Panel is one of the small plots. Series of the same name look the same in
// all of them.
type Panel struct {
	Title  string
	Series []Series // none: an empty panel, for a trial that has not begun
}

const (
	mostPanels = 100
	mostBehind = 20 // panels whose lines can be told apart in gray
)

// columns returns how many panels stand beside one another.
func (m Multiples) columns() int {
	n := len(m.Panels)
	switch {
	case m.Columns > 0:
		return min(m.Columns, n)
	case n <= 3:
		return n
	case n == 4:
		return 2
	case n <= 9:
		return 3
	}
	return 4
}

// Figure implements [Chart].
func (m Multiples) Figure() (*Figure, error) {
	if len(m.Panels) > mostPanels || m.Columns < 0 || m.Columns > 10 {
		return nil, fmt.Errorf("plots: %d panels in %d columns: want at most %d, in at most 10: %w", len(m.Panels), m.Columns, mostPanels, ErrSize)
	}
	var all []Series
	var lists [][]Series
	alone := len(m.Panels) > 1
	for _, p := range m.Panels {
		all = append(all, p.Series...)
		lists = append(lists, p.Series)
		alone = alone && len(p.Series) <= 1
	}
	x, y, err := checkSeries(all, m.References, m.X, m.Y)
	if err != nil {
		return nil, err
	}

	looks := newLooks(lists...)
	legend := looks.legend()
	if alone {
		// The panels' titles say whose line it is.
		looks.names, legend = nil, nil
	}
	behind := alone && len(m.Panels) <= mostBehind
	if behind {
		legend = []entry{{name: "this panel", line: looks.line("")}, {name: "other panels", line: behindStyle}}
	}
	columns := m.columns()
	rows := (len(m.Panels) + columns - 1) / columns
	var plots []axes
	var refs []entry
	for i := range m.Panels {
		p := newPlot("", "")
		setRange(&p.X, m.X, x, 0, 4)
		setRange(&p.Y, m.Y, y, 0.05, 4)
		if i%columns > 0 {
			p.Y.Tick.Marker = unlabeled{p.Y.Tick.Marker}
		}
		if i+columns < len(m.Panels) { // there is a panel below
			p.X.Tick.Marker = unlabeled{p.X.Tick.Marker}
		}
		p.Add(grid{x: true, y: true})
		refs = addReferences(p.Plot, m.References)
		if behind {
			for j, other := range m.Panels {
				if j != i && len(other.Series) > 0 {
					p.Add(curve{Series: Series{X: other.Series[0].X, Y: other.Series[0].Y}, line: behindStyle})
				}
			}
		}
		looks.add(p, m.Panels[i].Series)
		plots = append(plots, p)
	}
	legend = append(legend, refs...)
	lay, err := newLayout(m.Frame, legend, defaultWidth, float64(rows)*multipleHeight(columns)+1.2)
	if err != nil {
		return nil, err
	}
	grid := panelGrid{plots: plots, panels: m.Panels, columns: columns, rows: rows, x: m.X.text(), y: m.Y.text()}
	if cell := grid.cell(lay.width-2*margin, lay.height-lay.headHeight()-2*margin); cell.X < 1.8*vg.Centimeter || cell.Y < 1.2*vg.Centimeter {
		return nil, fmt.Errorf("plots: %d panels in %.4g by %.4g cm: %w", len(plots), lay.width/vg.Centimeter, lay.height/vg.Centimeter, ErrSize)
	}
	return lay.figure(m.describe(), grid.paint), nil
}

// multipleHeight is the height in cm of a panel in so many columns.
func multipleHeight(columns int) float64 {
	return math.Min(7, 1.2+8.5/float64(columns))
}

var behindStyle = draw.LineStyle{Color: markGray, Width: 0.6}

func (m Multiples) describe() string {
	var told []string
	for _, p := range m.Panels {
		s := clean(p.Title)
		if len(p.Series) == 0 {
			s += " (no data)"
		}
		for i, t := range tellSeries(p.Series) {
			if i > 0 {
				s += ","
			}
			s += " " + t
		}
		told = append(told, s)
	}
	return describe(m.Description, fmt.Sprintf("%d panels", len(m.Panels)), m.X.text(), m.Y.text(), []string{several(told, "; ")})
}

// panelGrid lays panels out in rows and columns.
type panelGrid struct {
	plots         []axes
	panels        []Panel
	columns, rows int
	x, y          string
}

const (
	columnGap  = vg.Length(14)
	panelTitle = vg.Length(tickSize + 12) // and the gap above it
)

// insets are the room that the numbers of both axes need.
func (g panelGrid) insets() (left, bottom vg.Length) {
	c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 500, Y: 500}}}
	for i, p := range g.plots {
		if i%g.columns == 0 {
			left = max(left, p.DataCanvas(c).Min.X)
		}
		bottom = max(bottom, p.DataCanvas(c).Min.Y)
	}
	return left, bottom
}

// cell returns the size of a panel's data area in a figure of some size.
func (g panelGrid) cell(width, height vg.Length) vg.Point {
	left, bottom := g.insets()
	label := textStyle(labelSize, ink, false).Height("x") + labelGap
	return vg.Point{
		X: (width-label-left-6)/vg.Length(g.columns) - columnGap + columnGap/vg.Length(g.columns),
		Y: (height-label-bottom)/vg.Length(g.rows) - panelTitle,
	}
}

// title says too where a panel is empty.
func (g panelGrid) title(i int) string {
	title := clean(g.panels[i].Title)
	if x, _ := spans(g.panels[i].Series); x.empty() {
		title = strings.TrimSpace(title + " (no data)")
	}
	return title
}

func (g panelGrid) paint(c draw.Canvas) {
	size := g.cell(c.Max.X-c.Min.X, c.Max.Y-c.Min.Y)
	left, _ := g.insets()
	label := textStyle(labelSize, ink, false).Height("x") + labelGap
	first := c.Min.X + label + left
	title := aligned(textStyle(tickSize, ink, true), draw.XLeft, draw.YBottom)
	var lowest vg.Length
	for i, p := range g.plots {
		at := vg.Point{X: first + vg.Length(i%g.columns)*(size.X+columnGap)}
		at.Y = c.Max.Y - vg.Length(i/g.columns+1)*(size.Y+panelTitle)
		want := vg.Rectangle{Min: at, Max: vg.Point{X: at.X + size.X, Y: at.Y + size.Y}}
		area := c
		area.Rectangle = want
		// Its numbers stand outside of the data area that it shall have.
		have := p.DataCanvas(area)
		area.Min.X += want.Min.X - have.Min.X
		area.Min.Y += want.Min.Y - have.Min.Y
		area.Max.X += want.Max.X - have.Max.X
		area.Max.Y += want.Max.Y - have.Max.Y
		p.Draw(area)
		c.FillText(title, vg.Point{X: want.Min.X, Y: want.Max.Y + 3}, fitName(g.title(i), title, size.X+columnGap-4))
		lowest = want.Min.Y
	}
	style := aligned(textStyle(labelSize, ink, false), draw.XCenter, draw.YBottom)
	descent := style.FontExtents().Descent
	right := first + vg.Length(g.columns)*(size.X+columnGap) - columnGap
	x, atX := centered(g.x, style, (first+right)/2, c.Min.X, right)
	c.FillText(style, vg.Point{X: atX, Y: c.Min.Y + descent}, x)
	turned := style
	turned.Rotation = math.Pi / 2
	y, atY := centered(g.y, style, (c.Max.Y+lowest)/2, c.Min.Y, c.Max.Y)
	c.FillText(turned, vg.Point{X: c.Min.X + style.Height("x") - descent, Y: atY}, y)
}
