package plots

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Frame is what every figure has around its data. The zero Frame is ready:
// no title, a description made from the data, and a size that suits the kind.
type Frame struct {
	Title string // one line above the picture, may be empty

	// Note is small print below the title: what a band is, how much was left
	// out. It may be empty.
	Note string

	// Description says what the picture shows to those who cannot see it.
	// Empty: a sentence made from the labels and names.
	Description string

	// Width and Height of the whole picture in cm. Zero: 16 cm wide, and as
	// high as the kind, its panels and its legend need.
	Width, Height float64
}

const (
	defaultWidth = 16                   // cm
	margin       = 0.25 * vg.Centimeter // around everything
	leastData    = 2.5                  // cm of height or width that must be left for data
)

// A legend entry: a sample of the drawing and what it means.
type entry struct {
	name   string
	line   draw.LineStyle // not drawn if its width is 0
	marker draw.GlyphDrawer
	fill   color.Color // a box of this color if not nil
	shade  color.Color // a box without an edge, behind the line
	color  color.Color // of the marker

	ramp func(share float64) color.RGBA // a scale of colors if not nil
}

const (
	sampleWidth = vg.Length(20)
	sampleGap   = vg.Length(5)
	entryGap    = vg.Length(14)
	rowHeight   = vg.Length(14)
)

// layout is a frame whose legend has found its rows.
type layout struct {
	title  string
	note   string
	legend [][]entry
	width  vg.Length
	height vg.Length
}

// newLayout sets the title and the legend within the frame's width. dataHeight
// is the height in cm that the kind wants below them if the frame names none.
func newLayout(f Frame, legend []entry, defWidth, dataHeight float64) (layout, error) {
	if f.Width == 0 {
		// A small picture does not cut off its title and note.
		words := max(textStyle(titleSize, ink, true).Width(clean(f.Title)), textStyle(noteSize, ink, false).Width(clean(f.Note)))
		f.Width = max(defWidth, min(defaultWidth, float64((words+2*margin+1)/vg.Centimeter)))
	}
	if !(f.Width >= 4 && f.Width <= 200) {
		return layout{}, fmt.Errorf("plots: width of %g cm: want 4 to 200: %w", f.Width, ErrSize)
	}
	l := layout{title: clean(f.Title), note: clean(f.Note), width: vg.Length(f.Width) * vg.Centimeter}
	inner := l.width - 2*margin
	style := textStyle(tickSize, ink, false)
	var used vg.Length
	for _, e := range legend {
		e.name = fitName(clean(e.name), style, inner-sampleWidth-sampleGap)
		w := sampleWidth + sampleGap + style.Width(e.name)
		if last := len(l.legend) - 1; last >= 0 && used+entryGap+w <= inner {
			l.legend[last] = append(l.legend[last], e)
			used += entryGap + w
			continue
		}
		l.legend = append(l.legend, []entry{e})
		used = w
	}
	if f.Height == 0 {
		l.height = vg.Length(dataHeight)*vg.Centimeter + l.headHeight() + 2*margin
	} else {
		l.height = vg.Length(f.Height) * vg.Centimeter
	}
	if !(l.height <= 500*vg.Centimeter && l.height-l.headHeight()-2*margin >= leastData*vg.Centimeter) {
		return layout{}, fmt.Errorf("plots: height of %.4g cm leaves no room for data below the title and %d legend rows: %w",
			l.height/vg.Centimeter, len(l.legend), ErrSize)
	}
	return l, nil
}

