package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"alamos/pkg/disk"
)

// A Chart is data that can be drawn. Every kind of figure implements it.
type Chart interface {
	// Figure checks the data and lays the picture out.
	Figure() (*Figure, error)
}

// Errors in the data of a figure. Errors of this package wrap one of these; test with
// errors.Is.
var (
	// ErrNoData: there is nothing to draw: no series, no points, or only NaN.
	ErrNoData = errors.New("no data to draw")
	// ErrInvalid: the data is inconsistent, or has a number that the figure cannot show,
	// such as an infinite one. A missing number is NaN.
	ErrInvalid = errors.New("invalid data")
	// ErrSize: the picture is too small for its content, or absurdly large.
	ErrSize = errors.New("size cannot be drawn")
)

// Figure is a finished layout. It can be rendered any number of times, by one goroutine at
// a time.
type Figure struct {
	title, description string
	width, height      vg.Length
	paint              func(draw.Canvas)
	stamp              string // encoded; "" for none
}

// dpi is the resolution of PNG pictures: a figure of the default width has
// 1008 pixels, sharp in print at column width.
const dpi = 160

// Title returns the figure's title, empty if it has none.
func (f *Figure) Title() string { return f.title }

// Description describes the picture in a sentence or two, for readers who cannot see it.
func (f *Figure) Description() string { return f.description }

// Stamp returns the figure with a stamp: in the metadata element of its SVG, in
// a text chunk of its PNG and in the keywords of its PDF, where [ParseStamp]
// finds it. The picture does not change. An SVG within a page has no stamp.
func (f *Figure) Stamp(s Stamp) *Figure {
	stamped := *f
	stamped.stamp = s.text()
	return &stamped
}

// SVG returns a complete SVG document. Text stays text, set in Liberation
// Sans or, where that is not installed, in a font of the same widths.
func (f *Figure) SVG() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	f.svgStart(&b, fmt.Sprintf(`width="%.5gpt" height="%.5gpt"`, f.width.Points(), f.height.Points()))
	svgElement(&b, "metadata", f.stamp)
	return f.svgBody(&b)
}

// InlineSVG returns an svg element for an HTML page. It has no prolog, is as wide as its
// place up to its natural width, and has role, title and description for screen readers. It
// has no ids, so that a page can contain any number of them.
func (f *Figure) InlineSVG() ([]byte, error) {
	var b bytes.Buffer
	f.svgStart(&b, fmt.Sprintf(`width="100%%" style="max-width:%.5gpt;height:auto"`, f.width.Points()))
	return f.svgBody(&b)
}

// PNG returns the picture as a PNG of 160 dots an inch.
func (f *Figure) PNG() ([]byte, error) {
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))}
	if err := f.paintOn(canvas); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("plots: encode PNG of %q: %w", f.title, err)
	}
	if f.stamp != "" {
		return stampedPNG(b.Bytes(), f.stamp), nil
	}
	return b.Bytes(), nil
}

// PDF returns the picture as a PDF of one page in the figure's size. Its text can be
// searched and copied, and it embeds the needed parts of the fonts. It does not depend on
// the time or the machine.
func (f *Figure) PDF() ([]byte, error) {
	canvas, err := newPDFCanvas(f.width, f.height)
	if err != nil {
		return nil, fmt.Errorf("plots: PDF of %q: %w", f.title, err)
	}
	canvas.doc.SetTitle(f.title, true)
	canvas.doc.SetSubject(f.description, true)
	canvas.doc.SetKeywords(f.stamp, false)
	if err := f.paintOn(canvas); err != nil {
		return nil, err
	}
	doc, err := canvas.bytes()
	if err != nil {
		return nil, fmt.Errorf("plots: encode PDF of %q: %w", f.title, err)
	}
	return doc, nil
}

// paintOn draws the figure. It converts panics of gonum to errors. Checked data should
// cause none, but a figure must never end a run of hours.
func (f *Figure) paintOn(c vg.CanvasSizer) (err error) {
	if len(f.stamp) > longestStamp {
		return fmt.Errorf("plots: stamp of %q has %d bytes: want at most %d: %w", f.title, len(f.stamp), longestStamp, ErrStamp)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("plots: draw %q: %v", f.title, r)
		}
	}()
	f.paint(draw.New(c))
	return nil
}

// Extensions are the extensions of the files of [Figure.WriteFiles].
var Extensions = [...]string{".svg", ".png", ".pdf"}

// WriteFiles writes dir/name.svg, dir/name.png and dir/name.pdf, and creates dir if it is
// missing. It draws all three before it writes the first. Each file is written under a
// temporary name and then renamed.
func (f *Figure) WriteFiles(dir, name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
		return fmt.Errorf("plots: write figure %q: %w", name, ErrInvalid)
	}
	var files [][]byte
	for _, render := range []func() ([]byte, error){f.SVG, f.PNG, f.PDF} {
		file, err := render()
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	for i, ext := range Extensions {
		if err := disk.WriteBytes(filepath.Join(dir, name+ext), files[i]); err != nil {
			return err
		}
	}
	return nil
}

// fontFamily is set once, on the root. The second and third names have the
// widths of the first, so that text keeps its place wherever it is shown.
const fontFamily = "'Liberation Sans', Arial, Helvetica, sans-serif"

// svgStart writes the root's start tag, its title and its description.
func (f *Figure) svgStart(b *bytes.Buffer, size string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.5g %.5g" %s role="img" font-family="%s">`+"\n",
		f.width.Points(), f.height.Points(), size, fontFamily)
	svgElement(b, "title", f.title)
	svgElement(b, "desc", f.description)
}

func svgElement(b *bytes.Buffer, name, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "<%s>", name)
	xml.EscapeText(b, []byte(text)) // a bytes.Buffer never fails
	fmt.Fprintf(b, "</%s>\n", name)
}

// svgFaces shortens the font descriptions that vgsvg writes into every text.
// Text content is escaped, so that a raw quotation mark stands only in markup
// and the replacements cannot change what a figure says.
var svgFaces = strings.NewReplacer(
	`style="font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;`, `style="`,
	`style="font-family:Liberation Sans;font-variant:normal;font-weight:bold;font-style:normal;`, `style="font-weight:bold;`,
	"\n\tstyle=", " style=",
)

// svgBody adds the content of vgsvg's root element, and the end tag.
func (f *Figure) svgBody(b *bytes.Buffer) ([]byte, error) {
	canvas := vgsvg.New(f.width, f.height)
	if err := f.paintOn(canvas); err != nil {
		return nil, err
	}
	var drawn strings.Builder
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return nil, fmt.Errorf("plots: encode SVG of %q: %w", f.title, err)
	}
	_, rest, _ := strings.Cut(drawn.String(), "<svg")
	_, rest, ok := strings.Cut(rest, ">\n")
	if !ok {
		return nil, errors.New("plots: the SVG writer's output has no svg element")
	}
	b.WriteString(svgFaces.Replace(rest))
	return b.Bytes(), nil
}

// largest is the magnitude beyond which differences of two numbers could overflow.
// Realistic data is far smaller.
const largest = 1e300

// checkNumbers accepts NaN (missing) and every number that can be drawn.
func checkNumbers(where string, list ...float64) error {
	for _, v := range list {
		switch {
		case math.IsInf(v, 0):
			return fmt.Errorf("plots: %s: %w (write NaN for a missing number)", where, ErrInvalid)
		case math.Abs(v) > largest:
			return fmt.Errorf("plots: %s: %g: %w", where, v, ErrInvalid)
		}
	}
	return nil
}
