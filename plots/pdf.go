package plots

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas is a vg.Canvas that draws on the one page of a PDF.
//
// gonum's vgpdf also uses fpdf, but it sets text in code page 1252, which lacks
// the minus sign, and writes the time into the file.
type pdfCanvas struct {
	doc    *fpdf.Fpdf
	height float64 // points
	state  pdfState
	stack  []pdfState
	err    error // the first error of drawing
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

// pdfFaces returns the font files of normal and bold text.
var pdfFaces = sync.OnceValues(func() (faces [2][]byte, err error) {
	for i := range faces {
		f := textStyle(tickSize, ink, i == 1).Font
		var b bytes.Buffer
		if _, err := handler.Fonts.Lookup(f, f.Size).Face.WriteSourceTo(nil, &b); err != nil {
			return faces, err
		}
		faces[i] = b.Bytes()
	}
	return faces, nil
})

func newPDFCanvas(width, height vg.Length) (*pdfCanvas, error) {
	faces, err := pdfFaces()
	if err != nil {
		return nil, err
	}
	c := &pdfCanvas{height: height.Points()}
	c.doc = fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width.Points(), Ht: height.Points()}})
	c.doc.SetCatalogSort(true)
	c.doc.SetCreationDate(pdfDate)
	c.doc.SetModificationDate(pdfDate)
	c.doc.SetProducer("alamos", false)
	c.doc.SetLang("en")
	c.doc.AddUTF8FontFromBytes(pdfFont, "", faces[0])
	c.doc.AddUTF8FontFromBytes(pdfFont, "B", faces[1])
	c.doc.AddPage()
	c.doc.TransformBegin() // fpdf transforms only within such a pair
	c.setFont(false, tickSize)
	vg.Initialize(c)
	return c, nil
}

// bytes returns the file and ends drawing.
func (c *pdfCanvas) bytes() ([]byte, error) {
	c.doc.TransformEnd()
	if c.err != nil {
		return nil, c.err
	}
	var b bytes.Buffer
	if err := c.doc.Output(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Size implements vg.CanvasSizer.
func (c *pdfCanvas) Size() (x, y vg.Length) {
	w, h := c.doc.GetPageSize()
	return vg.Points(w), vg.Points(h)
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
	if c.state.width <= 0 {
		return
	}
	col := c.state.color
	c.doc.SetDrawColor(int(col.R), int(col.G), int(col.B))
	c.doc.SetAlpha(float64(col.A)/0xFF, "Normal")
	c.doc.SetLineWidth(c.state.width.Points())
	c.doc.SetDashPattern(c.state.dashes, c.state.offset)
	c.path(p)
	c.doc.DrawPath("D")
}

func (c *pdfCanvas) Fill(p vg.Path) {
	c.setFill()
	c.path(p)
	c.doc.DrawPath("F")
}

func (c *pdfCanvas) FillString(face font.Face, pt vg.Point, txt string) {
	if face.Font.Size == 0 || txt == "" {
		return
	}
	c.setFill()
	c.setFont(face.Font.Weight == xfont.WeightBold, face.Font.Size.Points())
	x, y := c.at(pt)
	c.doc.Text(x, y, strings.Map(func(r rune) rune {
		if r > 0xFFFF { // fpdf writes characters of 16 bits
			return '\uFFFD'
		}
		return r
	}, txt))
}

// DrawImage fails: the figures of this package have no pixels.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { c.fail(errors.New("bitmap in a PDF")) }

func (c *pdfCanvas) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *pdfCanvas) setFill() {
	col := c.state.color
	c.doc.SetFillColor(int(col.R), int(col.G), int(col.B))
	c.doc.SetTextColor(int(col.R), int(col.G), int(col.B))
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
		c.fail(fmt.Errorf("coordinate %v", p))
	}
	return x, y
}

func (c *pdfCanvas) path(p vg.Path) {
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
				c.fail(fmt.Errorf("curve with %d control points", len(comp.Control)))
				return
			}
			x1, y1 := c.at(comp.Control[0])
			x2, y2 := c.at(comp.Control[1])
			c.doc.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
}
