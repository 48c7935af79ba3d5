package plots

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Record is how one player did against another.
type Record struct{ Wins, Draws, Losses int }

// Games is the number of games played.
func (r Record) Games() int { return r.Wins + r.Draws + r.Losses }

// Points counts a win as 1 and a draw as one half.
func (r Record) Points() float64 { return float64(r.Wins) + float64(r.Draws)/2 }

// Share is the points a game, NaN if there was none.
func (r Record) Share() float64 { return r.Points() / float64(r.Games()) }

// Crosstable shows a tournament as a table of colored cells: the score of the
// row's player against the column's, with wins, draws and losses below it, and
// the row's total at the right.
type Crosstable struct {
	Frame
	Players []string // in the order of rows and columns

	// Cells[i][j] is the record of player i against player j. The diagonal is
	// not read; a record without games is an empty cell.
	Cells [][]Record
}

// The colors of a score of 0, one half and 1. Vermilion and blue differ in
// lightness too, and to every kind of color vision.
var (
	scoreLow  = vermilion
	scoreEven = color.RGBA{0xF7, 0xF7, 0xF7, 0xFF}
	scoreHigh = blue
)

// scoreColor mixes the colors of the scale.
func scoreColor(share float64) color.RGBA {
	end, t := scoreLow, 1-2*share
	if share > 0.5 {
		end, t = scoreHigh, 2*share-1
	}
	return mix(scoreEven, end, t)
}

// inkOn returns the text color that reads well on a ground, by its relative
// luminance (WCAG 2.1, without the gamma of dark tones).
func inkOn(ground color.RGBA) color.Color {
	l := 0.2126*float64(ground.R) + 0.7152*float64(ground.G) + 0.0722*float64(ground.B)
	if l < 140 {
		return color.White
	}
	return ink
}

const (
	mostPlayers = 100
	nameWidth   = 4.5 * vg.Centimeter // of the longest player name
	totalWidth  = 1.9 * vg.Centimeter
	scaleWidth  = 1.9 * vg.Centimeter
)

// Figure implements [Chart].
func (t Crosstable) Figure() (*Figure, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	g := t.measure()
	lay, err := newLayout(t.Frame, nil, float64((g.naturalWidth()+2*margin)/vg.Centimeter), float64(g.naturalHeight()/vg.Centimeter))
	if err != nil {
		return nil, err
	}
	g.shrink(lay)
	if g.cell < 0.3*vg.Centimeter {
		return nil, fmt.Errorf("plots: %d players in %.4g by %.4g cm: %w", len(t.Players), lay.width/vg.Centimeter, lay.height/vg.Centimeter, ErrSize)
	}
	description := clean(t.Description)
	if description == "" {
		var told []string
		for i, name := range g.names {
			total := t.total(i)
			told = append(told, fmt.Sprintf("%s %s of %d", name, strconv.FormatFloat(total.Points(), 'f', -1, 64), total.Games()))
		}
		description = "Table of scores of the player of each row against that of each column: " + several(told, ", ") + "."
	}
	return lay.figure(description, func(c draw.Canvas) { t.paint(c, g) }), nil
}

func (t Crosstable) check() error {
	n := len(t.Players)
	if n < 2 {
		return fmt.Errorf("plots: crosstable of %d players: %w", n, ErrNoData)
	}
	if n > mostPlayers {
		return fmt.Errorf("plots: crosstable of %d players: want at most %d: %w", n, mostPlayers, ErrSize)
	}
	if len(t.Cells) != n {
		return fmt.Errorf("plots: crosstable of %d players has %d rows: %w", n, len(t.Cells), ErrLength)
	}
	games := 0
	for i, row := range t.Cells {
		if len(row) != n {
			return fmt.Errorf("plots: crosstable row %d (%q) has %d of %d cells: %w", i, t.Players[i], len(row), n, ErrLength)
		}
		for j, r := range row {
			if i == j {
				continue
			}
			const most = 1_000_000_000
			if min(r.Wins, r.Draws, r.Losses) < 0 || max(r.Wins, r.Draws, r.Losses) > most {
				return fmt.Errorf("plots: crosstable %q against %q: record %d/%d/%d: %w", t.Players[i], t.Players[j], r.Wins, r.Draws, r.Losses, ErrRange)
			}
			games += r.Games()
		}
	}
	if games == 0 {
		return fmt.Errorf("plots: crosstable without games: %w", ErrNoData)
	}
	return nil
}

// tableGeometry has the sizes of a crosstable's parts.
type tableGeometry struct {
	names  []string
	rows   vg.Length // width of the row names
	head   vg.Length // height of the column names
	cell   vg.Length // side of a cell; cells are square
	turned bool      // column names stand upright
}

// measure finds the sizes at which everything is readable.
func (t Crosstable) measure() tableGeometry {
	style := textStyle(tickSize, ink, false)
	var g tableGeometry
	for _, name := range t.Players {
		name = fitName(clean(name), style, nameWidth)
		g.names = append(g.names, name)
		g.rows = max(g.rows, style.Width(name))
	}
	g.cell = 1.25 * vg.Centimeter
	if most := 22 * vg.Centimeter / vg.Length(len(g.names)); g.cell > most {
		g.cell = max(most, 0.5*vg.Centimeter)
	}
	g.turned = g.rows > g.cell-4
	g.head = tickSize + 6
	if g.turned {
		g.head = g.rows + 6
	}
	return g
}

