package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// viridis is the color scale of van der Walt and Smith (2015) at ten places.
// Its lightness rises evenly, for every kind of color vision and in gray.
var viridis = [...]color.RGBA{
	{0x44, 0x01, 0x54, 0xFF}, {0x48, 0x28, 0x78, 0xFF}, {0x3E, 0x49, 0x89, 0xFF}, {0x31, 0x68, 0x8E, 0xFF}, {0x26, 0x82, 0x8E, 0xFF},
	{0x1F, 0x9E, 0x89, 0xFF}, {0x35, 0xB7, 0x79, 0xFF}, {0x6E, 0xCE, 0x58, 0xFF}, {0xB5, 0xDE, 0x2B, 0xFF}, {0xFD, 0xE7, 0x25, 0xFF},
}

// viridisColor returns the color of a share of 0 to 1.
func viridisColor(share float64) color.RGBA { return ramp(viridis[:], share) }

// ramp returns the color of a share of 0 to 1 between evenly spaced colors.
func ramp(colors []color.RGBA, share float64) color.RGBA {
	at := share * float64(len(colors)-1)
	i := int(math.Min(math.Floor(at), float64(len(colors)-2)))
	return mix(colors[i], colors[i+1], at-float64(i))
}

// viridisLine is viridis for lines, without its yellow, which is too faint on
// white.
func viridisLine(share float64) color.RGBA { return viridisColor(0.87 * share) }

// mix returns the color at a share t of the way from one to another.
func mix(from, to color.RGBA, t float64) color.RGBA {
	part := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*t)) }
	return color.RGBA{part(from.R, to.R), part(from.G, to.G), part(from.B, to.B), 0xFF}
}

// colorScale gives the numbers of a span their colors.
type colorScale struct {
	axis    plot.Axis
	colorOf func(share float64) color.RGBA
	label   string
}

// newColorScale makes a scale of the numbers of a span, which is not empty.
func newColorScale(a Axis, s span) colorScale {
	c := colorScale{colorOf: viridisColor, label: a.text()}
	setRange(&c.axis, a, s, 0, 5)
	if !a.Log {
		c.axis.Scale = plot.LinearScale{}
	}
	return c
}

func (c colorScale) share(v float64) float64 {
	return math.Max(0, math.Min(1, c.axis.Scale.Normalize(c.axis.Min, c.axis.Max, v)))
}

func (c colorScale) color(v float64) color.RGBA { return c.colorOf(c.share(v)) }

// paint draws the scale into a box: the colors at its left, the numbers beside
// them, the label above.
func (c colorScale) paint(cv draw.Canvas, box vg.Rectangle) {
	style := aligned(textStyle(smallSize+1, softInk, false), draw.XLeft, draw.YBottom)
	label := fit(c.label, style, box.Max.X-box.Min.X)
	bar := box
	bar.Max.X = bar.Min.X + barWidth
	bar.Max.Y -= 13
	bar.Min.Y = max(bar.Min.Y, bar.Max.Y-longestBar)
	var marks []scaleMark
	for _, t := range c.axis.Tick.Marker.Ticks(c.axis.Min, c.axis.Max) {
		if !t.IsMinor() {
			marks = append(marks, scaleMark{c.share(t.Value), t.Label})
		}
	}
	paintScale(cv, bar, c.colorOf, marks, label)
}

// width is what the scale needs for its colors, numbers and, up to a limit,
// its label.
func (c colorScale) width() vg.Length {
	style := textStyle(smallSize+1, softInk, false)
	widest := min(style.Width(c.label), 3.2*vg.Centimeter)
	for _, t := range c.axis.Tick.Marker.Ticks(c.axis.Min, c.axis.Max) {
		widest = max(widest, barWidth+6+style.Width(t.Label))
	}
	return widest + 1
}

const (
	barWidth   = vg.Length(9)
	longestBar = 5 * vg.Centimeter // of a scale that nothing else gives a height
)

// scaleMark is a labeled place of a color scale.
type scaleMark struct {
	share float64
	label string
}

// paintScale draws a color scale into a box, the marks at its right and the
// label above it.
func paintScale(c draw.Canvas, box vg.Rectangle, colorOf func(float64) color.RGBA, marks []scaleMark, label string) {
	const steps = 64
	height := box.Max.Y - box.Min.Y
	for i := range steps {
		c.SetColor(colorOf((float64(i) + 0.5) / steps))
		// Each step reaches under the next, or hairlines of white would show.
		part := vg.Rectangle{
			Min: vg.Point{X: box.Min.X, Y: box.Min.Y + height*vg.Length(i)/steps},
			Max: vg.Point{X: box.Max.X, Y: min(box.Max.Y, box.Min.Y+height*(vg.Length(i)+1.5)/steps)},
		}
		c.Fill(part.Path())
	}
	style := aligned(textStyle(smallSize+1, softInk, false), draw.XLeft, draw.YCenter)
	tick := draw.LineStyle{Color: axisGray, Width: 0.5}
	for _, m := range marks {
		y := box.Min.Y + height*vg.Length(m.share)
		c.StrokeLine2(tick, box.Max.X, y, box.Max.X+3, y)
		beside(&c, style, vg.Point{X: box.Max.X + 5, Y: y}, m.label)
	}
	c.FillText(aligned(style, draw.XLeft, draw.YBottom), vg.Point{X: box.Min.X, Y: box.Max.Y + 5}, label)
}

// scoreMarks are those of a scale of scores.
var scoreMarks = []scaleMark{{0, "0"}, {0.25, "0.25"}, {0.5, "0.5"}, {0.75, "0.75"}, {1, "1"}}
