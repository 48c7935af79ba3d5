package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PolicyPlanes shows a network's policy on the squares of a board: a small board for each
// plane, with squares shaded by probability on a common scale.
type PolicyPlanes struct {
	Frame
	Planes []Plane

	FEN     string // the position, drawn on boards that are large enough; may be empty
	Columns int    // boards per row; 0 means automatic
}

// Plane is a probability for each square.
type Plane struct {
	Title   string
	Squares [64]float64 // a1, b1, ..., h8; NaN for no value
}

type planeGeometry struct {
	PolicyPlanes
	position position
	scale    colorScale
	columns  int
	size     vg.Length // side of a board
}

const (
	boardGap  = vg.Length(8)
	planeHead = vg.Length(tickSize + 6) // the title of a board
)

// Figure implements [Chart].
func (p PolicyPlanes) Figure() (*Figure, error) {
	s, err := p.check()
	if err != nil {
		return nil, err
	}
	g := planeGeometry{PolicyPlanes: p, scale: newColorScale(Axis{Label: "probability", FromZero: true}, s, blues), columns: cmp.Or(p.Columns, columnsOf(len(p.Planes)))}
	if p.FEN != "" {
		if g.position, err = parsePosition(p.FEN); err != nil {
			return nil, err
		}
	}
	width := vg.Length(cmp.Or(p.Width, defaultWidth)) * vg.Centimeter
	beside := scaleGap - boardGap + g.scale.width() + boardMargin
	g.size = min(8*vg.Centimeter, (width-2*margin-beside)/vg.Length(g.columns)-boardGap)
	if g.size < 2*vg.Centimeter {
		return nil, fmt.Errorf("plots: %d boards beside one another in %.4g cm: %w", g.columns, width/vg.Centimeter, ErrSize)
	}
	rows := (len(p.Planes) + g.columns - 1) / g.columns
	natural := (g.size+boardGap)*vg.Length(g.columns) + beside + 2*margin
	height := max(3*vg.Centimeter, (planeHead+g.size+boardMargin)*vg.Length(rows)+4)
	lay, err := newLayout(p.Frame, nil, float64(natural/vg.Centimeter), float64(height/vg.Centimeter))
	if err != nil {
		return nil, err
	}
	return lay.figure(g.describe(), g.paint), nil
}

// check returns the range of the numbers.
func (p PolicyPlanes) check() (span, error) {
	s := emptySpan()
	for _, plane := range p.Planes {
		if err := checkNumbers(fmt.Sprintf("plane %q", plane.Title), plane.Squares[:]...); err != nil {
			return s, err
		}
		s.add(plane.Squares[:]...)
	}
	if s.empty() {
		return s, fmt.Errorf("plots: %d planes without a number: %w", len(p.Planes), ErrNoData)
	}
	return s, nil
}

func (g *planeGeometry) describe() string {
	var told []string
	for _, p := range g.Planes {
		best := -1
		for i, v := range p.Squares {
			if !math.IsNaN(v) && (best < 0 || v > p.Squares[best]) {
				best = i
			}
		}
		s := clean(p.Title) + " without a number"
		if best >= 0 {
			s = fmt.Sprintf("%s highest %s at %c%c", clean(p.Title), brief(p.Squares[best]), 'a'+best%boardSize, '1'+best/boardSize)
		}
		told = append(told, s)
	}
	return describe("Boards", "", "probability", several(told, "; "))
}

func (g *planeGeometry) paint(c draw.Canvas) {
	title := textStyle(tickSize, ink, true)
	left := c.Min.X + boardMargin // numbers of ranks stand once, on the left
	for i, p := range g.Planes {
		b := boardGeometry{side: g.size / boardSize, corner: vg.Point{
			X: left + vg.Length(i%g.columns)*(g.size+boardGap),
			Y: c.Max.Y - vg.Length(i/g.columns)*(planeHead+g.size+boardMargin) - planeHead - g.size,
		}}
		c.FillText(title, vg.Point{X: b.corner.X, Y: b.corner.Y + g.size + 4}, fitName(clean(p.Title), title, g.size))
		g.paintPlane(&c, p, b)
		b.paintLetters(&c, textStyle(smallSize, softInk, false), i%g.columns == 0)
	}
	right := left + vg.Length(g.columns)*(g.size+boardGap) - boardGap + scaleGap
	g.scale.paint(&c, vg.Rectangle{Min: vg.Point{X: right, Y: max(c.Min.Y, c.Max.Y-longestBar)}, Max: c.Max})
}

func (g *planeGeometry) paintPlane(c *draw.Canvas, p Plane, b boardGeometry) {
	line := draw.LineStyle{Color: color.RGBA{0xD8, 0xDC, 0xE0, 0xFF}, Width: min(0.4, b.side/20)}
	b.paintSquares(c, line, func(s square) color.Color {
		v, box := p.Squares[s.rank*boardSize+s.file], b.box(s)
		switch {
		case math.IsNaN(v): // crossed out
			c.StrokeLine2(line, box.Min.X, box.Min.Y, box.Max.X, box.Max.Y)
			c.StrokeLine2(line, box.Min.X, box.Max.Y, box.Max.X, box.Min.Y)
			return nil
		case v == 0: // white, as the ground
			return nil
		}
		return g.scale.color(v)
	})
	if b.side >= 0.4*vg.Centimeter {
		b.paintPieces(c, g.position)
	}
}
