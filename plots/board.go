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
)

// Board shows a chess position with arrows for the moves that a search favors. The width of
// an arrow is its weight. The legend names each arrow.
type Board struct {
	Frame

	// FEN is the position: the placement of the pieces, or a whole FEN. The side to move
	// and the pieces in hand are noted in words.
	FEN string

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

// boardSize is the number of files and ranks.
const boardSize = 8

// square is a file and a rank, both from 0.
type square struct{ file, rank int }

func parseSquare(s string) (square, error) {
	if len(s) != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8' {
		return square{}, fmt.Errorf("plots: square %q: want a file a-h and a rank 1-8, such as e4: %w", s, ErrInvalid)
	}
	return square{int(s[0] - 'a'), int(s[1] - '1')}, nil
}

// position is the content of a FEN: the pieces by rank and file, 0 for an empty square, and
// a note on what is not on the board.
type position struct {
	pieces [boardSize][boardSize]byte
	note   string
}

const pieceLetters = "PNBRQKpnbrqk"

// parsePosition reads a FEN. Crazyhouse writes the pieces in hand after the placement, in
// brackets or as a ninth rank. Only drawn parts are checked.
func parsePosition(fen string) (p position, err error) {
	bad := fmt.Errorf("plots: position %.100q: want 8 ranks of 8 squares, then, in brackets, the pieces in hand, then the side to move: %w", fen, ErrInvalid)
	fields := strings.Fields(fen)
	if len(fields) == 0 {
		return p, bad
	}
	board, rest, bracket := strings.Cut(fields[0], "[")
	hand, closed := strings.CutSuffix(rest, "]")
	ranks := strings.Split(board, "/")
	if len(ranks) == boardSize+1 && !bracket {
		ranks, hand = ranks[:boardSize], ranks[boardSize]
	}
	if len(ranks) != boardSize || bracket && !closed || strings.Trim(hand, pieceLetters) != "" {
		return p, bad
	}
	for i, rank := range ranks {
		file := 0
		for _, b := range []byte(strings.ReplaceAll(rank, "~", "")) { // the mark of promoted pieces
			switch {
			case b >= '1' && b <= '8':
				file += int(b - '0')
			case file < boardSize && strings.IndexByte(pieceLetters, b) >= 0:
				p.pieces[boardSize-1-i][file] = b
				file++
			default:
				return p, bad
			}
		}
		if file != boardSize {
			return p, bad
		}
	}
	var notes []string
	if len(fields) > 1 {
		side, ok := map[string]string{"w": "White to move", "b": "Black to move"}[fields[1]]
		if !ok {
			return p, bad
		}
		notes = append(notes, side)
	}
	if hand != "" {
		notes = append(notes, "in hand: "+hand)
	}
	p.note = strings.Join(notes, "; ")
	return p, nil
}

// arrow is a checked Arrow.
type arrow struct {
	Arrow
	from, to square
	share    float64 // of the greatest weight
	color    color.Color
}

func (a arrow) name() string {
	return cmp.Or(clean(a.Label), strings.TrimPrefix(a.From+"–"+a.To, "–"))
}

const (
	boardSide   = 9 * vg.Centimeter
	boardMargin = vg.Length(13) // for the letters of files and the numbers of ranks
)

