package plots

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Tree shows the tree of a search. Each position is a box, named by its move and colored by
// its value. The width of the joining lines is the share of the visits. The tree grows from
// left to right, with the most visited move at the top. Only the most visited positions are
// shown, each with the number of hidden moves below it.
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
	Q      float64 // mean value for the side that played Move, -1 to 1; NaN if unknown
}

const (
	mostBoxes = 30
	mostDepth = 4 // moves below the root
)

// treeBox is a node that is shown.
type treeBox struct {
	node     int
	depth    int
	children []*treeBox
	hidden   int     // number of hidden moves
	y        float64 // in rows, downward
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
		if n.Visits < 0 || n.Prior < 0 || n.Prior > 1+1e-6 || math.Abs(n.Q) > 1+1e-6 {
			return nil, fmt.Errorf("plots: tree: node %d (%q) has %d visits, prior %g, value %g: %w", i, n.Move, n.Visits, n.Prior, n.Q, ErrInvalid)
		}
		order[i], boxes[i].node, visits[i] = i, i, n.Visits
		if i == 0 {
			continue
		}
		if n.Parent < 0 || n.Parent >= i {
			return nil, fmt.Errorf("plots: tree: node %d (%q) follows node %d: want one of 0 to %d: %w", i, n.Move, n.Parent, i-1, ErrInvalid)
		}
		visits[i] = min(n.Visits, visits[n.Parent])
		boxes[i].depth = boxes[n.Parent].depth + 1
		boxes[n.Parent].hidden++
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(visits[b], visits[a]) })
	order = slices.DeleteFunc(order, func(i int) bool { return boxes[i].depth > depth })
	for _, i := range order[1:min(len(order), most)] {
		parent := &boxes[t.Nodes[i].Parent]
		parent.children = append(parent.children, &boxes[i])
		parent.hidden--
	}
	boxes[0].place(new(float64))
	return &boxes[0], nil
}

// place assigns the rows of a box and all below it. Each leaf gets the next row, and a
// parent is in the middle of its children.
func (b *treeBox) place(next *float64) {
	if len(b.children) == 0 {
		b.y = *next
		*next++
		return
	}
	for _, c := range b.children {
		c.place(next)
	}
	b.y = (b.children[0].y + b.children[len(b.children)-1].y) / 2
}

// walk calls f for a box and all below it, parents first.
func (b *treeBox) walk(f func(*treeBox)) {
	f(b)
	for _, c := range b.children {
		c.walk(f)
	}
}

// name, counts and values are the texts of a box.
func (n Node) name() string {
	if move := clean(n.Move); move != "" {
		return move
	}
	return "root"
}

func (n Node) values() string {
	var parts []string
	if !math.IsNaN(n.Prior) {
		parts = append(parts, fmt.Sprintf("P %.2f", n.Prior))
	}
	if !math.IsNaN(n.Q) {
		parts = append(parts, "Q "+signedValue(n.Q))
	}
	return strings.Join(parts, "  ")
}

// signedValue formats a value of -1 to 1 with its sign.
func signedValue(v float64) string {
	return strings.NewReplacer("+0.00", "0.00", "-0.00", "0.00", "-", "−").Replace(fmt.Sprintf("%+.2f", v))
}

// color returns the color of the node's value on the scale of scores.
func (n Node) color() color.RGBA {
	if math.IsNaN(n.Q) {
		return color.RGBA{0xF0, 0xF0, 0xF0, 0xFF}
	}
	return scores.at((n.Q + 1) / 2)
}

// share returns the box's share of the root's visits.
func (t Tree) share(b *treeBox) float64 {
	root := t.Nodes[0].Visits
	if root == 0 {
		return 0
	}
	return math.Min(1, float64(t.Nodes[b.node].Visits)/float64(root))
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
	// Boxes of a level are of one width.
	var widths []vg.Length
	bottom, shown := 0.0, 0
	root.walk(func(b *treeBox) {
		if b.depth == len(widths) {
			widths = append(widths, 0)
		}
		widths[b.depth] = max(widths[b.depth], t.boxWidth(b))
		bottom = math.Max(bottom, b.y)
		shown++
	})
	width := 2*margin - levelGap
	for _, w := range widths {
		width += w + levelGap
	}
	height := boxHeight + (boxHeight+boxGap)*vg.Length(bottom)
	if t.Note == "" && shown < len(t.Nodes) {
		t.Note = fmt.Sprintf("the %d most visited of %d positions; +n: moves that are not shown", shown, len(t.Nodes))
	}
	lay, err := newLayout(t.Frame, []entry{
		{"Q from −1 to 1, for the side that moved", []plot.Thumbnailer{scores}},
		look{line: draw.LineStyle{Color: edgeColor, Width: widestEdge / 2}}.entry("width: share of visits"),
	}, float64(max(width, 11*vg.Centimeter)/vg.Centimeter), float64(height/vg.Centimeter)+0.1)
	if err != nil {
		return nil, err
	}
	if lay.width < width-0.5 {
		return nil, fmt.Errorf("plots: tree of %d levels in %.4g cm of width, it needs %.4g: %w", len(widths), lay.width/vg.Centimeter, width/vg.Centimeter, ErrSize)
	}
	return lay.figure(t.describe(root), func(c draw.Canvas) { t.paint(c, root, widths) }), nil
}

func (t Tree) boxWidth(b *treeBox) vg.Length {
	n := t.Nodes[b.node]
	first := min(textStyle(tickSize, ink, true).Width(n.name()), widestMove) + 8 + textStyle(tickSize, ink, false).Width(fmt.Sprint(n.Visits))
	small := textStyle(smallSize, ink, false)
	second := small.Width(n.values())
	if b.hidden > 0 {
		second += 6 + small.Width(b.more())
	}
	return max(first, second) + 8
}