func (g tableGeometry) naturalWidth() vg.Length {
	return g.rows + 6 + g.cell*vg.Length(len(g.names)) + totalWidth + scaleWidth
}

func (g tableGeometry) naturalHeight() vg.Length {
	return g.head + g.cell*vg.Length(len(g.names)) + 4
}

// shrink makes the cells fit a layout of a given size.
func (g *tableGeometry) shrink(lay layout) {
	n := vg.Length(len(g.names))
	spareX := lay.width - 2*margin - g.naturalWidth()
	spareY := lay.height - lay.headHeight() - 2*margin - g.naturalHeight()
	g.cell += min(0, spareX/n, spareY/n)
}

// total is the record of a player against all others.
func (t Crosstable) total(i int) (total Record) {
	for j, r := range t.Cells[i] {
		if j != i {
			total.Wins += r.Wins
			total.Draws += r.Draws
			total.Losses += r.Losses
		}
	}
	return total
}

func (t Crosstable) paint(c draw.Canvas, g tableGeometry) {
	n := len(g.names)
	style := textStyle(tickSize, ink, false)
	left, top := c.Min.X+g.rows+6, c.Max.Y-g.head
	right, bottom := left+g.cell*vg.Length(n), top-g.cell*vg.Length(n)
	for i, name := range g.names {
		mid := (vg.Length(i) + 0.5) * g.cell
		beside(&c, aligned(style, draw.XRight, draw.YCenter), vg.Point{X: left - 6, Y: top - mid}, name)
		column := aligned(style, draw.XCenter, draw.YBottom)
		at := vg.Point{X: left + mid, Y: top + 4}
		if g.turned {
			column = aligned(style, draw.XLeft, draw.YCenter)
			column.Rotation = math.Pi / 2
		}
		c.FillText(column, at, name)
		for j, r := range t.Cells[i] {
			box := vg.Rectangle{
				Min: vg.Point{X: left + vg.Length(j)*g.cell, Y: top - vg.Length(i+1)*g.cell},
				Max: vg.Point{X: left + vg.Length(j+1)*g.cell, Y: top - vg.Length(i)*g.cell},
			}
			if i == j {
				continue
			}
			paintCell(c, box, r, g.cell)
		}
		paintTotal(c, vg.Point{X: right + 8, Y: top - mid}, t.total(i), g.cell)
	}
	rule := draw.LineStyle{Color: color.White, Width: 1}
	for i := 0; i <= n; i++ {
		d := vg.Length(i) * g.cell
		c.StrokeLine2(rule, left, top-d, right, top-d)
		c.StrokeLine2(rule, left+d, top, left+d, bottom)
	}
	c.FillText(aligned(textStyle(tickSize, softInk, false), draw.XLeft, draw.YBottom), vg.Point{X: right + 8, Y: top + 4}, "total")
	paintScale(c, vg.Rectangle{Min: vg.Point{X: right + totalWidth, Y: max(bottom, top-longestBar)}, Max: vg.Point{X: right + totalWidth + barWidth, Y: top}},
		scoreColor, scoreMarks, "score")
}

// paintCell fills one cell; small cells have less or no text.
func paintCell(c draw.Canvas, box vg.Rectangle, r Record, side vg.Length) {
	ground := color.RGBA{0xFB, 0xFB, 0xFB, 0xFF}
	if r.Games() > 0 {
		ground = scoreColor(r.Share())
	}
	c.SetColor(ground)
	c.Fill(box.Path())
	if side < 0.65*vg.Centimeter {
		return
	}
	mid := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	if r.Games() == 0 {
		beside(&c, aligned(textStyle(tickSize, markGray, false), draw.XCenter, draw.YCenter), mid, "–")
		return
	}
	share := aligned(textStyle(tickSize, inkOn(ground), false), draw.XCenter, draw.YCenter)
	record := aligned(textStyle(smallSize, inkOn(ground), false), draw.XCenter, draw.YCenter)
	text := fmt.Sprintf("%d/%d/%d", r.Wins, r.Draws, r.Losses)
	if side >= vg.Centimeter && record.Width(text) < side-3 {
		beside(&c, record, vg.Point{X: mid.X, Y: mid.Y - 6.5}, text)
		mid.Y += 4.5
	}
	beside(&c, share, mid, strconv.FormatFloat(r.Share(), 'f', 2, 64))
}

// paintTotal writes a row's points and games.
func paintTotal(c draw.Canvas, at vg.Point, r Record, side vg.Length) {
	if r.Games() == 0 {
		return
	}
	points := aligned(textStyle(tickSize, ink, true), draw.XLeft, draw.YCenter)
	of := aligned(textStyle(smallSize, softInk, false), draw.XLeft, draw.YCenter)
	text := strconv.FormatFloat(r.Points(), 'f', -1, 64)
	if side >= vg.Centimeter {
		beside(&c, of, vg.Point{X: at.X, Y: at.Y - 6.5}, fmt.Sprintf("of %d", r.Games()))
		at.Y += 4.5
	}
	beside(&c, points, at, text)
}
