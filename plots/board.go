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

func (p Position) parse() (chess.Position, error) {
	v, err := chess.ParseVariant(cmp.Or(p.Variant, chess.Standard.String()))
	if err != nil {
		return chess.Position{}, fmt.Errorf("plots: %w: %w", ErrInvalid, err)
	}
	position, err := chess.ParseFEN(v, p.FEN)
	if err != nil {
		return position, fmt.Errorf("plots: %w: %w", ErrInvalid, err)
	}
	return position, nil
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
	p, err := b.Position.parse()
	if err != nil {
		return nil, err
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
		text := a.name() + ": " + brief(a.Weight)
		texts = append(texts, text)
		if a.Note != "" {
			text += ", " + a.Note
		}
		legend = append(legend, entry{text, []plot.Thumbnailer{a}})
	}
	if len(texts) > 0 {
		description += " Arrows: " + several(texts, ", ") + "."
	}
	side := boardSide
	if b.Width > 0 {
		side = min(1.5*boardSide, b.inner()-boardMargin)
	}
	return b.Frame.figure(content{width: boardMargin + side, height: boardMargin + side, legend: legend, description: description, paint: func(c draw.Canvas) {
		g := boardAt(vg.Point{X: c.Min.X + boardMargin, Y: c.Max.Y - side}, side)
		g.paintSquares(&c, draw.LineStyle{}, func(file, rank int) color.Color {
			if (file+rank)%2 == 0 { // a1 is dark, and so is h8
				return color.RGBA{0xC8, 0xB4, 0x98, 0xFF}
			}
			return color.RGBA{0xF3, 0xEC, 0xDF, 0xFF}
		})
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

// board is the squares of a board.
type board struct{ cells }

func boardAt(corner vg.Point, side vg.Length) board {
	return board{cells{corner, vg.Point{X: side / 8, Y: side / 8}, 8, 8}}
}

func (g board) box(s chess.Square) vg.Rectangle { return g.cells.box(s.File(), s.Rank()) }

// paintSquares fills the squares, and draws the edge and the lines between them.
func (g board) paintSquares(c *draw.Canvas, line draw.LineStyle, fill func(file, rank int) color.Color) {
	g.paint(c, line, fill)
	c.SetLineStyle(draw.LineStyle{Color: axisGray, Width: 0.6})
	c.Stroke(vg.Rectangle{Min: g.corner, Max: g.cells.box(8, 8).Min}.Path())
}

func (g board) paintPieces(c *draw.Canvas, p chess.Position) {
	for s := range chess.NoSquare {
		if t, side := p.PieceAt(s); t != chess.NoPieceType {
			paintPiece(c, t, side, g.box(s))
		}
	}
}

// paintLetters writes the letters of files below the board and optionally the numbers of
// ranks at its left.
func (g board) paintLetters(c *draw.Canvas, style text.Style, numbers bool) {
	for i := range 8 {
		mid := center(g.box(chess.NewSquare(i, i)))
		c.FillText(aligned(style, draw.XCenter, draw.YTop), vg.Point{X: mid.X, Y: g.corner.Y - 2.5}, string(rune('a'+i)))
		if numbers {
			c.FillText(aligned(style, draw.XRight, yMiddle), vg.Point{X: g.corner.X - 4, Y: mid.Y}, string(rune('1'+i)))
		}
	}
}

// paintArrow draws a move, or a ring for a piece from the hand.
func (g board) paintArrow(c *draw.Canvas, a arrow) {
	side := g.size.X
	from, to := center(g.box(a.from)), center(g.box(a.to))
	width := side * vg.Length(0.05+0.19*a.share)
	if from == to {
		var ring vg.Path
		radius := side*0.42 - width/2
		ring.Move(vg.Point{X: to.X + radius, Y: to.Y})
		ring.Arc(to, radius, 0, 2*math.Pi)
		ring.Close()
		c.SetLineStyle(draw.LineStyle{Color: a.color, Width: width})
		c.Stroke(ring)
		return
	}
	way := to.Sub(from)
	length := vg.Length(math.Hypot(float64(way.X), float64(way.Y)))
	from = from.Add(way.Scale(side * 0.3 / length)) // keeps the moving piece visible
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
