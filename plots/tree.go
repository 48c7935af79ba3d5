package plots

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Tree shows the tree of a search. Each position is a box, named by its move and colored by
// its value. The width of the joining lines is the share of the visits. The tree grows from
// left to right, with the most visited move at the top. Only the most visited positions are
// shown, each with the number of hidden moves below it. [Figure.Render] also writes it in the
// language of Graphviz (.dot).
type Tree struct {
	Frame

	// Nodes begin with the root. A node's parent precedes it.
	Nodes []Node
}

// Node is a position of a search.
type Node struct {
	Parent int    // index of the parent; unused for the root
	Move   string // the move to it; for the root its name, or empty for "root"
	Visits int
	Prior  float64 // of the move, 0 to 1; NaN if unknown
	Q      float64 // mean value for the side that played Move, of the root for the side to move, -1 to 1; NaN if unknown
}

const (
	mostBoxes = 30
	mostDepth = 4 // moves below the root
)

// treeBox is a node that is shown.
type treeBox struct {
	Node
	index    int
	depth    int
	children []*treeBox
	hidden   int     // number of hidden moves
	row      float64 // from the top
	place    vg.Rectangle
}

// pick returns the root of the shown boxes: the most visited nodes, at most `most` and at
// most `depth` levels deep.
func (t Tree) pick(depth, most int) (*treeBox, error) {
	if len(t.Nodes) == 0 {
		return nil, fmt.Errorf("plots: tree without a node: %w", ErrNoData)
	}
	order := make([]int, len(t.Nodes))
	boxes := make([]treeBox, len(t.Nodes))
	visits := make([]int, len(t.Nodes)) // at most those of the parent, so that the parent comes first
	for i, n := range t.Nodes {
		if n.Visits < 0 || n.Prior < 0 || n.Prior > 1+1e-6 || math.Abs(n.Q) > 1+1e-6 || i > 0 && (n.Parent < 0 || n.Parent >= i) {
			return nil, fmt.Errorf("plots: tree: node %d (%q) has parent %d, %d visits, prior %g, value %g: %w", i, n.Move, n.Parent, n.Visits, n.Prior, n.Q, ErrInvalid)
		}
		order[i], visits[i] = i, n.Visits
		boxes[i] = treeBox{Node: n, index: i}
		if i > 0 {
			visits[i] = min(n.Visits, visits[n.Parent])
			boxes[i].depth = boxes[n.Parent].depth + 1
			boxes[n.Parent].hidden++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(visits[b], visits[a]) })
	order = slices.DeleteFunc(order, func(i int) bool { return boxes[i].depth > depth })
	for _, i := range order[1:min(len(order), most)] {
		parent := &boxes[boxes[i].Parent]
		parent.children = append(parent.children, &boxes[i])
		parent.hidden--
	}
	boxes[0].assignRows(new(float64))
	return &boxes[0], nil
}

// assignRows gives each leaf the next row, and each parent the middle of its children.
func (b *treeBox) assignRows(next *float64) {
	if len(b.children) == 0 {
		b.row = *next
		*next++
		return
	}
	for _, c := range b.children {
		c.assignRows(next)
	}
	b.row = (b.children[0].row + b.children[len(b.children)-1].row) / 2
}

// walk calls f for a box and all below it, parents first.
func (b *treeBox) walk(f func(*treeBox)) {
	f(b)
	for _, c := range b.children {
		c.walk(f)
	}
}

func (b *treeBox) name() string { return cmp.Or(clean(b.Move), "root") }

// values returns the prior and the value.
func (b *treeBox) values() string {
	var parts []string
	if !math.IsNaN(b.Prior) {
		parts = append(parts, fmt.Sprintf("P %.2f", b.Prior))
	}
	if !math.IsNaN(b.Q) {
		parts = append(parts, "Q "+Signed(b.Q))
	}
	return strings.Join(parts, "  ")
}

// more returns the number of hidden moves.
func (b *treeBox) more() string {
	if b.hidden == 0 {
		return ""
	}
	return fmt.Sprintf("+%d", b.hidden)
}

