package plots

import (
	"image/color"
	"math"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The palette of Okabe and Ito, "Color Universal Design" (2008), without its
// yellow, which is too faint for a line on white.
var (
	blue      = color.RGBA{0x00, 0x72, 0xB2, 0xFF}
	vermilion = color.RGBA{0xD5, 0x5E, 0x00, 0xFF}
	green     = color.RGBA{0x00, 0x9E, 0x73, 0xFF}
	purple    = color.RGBA{0xCC, 0x79, 0xA7, 0xFF}
	orange    = color.RGBA{0xE6, 0x9F, 0x00, 0xFF}
	sky       = color.RGBA{0x56, 0xB4, 0xE9, 0xFF}
	black     = color.RGBA{0x00, 0x00, 0x00, 0xFF}

	palette = []color.RGBA{blue, vermilion, green, purple, orange, sky, black}
)

var (
	ink      = color.RGBA{0x22, 0x22, 0x22, 0xFF} // titles and labels
	softInk  = color.RGBA{0x55, 0x55, 0x55, 0xFF} // tick labels, small print
	axisGray = color.RGBA{0x88, 0x88, 0x88, 0xFF}
	gridGray = color.RGBA{0xE4, 0xE4, 0xE4, 0xFF}
	markGray = color.RGBA{0xB8, 0xB8, 0xB8, 0xFF}
)

// Type sizes in points; a figure of the default width is shown about as wide
// as it is printed.
const (
	titleSize = 11
	labelSize = 9.5
	tickSize  = 9
	noteSize  = 8.5
	smallSize = 7
)

// Dashes in points; nil is a solid line.
var dashes = [][]vg.Length{nil, {6, 3}, {1.5, 2.5}, {8, 3, 1.5, 3}, {3, 2}}

var markers = []draw.GlyphDrawer{
	draw.CircleGlyph{},
	polygon{4, math.Pi / 4},  // square
	polygon{3, math.Pi / 2},  // triangle
	polygon{4, 0},            // diamond
	polygon{3, -math.Pi / 2}, // triangle on its tip
	bars{math.Pi / 4},        // x
	bars{0},                  // plus
}

// handler sets text in the Liberation fonts that come with the library, so
// that a picture does not depend on the fonts of the machine.
var handler = text.Plain{Fonts: font.NewCache(liberation.Collection())}

func textStyle(size float64, c color.Color, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, Handler: handler, XAlign: draw.XLeft, YAlign: draw.YBottom}
}

// aligned returns the style with other alignments.
func aligned(s text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	s.XAlign, s.YAlign = x, y
	return s
}

// colorOf and the like give series i its looks. After a full turn of the
// palette the markers and dashes differ.
func colorOf(i int) color.RGBA { return palette[i%len(palette)] }

func markerOf(i int) draw.GlyphDrawer {
	return markers[(i+i/len(palette))%len(markers)]
}

func dashesOf(i int) []vg.Length { return dashes[(i/len(palette))%len(dashes)] }

// axes is a plot with the labels of its axes. The labels are drawn here, in
// the middle of the data: the library places them in the middle of the numbers,
// which on a logarithmic axis is near its end, and takes room for them there.
type axes struct {
	*plot.Plot
	x, y string
}

const labelGap = vg.Length(3)

// inner returns the canvas without the labels.
func (a axes) inner(c draw.Canvas) draw.Canvas {
	height := textStyle(labelSize, ink, false).Height("x") + labelGap
	if a.y != "" {
		c.Min.X += height
	}
	if a.x != "" {
		c.Min.Y += height
	}
	return c
}

// DataCanvas shadows the plot's, which knows nothing of the labels.
func (a axes) DataCanvas(c draw.Canvas) draw.Canvas { return a.Plot.DataCanvas(a.inner(c)) }