// more describes the number of hidden moves.
func (b *treeBox) more() string {
	if b.hidden == 0 {
		return ""
	}
	return fmt.Sprintf("+%d", b.hidden)
}

func (t Tree) describe(root *treeBox) string {
	s := fmt.Sprintf("Search tree of %d visits", t.Nodes[0].Visits)
	var told []string
	for _, b := range root.children {
		n := t.Nodes[b.node]
		text := fmt.Sprintf("%s %d visits", n.name(), n.Visits)
		if !math.IsNaN(n.Q) {
			text += " Q " + signedValue(n.Q)
		}
		told = append(told, text)
	}
	if len(told) > 0 {
		s += ": " + several(told, ", ")
	}
	var line []string
	for b := root; len(b.children) > 0; {
		b = b.children[0]
		line = append(line, t.Nodes[b.node].name())
	}
	if len(line) > 1 {
		s += "; most visited line " + strings.Join(line, " ")
	}
	return s + "."
}

func (t Tree) paint(c draw.Canvas, root *treeBox, widths []vg.Length) {
	left := make([]vg.Length, len(widths)) // of each level
	x := c.Min.X
	for d, w := range widths {
		left[d] = x
		x += w + levelGap
	}
	mid := func(b *treeBox) vg.Length {
		return c.Max.Y - boxHeight/2 - (boxHeight+boxGap)*vg.Length(b.y)
	}
	root.walk(func(b *treeBox) { // lines below all boxes
		from := vg.Point{X: left[b.depth] + widths[b.depth], Y: mid(b)}
		for i := len(b.children) - 1; i >= 0; i-- {
			child := b.children[i]
			to := vg.Point{X: left[child.depth], Y: mid(child)}
			var p vg.Path
			p.Move(from)
			bend := (from.X + to.X) / 2
			p.CubeTo(vg.Point{X: bend, Y: from.Y}, vg.Point{X: bend, Y: to.Y}, to)
			c.SetLineStyle(draw.LineStyle{Color: edgeColor, Width: vg.Length(0.5 + (widestEdge-0.5)*t.share(child))})
			c.Stroke(p)
		}
	})
	root.walk(func(b *treeBox) {
		box := vg.Rectangle{
			Min: vg.Point{X: left[b.depth], Y: mid(b) - boxHeight/2},
			Max: vg.Point{X: left[b.depth] + widths[b.depth], Y: mid(b) + boxHeight/2},
		}
		t.paintBox(&c, box, b)
	})
}

func (t Tree) paintBox(c *draw.Canvas, box vg.Rectangle, b *treeBox) {
	n := t.Nodes[b.node]
	fill := n.color()
	path := rounded(box, 3)
	c.SetColor(fill)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: axisGray, Width: 0.6})
	c.Stroke(path)
	on := inkOn(fill)
	name := aligned(textStyle(tickSize, on, true), draw.XLeft, yMiddle)
	small := textStyle(smallSize, on, false)
	values, hidden := n.values(), b.more()
	y := (box.Min.Y + box.Max.Y) / 2
	if values != "" || hidden != "" {
		c.FillText(aligned(small, draw.XLeft, yMiddle), vg.Point{X: box.Min.X + 4, Y: y - 6}, values)
		c.FillText(aligned(small, draw.XRight, yMiddle), vg.Point{X: box.Max.X - 4, Y: y - 6}, hidden)
		y += 5.5
	}
	c.FillText(aligned(name, draw.XLeft, yMiddle), vg.Point{X: box.Min.X + 4, Y: y}, fitName(n.name(), name, widestMove))
	c.FillText(aligned(textStyle(tickSize, on, false), draw.XRight, yMiddle), vg.Point{X: box.Max.X - 4, Y: y}, fmt.Sprint(n.Visits))
}

// rounded returns a box with rounded corners.
func rounded(box vg.Rectangle, r vg.Length) vg.Path {
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
	return p
}

// DOT returns the same boxes and lines in the language of Graphviz, for other layouts.
func (t Tree) DOT() ([]byte, error) {
	root, err := t.pick(mostDepth, mostBoxes)
	if err != nil {
		return nil, err
	}
	hex := func(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
	var b bytes.Buffer
	b.WriteString("digraph search {\n\trankdir=LR;\n\tnode [shape=box, style=\"rounded,filled\", fontname=\"Liberation Sans\", fontsize=10];\n")
	fmt.Fprintf(&b, "\tedge [arrowhead=none, color=\"%s\"];\n", hex(edgeColor))
	if title := clean(t.Title); title != "" {
		fmt.Fprintf(&b, "\tlabelloc=t;\n\tlabel=%s;\n", dotText(title))
	}
	root.walk(func(x *treeBox) {
		n := t.Nodes[x.node]
		lines := []string{n.name() + "  " + fmt.Sprint(n.Visits)}
		if values := n.values(); values != "" {
			lines = append(lines, values)
		}
		if x.hidden > 0 {
			lines = append(lines, x.more())
		}
		fmt.Fprintf(&b, "\tn%d [label=%s, fillcolor=\"%s\", fontcolor=\"%s\"];\n", x.node, dotText(lines...), hex(n.color()), hex(inkOn(n.color())))
		for _, child := range x.children {
			fmt.Fprintf(&b, "\tn%d -> n%d [penwidth=%.2f];\n", x.node, child.node, 0.5+(widestEdge-0.5)*t.share(child))
		}
	})
	b.WriteString("}\n")
	return b.Bytes(), nil
}

// dotText quotes lines of text. A backslash would begin one of DOT's escapes.
func dotText(lines ...string) string {
	for i := range lines {
		lines[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(lines[i])
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
