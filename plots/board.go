package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Board shows a chess position, and arrows for moves: those that a search
// favors, as wide as their weight. A list beside the board says what each
// arrow stands for.
type Board struct {
	Frame

	// FEN is the position: the pieces' placement, or a whole FEN, of which the
	// side to move and the pieces in hand are said in words.
	FEN string

	Arrows    []Arrow
	Weight    Axis     // what the weights of arrows are; it heads the list
	Highlight []string // squares to color, such as those of the last move
	Flip      bool     // Black's side at the bottom
}

// Arrow is a move on a board.
type Arrow struct {
	// From and To are squares such as e2. Without From, a ring around To
	// stands for a piece that is put there from the hand.
	From, To string

	Weight float64 // not below 0; the widest arrow has the greatest
	Label  string  // the move's name; empty: From–To
	Note   string  // beside it, such as the move's value; may be empty
}

const mostArrows = 60

// boardSize is the number of files and of ranks.
const boardSize = 8

var (
	lightSquare = color.RGBA{0xF3, 0xEC, 0xDF, 0xFF}
	darkSquare  = color.RGBA{0xC8, 0xB4, 0x98, 0xFF}
	marked      = color.NRGBA{0xE6, 0x9F, 0x00, 0x90} // orange
)

// square is a file and a rank, both from 0.
type square struct{ file, rank int }

func parseSquare(s string) (square, error) {
	if len(s) != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8' {
		return square{}, fmt.Errorf("plots: square %q: want a file a-h and a rank 1-8, such as e4: %w", s, ErrBoard)
	}
	return square{int(s[0] - 'a'), int(s[1] - '1')}, nil
}

// placement is the pieces on the board, 0 where there is none.
type placement [boardSize][boardSize]byte // by rank and file

// parsePlacement reads the first field of a FEN, with the pieces in hand that
// crazyhouse writes behind it in brackets or as a ninth rank.
func parsePlacement(field string) (p placement, hand string, err error) {
	bad := func(format string, args ...any) (placement, string, error) {
		return p, "", fmt.Errorf("plots: placement %.100q: %s: %w", field, fmt.Sprintf(format, args...), ErrBoard)
	}
	board, rest, bracket := strings.Cut(field, "[")
	if bracket {
		var ok bool
		if hand, ok = strings.CutSuffix(rest, "]"); !ok {
			return bad("the bracket of the pieces in hand does not close")
		}
	}
	ranks := strings.Split(board, "/")
	if len(ranks) == boardSize+1 && !bracket {
		ranks, hand = ranks[:boardSize], ranks[boardSize]
	}
	if len(ranks) != boardSize {
		return bad("it has %d ranks, want %d", len(ranks), boardSize)
	}
	for i, text := range ranks {
		file := 0
		for j := range len(text) {
			switch b := text[j]; {
			case b >= '1' && b <= '8':
				file += int(b - '0')
			case strings.IndexByte("PNBRQKpnbrqk", b) >= 0:
				if file < boardSize {
					p[boardSize-1-i][file] = b
				}
				file++
			case b == '~' && j > 0: // the piece before was promoted
			default:
				return bad("%q in rank %d is neither a piece nor a number of empty squares", b, boardSize-i)
			}
		}
		if file != boardSize {
			return bad("rank %d has %d squares", boardSize-i, file)
		}
	}
	for i := range len(hand) {
		if strings.IndexByte("PNBRQKpnbrqk", hand[i]) < 0 {
			return bad("%q in the hand is no piece", hand[i])
		}
	}
	return p, hand, nil
}

// arrow is an Arrow that was checked.
type arrow struct {
	Arrow
	from, to square
	share    float64 // of the greatest weight
}

func (a arrow) name() string {
	switch label := clean(a.Label); {
	case label != "":
		return label
	case a.From == "":
		return a.To
	}
	return a.From + "–" + a.To
}

// boardGeometry is a board that was checked.
type boardGeometry struct {
	Board
	pieces     placement
	arrows     []arrow // from the greatest weight to the least
	highlights []square
	list       vg.Length // width of the list, 0 for none
	columns    [3]vg.Length
}

