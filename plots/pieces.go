package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The shapes of the chess pieces, drawn for this package. They stand on a
// square of side 1 whose corner at the lower left is the origin.

// shape is a closed outline, or a line where open is set.
type shape struct {
	from   [2]float64
	steps  [][]float64 // 2 numbers: a line; 6: a Bézier curve
	circle float64     // its radius; from is the center then
	open   bool
	dot    bool // filled with the color of outlines
}

func outline(from [2]float64, steps ...[]float64) shape { return shape{from: from, steps: steps} }
func circle(x, y, r float64) shape                      { return shape{from: [2]float64{x, y}, circle: r} }
func box(x0, y0, x1, y1 float64) shape {
	return outline([2]float64{x0, y0}, []float64{x1, y0}, []float64{x1, y1}, []float64{x0, y1})
}

var foot = outline([2]float64{0.22, 0.1}, []float64{0.78, 0.1}, []float64{0.78, 0.15, 0.74, 0.2, 0.7, 0.2}, []float64{0.3, 0.2}, []float64{0.26, 0.2, 0.22, 0.15, 0.22, 0.1})

// pieceShapes are drawn in order, the later above the earlier.
var pieceShapes = map[byte][]shape{
	'p': {
		outline([2]float64{0.31, 0.2}, []float64{0.32, 0.34, 0.43, 0.36, 0.44, 0.52}, []float64{0.56, 0.52}, []float64{0.57, 0.36, 0.68, 0.34, 0.69, 0.2}),
		foot,
		circle(0.5, 0.61, 0.14),
	},
	'r': {
		outline([2]float64{0.32, 0.2}, []float64{0.36, 0.28}, []float64{0.37, 0.6}, []float64{0.63, 0.6}, []float64{0.64, 0.28}, []float64{0.68, 0.2}),
		foot,
		outline([2]float64{0.3, 0.6}, []float64{0.26, 0.66}, []float64{0.26, 0.82}, []float64{0.36, 0.82}, []float64{0.36, 0.75}, []float64{0.45, 0.75}, []float64{0.45, 0.82},
			[]float64{0.55, 0.82}, []float64{0.55, 0.75}, []float64{0.64, 0.75}, []float64{0.64, 0.82}, []float64{0.74, 0.82}, []float64{0.74, 0.66}, []float64{0.7, 0.6}),
	},
	'n': {
		outline([2]float64{0.3, 0.2}, []float64{0.3, 0.38, 0.48, 0.42, 0.46, 0.55}, []float64{0.41, 0.49, 0.35, 0.47, 0.3, 0.45},
			[]float64{0.28, 0.41, 0.23, 0.38, 0.19, 0.41}, []float64{0.14, 0.45, 0.15, 0.5, 0.18, 0.54}, []float64{0.23, 0.62, 0.25, 0.7, 0.34, 0.76},
			[]float64{0.36, 0.87}, []float64{0.44, 0.79}, []float64{0.7, 0.76, 0.79, 0.54, 0.74, 0.2}),
		foot,
		{from: [2]float64{0.345, 0.645}, circle: 0.026, dot: true},
		{from: [2]float64{0.52, 0.72}, steps: [][]float64{{0.63, 0.64, 0.68, 0.48, 0.66, 0.3}}, open: true},
	},
	'b': {
		outline([2]float64{0.36, 0.2}, []float64{0.42, 0.26, 0.42, 0.28, 0.42, 0.32}, []float64{0.58, 0.32}, []float64{0.58, 0.28, 0.58, 0.26, 0.64, 0.2}),
		foot,
		outline([2]float64{0.36, 0.36}, []float64{0.22, 0.52, 0.36, 0.7, 0.5, 0.8}, []float64{0.64, 0.7, 0.78, 0.52, 0.64, 0.36}),
		box(0.33, 0.31, 0.67, 0.37),
		circle(0.5, 0.84, 0.045),
		{from: [2]float64{0.5, 0.46}, steps: [][]float64{{0.5, 0.64}}, open: true},
		{from: [2]float64{0.42, 0.56}, steps: [][]float64{{0.58, 0.56}}, open: true},
	},
	'q': {
		outline([2]float64{0.29, 0.2}, []float64{0.24, 0.4, 0.2, 0.5, 0.15, 0.68}, []float64{0.32, 0.47}, []float64{0.32, 0.77}, []float64{0.44, 0.5}, []float64{0.5, 0.8},
			[]float64{0.56, 0.5}, []float64{0.68, 0.77}, []float64{0.68, 0.47}, []float64{0.85, 0.68}, []float64{0.8, 0.5, 0.76, 0.4, 0.71, 0.2}),
		foot,
		circle(0.15, 0.7, 0.042), circle(0.32, 0.79, 0.042), circle(0.5, 0.82, 0.042), circle(0.68, 0.79, 0.042), circle(0.85, 0.7, 0.042),
		{from: [2]float64{0.28, 0.28}, steps: [][]float64{{0.4, 0.32, 0.6, 0.32, 0.72, 0.28}}, open: true},
	},
	'k': {
		outline([2]float64{0.46, 0.7}, []float64{0.46, 0.79}, []float64{0.39, 0.79}, []float64{0.39, 0.86}, []float64{0.46, 0.86}, []float64{0.46, 0.93}, []float64{0.54, 0.93},
			[]float64{0.54, 0.86}, []float64{0.61, 0.86}, []float64{0.61, 0.79}, []float64{0.54, 0.79}, []float64{0.54, 0.7}),
		outline([2]float64{0.5, 0.46}, []float64{0.4, 0.58, 0.4, 0.7, 0.5, 0.73}, []float64{0.6, 0.7, 0.6, 0.58, 0.5, 0.46}),
		outline([2]float64{0.3, 0.2}, []float64{0.29, 0.32, 0.13, 0.4, 0.15, 0.54}, []float64{0.18, 0.7, 0.43, 0.68, 0.5, 0.46},
			[]float64{0.57, 0.68, 0.82, 0.7, 0.85, 0.54}, []float64{0.87, 0.4, 0.71, 0.32, 0.7, 0.2}),
		foot,
		{from: [2]float64{0.3, 0.28}, steps: [][]float64{{0.42, 0.32, 0.58, 0.32, 0.7, 0.28}}, open: true},
	},
}

