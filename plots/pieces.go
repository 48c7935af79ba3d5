package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"alamos/pkg/chess"
)

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
