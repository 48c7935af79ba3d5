package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
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

// parse returns the position, with an empty board if there is no FEN.
func (p Position) parse() (chess.Variant, chess.Position, error) {
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
	v, p, err := b.Position.parse()
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
		text := a.name() + ": " + brief(a.Weight)
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

const foot = "M .22 .1 L .78 .1 C .78 .15 .74 .2 .7 .2 L .3 .2 C .26 .2 .22 .15 .22 .1 Z"

// pieceShapes are the pieces, drawn for this package on a square of side 1, in the language
// of SVG's paths. O x y r is a circle. Later shapes are above earlier ones. A shape that ends
// with Z is filled; any other is a line.
var pieceShapes = map[chess.PieceType][]string{
	chess.Pawn: {
		"M .31 .2 C .32 .34 .43 .36 .44 .52 L .56 .52 C .57 .36 .68 .34 .69 .2 Z",
		foot,
		"O .5 .61 .14 Z",
	},
	chess.Rook: {
		"M .32 .2 L .36 .28 L .37 .6 L .63 .6 L .64 .28 L .68 .2 Z",
		foot,
		"M .3 .6 L .26 .66 L .26 .82 L .36 .82 L .36 .75 L .45 .75 L .45 .82 L .55 .82 L .55 .75 L .64 .75 L .64 .82 L .74 .82 L .74 .66 L .7 .6 Z",
	},
	chess.Knight: {
		"M .3 .2 C .3 .38 .48 .42 .46 .55 C .41 .49 .35 .47 .3 .45 C .28 .41 .23 .38 .19 .41 C .14 .45 .15 .5 .18 .54 C .23 .62 .25 .7 .34 .76 L .36 .87 L .44 .79 C .7 .76 .79 .54 .74 .2 Z",
		foot,
		"O .345 .645 .013", // the eye
		"M .52 .72 C .63 .64 .68 .48 .66 .3",
	},
	chess.Bishop: {
		"M .36 .2 C .42 .26 .42 .28 .42 .32 L .58 .32 C .58 .28 .58 .26 .64 .2 Z",
		foot,
		"M .36 .36 C .22 .52 .36 .7 .5 .8 C .64 .7 .78 .52 .64 .36 Z",
		"M .33 .31 L .67 .31 L .67 .37 L .33 .37 Z",
		"O .5 .84 .045 Z",
		"M .5 .46 L .5 .64",
		"M .42 .56 L .58 .56",
	},
	chess.Queen: {
		"M .29 .2 C .24 .4 .2 .5 .15 .68 L .32 .47 L .32 .77 L .44 .5 L .5 .8 L .56 .5 L .68 .77 L .68 .47 L .85 .68 C .8 .5 .76 .4 .71 .2 Z",
		foot,
		"O .15 .7 .042 Z", "O .32 .79 .042 Z", "O .5 .82 .042 Z", "O .68 .79 .042 Z", "O .85 .7 .042 Z",
		"M .28 .28 C .4 .32 .6 .32 .72 .28",
	},
	chess.King: {
		"M .46 .7 L .46 .79 L .39 .79 L .39 .86 L .46 .86 L .46 .93 L .54 .93 L .54 .86 L .61 .86 L .61 .79 L .54 .79 L .54 .7 Z",
		"M .5 .46 C .4 .58 .4 .7 .5 .73 C .6 .7 .6 .58 .5 .46 Z",
		"M .3 .2 C .29 .32 .13 .4 .15 .54 C .18 .7 .43 .68 .5 .46 C .57 .68 .82 .7 .85 .54 C .87 .4 .71 .32 .7 .2 Z",
		foot,
		"M .3 .28 C .42 .32 .58 .32 .7 .28",
	},
}

// disc is a piece of a kind that chess does not have, under its letter.
const disc = "M .5 .14 C .7 .14 .86 .3 .86 .5 C .86 .7 .7 .86 .5 .86 C .3 .86 .14 .7 .14 .5 C .14 .3 .3 .14 .5 .14 Z"

// letterShapes are the letters of these kinds.
var letterShapes = map[byte][]string{
	'A': {"M .36 .34 L .5 .68 L .64 .34", "M .42 .47 L .58 .47"},
	'C': {"M .63 .61 L .55 .67 L .45 .67 L .36 .58 L .36 .43 L .45 .34 L .55 .34 L .63 .4"},
	'D': {"M .39 .34 L .39 .67 L .52 .67 L .62 .58 L .62 .43 L .52 .34 L .39 .34"},
	'E': {"M .61 .34 L .39 .34 L .39 .67 L .61 .67", "M .39 .51 L .56 .51"},
	'F': {"M .39 .34 L .39 .67 L .61 .67", "M .39 .51 L .56 .51"},
	'G': {"M .62 .61 L .54 .67 L .45 .67 L .36 .58 L .36 .43 L .45 .34 L .63 .34 L .63 .5 L .52 .5"},
	'H': {"M .38 .34 L .38 .67", "M .62 .34 L .62 .67", "M .38 .51 L .62 .51"},
	'I': {"M .5 .34 L .5 .67", "M .42 .67 L .58 .67", "M .42 .34 L .58 .34"},
	'J': {"M .6 .67 L .6 .43 L .52 .34 L .46 .34 L .38 .43"},
	'L': {"M .39 .67 L .39 .34 L .62 .34"},
	'M': {"M .35 .34 L .35 .67 L .5 .46 L .65 .67 L .65 .34"},
	'S': {"M .62 .61 L .54 .67 L .45 .67 L .38 .61 L .38 .55 L .62 .46 L .62 .4 L .55 .34 L .46 .34 L .38 .4"},
	'T': {"M .5 .34 L .5 .67", "M .36 .67 L .64 .67"},
	'U': {"M .38 .67 L .38 .43 L .46 .34 L .54 .34 L .62 .43 L .62 .67"},
	'V': {"M .36 .67 L .5 .34 L .64 .67"},
	'W': {"M .33 .67 L .42 .34 L .5 .56 L .58 .34 L .67 .67"},
	'X': {"M .38 .34 L .62 .67", "M .38 .67 L .62 .34"},
	'Y': {"M .36 .67 L .5 .51 L .64 .67", "M .5 .51 L .5 .34"},
	'Z': {"M .38 .67 L .62 .67 L .38 .34 L .62 .34"},
}

// namedShapes are the pieces that many variants have beside those of chess, by name, with their
// moves in Betza's notation. Their letters differ between variants.
var namedShapes = []struct {
	name, moves string
	shapes      []string
}{
	{"archbishop", "BN", badged(pieceShapes[chess.Bishop])},
	{"chancellor", "RN", badged(pieceShapes[chess.Rook])},
	{"amazon", "QN", badged(pieceShapes[chess.Queen])},
	{"mann", "K", append([]string{"O .5 .79 .055 Z"}, pieceShapes[chess.King][1:]...)}, // a king without its cross
}

// badged returns a knight that wears another piece as its badge.
func badged(badge []string) []string {
	shapes := slices.Clone(pieceShapes[chess.Knight][:3])
	for _, shape := range badge {
		if outline, filled := strings.CutSuffix(scaled(shape, 0.62, 0.36, 0.12), " Z"); filled {
			shapes = append(shapes, outline+" Z")
			if outline[0] != 'O' {
				shapes = append(shapes, outline) // it is seen on black pieces
			}
		}
	}
	return shapes
}

// scaled returns a shape that is smaller and moved right and up.
func scaled(shape string, by, right, up float64) string {
	move := [2]float64{right, up}
	return mapNumbers(shape, func(axis int, x float64) float64 {
		if axis < 0 {
			return by * x
		}
		return by*x + move[axis]
	})
}

// mapNumbers changes the numbers of a shape. The axis is 0 for x, 1 for y, -1 for a radius.
func mapNumbers(shape string, f func(axis int, x float64) float64) string {
	words := strings.Fields(shape)
	axis := 0
	for i, w := range words {
		x, err := strconv.ParseFloat(w, 64)
		switch {
		case err != nil:
			axis = 0
		case i == 3 && words[0] == "O":
			words[i] = number(f(-1, x))
		default:
			words[i] = number(f(axis, x))
			axis = 1 - axis
		}
	}
	return strings.Join(words, " ")
}

func number(x float64) string { return strconv.FormatFloat(math.Round(1e4*x)/1e4, 'f', -1, 64) }

// SymbolOf returns the id of a kind of piece in [PieceSymbols]: the name of a well-known piece
// that is not of chess, by its moves, else its letter in FEN, in lower case.
func SymbolOf(v chess.Variant, t chess.PieceType) string {
	if pieceShapes[t] == nil {
		for _, s := range namedShapes {
			if v.Moves(t, s.moves) {
				return s.name
			}
		}
	}
	return string(t.Letter(chess.Black))
}

// shapesOf returns the shapes of a symbol.
func shapesOf(symbol string) []string {
	for _, s := range namedShapes {
		if s.name == symbol {
			return s.shapes
		}
	}
	for t, shapes := range pieceShapes {
		if symbol == string(t.Letter(chess.Black)) {
			return shapes
		}
	}
	return append([]string{disc}, letterShapes[symbol[0]&^0x20]...)
}

// PieceSymbols returns an svg element that shows nothing and has the pieces as symbols, with
// ids of [SymbolOf] and a view box of 100 by 100. Lines have the class "detail", and small
// marks the class "dot". Pages refer to them with <use>.
func PieceSymbols() string {
	var ids []string
	for t := chess.Pawn; t < chess.PieceTypes; t++ {
		ids = append(ids, string(t.Letter(chess.Black)))
	}
	for _, s := range namedShapes {
		ids = append(ids, s.name)
	}
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" class="shapes" aria-hidden="true">` + "\n")
	for _, id := range ids {
		fmt.Fprintf(&b, `<symbol id="%s" viewBox="0 0 100 100">`+"\n", id)
		for _, shape := range shapesOf(id) {
			b.WriteString(symbolShape(shape) + "\n")
		}
		b.WriteString("</symbol>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// symbolShape returns an element of SVG for a shape. There y is counted from above.
func symbolShape(shape string) string {
	words := strings.Fields(mapNumbers(shape, func(axis int, x float64) float64 {
		if axis == 1 {
			x = 1 - x
		}
		return 100 * x
	}))
	class := ""
	if filled := words[len(words)-1] == "Z"; !filled {
		class = ` class="detail"`
		if words[0] == "O" {
			class = ` class="dot"`
		}
	}
	if words[0] == "O" {
		return fmt.Sprintf(`<circle%s cx="%s" cy="%s" r="%s"/>`, class, words[1], words[2], words[3])
	}
	return fmt.Sprintf(`<path%s d="%s"/>`, class, strings.Join(words, " "))
}

// shapePath returns the path of a shape on a square.
func shapePath(shape string, square vg.Rectangle) (p vg.Path) {
	words := strings.Fields(shape)
	side := square.Size().X
	next := func() vg.Length {
		x, err := strconv.ParseFloat(words[0], 64)
		if err != nil {
			panic(err) // the shapes are constants
		}
		words = words[1:]
		return side * vg.Length(x)
	}
	point := func() vg.Point { return square.Min.Add(vg.Point{X: next(), Y: next()}) }
	for len(words) > 0 {
		command := words[0]
		words = words[1:]
		switch command {
		case "M":
			p.Move(point())
		case "L":
			p.Line(point())
		case "C":
			p.CubeTo(point(), point(), point())
		case "O":
			center, r := point(), next()
			p.Move(center.Add(vg.Point{X: r}))
			p.Arc(center, r, 0, 2*math.Pi)
		case "Z":
			p.Close()
		}
	}
	return p
}

// paintPiece draws a piece on a square.
func paintPiece(c *draw.Canvas, symbol string, side chess.Color, square vg.Rectangle) {
	edge := color.RGBA{0x26, 0x2C, 0x33, 0xFF}
	fill, detail := color.RGBA{0xFF, 0xFE, 0xFA, 0xFF}, edge
	if side == chess.Black {
		fill, detail = results[2].color, color.RGBA{0xE8, 0xE8, 0xE8, 0xFF}
	}
	for _, shape := range shapesOf(symbol) {
		path := shapePath(shape, square)
		line := draw.LineStyle{Color: detail, Width: 0.028 * square.Size().X}
		if strings.HasSuffix(shape, "Z") {
			c.SetColor(fill)
			c.Fill(path)
			line.Color = edge
		}
		c.SetLineStyle(line)
		c.Stroke(path)
	}
}

// PolicyPlanes shows numbers on the squares of a board, such as a network's policy: a small board
// for each plane, with squares shaded on a common scale.
type PolicyPlanes struct {
	Frame
	Planes   []Plane
	Quantity string // of the numbers; empty means probability

	Position     // drawn on boards that are large enough; may be empty
	Columns  int // boards per row; 0 means automatic
}

// Plane is a number for each square.
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
	v, position, err := p.Position.parse()
	if err != nil {
		return nil, err
	}
	quantity := cmp.Or(p.Quantity, "probability")
	scale := newColorScale(Axis{Label: quantity, FromZero: true}, s, blues)
	beside := boardMargin + scaleGap + scale.width()
	most := int((p.inner() - beside + gap) / (2*cm + gap)) // columns that fit
	columns := cmp.Or(p.Columns, max(1, min(columnsOf(len(p.Planes)), most)))
	rows := (len(p.Planes) + columns - 1) / columns
	across := func(side vg.Length) vg.Length { return (side+gap)*vg.Length(columns) - gap }
	side := max(2*cm, min(8*cm, (p.inner()-beside+gap)/vg.Length(columns)-gap))
	return p.Frame.figure(content{
		shaded: true,
		width:  beside + across(side), least: beside + across(2*cm), height: max(3*cm, (head+side+boardMargin)*vg.Length(rows)+4),
		description: describe("Boards", "", quantity, several(texts, "; ")),
		paint: func(c draw.Canvas) {
			title := textStyle(tickSize, ink, true)
			left := c.Min.X + boardMargin // numbers of ranks stand once, on the left
			for i, plane := range p.Planes {
				corner := vg.Point{X: left + vg.Length(i%columns)*(side+gap), Y: c.Max.Y - vg.Length(i/columns)*(head+side+boardMargin) - head - side}
				g := boardOf(v, side)
				g.corner = vg.Point{X: corner.X, Y: corner.Y + side - g.extent().Y}
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