// The colors of the pieces, as of the bars of [Results].
var (
	whitePiece = color.RGBA{0xFF, 0xFE, 0xFA, 0xFF}
	blackPiece = results[2].color
)

// paintPiece draws a piece of a letter of FEN on a square whose lower left
// corner is at a point.
func paintPiece(c *draw.Canvas, letter byte, at vg.Point, side vg.Length) {
	fill, edge, detail := whitePiece, color.RGBA{0x26, 0x2C, 0x33, 0xFF}, color.RGBA{0x26, 0x2C, 0x33, 0xFF}
	kind := letter
	if letter >= 'a' {
		fill, detail = blackPiece, color.RGBA{0xE8, 0xE8, 0xE8, 0xFF}
	} else {
		kind += 'a' - 'A'
	}
	point := func(x, y float64) vg.Point {
		return vg.Point{X: at.X + side*vg.Length(x), Y: at.Y + side*vg.Length(y)}
	}
	for _, s := range pieceShapes[kind] {
		var p vg.Path
		if s.circle > 0 {
			p.Move(point(s.from[0]+s.circle, s.from[1]))
			p.Arc(point(s.from[0], s.from[1]), side*vg.Length(s.circle), 0, 2*math.Pi)
		} else {
			p.Move(point(s.from[0], s.from[1]))
			for _, t := range s.steps {
				if len(t) == 2 {
					p.Line(point(t[0], t[1]))
				} else {
					p.CubeTo(point(t[0], t[1]), point(t[2], t[3]), point(t[4], t[5]))
				}
			}
		}
		width := side * 0.028
		if s.open {
			c.SetLineStyle(draw.LineStyle{Color: detail, Width: width})
			c.Stroke(p)
			continue
		}
		p.Close()
		if s.dot {
			c.SetColor(detail)
			c.Fill(p)
			continue
		}
		c.SetColor(fill)
		c.Fill(p)
		c.SetLineStyle(draw.LineStyle{Color: edge, Width: width})
		c.Stroke(p)
	}
}
