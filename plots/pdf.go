package plots

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas is a vg.Canvas that writes a PDF of one page.
//
// The drawing library has a canvas for PDF of its own, which is not used: it
// knows only the characters of Windows' code page 1252, so that a minus sign
// comes out as three wrong letters, it embeds its fonts whole, writes the hour
// into the file and needs temporary files to do so. This one writes text in
// Unicode that can be searched and copied, with the few glyphs that it uses.
type pdfCanvas struct {
	width, height vg.Length
	page          bytes.Buffer
	now           pdfState
	stack         []pdfState
	alphas        []uint8
	fonts         []*pdfFont
	err           error // the first of drawing
}

// pdfState is what the drawing program has asked for, and what the page has
// been told of it: operators are written only where they change something.
type pdfState struct {
	color color.NRGBA
	width vg.Length
	dash  string

	fill, stroke string // color operators in force
	alpha        uint8
	penWidth     vg.Length
	penDash      string
}

func newPDFCanvas(width, height vg.Length) *pdfCanvas {
	c := &pdfCanvas{width: width, height: height}
	// What a page begins with (ISO 32000-1, table 52).
	c.now = pdfState{fill: "0 g", stroke: "0 G", alpha: 0xFF, penWidth: 1, penDash: "[] 0 d"}
	vg.Initialize(c)
	return c
}

// Size implements vg.CanvasSizer.
func (c *pdfCanvas) Size() (x, y vg.Length) { return c.width, c.height }

// SetLineWidth implements vg.Canvas, as do the methods that follow.
func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.now.width = w }

func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	var b strings.Builder
	b.WriteString("[")
	for i, d := range pattern {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(pdfNumber(d.Points()))
	}
	b.WriteString("] " + pdfNumber(offset.Points()) + " d")
	c.now.dash = b.String()
}

func (c *pdfCanvas) SetColor(col color.Color) {
	if col == nil {
		col = color.Black
	}
	c.now.color = color.NRGBAModel.Convert(col).(color.NRGBA)
}

func (c *pdfCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.op("cm", cos, sin, -sin, cos, 0, 0)
}

func (c *pdfCanvas) Translate(pt vg.Point) {
	c.op("cm", 1, 0, 0, 1, pt.X.Points(), pt.Y.Points())
}

func (c *pdfCanvas) Scale(x, y float64) { c.op("cm", x, 0, 0, y, 0, 0) }

func (c *pdfCanvas) Push() {
	c.stack = append(c.stack, c.now)
	c.op("q")
}

func (c *pdfCanvas) Pop() {
	c.now = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	c.op("Q")
}

func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.now.width <= 0 {
		return
	}
	c.setAlpha()
	if op := pdfColor(c.now.color, "RG", "G"); op != c.now.stroke {
		c.now.stroke = op
		c.op(op)
	}
	if c.now.penWidth != c.now.width {
		c.now.penWidth = c.now.width
		c.op("w", c.now.width.Points())
	}
	if c.now.penDash != c.now.dash {
		c.now.penDash = c.now.dash
		c.op(c.now.dash)
	}
	c.path(p)
	c.op("S")
}

func (c *pdfCanvas) Fill(p vg.Path) {
	c.setFill()
	c.path(p)
	c.op("f")
}

func (c *pdfCanvas) FillString(face font.Face, pt vg.Point, txt string) {
	if face.Font.Size == 0 || txt == "" {
		return
	}
	f, err := c.font(face)
	if err != nil {
		c.fail(err)
		return
	}
	shown, err := f.show(txt)
	if err != nil {
		c.fail(err)
		return
	}
	c.setFill()
	fmt.Fprintf(&c.page, "BT /%s %s Tf %s %s Td %s TJ ET\n", f.name,
		pdfNumber(face.Font.Size.Points()), pdfNumber(pt.X.Points()), pdfNumber(pt.Y.Points()), shown)
}