// headHeight is the height of title and legend.
func (l layout) headHeight() vg.Length {
	var h vg.Length
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

// paint draws ground, title and legend and returns the canvas left for data.
func (l layout) paint(c draw.Canvas) draw.Canvas {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	y := c.Max.Y
	if l.title != "" {
		style := textStyle(titleSize, ink, true)
		c.FillText(aligned(style, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X, Y: y}, fit(l.title, style, c.Max.X-c.Min.X))
		y -= titleSize + 7
	}
	if l.note != "" {
		style := textStyle(noteSize, softInk, false)
		c.FillText(aligned(style, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X, Y: y + 1}, fit(l.note, style, c.Max.X-c.Min.X))
		y -= noteSize + 6
	}
	style := textStyle(tickSize, ink, false)
	for _, row := range l.legend {
		x, mid := c.Min.X, y-rowHeight/2
		for _, e := range row {
			e.paint(&c, x, mid)
			x += sampleWidth + sampleGap
			beside(&c, style, vg.Point{X: x, Y: mid}, e.name)
			x += style.Width(e.name) + entryGap
		}
		y -= rowHeight
	}
	c.Max.Y -= l.headHeight()
	return c
}

// paint draws the sample whose left end is at x.
func (e entry) paint(c *draw.Canvas, x, mid vg.Length) {
	if e.fill != nil {
		c.SetColor(e.fill)
		box := vg.Rectangle{Min: vg.Point{X: x + 5, Y: mid - 4.5}, Max: vg.Point{X: x + sampleWidth - 1, Y: mid + 4.5}}
		c.Fill(box.Path())
		c.SetLineStyle(draw.LineStyle{Color: axisGray, Width: 0.4})
		c.Stroke(box.Path())
	}
	if e.shade != nil {
		c.SetColor(e.shade)
		c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: mid - 4}, Max: vg.Point{X: x + sampleWidth, Y: mid + 4}}.Path())
	}
	if e.ramp != nil {
		const steps = 20
		for i := range steps {
			c.SetColor(e.ramp((float64(i) + 0.5) / steps))
			part := vg.Rectangle{
				Min: vg.Point{X: x + sampleWidth*vg.Length(i)/steps, Y: mid - 4},
				Max: vg.Point{X: min(x+sampleWidth, x+sampleWidth*vg.Length(float64(i)+1.5)/steps), Y: mid + 4},
			}
			c.Fill(part.Path())
		}
	}
	if e.line.Width > 0 {
		c.StrokeLine2(e.line, x, mid, x+sampleWidth, mid)
	}
	if e.marker != nil {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: e.color, Radius: markerRadius, Shape: e.marker}, vg.Point{X: x + sampleWidth/2, Y: mid})
	}
}

// A strip is one of several plots that stand above one another and share
// their x axis.
type strip struct {
	plot  axes
	share float64 // of the height
}

// figure finishes a picture: what it is called, and how it is painted into
// the canvas that title and legend leave.
func (l layout) figure(description string, paint func(draw.Canvas)) *Figure {
	if l.note != "" {
		description += " " + l.note
		if !strings.HasSuffix(l.note, ".") {
			description += "."
		}
	}
	return &Figure{
		title:       l.title,
		description: description,
		width:       l.width,
		height:      l.height,
		paint:       func(c draw.Canvas) { paint(l.paint(c)) },
	}
}

// paintPanels draws panels from the top down with their data areas aligned.
func paintPanels(c draw.Canvas, panels []strip) {
	const gap = 0.3 * vg.Centimeter
	height := c.Max.Y - c.Min.Y - gap*vg.Length(len(panels)-1)
	areas := make([]draw.Canvas, len(panels))
	left, right := math.Inf(-1), math.Inf(1)
	top := c.Max.Y
	for i, p := range panels {
		h := height * vg.Length(p.share)
		areas[i] = c
		areas[i].Max.Y, areas[i].Min.Y = top, top-h
		top -= h + gap
		data := p.plot.DataCanvas(areas[i])
		left = math.Max(left, float64(data.Min.X))
		right = math.Min(right, float64(data.Max.X))
	}
	for i, p := range panels {
		data := p.plot.DataCanvas(areas[i])
		p.plot.Draw(draw.Crop(areas[i], vg.Length(left)-data.Min.X, vg.Length(right)-data.Max.X, 0, 0))
	}
}
