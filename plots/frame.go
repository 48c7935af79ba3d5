package plots

import (
	"cmp"
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
	// most. That of the style comes first.
	Width float64

	Style Style
}

const (
	cm           = vg.Centimeter
	defaultWidth = 16        // cm
	margin       = 0.25 * cm // around everything
	sampleWidth  = vg.Length(20)
	sampleGap    = vg.Length(5.5) // between a sample and its name
	entryGap     = vg.Length(14)
	rowHeight    = vg.Length(14) // of a legend
)

// inner returns the width within the margins: that of the frame, or the default.
func (f Frame) inner() vg.Length { return vg.Length(cmp.Or(f.width(), defaultWidth))*cm - 2*margin }

// width returns the width of the layout in cm, or 0. The picture is larger by the style's scale.
func (f Frame) width() float64 {
	if w := f.Style.width(); w > 0 {
		return w / f.Style.scale()
	}
	return f.Width
}

// An entry of the legend is a name and the plotters that draw what it names.
type entry struct {
	name    string
	samples []plot.Thumbnailer
	key     string // of its series on a page; "" if it names no series
}

// attributes are those of the entry's part of a page.
func (e entry) attributes() string {
	if e.key == "" {
		return ""
	}
	return fmt.Sprintf(`data-key="%s"`, e.key)
}

// content is what a kind of figure shows below title, note and legend.
type content struct {
	width, height vg.Length // natural size; a width of 0 is the default
	least         vg.Length // the width that the content needs
	legend        []entry
	description   string
	dot           []byte // see [Figure]
	shaded        bool   // see [Figure]
	paint         func(draw.Canvas)
}

// strip is one of the parts of a picture above one another.
type strip struct {
	height vg.Length
	paint  func(draw.Canvas)
}

// figure puts the content below title, note and legend.
func (f Frame) figure(c content) (*Figure, error) {
	title, note := f.Style.write(clean(f.Title)), f.Style.write(clean(f.Note))
	for i := range c.legend { // a longer word needs more room
		c.legend[i].name = f.Style.write(c.legend[i].name)
	}
	titleStyle, noteStyle := translated(textStyle(titleSize, ink, true)), translated(textStyle(noteSize, softInk, false))
	width := f.inner()
	if f.width() == 0 && c.width > 0 { // a small picture must not cut off its title and note
		width = max(c.width, min(width, 1+max(titleStyle.Width(title), noteStyle.Width(note))))
	}
	var strips []strip
	if title != "" {
		strips = append(strips, textStrip(title, titleStyle, 7))
	}
	if note != "" {
		strips = append(strips, textStrip(note, noteStyle, 6))
		c.description += " " + strings.TrimSuffix(note, ".") + "."
	}
	strips = append(append(strips, legendStrips(c.legend, width)...), strip{c.height, c.paint})
	least := max(4*cm, c.least+2*margin)
	if f.Style.width() > 0 { // a style is for all figures: one that needs more is wider
		width = max(width, least-2*margin)
	}
	figure := &Figure{style: f.Style, title: title, description: c.description, dot: c.dot, shaded: c.shaded || f.Style.gray(), width: width + 2*margin, height: 2 * margin}
	for _, s := range strips {
		figure.height += s.height
	}
	if !(figure.width >= least-0.5 && figure.width <= 200*cm && figure.height <= 500*cm) {
		return nil, fmt.Errorf("plots: picture of %.4g by %.4g cm: want a width of %.4g to 200 cm and a height of at most 500: %w", figure.width/cm, figure.height/cm, least/cm, ErrSize)
	}
	figure.paint = func(c draw.Canvas) {
		c.Canvas = &styled{c.Canvas, f.Style}
		c.SetColor(color.White)
		c.Fill(c.Rectangle.Path())
		c = draw.Crop(c, margin, -margin, margin, -margin)
		for _, s := range strips {
			part := c
			c.Max.Y -= s.height
			part.Min.Y = c.Max.Y
			s.paint(part)
		}
	}
	return figure, nil
}