// Signed formats a value of -1 to 1 with its sign: "+0.25".
func Signed(v float64) string {
	return strings.NewReplacer("+0.00", "0.00", "-0.00", "0.00", "-", "−").Replace(fmt.Sprintf("%+.2f", v))
}

// scores returns the colors of values from -1 to 1.
func (t Tree) scores() ramp {
	if t.Style.gray() {
		return grayScores
	}
	return scores
}

// color returns the color of the value on the scale of scores.
func (b *treeBox) color(scores ramp) color.RGBA {
	if math.IsNaN(b.Q) {
		return color.RGBA{0xF0, 0xF0, 0xF0, 0xFF}
	}
	return scores.at((b.Q + 1) / 2)
}

// edge returns the width of the line to a box: its share of the root's visits.
func (t Tree) edge(b *treeBox) vg.Length {
	return 0.5 + (widestEdge-0.5)*vg.Length(min(1, float64(b.Visits)/float64(max(1, t.Nodes[0].Visits))))
}

const (
	boxHeight  = vg.Length(25)
	boxGap     = vg.Length(5)  // between boxes above one another
	levelGap   = vg.Length(24) // between levels
	widestMove = vg.Length(48)
	widestEdge = 7.0
)

var edgeColor = color.RGBA{0x9A, 0xA4, 0xAE, 0xFF}

// Figure implements [Chart].
func (t Tree) Figure() (*Figure, error) {
	root, err := t.pick(mostDepth, mostBoxes)
	if err != nil {
		return nil, err
	}
	var widths []vg.Length // of the boxes of each level
	bottom, shown := 0.0, 0
	root.walk(func(b *treeBox) {
		if b.depth == len(widths) {
			widths = append(widths, 0)
		}
		widths[b.depth] = max(widths[b.depth], b.width())
		bottom = math.Max(bottom, b.row)
		shown++
	})
	root.walk(func(b *treeBox) { // from the upper left
		b.place.Max.Y = -(boxHeight + boxGap) * vg.Length(b.row)
		b.place.Min.Y = b.place.Max.Y - boxHeight
		for _, w := range widths[:b.depth] {
			b.place.Min.X += w + levelGap
		}
		b.place.Max.X = b.place.Min.X + widths[b.depth]
	})
	width := -levelGap
	for _, w := range widths {
		width += w + levelGap
	}
	if t.Note == "" && shown < len(t.Nodes) {
		t.Note = fmt.Sprintf("the %d most visited of %d positions; +n: moves that are not shown", shown, len(t.Nodes))
	}
	return t.Frame.figure(content{
		shaded: true,
		width:  max(width, 11*cm-2*margin), least: width, height: boxHeight + (boxHeight+boxGap)*vg.Length(bottom) + 3,
		legend: []entry{
			{name: "Q from −1 to 1, for the side that moved (root: to move)", samples: []plot.Thumbnailer{t.scores()}},
			look{line: draw.LineStyle{Color: edgeColor, Width: widestEdge / 2}}.entry("width: share of visits"),
		},
		description: t.describe(root), dot: t.dot(root),
		paint: func(c draw.Canvas) {
			c.Push()
			defer c.Pop()
			c.Translate(vg.Point{X: c.Min.X, Y: c.Max.Y})
			root.walk(func(b *treeBox) { // lines below all boxes
				for _, child := range slices.Backward(b.children) {
					c.SetLineStyle(draw.LineStyle{Color: edgeColor, Width: t.edge(child)})
					c.Stroke(bend(vg.Point{X: b.place.Max.X, Y: center(b.place).Y}, vg.Point{X: child.place.Min.X, Y: center(child.place).Y}))
				}
			})
			root.walk(func(b *treeBox) { b.paint(&c, t.scores()) })
		},
	})
}

// bend returns a curve from left to right that is level at its ends.
func bend(from, to vg.Point) (p vg.Path) {
	mid := (from.X + to.X) / 2
	p.Move(from)
	p.CubeTo(vg.Point{X: mid, Y: from.Y}, vg.Point{X: mid, Y: to.Y}, to)
	return p
}

