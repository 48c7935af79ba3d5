package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"alamos/pkg/chess"
)

// PolicyPlanes shows a network's policy on the squares of a board: a small board for each
// plane, with squares shaded by probability on a common scale.
type PolicyPlanes struct {
	Frame
	Planes []Plane

	Position     // drawn on boards that are large enough; may be empty
	Columns  int // boards per row; 0 means automatic
}

// Plane is a probability for each square.
type Plane struct {
	Title   string
	Squares [64]float64 // a1, b1, ..., h8; NaN for no value
}

// Figure implements [Chart].
func (p PolicyPlanes) Figure() (*Figure, error) {
	const (
		gap  = vg.Length(8)            // between boards
		head = vg.Length(tickSize + 6) // the title of a board
	)
	s := emptySpan()
	var texts []string
	for _, plane := range p.Planes {
		if err := checkNumbers(fmt.Sprintf("plane %q", plane.Title), plane.Squares[:]...); err != nil {
			return nil, err
		}
		s.add(plane.Squares[:]...)
		texts = append(texts, plane.describe())
	}
	if s.empty() {
		return nil, fmt.Errorf("plots: %d planes without a number: %w", len(p.Planes), ErrNoData)
	}
	var position chess.Position
	if p.FEN != "" {
		var err error
		if position, err = p.Position.parse(); err != nil {
			return nil, err
		}
	}
	scale := newColorScale(Axis{Label: "probability", FromZero: true}, s, blues)
	columns := cmp.Or(p.Columns, columnsOf(len(p.Planes)))
	rows := (len(p.Planes) + columns - 1) / columns
	beside := boardMargin + scaleGap + scale.width()
	across := func(side vg.Length) vg.Length { return (side+gap)*vg.Length(columns) - gap }
	side := max(2*cm, min(8*cm, (p.inner()-beside+gap)/vg.Length(columns)-gap))
	return p.Frame.figure(content{
		width: beside + across(side), least: beside + across(2*cm), height: max(3*cm, (head+side+boardMargin)*vg.Length(rows)+4),
		description: describe("Boards", "", "probability", several(texts, "; ")),
		paint: func(c draw.Canvas) {
			title := textStyle(tickSize, ink, true)
			left := c.Min.X + boardMargin // numbers of ranks stand once, on the left
			for i, plane := range p.Planes {
				corner := vg.Point{X: left + vg.Length(i%columns)*(side+gap), Y: c.Max.Y - vg.Length(i/columns)*(head+side+boardMargin) - head - side}
				g := boardAt(corner, side)
				c.FillText(title, vg.Point{X: corner.X, Y: corner.Y + side + 4}, fit(clean(plane.Title), title, side))
				plane.paint(&c, g, scale)
				if side >= 3.2*cm {
					g.paintPieces(&c, position)
				}
				g.paintLetters(&c, textStyle(smallSize, softInk, false), i%columns == 0)
			}
			scale.paint(&c, vg.Rectangle{Min: vg.Point{X: left + across(side) + scaleGap, Y: max(c.Min.Y, c.Max.Y-longestBar)}, Max: c.Max})
		},
	})
}

// describe names the square of the highest number.
func (p Plane) describe() string {
	best := chess.NoSquare
	for i, v := range p.Squares {
		if !math.IsNaN(v) && (best == chess.NoSquare || v > p.Squares[best]) {
			best = chess.Square(i)
		}
	}
	if best == chess.NoSquare {
		return clean(p.Title) + " without a number"
	}
	return strings.TrimSpace(clean(p.Title) + " highest " + brief(p.Squares[best]) + " at " + best.String())
}

// paint shades the squares. It leaves those of 0 white and crosses out those without a
// number.
func (p Plane) paint(c *draw.Canvas, g board, scale colorScale) {
	line := draw.LineStyle{Color: color.RGBA{0xD8, 0xDC, 0xE0, 0xFF}, Width: min(0.4, g.size.X/20)}
	g.paintSquares(c, line, func(file, rank int) color.Color {
		v, box := p.Squares[chess.NewSquare(file, rank)], g.cells.box(file, rank)
		switch {
		case math.IsNaN(v):
			c.StrokeLine2(line, box.Min.X, box.Min.Y, box.Max.X, box.Max.Y)
			c.StrokeLine2(line, box.Min.X, box.Max.Y, box.Max.X, box.Min.Y)
			return nil
		case v == 0:
			return nil
		}
		return scale.color(v)
	})
}
