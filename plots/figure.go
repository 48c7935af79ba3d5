package plots

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"alamos/pkg/disk"
)

// A Chart is data that knows how it is drawn. All kinds of this package are
// charts.
type Chart interface {
	// Figure checks the data and lays the picture out.
	Figure() (*Figure, error)
}

// Figure is a picture that is laid out and can be rendered, any number of
// times and from any goroutine one at a time.
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

// Description returns a sentence or two on what the picture shows, for those
// who cannot see it.
func (f *Figure) Description() string { return f.description }

// Stamp returns the figure with a [Stamp]: in the metadata element of its SVG,
// in a text chunk of its PNG and in the Info dictionary of its PDF, where
// [ReadStamp] finds it. The picture does not change, and an SVG within a page
// has no stamp: the page says where its figures come from.
func (f *Figure) Stamp(experiment, code, data string) *Figure {
	stamped := *f
	stamped.stamp = Stamp{experiment, code, data}.text()
	return &stamped
}

// checkStamp refuses a stamp that could not be read back.
func (f *Figure) checkStamp() error {
	if len(f.stamp) > mostStamp {
		return fmt.Errorf("plots: stamp of %q has %d bytes: want at most %d: %w", f.title, len(f.stamp), mostStamp, ErrStamp)
	}
	return nil
}

// SVG returns a complete SVG document. Text stays text, set in Liberation
// Sans or, where that is not installed, in a font of the same widths.
func (f *Figure) SVG() ([]byte, error) {
	if err := f.checkStamp(); err != nil {
		return nil, err
	}
	body, err := f.svgBody()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(xmlProlog)
	f.svgOpen(&b, false)
	element(&b, "metadata", f.stamp)
	b.Write(body)
	return b.Bytes(), nil
}

// InlineSVG returns an svg element to be put in an HTML page: without prolog,
// as wide as its place up to its natural width, with role, title and
// description for screen readers, and without ids, so that any number of them
// can share a page.
func (f *Figure) InlineSVG() ([]byte, error) {
	body, err := f.svgBody()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	f.svgOpen(&b, true)
	b.Write(body)
	return b.Bytes(), nil
}

// PNG returns the picture as a PNG of 160 dots an inch.
func (f *Figure) PNG() ([]byte, error) {
	if err := f.checkStamp(); err != nil {
		return nil, err
	}
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))}
	if err := f.paintOn(draw.New(canvas)); err != nil {
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

// PDF returns the picture as a PDF of one page, the figure's size, with text
// that can be searched and the parts of the fonts that it needs. Nothing in it
// depends on the hour or the machine.
func (f *Figure) PDF() ([]byte, error) {
	if err := f.checkStamp(); err != nil {
		return nil, err
	}
	canvas := newPDFCanvas(f.width, f.height)
	if err := f.paintOn(draw.New(canvas)); err != nil {
		return nil, err
	}
	doc, err := canvas.document("en", [][2]string{
		{"Title", f.title}, {"Subject", f.description}, {"Producer", "alamos"}, {pdfStamp, f.stamp},
	})
	if err != nil {
		return nil, fmt.Errorf("plots: encode PDF of %q: %w", f.title, err)
	}
	return doc, nil
}

// svgBody returns what stands inside the svg element, and its end tag.
func (f *Figure) svgBody() ([]byte, error) {
	canvas := vgsvg.New(f.width, f.height)
	if err := f.paintOn(draw.New(canvas)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("plots: encode SVG of %q: %w", f.title, err)
	}
	return cleanSVG(b.Bytes())
}

// paintOn draws the figure. The drawing library panics where it meets what
// it cannot draw; the checks before should leave it no reason, but a figure
// must never take a run of hours down with it.
func (f *Figure) paintOn(c draw.Canvas) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("plots: draw %q: %v", f.title, r)
		}
	}()
	f.paint(c)
	return nil
}

// WriteFiles writes dir/name.svg, dir/name.png and dir/name.pdf, making dir
// where it is missing. All three are drawn before the first is written. Each
// file is written beside its name and renamed when it is whole.
func (f *Figure) WriteFiles(dir, name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
		return fmt.Errorf("plots: write figure %q: %w", name, ErrName)
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

// Extensions are those of the files that [Figure.WriteFiles] writes.
var Extensions = [...]string{".svg", ".png", ".pdf"}
