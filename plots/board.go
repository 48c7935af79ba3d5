package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"alamos/pkg/chess"
)

// Position is a position of chess or of a variant.
type Position struct {
	Variant string // empty means chess
	FEN     string
}

// Parse returns the position, with an empty board if there is no FEN.
func (p Position) Parse() (chess.Variant, chess.Position, error) {
	v, err := chess.ParseVariant(cmp.Or(p.Variant, chess.Standard.String()))
	if err != nil {
		return v, chess.Position{}, fmt.Errorf("plots: %w: %w", ErrInvalid, err)
	}
	if p.FEN == "" {
		return v, chess.Position{}, nil
	}
	position, err := chess.ParseFEN(v, p.FEN)
	if err != nil {
		return v, position, fmt.Errorf("plots: %w: %w", ErrInvalid, err)
	}
	return v, position, nil
}

// Board shows a chess position with arrows for the moves that a search favors. The width of
// an arrow is its weight. The legend names each arrow, and the note has the side to move and
// the pieces in hand.
type Board struct {
	Frame
	Position
	Arrows []Arrow
	Weight Axis // what the weights of arrows are
}

// Arrow is a move on a board.
type Arrow struct {
	// From and To are squares such as e2. Without From, a ring around To marks a drop from
	// the hand.
	From, To string

	Weight float64 // at least 0; the widest arrow has the greatest weight
	Label  string  // the move's name; empty means From–To
	Note   string  // beside it, such as the move's value; may be empty
}

// arrow is a checked Arrow.
type arrow struct {
	Arrow
	from, to chess.Square
	share    float64 // of the greatest weight
	color    color.Color

	lane, lanes int // its place among the arrows on one line, which stand beside one another
}

func (a arrow) name() string {
	return cmp.Or(clean(a.Label), strings.TrimPrefix(a.From+"–"+a.To, "–"))
}

const (
	boardSide   = 9 * cm
	boardMargin = vg.Length(13) // for the letters of files and the numbers of ranks
)

// Figure implements [Chart].
func (b Board) Figure() (*Figure, error) {
	v, p, err := b.Position.Parse()
	if err != nil {
		return nil, err
	}
	if b.FEN == "" {
		return nil, fmt.Errorf("plots: a board without a position: %w", ErrInvalid)
	}
	arrows, err := b.checkArrows()
	if err != nil {
		return nil, err
	}
	if b.Note == "" {
		b.Note = map[chess.Color]string{chess.White: "White to move", chess.Black: "Black to move"}[p.Turn()]
		if _, hand, _ := strings.Cut(strings.Fields(p.FEN())[0], "["); len(hand) > 1 {
			b.Note += "; in hand: " + strings.TrimSuffix(hand, "]")
		}
	}
	if len(arrows) > 0 && b.Weight.text() != "" {
		b.Note += "; arrows: " + b.Weight.text()
	}
	description := "Chess board with the position " + p.FEN() + "."
	var legend []entry
	var texts []string
	for _, a := range arrows {
		text := a.name()
		if arrows[0].Weight > 0 { // the greatest
			text += ": " + brief(a.Weight)
		}
		texts = append(texts, text)
		if a.Note != "" {
			text += ", " + a.Note
		}
		legend = append(legend, entry{name: text, samples: []plot.Thumbnailer{a}})
	}
	if len(texts) > 0 {
		description += " Arrows: " + several(texts, ", ") + "."
	}
	side := boardSide
	if b.width() > 0 {
		side = max(4*cm, min(1.5*boardSide, b.inner()-boardMargin))
	}
	g := boardOf(v, side)
	size := g.extent()
	return b.Frame.figure(content{shaded: true, width: boardMargin + size.X, least: boardMargin + size.X, height: boardMargin + size.Y, legend: legend, description: description, paint: func(c draw.Canvas) {
		g := g // several goroutines may paint it
		g.corner = vg.Point{X: c.Min.X + boardMargin, Y: c.Max.Y - size.Y}
		g.paintSquares(&c, draw.LineStyle{}, ofSquare)
		g.paintPieces(&c, p)
		g.paintLetters(&c, textStyle(smallSize+1, softInk, false), true)
		for _, a := range slices.Backward(arrows) { // the greatest on top
			g.paintArrow(&c, a)
		}
	}})
}

// Thumbnail implements plot.Thumbnailer.
func (a arrow) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	paintArrow(c, vg.Point{X: c.Min.X, Y: y}, vg.Point{X: c.Max.X, Y: y}, vg.Length(1+4*a.share)/1.5, a.color)
}