const (
	boardSide   = 9 * vg.Centimeter
	boardMargin = vg.Length(13) // for the letters of files and the numbers of ranks
	listGap     = vg.Length(16)
	listRow     = vg.Length(15)
)

// Figure implements [Chart].
func (b Board) Figure() (*Figure, error) {
	g, words, err := b.check()
	if err != nil {
		return nil, err
	}
	if clean(b.Note) == "" {
		b.Note = words
	}
	g.measure()
	width := boardMargin + boardSide + 2*margin
	if g.list > 0 {
		width += listGap + g.list
	}
	height := boardMargin + boardSide
	if b.Width > 0 {
		height += vg.Length(b.Width)*vg.Centimeter - width
	}
	lay, err := newLayout(b.Frame, nil, float64(width/vg.Centimeter), math.Max(leastData+0.1, float64(height/vg.Centimeter)))
	if err != nil {
		return nil, err
	}
	if g.side(lay.width-2*margin, lay.height-lay.headHeight()-2*margin) < 2*vg.Centimeter {
		return nil, fmt.Errorf("plots: board in %.4g by %.4g cm: %w", lay.width/vg.Centimeter, lay.height/vg.Centimeter, ErrSize)
	}
	return lay.figure(g.describe(), g.paint), nil
}

// check reads the position and the arrows. words say what of a FEN is not on
// the board.
func (b Board) check() (g *boardGeometry, words string, err error) {
	fields := strings.Fields(b.FEN)
	if len(fields) == 0 {
		return nil, "", fmt.Errorf("plots: board without a position: %w", ErrNoData)
	}
	g = &boardGeometry{Board: b}
	pieces, hand, err := parsePlacement(fields[0])
	if err != nil {
		return nil, "", err
	}
	g.pieces = pieces
	if len(fields) > 1 {
		switch fields[1] {
		case "w":
			words = "White to move"
		case "b":
			words = "Black to move"
		default:
			return nil, "", fmt.Errorf("plots: FEN %.100q: side to move %.20q: want w or b: %w", b.FEN, fields[1], ErrBoard)
		}
	}
	if hand != "" {
		if words != "" {
			words += "; "
		}
		words += "in hand: " + hand
	}
	for _, s := range b.Highlight {
		at, err := parseSquare(s)
		if err != nil {
			return nil, "", err
		}
		g.highlights = append(g.highlights, at)
	}
	if len(b.Arrows) > mostArrows {
		return nil, "", fmt.Errorf("plots: board with %d arrows: want at most %d: %w", len(b.Arrows), mostArrows, ErrSize)
	}
	greatest := 0.0
	for i, a := range b.Arrows {
		checked := arrow{Arrow: a}
		if checked.to, err = parseSquare(a.To); err != nil {
			return nil, "", err
		}
		checked.from = checked.to
		if a.From != "" {
			if checked.from, err = parseSquare(a.From); err != nil {
				return nil, "", err
			}
		}
		where := fmt.Sprintf("arrow %d (%s%s): weight", i, a.From, a.To)
		if err := checkNumber(where, a.Weight); err != nil {
			return nil, "", err
		}
		if !(a.Weight >= 0) {
			return nil, "", fmt.Errorf("plots: %s %g: %w", where, a.Weight, ErrRange)
		}
		greatest = math.Max(greatest, a.Weight)
		g.arrows = append(g.arrows, checked)
	}
	for i := range g.arrows {
		g.arrows[i].share = 1
		if greatest > 0 {
			g.arrows[i].share = g.arrows[i].Weight / greatest
		}
	}
	slices.SortStableFunc(g.arrows, func(a, b arrow) int { return cmp.Compare(b.Weight, a.Weight) })
	return g, words, nil
}

func (g *boardGeometry) describe() string {
	if given := clean(g.Description); given != "" {
		return given
	}
	s := "Chess board with the position " + clean(g.FEN) + "."
	var told []string
	for _, a := range g.arrows {
		told = append(told, a.name()+" "+brief(a.Weight))
	}
	if len(told) > 0 {
		s += " Arrows"
		if weight := g.Weight.text(); weight != "" {
			s += " by " + weight
		}
		s += ": " + several(told, ", ") + "."
	}
	return s
}

