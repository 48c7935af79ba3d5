package plots

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Frame is the part of a figure around its data. The zero Frame has no title, and a width
// that suits the kind.
type Frame struct {
	Title string // one line above the picture, may be empty

	// Note is small print below the title, such as the meaning of a band. It may be empty.
	Note string

	// Width of the whole picture in cm. Zero means the width that the kind needs, 16 cm for
	// most.
	Width float64
}

const (
	defaultWidth = 16                   // cm
	margin       = 0.25 * vg.Centimeter // around everything
	sampleWidth  = vg.Length(23)        // of a legend entry
	entryGap     = vg.Length(14)
	rowHeight    = vg.Length(14)
)

// An entry of the legend is a name and the plotters that draw what it names.
type entry struct {
	name    string
	samples []plot.Thumbnailer
}

// layout is a frame around data of a known size, with the legend in rows above the data.
type layout struct {
	title, note   string
	legend        [][]entry
	width, height vg.Length
}

// newLayout arranges title, note and legend. width is the default width of the whole
// picture in cm. height is the height of the data in cm, without title and legend.
func newLayout(f Frame, legend []entry, width, height float64) (layout, error) {
	l := layout{title: clean(f.Title), note: clean(f.Note)}
	if f.Width != 0 {
		width = f.Width
	} else { // a small picture must not cut off its title and note
		words := max(textStyle(titleSize, ink, true).Width(l.title), textStyle(noteSize, ink, false).Width(l.note))
		width = max(width, min(defaultWidth, float64((words+2*margin+1)/vg.Centimeter)))
	}
	if !(width >= 4 && width <= 200 && height <= 500) {
		return l, fmt.Errorf("plots: picture of %.4g by %.4g cm: want a width of 4 to 200 cm and a height of at most 500: %w", width, height, ErrSize)
	}
	l.width = vg.Length(width) * vg.Centimeter
	style := textStyle(tickSize, ink, false)
	var used vg.Length
	for _, e := range legend {
		e.name = fitName(clean(e.name), style, l.inner()-2*sampleWidth)
		w := legendOf(e).Rectangle(draw.Canvas{}).Size().X
		if used == 0 || used+entryGap+w > l.inner() {
			l.legend, used = append(l.legend, nil), -entryGap
		}
		last := len(l.legend) - 1
		l.legend[last] = append(l.legend[last], e)
		used += entryGap + w
	}
	l.height = vg.Length(height)*vg.Centimeter + l.headHeight() + 2*margin
	return l, nil
}

// inner returns the width within the margins.
func (l layout) inner() vg.Length { return l.width - 2*margin }

// legendOf returns a legend of one entry, because gonum's own legends have a single column.
func legendOf(e entry) *plot.Legend {
	l := plot.NewLegend()
	l.TextStyle = textStyle(tickSize, ink, false)
	l.Top, l.Left, l.ThumbnailWidth = true, true, sampleWidth
	var samples []plot.Thumbnailer
	for _, s := range e.samples {
		samples = append(samples, sample{s})
	}
	l.Add(e.name, samples...)
	return &l
}

// sample is the picture of a legend entry, with more room before the name than gonum
// leaves.
type sample struct{ plot.Thumbnailer }

func (s sample) Thumbnail(c *draw.Canvas) {
	part := draw.Crop(*c, 0, -3, 0, 0)
	s.Thumbnailer.Thumbnail(&part)
}

// headHeight returns the height of title, note and legend.
func (l layout) headHeight() (h vg.Length) {
	if l.title != "" {
		h += titleSize + 7
	}
	if l.note != "" {
		h += noteSize + 6
	}
	if len(l.legend) > 0 {
		h += rowHeight*vg.Length(len(l.legend)) + 4
	}
	return h
}

// figure returns the picture with its description. paint draws the data on the canvas that
// title and legend leave.
func (l layout) figure(description string, paint func(draw.Canvas)) *Figure {
	if l.note != "" {
		description += " " + strings.TrimSuffix(l.note, ".") + "."
	}
	return &Figure{
		title:       l.title,
		description: description,
		width:       l.width,
		height:      l.height,
		paint:       func(c draw.Canvas) { paint(l.paintHead(c)) },
	}
}

// paintHead draws background, title, note and legend and returns the canvas below.
func (l layout) paintHead(c draw.Canvas) draw.Canvas {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	y := c.Max.Y
	line := func(s string, style text.Style, gap vg.Length) {
		if s != "" {
			c.FillText(aligned(style, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X, Y: y}, fit(s, style, l.inner()))
			y -= style.Font.Size + gap
		}
	}
	line(l.title, textStyle(titleSize, ink, true), 7)
	line(l.note, textStyle(noteSize, softInk, false), 6)
	for _, row := range l.legend {
		at := c
		at.Max.Y = y
		for _, e := range row {
			legend := legendOf(e)
			legend.Draw(at)
			at.Min.X += legend.Rectangle(at).Size().X + entryGap
		}
		y -= rowHeight
	}
	c.Max.Y -= l.headHeight()
	return c
}

