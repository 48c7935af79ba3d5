package plots

import (
	"image/color"
	"math"
	"sort"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
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

	emptyGray = color.RGBA{0xF4, 0xF4, 0xF4, 0xFF} // cells without a number
	fixedInk  = color.RGBA{0x21, 0x21, 0x21, 0xFF} // on colored areas: no page changes it
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

// markers are filled, because gonum's hollow ones let the line show through.
var markers = []draw.GlyphDrawer{
	draw.CircleGlyph{},
	polygon{corners: 4, turn: math.Pi / 4},  // square
	polygon{corners: 3, turn: math.Pi / 2},  // triangle
	polygon{corners: 4},                     // diamond
	polygon{corners: 3, turn: -math.Pi / 2}, // triangle on its tip
}

// handler uses the Liberation fonts of the library, so that a picture does not depend on
// the machine's fonts.
var handler = styledText{text.Plain{Fonts: font.NewCache(liberation.Collection())}}

func textStyle(size float64, c color.Color, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, Handler: handler, XAlign: draw.XLeft, YAlign: draw.YBottom}
}

// yMiddle centers capitals and digits. draw.YCenter also takes the depth of
// letters like g into account and sets short labels too low.
const yMiddle text.YAlignment = -0.41

// middle returns the style centered in both directions.
func middle(s text.Style) text.Style { return aligned(s, draw.XCenter, yMiddle) }

// aligned returns the style with other alignments.
func aligned(s text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	s.XAlign, s.YAlign = x, y
	return s
}

// colorOf returns the color of series i.
func colorOf(i int) color.RGBA { return palette[i%len(palette)] }

// polygon is a filled regular polygon.
type polygon struct {
	corners int
	turn    float64 // of the first corner, radians
}

func (g polygon) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	var points []vg.Point
	for i := range g.corners { // corners extend beyond a circle of the same weight
		points = append(points, around(at, 1.2*s.Radius, g.turn+2*math.Pi*float64(i)/float64(g.corners)))
	}
	c.FillPolygon(s.Color, points)
}

// center returns the middle of a box.
func center(box vg.Rectangle) vg.Point { return box.Min.Add(box.Max).Scale(0.5) }

// around returns the point at a distance and an angle from another.
func around(at vg.Point, r vg.Length, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
}

// clean converts a string to a single line of printable text. Names come from files and
// engines, and a control character would make the SVG unreadable.
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

// centered returns a text that fits between two places, and its center, as near to at as
// possible.
func centered(s string, style text.Style, at, from, to vg.Length) (string, vg.Length) {
	s = fit(s, style, to-from)
	half := style.Width(s) / 2
	return s, max(from+half, min(to-half, at))
}

// wrap breaks a text at spaces into at most this many lines of a width. Lines that are still too
// long are shortened as fit does.
func wrap(s string, style text.Style, width vg.Length, most int) (lines []string) {
	for len(lines) < most-1 && style.Width(s) > width {
		cut := -1
		for i, r := range s {
			if r == ' ' && (cut < 0 || style.Width(s[:i]) <= width) {
				cut = i
			}
		}
		if cut < 0 {
			break
		}
		lines, s = append(lines, fit(s[:cut], style, width)), s[cut+1:]
	}
	return append(lines, fit(s, style, width))
}

// fit shortens a text in its middle to a width, because the names of a sweep's trials differ
// at their ends.
func fit(s string, style text.Style, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	cut := func(kept int) string {
		head := (kept + 1) / 2
		return strings.TrimRight(string(runes[:head]), " .,") + "…" + strings.TrimSpace(string(runes[len(runes)-kept+head:]))
	}
	tooWide := sort.Search(len(runes), func(kept int) bool { return style.Width(cut(kept)) > width })
	return cut(max(0, tooWide-1))
}