// mostListed is the number of arrows that the list has room for.
func mostListed(height vg.Length) int { return max(1, int(height/listRow)-1) }

// measure finds the width of the list.
func (g *boardGeometry) measure() {
	name, small := textStyle(tickSize, ink, true), textStyle(tickSize, ink, false)
	for _, a := range g.arrows {
		g.columns[0] = max(g.columns[0], min(name.Width(a.name()), 3*vg.Centimeter))
		g.columns[1] = max(g.columns[1], small.Width(brief(a.Weight)))
		if note := clean(a.Note); note != "" {
			g.columns[2] = max(g.columns[2], min(small.Width(note), 4*vg.Centimeter)+10)
		}
	}
	if len(g.arrows) > 0 {
		g.list = sampleWidth + 8 + g.columns[0] + 10 + g.columns[1] + g.columns[2]
		g.list = max(g.list, min(small.Width(g.Weight.text()), 5*vg.Centimeter))
	}
}

// side returns the side of the board in a picture of some size.
func (g *boardGeometry) side(width, height vg.Length) vg.Length {
	if g.list > 0 {
		width -= listGap + g.list
	}
	return min(width, height) - boardMargin
}

func (g *boardGeometry) paint(c draw.Canvas) {
	side := g.side(c.Max.X-c.Min.X, c.Max.Y-c.Min.Y) / boardSize
	left, top := c.Min.X+boardMargin, c.Max.Y
	bottom := top - side*boardSize
	corner := func(s square) vg.Point {
		if g.Flip {
			s = square{boardSize - 1 - s.file, boardSize - 1 - s.rank}
		}
		return vg.Point{X: left + side*vg.Length(s.file), Y: bottom + side*vg.Length(s.rank)}
	}
	paintSquares(c, vg.Point{X: left, Y: bottom}, side, g.Flip)
	for _, s := range g.highlights {
		at := corner(s)
		c.SetColor(marked)
		c.Fill(vg.Rectangle{Min: at, Max: vg.Point{X: at.X + side, Y: at.Y + side}}.Path())
	}
	for rank := range g.pieces {
		for file, piece := range g.pieces[rank] {
			if piece != 0 {
				paintPiece(&c, piece, corner(square{file, rank}), side)
			}
		}
	}
	for i := len(g.arrows) - 1; i >= 0; i-- { // the greatest on top
		a := g.arrows[i]
		from, to := corner(a.from), corner(a.to)
		half := side / 2
		from, to = vg.Point{X: from.X + half, Y: from.Y + half}, vg.Point{X: to.X + half, Y: to.Y + half}
		width := side * vg.Length(0.05+0.19*a.share)
		if from != to { // the piece that moves is left to be seen
			length := vg.Length(math.Hypot(float64(to.X-from.X), float64(to.Y-from.Y)))
			from.X += (to.X - from.X) * side * 0.3 / length
			from.Y += (to.Y - from.Y) * side * 0.3 / length
		}
		if from == to {
			paintRing(&c, to, side*0.42, width, arrowColor(i))
		} else {
			paintArrow(&c, from, to, width, arrowColor(i))
		}
	}
	if g.list > 0 {
		g.paintList(c, left+side*boardSize+listGap, top, bottom)
	}
}

// arrowColor sets the first arrow off from the others.
func arrowColor(i int) color.Color {
	base := blue
	if i == 0 {
		base = vermilion
	}
	return color.NRGBA{base.R, base.G, base.B, 0xB4}
}

