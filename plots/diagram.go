package plots

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Diagram shows the parts of a network from top to bottom: one stack, and below it its heads side
// by side.
type Diagram struct {
	Frame
	Stack []Part   // from the input on
	Heads [][]Part // each from the end of the stack on
}

// Part is a box of a [Diagram].
type Part struct {
	Title string
	Lines []string
	// Skips marks a part whose input is added to its output.
	Skips bool
}

const (
	partGap   = vg.Length(16) // between boxes, with room for an arrow
	headGap   = vg.Length(14)
	partLine  = vg.Length(10.5)
	partEdge  = vg.Length(5)
	skipWidth = vg.Length(12)
)

func (p *Part) height() vg.Length {
	return 2*partEdge + 11 + partLine*vg.Length(len(p.Lines))
}

func (p *Part) width() vg.Length {
	width := textStyle(tickSize, ink, true).Width(clean(p.Title))
	for _, line := range p.Lines {
		width = max(width, textStyle(smallSize, ink, false).Width(clean(line)))
	}
	return width + 2*partEdge + 4
}

// column returns the size of boxes above one another.
func column(parts []Part) (width, height vg.Length) {
	for i := range parts {
		width, height = max(width, parts[i].width()), height+parts[i].height()+partGap
	}
	return width, height
}

// Figure implements [Chart].
func (d Diagram) Figure() (*Figure, error) {
	if len(d.Stack) == 0 {
		return nil, fmt.Errorf("plots: diagram without a part: %w", ErrNoData)
	}
	stackWidth, stackHeight := column(d.Stack)
	across, down := -headGap, vg.Length(0)
	for _, head := range d.Heads {
		w, h := column(head)
		across, down = across+w+headGap, max(down, h)
	}
	width := max(across, stackWidth+2*skipWidth)
	var texts []string
	for _, parts := range append([][]Part{d.Stack}, d.Heads...) {
		for _, p := range parts {
			texts = append(texts, clean(strings.Join(append([]string{p.Title}, p.Lines...), " ")))
		}
	}
	return d.Frame.figure(content{
		shaded: true, width: width, least: width, height: stackHeight + down - partGap + 2,
		description: "Network of " + strings.Join(texts, "; ") + ".",
		paint: func(c draw.Canvas) {
			middle := (c.Min.X + c.Max.X) / 2
			end := paintParts(&c, d.Stack, vg.Point{X: middle, Y: c.Max.Y - 1}, stackWidth)
			at := middle - across/2
			for _, head := range d.Heads {
				w, _ := column(head)
				top := vg.Point{X: at + w/2, Y: end - partGap}
				// Lines meet below the stack, and an arrow leads on to each head.
				above := vg.Point{X: top.X, Y: end - partGap/2}
				c.StrokeLines(draw.LineStyle{Color: axisGray, Width: 1}, []vg.Point{{X: middle, Y: end}, {X: middle, Y: above.Y}, above})
				paintArrow(&c, above, top, 1, axisGray)
				paintParts(&c, head, top, w)
				at += w + headGap
			}
		},
	})
}

// paintParts draws boxes of one width below a point, with arrows between them. It returns where
// the last one ends.
func paintParts(c *draw.Canvas, parts []Part, top vg.Point, width vg.Length) vg.Length {
	y := top.Y
	for i := range parts {
		p := &parts[i]
		if i > 0 {
			paintArrow(c, vg.Point{X: top.X, Y: y + partGap}, vg.Point{X: top.X, Y: y}, 1, axisGray)
		}
		box := vg.Rectangle{Min: vg.Point{X: top.X - width/2, Y: y - p.height()}, Max: vg.Point{X: top.X + width/2, Y: y}}
		paintRounded(c, box, color.RGBA{0xEE, 0xF3, 0xF8, 0xFF})
		line := y - partEdge - 5.5
		c.FillText(aligned(textStyle(tickSize, ink, true), draw.XCenter, yMiddle), vg.Point{X: top.X, Y: line}, clean(p.Title))
		line -= 11
		for _, text := range p.Lines {
			c.FillText(aligned(textStyle(smallSize, softInk, false), draw.XCenter, yMiddle), vg.Point{X: top.X, Y: line}, clean(text))
			line -= partLine
		}
		if p.Skips {
			paintSkip(c, box)
		}
		y = box.Min.Y - partGap
	}
	return y + partGap
}

// paintSkip draws the line past a box that ends in a sum below it.
func paintSkip(c *draw.Canvas, box vg.Rectangle) {
	x, from, to := box.Max.X+skipWidth, box.Max.Y+partGap/3, box.Min.Y-partGap/3
	middle := (box.Min.X + box.Max.X) / 2
	c.StrokeLines(draw.LineStyle{Color: axisGray, Width: 1}, []vg.Point{{X: middle, Y: from}, {X: x, Y: from}, {X: x, Y: to}, {X: middle, Y: to}})
	c.FillText(aligned(textStyle(tickSize, ink, true), draw.XLeft, yMiddle), vg.Point{X: x + 2, Y: to}, "+")
}