// checkArrows returns the arrows from the greatest weight to the least.
func (b Board) checkArrows() (arrows []arrow, err error) {
	greatest := 0.0
	for _, a := range b.Arrows {
		to, err := chess.ParseSquare(a.To)
		from, err2 := chess.ParseSquare(cmp.Or(a.From, a.To))
		if err := cmp.Or(err, err2); err != nil {
			return nil, fmt.Errorf("plots: %w: %w", ErrInvalid, err)
		}
		where := fmt.Sprintf("arrow %s%s: weight", a.From, a.To)
		if err := checkNumbers(where, a.Weight); err != nil {
			return nil, err
		}
		if !(a.Weight >= 0) {
			return nil, fmt.Errorf("plots: %s %g: %w", where, a.Weight, ErrInvalid)
		}
		greatest = math.Max(greatest, a.Weight)
		arrows = append(arrows, arrow{Arrow: a, from: from, to: to})
	}
	slices.SortStableFunc(arrows, func(a, b arrow) int { return cmp.Compare(b.Weight, a.Weight) })
	lanes := map[line]int{}
	for i := range arrows {
		l := arrows[i].line()
		arrows[i].lane = lanes[l]
		lanes[l]++
	}
	for i := range arrows {
		arrows[i].lanes = lanes[arrows[i].line()]
		base := blue
		if i == 0 { // set off from the others
			base = vermilion
		}
		arrows[i].color = color.NRGBA{base.R, base.G, base.B, 0xB4}
		arrows[i].share = 1
		if greatest > 0 {
			arrows[i].share = arrows[i].Weight / greatest
		}
	}
	return arrows, nil
}

// line is where an arrow is: moves of a piece in one direction, and drops on one square.
type line struct {
	from         chess.Square
	files, ranks int // of the smallest step
}

func (a arrow) line() line {
	file, rank := a.to.File()-a.from.File(), a.to.Rank()-a.from.Rank()
	step := max(1, file, -file, rank, -rank)
	for file%step != 0 || rank%step != 0 {
		step--
	}
	return line{a.from, file / step, rank / step}
}

// board is the squares of a board.
type board struct {
	cells
	squares chess.Bitboard // without holes
}

// boardOf returns the board of a variant, whose longer side has a length.
func boardOf(v chess.Variant, side vg.Length) board {
	files, ranks := v.Size()
	square := side / vg.Length(max(files, ranks))
	return board{cells{size: vg.Point{X: square, Y: square}, columns: files, rows: ranks}, v.Squares()}
}

func (g board) extent() vg.Point {
	return vg.Point{X: g.size.X * vg.Length(g.columns), Y: g.size.Y * vg.Length(g.rows)}
}

// ofSquare is the color of a square.
func ofSquare(file, rank int) color.Color {
	if (file+rank)%2 == 0 { // a1 is dark, and so is h8
		return color.RGBA{0xC8, 0xB4, 0x98, 0xFF}
	}
	return color.RGBA{0xF3, 0xEC, 0xDF, 0xFF}
}

func (g board) box(s chess.Square) vg.Rectangle { return g.cells.box(s.File(), s.Rank()) }

// paintSquares fills the squares, and draws the edge and the lines between them.
func (g board) paintSquares(c *draw.Canvas, line draw.LineStyle, fill func(file, rank int) color.Color) {
	g.paint(c, line, func(file, rank int) color.Color {
		if !g.squares.Has(chess.NewSquare(file, rank)) {
			return nil
		}
		return fill(file, rank)
	})
	c.SetLineStyle(draw.LineStyle{Color: axisGray, Width: 0.6})
	c.Stroke(vg.Rectangle{Min: g.corner, Max: g.corner.Add(g.extent())}.Path())
}

func (g board) paintPieces(c *draw.Canvas, p chess.Position) {
	for s := range chess.NoSquare {
		if t, side := p.PieceAt(s); t != chess.NoPieceType {
			paintPiece(c, SymbolOf(p.Variant(), t), side, g.box(s))
		}
	}
}

// paintLetters writes the letters of files below the board and optionally the numbers of
// ranks at its left.
func (g board) paintLetters(c *draw.Canvas, style text.Style, numbers bool) {
	for i := range max(g.columns, g.rows) {
		mid := center(g.cells.box(i, i))
		if i < g.columns {
			c.FillText(aligned(style, draw.XCenter, draw.YTop), vg.Point{X: mid.X, Y: g.corner.Y - 2.5}, string(rune('a'+i)))
		}
		if numbers && i < g.rows {
			c.FillText(aligned(style, draw.XRight, yMiddle), vg.Point{X: g.corner.X - 4, Y: mid.Y}, string(rune('1'+i)))
		}
	}
}

// paintArrow draws a move, or a ring for a piece from the hand.
func (g board) paintArrow(c *draw.Canvas, a arrow) {
	side, lanes := g.size.X, vg.Length(a.lanes)
	from, to := center(g.box(a.from)), center(g.box(a.to))
	width := side * vg.Length(0.05+0.13*a.share)
	if from == to {
		room := side * 0.42 / lanes
		width = min(width, 0.8*room)
		c.SetLineStyle(draw.LineStyle{Color: a.color, Width: width})
		c.Stroke(circle(to, room*(lanes-vg.Length(a.lane))-width/2))
		return
	}
	way := to.Sub(from)
	unit := way.Scale(1 / vg.Length(math.Hypot(float64(way.X), float64(way.Y))))
	from = from.Add(unit.Scale(side * 0.3)) // keeps the moving piece visible
	aside := vg.Point{X: -unit.Y, Y: unit.X}.Scale(side * min(0.42, 0.8/lanes) * (vg.Length(a.lane) - (lanes-1)/2))
	paintArrow(c, from.Add(aside), to.Add(aside), width, a.color)
}