// DrawImage is no part of our pictures, which are made of lines and text.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) {
	c.fail(errors.New("bitmaps are not written into PDF"))
}

func (c *pdfCanvas) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// op writes an operator after its operands.
func (c *pdfCanvas) op(name string, operands ...float64) {
	for _, v := range operands {
		c.page.WriteString(pdfNumber(v))
		c.page.WriteByte(' ')
	}
	c.page.WriteString(name)
	c.page.WriteByte('\n')
}

func (c *pdfCanvas) setFill() {
	c.setAlpha()
	if op := pdfColor(c.now.color, "rg", "g"); op != c.now.fill {
		c.now.fill = op
		c.op(op)
	}
}

// setAlpha selects the graphics state of the color's opacity.
func (c *pdfCanvas) setAlpha() {
	a := c.now.color.A
	if a == c.now.alpha {
		return
	}
	c.now.alpha = a
	known := false
	for _, have := range c.alphas {
		known = known || have == a
	}
	if !known {
		c.alphas = append(c.alphas, a)
	}
	c.op(fmt.Sprintf("/A%d gs", a))
}

func pdfColor(col color.NRGBA, rgb, gray string) string {
	share := func(v uint8) string { return pdfNumber(float64(v) / 255) }
	if col.R == col.G && col.G == col.B {
		return share(col.R) + " " + gray
	}
	return share(col.R) + " " + share(col.G) + " " + share(col.B) + " " + rgb
}

// path writes a path. An arc becomes Bézier curves of at most a quarter turn,
// whose error is below 0.03 % of the radius.
func (c *pdfCanvas) path(p vg.Path) {
	var at, start vg.Point
	begun := false
	move := func(to vg.Point) {
		c.op("m", to.X.Points(), to.Y.Points())
		at, start, begun = to, to, true
	}
	curve := func(a, b, to vg.Point) {
		c.op("c", a.X.Points(), a.Y.Points(), b.X.Points(), b.Y.Points(), to.X.Points(), to.Y.Points())
		at = to
	}
	line := func(to vg.Point) {
		if !begun {
			move(to)
			return
		}
		c.op("l", to.X.Points(), to.Y.Points())
		at = to
	}
	between := func(a, b vg.Point, t vg.Length) vg.Point {
		return vg.Point{X: a.X + (b.X-a.X)*t, Y: a.Y + (b.Y-a.Y)*t}
	}
	for _, comp := range p {
		switch comp.Type {
		case vg.MoveComp:
			move(comp.Pos)
		case vg.LineComp:
			line(comp.Pos)
		case vg.ArcComp:
			if from := around(comp.Pos, comp.Radius, comp.Start); !begun || from != at {
				line(from)
			}
			parts := math.Ceil(math.Abs(comp.Angle) / (math.Pi / 2))
			step := comp.Angle / parts
			k := comp.Radius * vg.Length(4.0/3*math.Tan(step/4))
			for i := range int(parts) {
				a := comp.Start + step*float64(i)
				end := around(comp.Pos, comp.Radius, a+step)
				curve(around(at, k, a+math.Pi/2), around(end, -k, a+step+math.Pi/2), end)
			}
		case vg.CurveComp:
			switch len(comp.Control) {
			case 1:
				q := comp.Control[0]
				curve(between(at, q, 2.0/3), between(comp.Pos, q, 2.0/3), comp.Pos)
			case 2:
				curve(comp.Control[0], comp.Control[1], comp.Pos)
			default:
				c.fail(fmt.Errorf("a curve with %d control points", len(comp.Control)))
			}
		case vg.CloseComp:
			c.op("h")
			at = start
		}
	}
}

