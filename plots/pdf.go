package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pdfCanvas is a vg.Canvas that draws on the one page of a PDF.
//
// gonum's vgpdf also uses fpdf, but it sets text in code page 1252, which lacks
// the minus sign, and writes the time into the file.
type pdfCanvas struct {
	doc           *fpdf.Fpdf
	width, layout vg.Length // what is drawn
	height        float64   // points of the page, which may be larger
	state         pdfState
	stack         []pdfState
}

// pdfState is what Push saves.
type pdfState struct {
	color    color.NRGBA
	width    vg.Length
	dashes   []float64
	offset   float64
	bold     bool
	fontSize float64
}

const pdfFont = "Liberation"

// pdfDate is the date in every PDF: files of the same figure have the same bytes.
var pdfDate = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// pdfFaces returns the font files of normal and bold text in a style.
func pdfFaces(style Style) (faces [2][]byte, err error) {
	for i := range faces {
		f := style.face(textStyle(tickSize, ink, i == 1).Font)
		var b bytes.Buffer
		if _, err := handler.Fonts.Lookup(f, f.Size).Face.WriteSourceTo(nil, &b); err != nil {
			return faces, err
		}
		faces[i] = b.Bytes()
	}
	return faces, nil
}

func (f *Figure) pdf() ([]byte, error) {
	faces, err := pdfFaces(f.style)
	if err != nil {
		return nil, err
	}
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: f.style.scale() * f.width.Points(), Ht: f.style.scale() * f.height.Points()}})
	doc.SetCatalogSort(true)
	doc.SetCreationDate(pdfDate)
	doc.SetModificationDate(pdfDate)
	doc.SetProducer("alamos", false)
	doc.SetLang("en")
	doc.SetTitle(basic(f.title), true)
	doc.SetSubject(basic(f.description), true)
	doc.SetKeywords(f.stamp, false)
	doc.AddUTF8FontFromBytes(pdfFont, "", faces[0])
	doc.AddUTF8FontFromBytes(pdfFont, "B", faces[1])
	doc.AddPage()
	doc.TransformBegin() // fpdf transforms only within such a pair
	c := &pdfCanvas{doc: doc, width: f.width, layout: f.height, height: f.style.scale() * f.height.Points()}
	c.setFont(false, tickSize)
	vg.Initialize(c)
	c.Scale(f.style.scale(), f.style.scale())
	f.paint(draw.New(c))
	doc.TransformEnd()
	var b bytes.Buffer
	err = doc.Output(&b)
	return b.Bytes(), err
}

// Size implements vg.CanvasSizer.
func (c *pdfCanvas) Size() (x, y vg.Length) {
	return c.width, c.layout
}

// SetLineWidth and the methods below implement vg.Canvas.
func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.state.width = w }

func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.state.dashes = nil
	for _, d := range pattern {
		c.state.dashes = append(c.state.dashes, d.Points())
	}
	c.state.offset = offset.Points()
}

func (c *pdfCanvas) SetColor(col color.Color) {
	if col == nil {
		col = color.Black
	}
	c.state.color = color.NRGBAModel.Convert(col).(color.NRGBA)
}

func (c *pdfCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.doc.Transform(fpdf.TransformMatrix{A: cos, B: sin, C: -sin, D: cos})
}

func (c *pdfCanvas) Translate(pt vg.Point) {
	c.doc.Transform(fpdf.TransformMatrix{A: 1, D: 1, E: pt.X.Points(), F: pt.Y.Points()})
}

func (c *pdfCanvas) Scale(x, y float64) { c.doc.Transform(fpdf.TransformMatrix{A: x, D: y}) }

func (c *pdfCanvas) Push() {
	c.stack = append(c.stack, c.state)
	c.doc.TransformBegin()
}

func (c *pdfCanvas) Pop() {
	c.doc.TransformEnd()
	c.state = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	c.setFont(c.state.bold, c.state.fontSize) // fpdf does not know that this is the font again
}

func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.state.width > 0 {
		c.doc.SetLineWidth(c.state.width.Points())
		c.doc.SetDashPattern(c.state.dashes, c.state.offset)
		c.path(p, "D")
	}
}

func (c *pdfCanvas) Fill(p vg.Path) { c.path(p, "F") }

func (c *pdfCanvas) FillString(face font.Face, pt vg.Point, txt string) {
	if face.Font.Size == 0 || txt == "" {
		return
	}
	c.setColors()
	c.setFont(face.Font.Weight == xfont.WeightBold, face.Font.Size.Points())
	x, y := c.at(pt)
	c.doc.Text(x, y, basic(txt))
}

// basic replaces characters of more than 16 bits, which fpdf cannot write.
func basic(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, s)
}

// DrawImage panics: the figures of this package have no pixels.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("bitmap in a PDF") }

func (c *pdfCanvas) setColors() {
	col := c.state.color
	r, g, b := int(col.R), int(col.G), int(col.B)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(col.A)/0xFF, "Normal")
}

func (c *pdfCanvas) setFont(bold bool, size float64) {
	c.state.bold, c.state.fontSize = bold, size
	style := ""
	if bold {
		style = "B"
	}
	c.doc.SetFont(pdfFont, style, size)
}

// at returns a point as fpdf counts: down from the top.
func (c *pdfCanvas) at(p vg.Point) (x, y float64) {
	x, y = p.X.Points(), c.height-p.Y.Points()
	if math.IsNaN(x+y) || math.IsInf(x+y, 0) {
		panic(fmt.Sprintf("coordinate %v", p))
	}
	return x, y
}

// path draws the lines (D) or the inside (F) of a path.
func (c *pdfCanvas) path(p vg.Path, style string) {
	c.setColors()
	for _, comp := range p {
		x, y := c.at(comp.Pos)
		switch comp.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.ArcComp:
			const degrees = 180 / math.Pi
			r := comp.Radius.Points()
			c.doc.ArcTo(x, y, r, r, 0, comp.Start*degrees, (comp.Start+comp.Angle)*degrees)
		case vg.CurveComp:
			if len(comp.Control) != 2 {
				panic(fmt.Sprintf("curve with %d control points", len(comp.Control)))
			}
			x1, y1 := c.at(comp.Control[0])
			x2, y2 := c.at(comp.Control[1])
			c.doc.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(style)
}