// Draw shadows the plot's and draws the labels too, shortened where they are
// longer than their axis.
func (a axes) Draw(c draw.Canvas) {
	a.Plot.Draw(a.inner(c))
	data := a.DataCanvas(c)
	style := aligned(textStyle(labelSize, ink, false), draw.XCenter, draw.YBottom)
	descent := style.FontExtents().Descent
	x, atX := centered(a.x, style, data.Center().X, c.Min.X, c.Max.X)
	c.FillText(style, vg.Point{X: atX, Y: c.Min.Y + descent}, x)
	turned := style
	turned.Rotation = math.Pi / 2
	y, atY := centered(a.y, style, data.Center().Y, c.Min.Y, c.Max.Y)
	c.FillText(turned, vg.Point{X: c.Min.X + style.Height("x") - descent, Y: atY}, y)
}

// newPlot returns an empty plot in the theme of this package.
func newPlot(x, y string) axes {
	p := plot.New()
	p.TextHandler = handler
	p.BackgroundColor = nil // the frame has painted the ground
	p.Legend.TextStyle = textStyle(tickSize, ink, false)
	p.Title.TextStyle = textStyle(titleSize, ink, true)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding = 0
		axis.LineStyle = draw.LineStyle{Color: axisGray, Width: 0.6}
		axis.Tick.LineStyle = axis.LineStyle
		axis.Tick.Length = 3.5
	}
	p.Y.Label.TextStyle = textStyle(tickSize, ink, false) // its blank stands between tick and label
	p.X.Tick.Label = aligned(textStyle(tickSize, softInk, false), draw.XCenter, draw.YTop)
	p.Y.Tick.Label = aligned(textStyle(tickSize, softInk, false), draw.XRight, draw.YCenter)
	return axes{p, x, y}
}

// polygon is a filled regular polygon; turn is the angle of its first corner.
type polygon struct {
	corners int
	turn    float64 // radians
}

func (g polygon) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	points := make([]vg.Point, g.corners)
	for i := range points {
		// Corners stand out beyond a circle of the same weight.
		points[i] = around(at, 1.2*s.Radius, g.turn+2*math.Pi*float64(i)/float64(g.corners))
	}
	c.FillPolygon(s.Color, points)
}

// bars is a filled cross of two bars; turn is the angle of the first.
type bars struct{ turn float64 }

func (g bars) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	style := draw.LineStyle{Color: s.Color, Width: s.Radius * 0.8}
	for _, turn := range []float64{g.turn, g.turn + math.Pi/2} {
		a, b := around(at, 1.25*s.Radius, turn), around(at, 1.25*s.Radius, turn+math.Pi)
		c.StrokeLine2(style, a.X, a.Y, b.X, b.Y)
	}
}

// around returns the point at a distance and an angle from another.
func around(at vg.Point, r vg.Length, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
}

// beside writes text whose capitals are centered on the height of a point; the
// library's own centering takes the depth of letters like g into account and
// sets short labels too low.
func beside(c *draw.Canvas, s text.Style, at vg.Point, txt string) {
	s.YAlign = draw.YCenter
	at.Y += 0.1 * s.Font.Size
	c.FillText(s, at, txt)
}

// clean makes any string a single line of printable text: names come from
// files and engines, and a control character would make the SVG unreadable.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return '\uFFFD'
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// centered returns a text that fits between two places, and its center: as
// near to at as it can be.
func centered(s string, style text.Style, at, from, to vg.Length) (string, vg.Length) {
	s = fit(s, style, to-from)
	half := style.Width(s) / 2
	return s, max(from+half, min(to-half, at))
}

// fitName shortens a name to a width in its middle: the names of a sweep's
// trials begin alike and differ at their ends.
func fitName(s string, style text.Style, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	cut := func(kept int) string {
		head := (kept + 1) / 2
		return strings.TrimRight(string(runes[:head]), " .,") + "…" + strings.TrimSpace(string(runes[len(runes)-kept+head:]))
	}
	lo, hi := 0, len(runes)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if style.Width(cut(mid)) <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return cut(lo)
}

// fit shortens a text to a width and marks the cut with an ellipsis.
func fit(s string, style text.Style, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes) // the longest prefix that fits, by bisection
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if style.Width(string(runes[:mid])+"…") <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return strings.TrimSpace(string(runes[:lo])) + "…"
}