// pdfNumber writes a number as PDF reads it: no exponent, no more than a
// thousandth of a point. What is not a number cannot be drawn; [Figure.PDF]
// turns the panic into an error.
func pdfNumber(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		panic(fmt.Sprintf("coordinate %v", v))
	}
	s := strconv.FormatFloat(v, 'f', 3, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// document returns the file. info are the entries of its Info dictionary, in
// pairs of a name and a text.
func (c *pdfCanvas) document(lang string, info [][2]string) ([]byte, error) {
	if c.err != nil {
		return nil, c.err
	}
	var d pdfWriter
	// The second line tells transfer programs that the file is binary.
	d.buf.WriteString("%PDF-1.5\n%\xE2\xE3\xCF\xD3\n")
	catalog, pages, page, contents, infos := d.reserve(), d.reserve(), d.reserve(), d.reserve(), d.reserve()

	resources := "<<"
	if len(c.alphas) > 0 {
		resources += " /ExtGState <<"
		for _, a := range c.alphas {
			v := pdfNumber(float64(a) / 255)
			resources += fmt.Sprintf(" /A%d << /ca %s /CA %s >>", a, v, v)
		}
		resources += " >>"
	}
	if len(c.fonts) > 0 {
		resources += " /Font <<"
		for _, f := range c.fonts {
			ref, err := f.write(&d)
			if err != nil {
				return nil, err
			}
			resources += fmt.Sprintf(" /%s %d 0 R", f.name, ref)
		}
		resources += " >>"
	}
	resources += " >>"

	d.object(catalog, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R /Lang %s /ViewerPreferences << /DisplayDocTitle true >> >>", pages, pdfText(lang)))
	d.object(pages, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page))
	d.object(page, fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Resources %s /Contents %d 0 R >>",
		pages, pdfNumber(c.width.Points()), pdfNumber(c.height.Points()), resources, contents))
	if err := d.stream(contents, "", c.page.Bytes()); err != nil {
		return nil, err
	}
	var entries strings.Builder
	for _, e := range info {
		if e[1] != "" {
			fmt.Fprintf(&entries, " /%s %s", e[0], pdfText(e[1]))
		}
	}
	d.object(infos, "<<"+entries.String()+" >>")
	return d.finish(catalog, infos), nil
}

// pdfText writes a text string: ASCII as it is, anything else in UTF-16.
func pdfText(s string) string {
	for _, r := range s {
		if r < ' ' || r > '~' {
			return "<FEFF" + utf16Hex(s) + ">"
		}
	}
	return "(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s) + ")"
}

func utf16Hex(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", u)
	}
	return b.String()
}

// pdfWriter lays out the objects of a file.
type pdfWriter struct {
	buf     bytes.Buffer
	offsets []int // of object i+1
}

// reserve gives out the number of an object to be written later.
func (d *pdfWriter) reserve() int {
	d.offsets = append(d.offsets, 0)
	return len(d.offsets)
}

func (d *pdfWriter) object(number int, body string) {
	d.offsets[number-1] = d.buf.Len()
	fmt.Fprintf(&d.buf, "%d 0 obj\n%s\nendobj\n", number, body)
}

// stream writes a compressed stream with further entries of its dictionary.
func (d *pdfWriter) stream(number int, entries string, data []byte) error {
	var packed bytes.Buffer
	w, err := zlib.NewWriterLevel(&packed, zlib.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	d.object(number, fmt.Sprintf("<< /Length %d /Filter /FlateDecode%s >>\nstream\n%s\nendstream", packed.Len(), entries, packed.Bytes()))
	return nil
}

// finish writes the table of objects and the trailer. There is no ID in it,
// which would be made of the hour; only encryption needs one.
func (d *pdfWriter) finish(catalog, info int) []byte {
	at := d.buf.Len()
	fmt.Fprintf(&d.buf, "xref\n0 %d\n0000000000 65535 f \n", len(d.offsets)+1)
	for _, o := range d.offsets {
		fmt.Fprintf(&d.buf, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&d.buf, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(d.offsets)+1, catalog, info, at)
	return d.buf.Bytes()
}