// textStrip is a line of text with a gap below it.
func textStrip(s string, style text.Style, gap vg.Length) strip {
	return strip{style.Font.Size + gap, func(c draw.Canvas) {
		c.FillText(aligned(style, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X, Y: c.Max.Y}, fit(s, style, c.Size().X))
	}}
}

// legendStrips arranges a legend in rows, with a gap below the last. gonum's own legends
// have a single column.
func legendStrips(legend []entry, width vg.Length) (rows []strip) {
	style := translated(aligned(textStyle(tickSize, ink, false), draw.XLeft, yMiddle))
	x := width
	for _, e := range legend {
		name := fit(clean(e.name), style, width-2*sampleWidth)
		needed := sampleWidth + sampleGap + style.Width(name)
		if x+needed > width {
			x = 0
			rows = append(rows, strip{rowHeight, func(draw.Canvas) {}})
		}
		row, at := &rows[len(rows)-1], x
		before := row.paint
		row.paint = func(c draw.Canvas) {
			before(c)
			c.Min.X += at
			sample := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: c.Min.X, Y: c.Max.Y - tickSize - 2}, Max: vg.Point{X: c.Min.X + sampleWidth, Y: c.Max.Y - 2},
			}}
			part(c, e.attributes(), func() {
				for _, s := range e.samples {
					s.Thumbnail(&sample)
				}
				c.FillText(style, vg.Point{X: sample.Max.X + sampleGap, Y: sample.Center().Y}, name)
			})
		}
		x += needed + entryGap
	}
	if len(rows) > 0 {
		rows[len(rows)-1].height += 4
	}
	return rows
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

// labelRoom is the height of an axis label with its distance.
var labelRoom = labelStyle.Height("x") + 3

// inner returns the part of a canvas without the labels of the axes.
func (g grid) inner(c draw.Canvas) draw.Canvas {
	if g.x != "" {
		c.Min.Y += labelRoom
	}
	if strings.Join(g.y, "") != "" {
		c.Min.X += labelRoom
	}
	return c
}

// around returns the width and height that a single plot needs besides its data.
func (g grid) around() vg.Point {
	whole := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 100 * cm, Y: 100 * cm}}}
	return whole.Size().Sub(g.plots[0][0].DataCanvas(g.inner(whole)).Size())
}

func (g grid) paint(c draw.Canvas) {
	inner := g.inner(c)
	rows, columns := len(g.plots), len(g.plots[0])
	areas := plot.Align(g.plots, draw.Tiles{Rows: rows, Cols: columns, PadX: g.gap, PadY: g.gap}, inner)
	var data []vg.Rectangle // of the first plot of each row
	right := c.Min.X        // of the data
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
			right = max(right, d.Max.X)
		}
	}
	x, at := centered(g.x, labelStyle, (data[0].Min.X+right)/2, c.Min.X, c.Max.X)
	c.FillText(labelStyle, vg.Point{X: at, Y: c.Min.Y + labelStyle.FontExtents().Descent}, x)
	if len(g.y) < rows { // one label of all rows
		data[0].Min.Y = data[rows-1].Min.Y
	}
	turned := labelStyle
	turned.Rotation = math.Pi / 2
	for i, y := range g.y {
		from, to := max(c.Min.Y, data[i].Min.Y-labelRoom), min(c.Max.Y, data[i].Max.Y+labelRoom)
		y, at := centered(y, labelStyle, (data[i].Min.Y+data[i].Max.Y)/2, from, to)
		c.FillText(turned, vg.Point{X: c.Min.X + labelSize, Y: at}, y)
	}
}

var labelStyle = aligned(textStyle(labelSize, ink, false), draw.XCenter, draw.YBottom)

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
	// gonum sets the labels of an upright axis higher by the depth of letters like g.
	p.Y.Tick.Label = aligned(textStyle(tickSize, softInk, false), draw.XRight, yMiddle-0.23)
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