func circle(at vg.Point, radius vg.Length) (p vg.Path) {
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
	return p
}

// paintArrow draws an arrow whose shaft has a width.
func paintArrow(c *draw.Canvas, from, to vg.Point, width vg.Length, col color.Color) {
	way := to.Sub(from)
	end := vg.Length(math.Hypot(float64(way.X), float64(way.Y)))
	unit := way.Scale(1 / end)
	// at returns a point by its distances from the arrow's start and from its axis.
	at := func(along, aside vg.Length) vg.Point {
		return from.Add(unit.Scale(along)).Add(vg.Point{X: -unit.Y, Y: unit.X}.Scale(aside))
	}
	head := min(1.6*width+4, 0.6*end) // an arrow to the next square has a shaft too
	half, wide := width/2, width+2.5
	c.FillPolygon(col, []vg.Point{
		at(0, -half), at(end-head, -half), at(end-head, -wide), at(end, 0), at(end-head, wide), at(end-head, half), at(0, half),
	})
}

// PolicyPlanes shows numbers on the squares of a board, such as a network's policy: a small board
// for each plane, with squares shaded on a common scale.
type PolicyPlanes struct {
	Frame
	Planes   []Plane
	Quantity string // of the numbers; empty means probability
	Log      bool   // a logarithmic scale, which begins at a ten-thousandth of the highest number

	Position     // drawn on boards that are large enough; may be empty
	Columns  int // boards per row, fewer in a frame that is too narrow; 0 means automatic
}

// Plane is a number for each square.
type Plane struct {
	Title   string
	Squares [64]float64 // a1, b1, ..., h8; NaN for no value
}

// Figure implements [Chart].
func (p PolicyPlanes) Figure() (*Figure, error) {
	const gap = vg.Length(8) // between boards
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
	v, position, err := p.Position.Parse()
	if err != nil {
		return nil, err
	}
	quantity := cmp.Or(p.Quantity, "probability")
	axis := Axis{Label: quantity, FromZero: true}
	if p.Log && s.max > 0 {
		s.min = s.max / 1e4
		axis.Log, axis.From = true, End{Fixed: true, At: s.min}
	}
	scale := newColorScale(axis, s, blues)
	beside := boardMargin + scaleGap + scale.width()
	most := int((p.inner() - beside + gap) / (2*cm + gap)) // columns that fit
	columns := cmp.Or(p.Columns, columnsOf(len(p.Planes)))
	if p.Columns == 0 && len(p.Planes) > 16 {
		columns = most
	}
	if p.Columns == 0 || p.width() > 0 { // else the figure becomes as wide as its boards
		columns = max(1, min(columns, most))
	}
	rows := (len(p.Planes) + columns - 1) / columns
	across := func(side vg.Length) vg.Length { return (side+gap)*vg.Length(columns) - gap }
	side := max(2*cm, min(8*cm, (p.inner()-beside+gap)/vg.Length(columns)-gap))
	style, titles := p.titles(side)
	head := 6 + vg.Length(len(titles[0]))*style.Font.Size // of a board
	return p.Frame.figure(content{
		shaded: true,
		width:  beside + across(side), least: beside + across(2*cm), height: max(3*cm, (head+side+boardMargin)*vg.Length(rows)+4),
		description: describe("Boards", "", quantity, several(texts, "; ")),
		paint: func(c draw.Canvas) {
			left := c.Min.X + boardMargin // numbers of ranks stand once, on the left
			for i, plane := range p.Planes {
				corner := vg.Point{X: left + vg.Length(i%columns)*(side+gap), Y: c.Max.Y - vg.Length(i/columns)*(head+side+boardMargin) - head - side}
				g := boardOf(v, side)
				g.corner = vg.Point{X: corner.X, Y: corner.Y + side - g.extent().Y}
				for k, line := range titles[i] {
					c.FillText(style, vg.Point{X: corner.X, Y: corner.Y + side + 4 + vg.Length(len(titles[i])-1-k)*style.Font.Size}, line)
				}
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

// titles returns the lines of each board's title for boards of a width, and their style: one line
// in the size of ticks, a smaller one or two, the first that no title is too long for. All titles
// have equally many lines.
func (p PolicyPlanes) titles(width vg.Length) (style text.Style, titles [][]string) {
	titles = make([][]string, len(p.Planes))
	for _, try := range []struct {
		size  float64
		lines int
	}{{tickSize, 1}, {smallSize, 1}, {smallSize, 2}} {
		style = textStyle(try.size, ink, true)
		isCut := false
		for i, plane := range p.Planes {
			title := clean(plane.Title)
			lines := wrap(title, style, width, try.lines)
			isCut = isCut || strings.Join(lines, " ") != title
			for len(lines) < try.lines {
				lines = append([]string{""}, lines...)
			}
			titles[i] = lines
		}
		if !isCut {
			break
		}
	}
	return style, titles
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
