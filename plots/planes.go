package plots

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PolicyPlanes shows what a network's policy, or any other plane of numbers,
// says of the squares of a board: a small board for each plane, its squares
// shaded by their numbers, all on one scale.
type PolicyPlanes struct {
	Frame
	Planes []Plane

	// Value is what the numbers are; its zero value is "probability", from 0.
	// With Log, a number of 0 is below the scale and leaves its square blank.
	Value Axis

	FEN     string // the position, drawn on boards that are large enough; may be empty
	Flip    bool   // Black's side at the bottom
	Columns int    // boards beside one another; 0: as suits their number
}

// Plane is a number for each square.
type Plane struct {
	Title   string
	Squares [64]float64 // a1, b1, ..., h8; NaN where there is none
}

const mostPlanes = 200

// blues is the scale "Blues" of Brewer's ColorBrewer (2003): light for little,
// dark for much, to every kind of color vision. Its two darkest colors, on
// which black pieces would be lost, are left out.
var blues = [...]color.RGBA{
	{0xF7, 0xFB, 0xFF, 0xFF}, {0xDE, 0xEB, 0xF7, 0xFF}, {0xC6, 0xDB, 0xEF, 0xFF}, {0x9E, 0xCA, 0xE1, 0xFF},
	{0x6B, 0xAE, 0xD6, 0xFF}, {0x42, 0x92, 0xC6, 0xFF}, {0x21, 0x71, 0xB5, 0xFF},
}

func bluesColor(share float64) color.RGBA { return ramp(blues[:], share) }

// columns returns how many boards stand beside one another.
func (p PolicyPlanes) columns() int {
	n := len(p.Planes)
	switch {
	case p.Columns > 0:
		return min(p.Columns, n)
	case n <= 3:
		return n
	case n == 4:
		return 2
	case n <= 9:
		return 3
	case n <= 16:
		return 4
	case n <= 42:
		return 7
	}
	return 10
}

// Figure implements [Chart].
func (p PolicyPlanes) Figure() (*Figure, error) {
	if p.Value == (Axis{}) {
		p.Value = Axis{Label: "probability", FromZero: true}
	}
	s, err := p.check()
	if err != nil {
		return nil, err
	}
	g := planeGeometry{PolicyPlanes: p, scale: newColorScale(p.Value, s)}
	g.scale.colorOf = bluesColor
	if p.FEN != "" {
		if g.pieces, _, err = parsePlacement(strings.Fields(p.FEN + " -")[0]); err != nil {
			return nil, err
		}
	}
	columns := p.columns()
	rows := (len(p.Planes) + columns - 1) / columns
	width := vg.Length(defaultWidth) * vg.Centimeter
	if p.Width > 0 {
		width = vg.Length(p.Width) * vg.Centimeter
	}
	g.columns, g.rows = columns, rows
	g.size = min(8*vg.Centimeter, (width-2*margin-g.fixedWidth())/vg.Length(columns)-boardGap)
	if g.size < 0.9*vg.Centimeter {
		return nil, fmt.Errorf("plots: %d boards beside one another in %.4g cm: %w", columns, width/vg.Centimeter, ErrSize)
	}
	natural := (g.size+boardGap)*vg.Length(columns) + g.fixedWidth() + 2*margin
	lay, err := newLayout(p.Frame, nil, float64(natural/vg.Centimeter), math.Max(leastData+0.1, float64((g.rowHeight()*vg.Length(rows)+4)/vg.Centimeter)))
	if err != nil {
		return nil, err
	}
	if room := lay.height - lay.headHeight() - 2*margin; room < g.rowHeight()*vg.Length(rows) {
		g.size -= g.rowHeight() - room/vg.Length(rows)
		if g.size < 0.9*vg.Centimeter {
			return nil, fmt.Errorf("plots: %d rows of boards in %.4g cm of height: %w", rows, lay.height/vg.Centimeter, ErrSize)
		}
	}
	return lay.figure(g.describe(), g.paint), nil
}

// check returns the range of the numbers.
func (p PolicyPlanes) check() (span, error) {
	s := emptySpan()
	if len(p.Planes) > mostPlanes || p.Columns < 0 || p.Columns > 20 {
		return s, fmt.Errorf("plots: %d planes in %d columns: want at most %d in at most 20: %w", len(p.Planes), p.Columns, mostPlanes, ErrSize)
	}
	for i, plane := range p.Planes {
		if err := checkNumbers(fmt.Sprintf("plane %d (%q)", i, plane.Title), plane.Squares[:]); err != nil {
			return s, err
		}
		for _, v := range plane.Squares {
			if !p.Value.Log || v != 0 {
				s.add(v)
			}
		}
	}
	if s.empty() {
		return s, fmt.Errorf("plots: %d planes without a number: %w", len(p.Planes), ErrNoData)
	}
	return s, checkLog(p.Value, s, "numbers of planes")
}