// Figure implements [Chart].
func (b Board) Figure() (*Figure, error) {
	p, err := parsePosition(b.FEN)
	if err != nil {
		return nil, err
	}
	arrows, err := b.checkArrows()
	if err != nil {
		return nil, err
	}
	if b.Note = cmp.Or(b.Note, p.note); len(arrows) > 0 && b.Weight.text() != "" {
		b.Note = strings.TrimPrefix(b.Note+"; arrows: "+b.Weight.text(), "; ")
	}
	var legend []entry
	for _, a := range arrows {
		name := a.name() + ": " + brief(a.Weight)
		if a.Note != "" {
			name += ", " + a.Note
		}
		legend = append(legend, entry{name, []plot.Thumbnailer{a}})
	}
	side := boardSide
	if b.Width > 0 {
		side = min(1.5*boardSide, vg.Length(b.Width)*vg.Centimeter-boardMargin-2*margin)
	}
	lay, err := newLayout(b.Frame, legend, float64((boardMargin+side+2*margin)/vg.Centimeter), float64((boardMargin+side)/vg.Centimeter))
	if err != nil {
		return nil, err
	}
	return lay.figure(b.describe(arrows), func(c draw.Canvas) {
		g := boardGeometry{vg.Point{X: c.Min.X + boardMargin, Y: c.Max.Y - side}, side / boardSize}
		g.paintSquares(&c, draw.LineStyle{}, func(s square) color.Color {
			if (s.file+s.rank)%2 == 0 { // a1 is dark, and so is h8
				return color.RGBA{0xC8, 0xB4, 0x98, 0xFF}
			}
			return color.RGBA{0xF3, 0xEC, 0xDF, 0xFF}
		})
		g.paintPieces(&c, p)
		g.paintLetters(&c, textStyle(smallSize+1, softInk, false), true)
		for _, a := range slices.Backward(arrows) { // the greatest on top
			g.paintArrow(&c, a)
		}
	}), nil
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
		checked := arrow{Arrow: a}
		if checked.to, err = parseSquare(a.To); err != nil {
			return nil, err
		}
		if checked.from, err = parseSquare(cmp.Or(a.From, a.To)); err != nil {
			return nil, err
		}
		where := fmt.Sprintf("arrow %s%s: weight", a.From, a.To)
		if err := checkNumbers(where, a.Weight); err != nil {
			return nil, err
		}
		if !(a.Weight >= 0) {
			return nil, fmt.Errorf("plots: %s %g: %w", where, a.Weight, ErrInvalid)
		}
		greatest = math.Max(greatest, a.Weight)
		arrows = append(arrows, checked)
	}
	slices.SortStableFunc(arrows, func(a, b arrow) int { return cmp.Compare(b.Weight, a.Weight) })
	for i := range arrows {
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

func (b Board) describe(arrows []arrow) string {
	s := "Chess board with the position " + clean(b.FEN) + "."
	var told []string
	for _, a := range arrows {
		told = append(told, a.name()+" "+brief(a.Weight))
	}
	if len(told) > 0 {
		s += " Arrows: " + several(told, ", ") + "."
	}
	return s
}

// boardGeometry is the place of a board: its corner at a1, and the side of a square.
type boardGeometry struct {
	corner vg.Point
	side   vg.Length
}

// at returns the lower left corner of a square.
func (g boardGeometry) at(s square) vg.Point {
	return vg.Point{X: g.corner.X + g.side*vg.Length(s.file), Y: g.corner.Y + g.side*vg.Length(s.rank)}
}

func (g boardGeometry) box(s square) vg.Rectangle {
	return vg.Rectangle{Min: g.at(s), Max: g.at(square{s.file + 1, s.rank + 1})}
}

// paintSquares fills the squares except those with a nil color. It draws the edge, and the
// lines between squares if they have a width.
func (g boardGeometry) paintSquares(c *draw.Canvas, line draw.LineStyle, fill func(square) color.Color) {
	for rank := range boardSize {
		for file := range boardSize {
			s := square{file, rank}
			if col := fill(s); col != nil {
				c.SetColor(col)
				c.Fill(g.box(s).Path())
			}
		}
	}
	end := g.at(square{boardSize, boardSize})
	for i := range boardSize {
		at := g.at(square{i, i})
		c.StrokeLine2(line, at.X, g.corner.Y, at.X, end.Y)
		c.StrokeLine2(line, g.corner.X, at.Y, end.X, at.Y)
	}
	c.SetLineStyle(draw.LineStyle{Color: axisGray, Width: 0.6})
	c.Stroke(vg.Rectangle{Min: g.corner, Max: end}.Path())
}

func (g boardGeometry) paintPieces(c *draw.Canvas, p position) {
	for rank, files := range p.pieces {
		for file, piece := range files {
			if piece != 0 {
				paintPiece(c, piece, g.at(square{file, rank}), g.side)
			}
		}
	}
}

// paintLetters writes the letters of files below the board and optionally the numbers of
// ranks at its left.
func (g boardGeometry) paintLetters(c *draw.Canvas, style text.Style, numbers bool) {
	for i := range boardSize {
		mid := g.side * (vg.Length(i) + 0.5)
		c.FillText(aligned(style, draw.XCenter, draw.YTop), vg.Point{X: g.corner.X + mid, Y: g.corner.Y - 2.5}, string(rune('a'+i)))
		if numbers {
			c.FillText(aligned(style, draw.XRight, yMiddle), vg.Point{X: g.corner.X - 4, Y: g.corner.Y + mid}, string(rune('1'+i)))
		}
	}
}

// paintArrow draws a move, or a ring for a piece from the hand.
func (g boardGeometry) paintArrow(c *draw.Canvas, a arrow) {
	half := vg.Point{X: g.side / 2, Y: g.side / 2}
	from, to := g.at(a.from).Add(half), g.at(a.to).Add(half)
	width := g.side * vg.Length(0.05+0.19*a.share)
	if from == to {
		var ring vg.Path
		radius := g.side*0.42 - width/2
		ring.Move(vg.Point{X: to.X + radius, Y: to.Y})
		ring.Arc(to, radius, 0, 2*math.Pi)
		ring.Close()
		c.SetLineStyle(draw.LineStyle{Color: a.color, Width: width})
		c.Stroke(ring)
		return
	}
	way := to.Sub(from)
	length := vg.Length(math.Hypot(float64(way.X), float64(way.Y)))
	from = from.Add(way.Scale(g.side * 0.3 / length)) // keeps the moving piece visible
	paintArrow(c, from, to, width, a.color)
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
	head := 2*width + 5
	half, wide := width/2, 1.1*width+2.5
	c.FillPolygon(col, []vg.Point{
		at(0, -half), at(end-head, -half), at(end-head, -wide), at(end, 0), at(end-head, wide), at(end-head, half), at(0, half),
	})
}
