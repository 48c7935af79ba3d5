package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ramp is a list of evenly spaced colors. Colors between them are interpolated.
type ramp []color.RGBA

var (
	// viridis is the scale of van der Walt and Smith (2015). Its lightness
	// rises evenly, for every kind of color vision and in gray.
	viridis = ramp{
		{0x44, 0x01, 0x54, 0xFF}, {0x48, 0x28, 0x78, 0xFF}, {0x3E, 0x49, 0x89, 0xFF}, {0x31, 0x68, 0x8E, 0xFF}, {0x26, 0x82, 0x8E, 0xFF},
		{0x1F, 0x9E, 0x89, 0xFF}, {0x35, 0xB7, 0x79, 0xFF}, {0x6E, 0xCE, 0x58, 0xFF}, {0xB5, 0xDE, 0x2B, 0xFF}, {0xFD, 0xE7, 0x25, 0xFF},
	}
	// viridisLine is viridis for lines, without its yellow, which is too faint
	// on white.
	viridisLine = viridis[:len(viridis)-1]
	// blues is the scale "Blues" of Brewer's ColorBrewer (2003), from light to dark for
	// every kind of color vision. It lacks the two darkest colors, which would hide black
	// pieces.
	blues = ramp{
		{0xF7, 0xFB, 0xFF, 0xFF}, {0xDE, 0xEB, 0xF7, 0xFF}, {0xC6, 0xDB, 0xEF, 0xFF}, {0x9E, 0xCA, 0xE1, 0xFF},
		{0x6B, 0xAE, 0xD6, 0xFF}, {0x42, 0x92, 0xC6, 0xFF}, {0x21, 0x71, 0xB5, 0xFF},
	}
	// scores are the colors of a score of 0, one half and 1. Vermilion and blue differ in
	// lightness too, and to every kind of color vision. They are not those of the palette,
	// which a style replaces.
	scores = ramp{{0xD4, 0x5E, 0x00, 0xFF}, {0xF7, 0xF7, 0xF7, 0xFF}, {0x00, 0x72, 0xB1, 0xFF}}
	// grayScores are those in gray, where the ends of scores would look alike.
	grayScores = ramp{{0xF7, 0xF7, 0xF7, 0xFF}, {0x38, 0x38, 0x38, 0xFF}}
)

// at returns the color of a fraction of 0 to 1.
func (r ramp) at(share float64) color.RGBA {
	at := math.Max(0, math.Min(1, share)) * float64(len(r)-1)
	i := int(math.Min(math.Floor(at), float64(len(r)-2)))
	part := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*(at-float64(i)))) }
	from, to := r[i], r[i+1]
	return color.RGBA{part(from.R, to.R), part(from.G, to.G), part(from.B, to.B), 0xFF}
}

// paint fills a box with the colors, upward or from the left. gonum's ColorBar
// would put pixels into SVG and PDF.
func (r ramp) paint(c *draw.Canvas, box vg.Rectangle, upward bool) {
	const steps = 64
	size := box.Size()
	for i := range steps {
		// Each step overlaps the next to avoid white hairlines.
		from, to := vg.Length(i)/steps, min(1, vg.Length(float64(i)+1.5)/steps)
		part := box
		if upward {
			part.Min.Y, part.Max.Y = box.Min.Y+size.Y*from, box.Min.Y+size.Y*to
		} else {
			part.Min.X, part.Max.X = box.Min.X+size.X*from, box.Min.X+size.X*to
		}
		c.SetColor(r.at((float64(i) + 0.5) / steps))
		c.Fill(part.Path())
	}
}

// Thumbnail implements plot.Thumbnailer.
func (r ramp) Thumbnail(c *draw.Canvas) { r.paint(c, c.Rectangle, false) }

// inkOn returns a readable text color on a background, by its relative luminance (WCAG 2.1,
// without the gamma of dark tones).
func inkOn(ground color.RGBA) color.RGBA {
	l := 0.2126*float64(ground.R) + 0.7152*float64(ground.G) + 0.0722*float64(ground.B)
	if l < 140 {
		return color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}
	}
	return ink
}

// colorScale maps numbers to colors. It is drawn as a bar with its ticks at the right,
// where gonum has no axis, and its label above.
type colorScale struct {
	plot.Axis
	colors ramp
	label  string
}

const (
	barWidth   = vg.Length(9)
	longestBar = 5 * vg.Centimeter
	scaleGap   = vg.Length(14) // between the data and the bar

	scaleLabelHeight = vg.Length(13) // above the bar
)

var scaleStyle = textStyle(smallSize+1, softInk, false)

// newColorScale makes a scale of the numbers of a span, which is not empty.
func newColorScale(a Axis, s span, colors ramp) colorScale {
	c := colorScale{colors: colors, label: a.text()}
	c.Scale = plot.LinearScale{}
	setRange(&c.Axis, a, s, 0, 5)
	return c
}

func (s colorScale) color(v float64) color.RGBA { return s.colors.at(s.Norm(max(v, s.Min))) }

// width returns the width of the bar, its ticks and, up to a limit, its label.
func (s colorScale) width() vg.Length {
	widest := min(scaleStyle.Width(s.label), 3.2*vg.Centimeter)
	for _, t := range labeled(s.Axis) {
		widest = max(widest, barWidth+6+scaleStyle.Width(t.Label))
	}
	return widest + 1
}

// paint draws the scale at the top of a box, at most as high as the box.
func (s colorScale) paint(c *draw.Canvas, box vg.Rectangle) {
	bar := box
	bar.Max.X = bar.Min.X + barWidth
	if s.label != "" {
		bar.Max.Y -= scaleLabelHeight
		c.FillText(scaleStyle, vg.Point{X: bar.Min.X, Y: bar.Max.Y + 5}, fit(s.label, scaleStyle, box.Size().X))
	}
	s.colors.paint(c, bar, true)
	for _, t := range labeled(s.Axis) {
		y := bar.Min.Y + bar.Size().Y*vg.Length(s.Norm(t.Value))
		c.StrokeLine2(draw.LineStyle{Color: axisGray, Width: 0.5}, bar.Max.X, y, bar.Max.X+3, y)
		c.FillText(aligned(scaleStyle, draw.XLeft, yMiddle), vg.Point{X: bar.Max.X + 5, Y: y}, t.Label)
	}
}

// labeled returns the ticks of an axis that have a label.
func labeled(a plot.Axis) (ticks []plot.Tick) {
	for _, t := range a.Tick.Marker.Ticks(a.Min, a.Max) {
		if n := a.Norm(t.Value); !t.IsMinor() && n >= -1e-9 && n <= 1+1e-9 {
			ticks = append(ticks, t)
		}
	}
	return ticks
}