// paintSquares draws an empty board with its letters and numbers. at is the
// corner at the lower left.
func paintSquares(c draw.Canvas, at vg.Point, side vg.Length, flip bool) {
	whole := vg.Rectangle{Min: at, Max: vg.Point{X: at.X + side*boardSize, Y: at.Y + side*boardSize}}
	c.SetColor(lightSquare)
	c.Fill(whole.Path())
	c.SetColor(darkSquare)
	for i := range boardSize {
		for j := range boardSize {
			if (i+j)%2 == 0 { // a1 is dark, and so is h8
				x, y := at.X+side*vg.Length(i), at.Y+side*vg.Length(j)
				c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + side, Y: y + side}}.Path())
			}
		}
	}
	c.SetLineStyle(draw.LineStyle{Color: axisGray, Width: 0.6})
	c.Stroke(whole.Path())
	style := textStyle(smallSize+1, softInk, false)
	for i := range boardSize {
		n := i
		if flip {
			n = boardSize - 1 - i
		}
		mid := side * (vg.Length(i) + 0.5)
		c.FillText(aligned(style, draw.XCenter, draw.YTop), vg.Point{X: at.X + mid, Y: at.Y - 2.5}, string(rune('a'+n)))
		beside(&c, aligned(style, draw.XRight, draw.YCenter), vg.Point{X: at.X - 4, Y: at.Y + mid}, string(rune('1'+n)))
	}
}

// paintArrow draws an arrow of a width from the middle of a square to the
// middle of another.
func paintArrow(c *draw.Canvas, from, to vg.Point, width vg.Length, col color.Color) {
	dx, dy := float64(to.X-from.X), float64(to.Y-from.Y)
	length := math.Hypot(dx, dy)
	ux, uy := dx/length, dy/length
	// along and beside place a point from the arrow's start and its axis.
	at := func(along, beside vg.Length) vg.Point {
		return vg.Point{
			X: from.X + along*vg.Length(ux) - beside*vg.Length(uy),
			Y: from.Y + along*vg.Length(uy) + beside*vg.Length(ux),
		}
	}
	head := 2*width + 5
	end, half, wide := vg.Length(length), width/2, 1.1*width+2.5
	c.FillPolygon(col, []vg.Point{
		at(0, -half), at(end-head, -half), at(end-head, -wide), at(end, 0), at(end-head, wide), at(end-head, half), at(0, half),
	})
}

func paintRing(c *draw.Canvas, at vg.Point, radius, width vg.Length, col color.Color) {
	var p vg.Path
	p.Move(vg.Point{X: at.X + radius - width/2, Y: at.Y})
	p.Arc(at, radius-width/2, 0, 2*math.Pi)
	p.Close()
	c.SetLineStyle(draw.LineStyle{Color: col, Width: width})
	c.Stroke(p)
}

// paintList writes what the arrows are, as many as there is room for.
func (g *boardGeometry) paintList(c draw.Canvas, x, top, bottom vg.Length) {
	small := textStyle(tickSize, softInk, false)
	name := textStyle(tickSize, ink, true)
	y := top - listRow/2
	if weight := g.Weight.text(); weight != "" {
		beside(&c, aligned(small, draw.XLeft, draw.YCenter), vg.Point{X: x, Y: y}, fit(weight, small, c.Max.X-x))
		y -= listRow
	}
	room := mostListed(top - bottom)
	for i, a := range g.arrows {
		if i == room-1 && len(g.arrows) > room {
			beside(&c, aligned(small, draw.XLeft, draw.YCenter), vg.Point{X: x, Y: y}, fmt.Sprintf("and %d more", len(g.arrows)-i))
			return
		}
		width := vg.Length(1 + 4*a.share)
		paintArrow(&c, vg.Point{X: x, Y: y}, vg.Point{X: x + sampleWidth, Y: y}, width/1.5, arrowColor(i))
		at := x + sampleWidth + 8
		beside(&c, aligned(name, draw.XLeft, draw.YCenter), vg.Point{X: at, Y: y}, fitName(a.name(), name, g.columns[0]+1))
		at += g.columns[0] + 10 + g.columns[1]
		beside(&c, aligned(textStyle(tickSize, ink, false), draw.XRight, draw.YCenter), vg.Point{X: at, Y: y}, brief(a.Weight))
		if note := clean(a.Note); note != "" {
			beside(&c, aligned(small, draw.XLeft, draw.YCenter), vg.Point{X: at + 10, Y: y}, fit(note, small, g.columns[2]-9))
		}
		y -= listRow
	}
}
