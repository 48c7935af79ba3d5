package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"alamos/pkg/chess"
)

// VariantMoves shows the start position of a variant, and where each kind of piece can go and
// capture on an empty board.
type VariantMoves struct {
	Frame
	Variant chess.Variant
}

// Figure implements [Chart].
func (m VariantMoves) Figure() (*Figure, error) {
	const (
		gap  = vg.Length(12)
		head = vg.Length(tickSize + 6) // the title of a board
	)
	kinds, names := m.Variant.Kinds(), chess.RulesOf(m.Variant).Pieces
	boards := len(kinds) + 1
	columns := columnsOf(boards)
	rows := (boards + columns - 1) / columns
	across := func(side vg.Length) vg.Length { return boardMargin + (side+gap)*vg.Length(columns) - gap }
	side := max(2*cm, min(6*cm, (m.inner()-boardMargin+gap)/vg.Length(columns)-gap))
	g := boardOf(m.Variant, side)
	down := head + g.extent().Y + boardMargin
	start := chess.StartPosition(m.Variant)
	description := fmt.Sprintf("Boards of %s: the start position %s", m.Variant, start.FEN())
	for i, t := range kinds {
		at := MiddleOf(m.Variant, t)
		moves, captures := m.Variant.Reach(t, at)
		description += fmt.Sprintf("; the %s on %s has %d squares to move to and %d to capture on", names[i].Name, at, moves.Count(), captures.Count())
	}
	return m.Frame.figure(content{
		shaded: true, width: across(side), least: across(2 * cm), height: down * vg.Length(rows), description: description + ".",
		legend: []entry{
			{name: "moves and captures", samples: []plot.Thumbnailer{reach{true, true}}},
			{name: "only moves", samples: []plot.Thumbnailer{reach{moves: true}}},
			{name: "only captures", samples: []plot.Thumbnailer{reach{captures: true}}},
		},
		paint: func(c draw.Canvas) {
			g := g // several goroutines may paint it
			title := textStyle(tickSize, ink, true)
			for i := range boards {
				g.corner = vg.Point{X: c.Min.X + boardMargin + vg.Length(i%columns)*(side+gap), Y: c.Max.Y - vg.Length(i/columns)*down - head - g.extent().Y}
				g.paintSquares(&c, draw.LineStyle{}, ofSquare)
				g.paintLetters(&c, textStyle(smallSize, softInk, false), i%columns == 0)
				name := "start"
				if i == 0 {
					g.paintPieces(&c, start)
				} else {
					name = fmt.Sprintf("%s (%s)", names[i-1].Name, names[i-1].Letter)
					g.paintReach(&c, m.Variant, kinds[i-1])
				}
				c.FillText(title, vg.Point{X: g.corner.X, Y: g.corner.Y + g.extent().Y + 4}, fit(name, title, side))
			}
		},
	})
}

// MiddleOf returns a square from which the moves of a kind are shown: the one nearest to the middle
// from which it has any; for pawns, to the middle of the second rank.
func MiddleOf(v chess.Variant, t chess.PieceType) chess.Square {
	files, ranks := v.Size()
	rank := (ranks - 1) / 2
	if t == chess.Pawn {
		rank = 1
	}
	middle, least := chess.NewSquare((files-1)/2, rank), math.Inf(1)
	best := middle
	for s := range v.Squares().Squares {
		moves, captures := v.Reach(t, s)
		if away := math.Hypot(float64(s.File()-middle.File()), float64(s.Rank()-rank)); moves|captures != 0 && away < least {
			best, least = s, away
		}
	}
	return best
}

// paintReach draws a piece of White's and where it can go.
func (g board) paintReach(c *draw.Canvas, v chess.Variant, t chess.PieceType) {
	at := MiddleOf(v, t)
	moves, captures := v.Reach(t, at)
	for s := range (moves | captures).Squares {
		reach{moves.Has(s), captures.Has(s)}.paint(c, center(g.box(s)), 0.34*g.size.X)
	}
	paintPiece(c, SymbolOf(v, t), chess.White, g.box(at))
}

// reach is what a piece can do on a square.
type reach struct{ moves, captures bool }

// paint draws a dot for moves and a ring for captures.
func (r reach) paint(c *draw.Canvas, at vg.Point, radius vg.Length) {
	if r.moves {
		c.SetColor(color.NRGBA{blue.R, blue.G, blue.B, 0xE0})
		c.Fill(circle(at, 0.5*radius))
	}
	if r.captures {
		c.SetLineStyle(draw.LineStyle{Color: color.NRGBA{vermilion.R, vermilion.G, vermilion.B, 0xE0}, Width: 0.3 * radius})
		c.Stroke(circle(at, 0.85*radius))
	}
}

// Thumbnail implements plot.Thumbnailer.
func (r reach) Thumbnail(c *draw.Canvas) {
	r.paint(c, c.Center(), min(c.Size().X, c.Size().Y)/2)
}