// grid is a table of plots with aligned data areas, and shared labels of axes. It draws the
// labels itself in the middle of the data. gonum would place them in the middle of the
// numbers, which on a logarithmic axis is near its end.
type grid struct {
	plots [][]*plot.Plot // by row from the top; nil means no plot
	gap   vg.Length
	x     string   // of all columns
	y     []string // one per row, or one for all
}

// paintPlot draws a single plot with the labels of its axes.
func paintPlot(p *plot.Plot, x, y string) func(draw.Canvas) {
	return grid{plots: [][]*plot.Plot{{p}}, x: x, y: []string{y}}.paint
}

func (g grid) paint(c draw.Canvas) {
	style := aligned(textStyle(labelSize, ink, false), draw.XCenter, draw.YBottom)
	height := style.Height("x") + 3
	inner := c
	if g.x != "" {
		inner.Min.Y += height
	}
	if strings.Join(g.y, "") != "" {
		inner.Min.X += height
	}
	rows, columns := len(g.plots), len(g.plots[0])
	areas := plot.Align(g.plots, draw.Tiles{Rows: rows, Cols: columns, PadX: g.gap, PadY: g.gap}, inner)
	var data []vg.Rectangle // of the first plot of each row
	all := vg.Rectangle{Max: vg.Point{X: c.Min.X}}
	for i, row := range g.plots {
		for j, p := range row {
			if p == nil {
				continue
			}
			p.Draw(areas[i][j])
			d := p.DataCanvas(areas[i][j]).Rectangle
			if j == 0 {
				data = append(data, d)
			}
			all.Max.X = max(all.Max.X, d.Max.X)
		}
	}
	descent := style.FontExtents().Descent
	label, at := centered(g.x, style, (data[0].Min.X+all.Max.X)/2, c.Min.X, c.Max.X)
	c.FillText(style, vg.Point{X: at, Y: c.Min.Y + descent}, label)
	if len(g.y) < rows { // one label of all rows
		data[0].Min.Y = data[rows-1].Min.Y
	}
	style.Rotation = math.Pi / 2
	for i, s := range g.y {
		flat := style
		flat.Rotation = 0
		mid, room := (data[i].Min.Y+data[i].Max.Y)/2, (data[i].Max.Y-data[i].Min.Y)/2+height
		s, at := centered(s, flat, mid, max(c.Min.Y, mid-room), min(c.Max.Y, mid+room))
		c.FillText(style, vg.Point{X: c.Min.X + style.Font.Size, Y: at}, s)
	}
}

// newPlot returns an empty plot in the theme of this package.
func newPlot() *plot.Plot {
	p := plot.New()
	p.TextHandler = handler
	p.BackgroundColor = nil // the frame has painted the background
	p.Legend.TextStyle = textStyle(tickSize, ink, false)
	p.Title.TextStyle = aligned(textStyle(tickSize, ink, true), draw.XCenter, draw.YTop)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding = 0
		axis.LineStyle = draw.LineStyle{Color: axisGray, Width: 0.6}
		axis.Tick.LineStyle = axis.LineStyle
		axis.Tick.Length = 3.5
	}
	p.Y.Label.TextStyle = textStyle(tickSize, ink, false) // its blank stands between tick and label
	p.X.Tick.Label = aligned(textStyle(tickSize, softInk, false), draw.XCenter, draw.YTop)
	p.Y.Tick.Label = aligned(textStyle(tickSize, softInk, false), draw.XRight, yMiddle)
	return p
}

// add adds plotters without widening the axes. Parts outside the axes are clipped.
func add(p *plot.Plot, plotters ...plot.Plotter) {
	x0, x1, y0, y1 := p.X.Min, p.X.Max, p.Y.Min, p.Y.Max
	p.Add(plotters...)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x0, x1, y0, y1
}

// hideLabels keeps only the ticks of an axis, because a neighbor shows their labels.
func hideLabels(a *plot.Axis) { a.Tick.Label.Handler = silent{} }

// hideTicks keeps only the labels of an axis.
func hideTicks(a *plot.Axis) { a.LineStyle.Width, a.Tick.Length = 0, 0 }

// silent is a text handler that draws nothing.
type silent struct{ text.Plain }

func (silent) Extents(font.Font) (e font.Extents)                     { return e }
func (silent) Box(string, font.Font) (width, height, depth vg.Length) { return 0, 0, 0 }
func (silent) Draw(vg.Canvas, string, text.Style, vg.Point)           {}
