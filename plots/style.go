package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style is how figures look. The zero Style is that of a page.
type Style struct {
	Preset  string            `key:"preset" enum:"column page slide" absent:"none" doc:"Width, size and font for a place: column is the width of one column of a journal with two (8.6 cm, 7 points), page that of both (17.8 cm, 8 points), slide a large picture (25 cm, 14 points). The other keys override it."`
	Width   float64           `key:"width" range:"4..100" absent:"that of the preset, or what the kind of figure needs" unit:"cm" doc:"Width of every figure. A figure that needs more is wider."`
	Size    float64           `key:"size" range:"4..40" absent:"that of the preset, or 9" unit:"points" doc:"Size of the numbers on the axes. Titles, labels, lines and markers grow with it."`
	Font    string            `key:"font" enum:"sans serif" absent:"sans" doc:"Font: Liberation Sans or Liberation Serif, which have the widths of Helvetica and Times."`
	Colors  []string          `key:"colors" enum:"gray" want:"or a color as #rrggbb" pattern:"^#[0-9a-fA-F]{6}$" flags:"single" absent:"the palette of Okabe and Ito, which the color-blind can tell apart" doc:"Colors of the first, second, ... series; later ones have those of the default. gray draws whole figures in shades of gray: series also differ in their markers or dashes."`
	Decimal string            `key:"decimal" enum:"point comma" absent:"point" doc:"Decimal mark of numbers."`
	Words   map[string]string `key:"words" doc:"Texts of figures with their replacements, such as {loss: Verlust}, for another language or other names. A text is replaced if it is equal, or where it stands before a unit in parentheses."`
}

// presets are the widths in cm and the sizes in points of the presets.
var presets = map[string]struct{ width, size float64 }{
	"column": {8.6, 7}, "page": {17.8, 8}, "slide": {25, 14},
}

// width returns the width of figures in cm, or 0 if each kind has its own.
func (s Style) width() float64 { return cmp.Or(s.Width, presets[s.Preset].width) }

// scale returns the factor by which a figure is larger than it was laid out.
func (s Style) scale() float64 { return cmp.Or(s.Size, presets[s.Preset].size, tickSize) / tickSize }

// face returns a font of the default style in this style.
func (s Style) face(f font.Font) font.Font {
	if s.Font != "" {
		f.Variant = font.Variant(strings.ToUpper(s.Font[:1]) + s.Font[1:])
	}
	return f
}

var unitAfter = regexp.MustCompile(`^(.+)( \(.+\))$`)
var decimalPoint = regexp.MustCompile(`(\d)\.(\d)`)

// write returns a text of a figure in the words and numbers of the style.
func (s Style) write(txt string) string {
	if word, ok := s.Words[txt]; ok {
		txt = word
	} else if parts := unitAfter.FindStringSubmatch(txt); parts != nil && s.Words[parts[1]] != "" {
		txt = s.Words[parts[1]] + parts[2]
	}
	if s.Decimal == "comma" {
		txt = decimalPoint.ReplaceAllString(txt, "$1,$2")
	}
	return txt
}

// gray reports whether figures have no colors.
func (s Style) gray() bool { return slices.Contains(s.Colors, "gray") }

// grays are the shades of the series of a palette.
var grays = []uint8{0x00, 0x80, 0x40, 0xA8, 0x60, 0xB8, 0x20}

// color returns a color of a figure in the style. Colors of series, also thin ones, are those
// of the style; gray turns all others to their luminance.
func (s Style) color(c color.Color) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	for i, p := range palette {
		if n.R != p.R || n.G != p.G || n.B != p.B || p == black && i >= len(s.Colors) && !s.gray() {
			continue
		}
		switch {
		case s.gray():
			n.R, n.G, n.B = grays[i], grays[i], grays[i]
		case i < len(s.Colors):
			fmt.Sscanf(s.Colors[i], "#%02x%02x%02x", &n.R, &n.G, &n.B) // it has this form
		}
		return n
	}
	if s.gray() {
		y := color.GrayModel.Convert(color.NRGBA{n.R, n.G, n.B, 0xFF}).(color.Gray).Y
		n.R, n.G, n.B = y, y, y
	}
	return n
}

// styled is a canvas that draws in a style.
type styled struct {
	vg.Canvas
	Style
}

// SetColor implements vg.Canvas.
func (c *styled) SetColor(col color.Color) {
	if col == nil {
		col = color.Black
	}
	c.Canvas.SetColor(c.color(col))
}

// within returns the first canvas of a type among those that a canvas wraps. draw.Crop wraps a
// canvas in another.
func within[T vg.Canvas](c vg.Canvas) (found T, ok bool) {
	for {
		if found, ok = c.(T); ok {
			return found, true
		}
		switch inner := c.(type) {
		case draw.Canvas:
			c = inner.Canvas
		case *draw.Canvas:
			c = inner.Canvas
		case *styled:
			c = inner.Canvas
		default:
			return found, false
		}
	}
}

// translatedText draws texts that have the words of the canvas's style already, in its font.
type translatedText struct{ text.Plain }

// Draw implements text.Handler.
func (h translatedText) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	if s, ok := within[*styled](c); ok {
		style.Font = s.face(style.Font)
		style.Handler = h.Plain
	}
	h.Plain.Draw(c, txt, style, at)
}

// translated is a style of texts that have the words of the canvas's style already.
func translated(style text.Style) text.Style {
	style.Handler = translatedText(handler)
	return style
}

// styledText draws texts in the words and the font of the canvas's style. A layout is made with
// those of the default style.
type styledText struct{ text.Plain }

// Draw implements text.Handler.
func (h styledText) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	if s, ok := within[*styled](c); ok {
		txt = s.write(txt)
	}
	translatedText(h).Draw(c, txt, style, at)
}
