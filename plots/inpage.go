package plots

import (
	"fmt"
	"html"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A figure within a page says what its parts are, so that a script can show values, hide
// series and select lines:
//
//	<g data-key="2">                      the key of a series in the legend
//	<g data-series="2 5">                 a series, with its keys
//	<g data-x="91.5" data-y="40" data-value="gen-2: score 0.62">
//	                                      a place of the picture, with what it shows
//	<g data-line="200.5 120 - 90" data-value="...">
//	                                      a line of parallel coordinates, with its heights at the axes
//	<g data-axis="12.5 40 20 210">        an axis of them: left, right, top, bottom
//
// A place within a line shows what the line does. Lengths are those of the svg element's viewBox. Files of figures have none of this.

// pageCanvas is a canvas that writes the parts of a figure. gonum's canvas has no groups with
// attributes, but it writes a group for each translation, and nothing else moves by zero.
type pageCanvas struct {
	*vgsvg.Canvas
	height vg.Length
	groups []string // the groups with their attributes, in their order
	texts  []string // the beginnings of the texts, in their order
}

const (
	emptyGroup = `<g transform="translate(0, 0)">`
	textStart  = "<text " // of every text of vgsvg
)

func (c *pageCanvas) begin(attributes string) {
	c.Push()
	c.Translate(vg.Point{})
	c.groups = append(c.groups, "<g "+attributes+">")
}

// FillString implements vg.Canvas. It gives the text the length that it was measured with, so
// that texts do not run into one another in a browser that lacks the font.
func (c *pageCanvas) FillString(face font.Face, at vg.Point, text string) {
	start := textStart
	if width := face.Width(text).Points(); width > 0 {
		start += fmt.Sprintf(`textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, width)
	}
	c.texts = append(c.texts, start)
	c.Canvas.FillString(face, at, text)
}

// replaced replaces each mark in a drawing by a text of its own.
func replaced(drawing, mark string, by []string) (string, error) {
	pieces := strings.Split(drawing, mark)
	if len(pieces) != len(by)+1 {
		return "", fmt.Errorf("the SVG writer's output has %d times %s, want %d", len(pieces)-1, mark, len(by))
	}
	for i := range by {
		pieces[i] += by[i]
	}
	return strings.Join(pieces, ""), nil
}

// inPage returns the canvas of a page, or nil where a figure is drawn in a file.
func inPage(c draw.Canvas) *pageCanvas {
	page, _ := within[*pageCanvas](c)
	return page
}

// part paints a part of a figure, as a group with attributes if the figure is within a page.
func part(c draw.Canvas, attributes string, paint func()) {
	if page := inPage(c); page != nil && attributes != "" {
		page.begin(attributes)
		defer page.Pop()
	}
	paint()
}

// place tells what a place of a figure shows. Lines of the text are separated by \n. Without
// a text it shows what the part around it does.
func place(c draw.Canvas, at vg.Point, text string) {
	page := inPage(c)
	if page == nil {
		return
	}
	attributes := fmt.Sprintf(`data-x="%.5g" data-y="%s"`, at.X.Points(), page.down(at.Y))
	if text != "" {
		attributes += fmt.Sprintf(` data-value="%s"`, html.EscapeString(text))
	}
	page.begin(attributes)
	page.Pop()
}

// down writes a height as SVG counts: from the top, or "-" for none.
func (c *pageCanvas) down(y vg.Length) string {
	if math.IsNaN(float64(y)) {
		return "-"
	}
	return fmt.Sprintf("%.5g", (c.height - y).Points())
}

// partOf is a plotter that draws others as a part of a figure.
type partOf struct {
	attributes string
	plotters   []plot.Plotter
	places     []tooltip
}

// tooltip is a place by the numbers of a plot's axes.
type tooltip struct {
	x, y float64
	text string
}

// Plot implements plot.Plotter.
func (s *partOf) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	part(c, s.attributes, func() {
		for _, plotter := range s.plotters {
			plotter.Plot(c, p)
		}
		for _, at := range s.places {
			if to := (vg.Point{X: x(at.x), Y: y(at.y)}); c.Contains(to) {
				place(c, to, at.text)
			}
		}
	})
}

// GlyphBoxes implements plot.GlyphBoxer: markers at the edge need room.
func (s *partOf) GlyphBoxes(p *plot.Plot) (boxes []plot.GlyphBox) {
	for _, plotter := range s.plotters {
		if b, ok := plotter.(plot.GlyphBoxer); ok {
			boxes = append(boxes, b.GlyphBoxes(p)...)
		}
	}
	return boxes
}
