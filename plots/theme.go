package plots

import (
	"image/color"
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
	smallSize = 7
)

// Dashes in points; nil is a solid line.
var dashes = [][]vg.Length{nil, {6, 3}, {1.5, 2.5}, {8, 3, 1.5, 3}, {3, 2}}

var markers = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, diamondGlyph{},
	draw.CrossGlyph{}, draw.PlusGlyph{}, draw.RingGlyph{},
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

// newPlot returns an empty plot in the theme of this package.
func newPlot(x, y string) *plot.Plot {
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
		axis.Label.Padding = 3
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Label.TextStyle = aligned(textStyle(labelSize, ink, false), draw.XCenter, draw.YBottom)
	p.Y.Label.TextStyle = p.X.Label.TextStyle
	p.X.Tick.Label = aligned(textStyle(tickSize, softInk, false), draw.XCenter, draw.YTop)
	p.Y.Tick.Label = aligned(textStyle(tickSize, softInk, false), draw.XRight, draw.YCenter)
	return p
}

// diamondGlyph is a filled square on its corner.
type diamondGlyph struct{}

func (diamondGlyph) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := s.Radius * 1.15
	var path vg.Path
	path.Move(vg.Point{X: at.X, Y: at.Y + r})
	path.Line(vg.Point{X: at.X + r, Y: at.Y})
	path.Line(vg.Point{X: at.X, Y: at.Y - r})
	path.Line(vg.Point{X: at.X - r, Y: at.Y})
	path.Close()
	c.Fill(path)
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