type planeGeometry struct {
	PolicyPlanes
	scale         colorScale
	pieces        placement
	columns, rows int
	size          vg.Length // side of a board
}

const (
	boardGap = vg.Length(8)
	// leastLettered is the side of a board that has room for letters.
	leastLettered = 3 * vg.Centimeter
)

func (g *planeGeometry) fixedWidth() vg.Length {
	return scaleGap - boardGap + g.scale.width() + boardMargin
}

func (g *planeGeometry) rowHeight() vg.Length {
	if g.size < leastLettered {
		return smallSize + 6 + g.size + boardGap
	}
	return tickSize + 6 + g.size + boardMargin
}

func (g *planeGeometry) describe() string {
	if given := clean(g.Description); given != "" {
		return given
	}
	var told []string
	for _, p := range g.Planes {
		best := -1
		for i, v := range p.Squares {
			if !math.IsNaN(v) && (best < 0 || v > p.Squares[best]) {
				best = i
			}
		}
		s := clean(p.Title)
		if best < 0 {
			s += " without a number"
		} else {
			s += fmt.Sprintf(" highest %s at %c%c", brief(p.Squares[best]), 'a'+best%boardSize, '1'+best/boardSize)
		}
		told = append(told, s)
	}
	return describe("", "Boards", "", g.Value.text(), []string{several(told, "; ")})
}

func (g *planeGeometry) paint(c draw.Canvas) {
	title := aligned(textStyle(tickSize, ink, true), draw.XLeft, draw.YBottom)
	if g.size < leastLettered {
		title = aligned(textStyle(smallSize, ink, true), draw.XLeft, draw.YBottom)
	}
	letters := textStyle(smallSize, softInk, false)
	side := g.size / boardSize
	left := c.Min.X + boardMargin // numbers of ranks stand once, on the left
	for i, p := range g.Planes {
		at := vg.Point{
			X: left + vg.Length(i%g.columns)*(g.size+boardGap),
			Y: c.Max.Y - vg.Length(i/g.columns)*g.rowHeight() - title.Font.Size - 6 - g.size,
		}
		c.FillText(title, vg.Point{X: at.X, Y: at.Y + g.size + 4}, fitName(clean(p.Title), title, g.size))
		g.paintPlane(c, p, at, side)
		if g.size < leastLettered {
			continue
		}
		for j := range boardSize {
			n := j
			if g.Flip {
				n = boardSize - 1 - j
			}
			mid := side * (vg.Length(j) + 0.5)
			c.FillText(aligned(letters, draw.XCenter, draw.YTop), vg.Point{X: at.X + mid, Y: at.Y - 2}, string(rune('a'+n)))
			if i%g.columns == 0 {
				beside(&c, aligned(letters, draw.XRight, draw.YCenter), vg.Point{X: at.X - 4, Y: at.Y + mid}, string(rune('1'+n)))
			}
		}
	}
	right := left + vg.Length(g.columns)*(g.size+boardGap) - boardGap + scaleGap
	g.scale.paint(c, vg.Rectangle{Min: vg.Point{X: right, Y: c.Min.Y}, Max: vg.Point{X: c.Max.X, Y: c.Max.Y}})
}

// paintPlane draws one board with its lower left corner at a point.
func (g *planeGeometry) paintPlane(c draw.Canvas, p Plane, at vg.Point, side vg.Length) {
	line := draw.LineStyle{Color: color.RGBA{0xD8, 0xDC, 0xE0, 0xFF}, Width: min(0.4, side/20)}
	for i, v := range p.Squares {
		file, rank := i%boardSize, i/boardSize
		piece := g.pieces[rank][file]
		if g.Flip {
			file, rank = boardSize-1-file, boardSize-1-rank
		}
		corner := vg.Point{X: at.X + side*vg.Length(file), Y: at.Y + side*vg.Length(rank)}
		far := vg.Point{X: corner.X + side, Y: corner.Y + side}
		switch {
		case math.IsNaN(v):
			c.StrokeLine2(line, corner.X, corner.Y, far.X, far.Y)
			c.StrokeLine2(line, corner.X, far.Y, far.X, corner.Y)
		case v == 0 && (g.Value.Log || g.scale.axis.Min == 0): // white, as the ground
		default:
			c.SetColor(g.scale.color(v))
			c.Fill(vg.Rectangle{Min: corner, Max: far}.Path())
		}
		if piece != 0 && side >= 0.55*vg.Centimeter {
			paintPiece(&c, piece, corner, side)
		}
	}
	end := side * boardSize
	for k := range boardSize + 1 {
		d := side * vg.Length(k)
		c.StrokeLine2(line, at.X+d, at.Y, at.X+d, at.Y+end)
		c.StrokeLine2(line, at.X, at.Y+d, at.X+end, at.Y+d)
	}
	c.SetLineStyle(draw.LineStyle{Color: axisGray, Width: 0.6})
	c.Stroke(vg.Rectangle{Min: at, Max: vg.Point{X: at.X + end, Y: at.Y + end}}.Path())
}