// width returns the width that the texts need.
func (b *treeBox) width() vg.Length {
	normal, small := textStyle(tickSize, ink, false), textStyle(smallSize, ink, false)
	first := min(textStyle(tickSize, ink, true).Width(b.name()), widestMove) + 8 + normal.Width(fmt.Sprint(b.Visits))
	second := small.Width(b.values())
	if b.hidden > 0 {
		second += 6 + small.Width(b.more())
	}
	return max(first, second) + 8
}

func (t Tree) describe(root *treeBox) string {
	var texts []string
	for _, b := range root.children {
		text := fmt.Sprintf("%s %d visits", b.name(), b.Visits)
		if !math.IsNaN(b.Q) {
			text += " Q " + Signed(b.Q)
		}
		texts = append(texts, text)
	}
	var line []string
	for b := root; len(b.children) > 0; {
		b = b.children[0]
		line = append(line, b.name())
	}
	s := describe(fmt.Sprintf("Search tree of %d visits", root.Visits), "", "", texts...)
	if len(line) > 1 {
		s += " Most visited line: " + strings.Join(line, " ") + "."
	}
	return s
}

func (b *treeBox) paint(c *draw.Canvas, scores ramp) {
	paintRounded(c, b.place, b.color(scores))
	on, y := inkOn(b.color(scores)), center(b.place).Y
	write := func(style text.Style, y vg.Length, left, right string) {
		c.FillText(aligned(style, draw.XLeft, yMiddle), vg.Point{X: b.place.Min.X + 4, Y: y}, left)
		style.Font.Weight = xfont.WeightNormal
		c.FillText(aligned(style, draw.XRight, yMiddle), vg.Point{X: b.place.Max.X - 4, Y: y}, right)
	}
	if b.values() != "" || b.hidden > 0 {
		write(textStyle(smallSize, on, false), y-6, b.values(), b.more())
		y += 5.5
	}
	name := textStyle(tickSize, on, true)
	write(name, y, fit(b.name(), name, widestMove), fmt.Sprint(b.Visits))
}

// paintRounded draws a box with rounded corners.
func paintRounded(c *draw.Canvas, box vg.Rectangle, fill color.Color) {
	const r = vg.Length(3)
	var p vg.Path
	p.Move(vg.Point{X: box.Min.X + r, Y: box.Min.Y})
	for i, corner := range []vg.Point{
		{X: box.Max.X - r, Y: box.Min.Y + r}, {X: box.Max.X - r, Y: box.Max.Y - r},
		{X: box.Min.X + r, Y: box.Max.Y - r}, {X: box.Min.X + r, Y: box.Min.Y + r},
	} {
		start := math.Pi / 2 * float64(i-1)
		p.Line(around(corner, r, start))
		p.Arc(corner, r, start, math.Pi/2)
	}
	p.Close()
	c.SetColor(fill)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: axisGray, Width: 0.6})
	c.Stroke(p)
}

// dot returns the same boxes and lines in the language of Graphviz, for other layouts.
func (t Tree) dot(root *treeBox) []byte {
	hex := func(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
	var b bytes.Buffer
	b.WriteString("digraph search {\n\trankdir=LR;\n\tnode [shape=box, style=\"rounded,filled\", fontname=\"Liberation Sans\", fontsize=10];\n")
	fmt.Fprintf(&b, "\tedge [arrowhead=none, color=\"%s\"];\n", hex(edgeColor))
	if title := clean(t.Title); title != "" {
		fmt.Fprintf(&b, "\tlabelloc=t;\n\tlabel=%s;\n", dotText(title))
	}
	root.walk(func(x *treeBox) {
		text := lines(x.name()+"  "+fmt.Sprint(x.Visits), x.values(), x.more())
		fmt.Fprintf(&b, "\tn%d [label=%s, fillcolor=\"%s\", fontcolor=\"%s\"];\n", x.index, dotText(text), hex(x.color(t.scores())), hex(inkOn(x.color(t.scores()))))
		for _, child := range x.children {
			fmt.Fprintf(&b, "\tn%d -> n%d [penwidth=%.2f];\n", x.index, child.index, float64(t.edge(child)))
		}
	})
	b.WriteString("}\n")
	return b.Bytes()
}

// dotText quotes a text. A backslash would begin one of DOT's escapes.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
