package plots

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
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

// Figure is a finished layout. Several goroutines may render it at once.
type Figure struct {
	title, description string
	style              Style
	width, height      vg.Length // of the layout; the picture is larger by the style's scale
	paint              func(draw.Canvas)
	dot                []byte // the figure in the language of Graphviz; nil for none
	stamp              string // encoded; "" for none
	shaded             bool   // it has boards or gray areas, for a white paper
}

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

// Extensions are the extensions of the files of every figure. A [Tree] also has ".dot".
var Extensions = [...]string{".svg", ".png", ".pdf"}

// Extensions returns the extensions that Render accepts.
func (f *Figure) Extensions() []string {
	if f.dot != nil {
		return append(Extensions[:], ".dot")
	}
	return Extensions[:]
}

// Render returns the figure as a file with an extension of [Figure.Extensions]. The text of
// an SVG stays text, set in Liberation Sans or, where that is not installed, in a font of
// the same widths. A PNG has 160 dots an inch. A PDF has one page in the figure's size; its
// text can be searched and copied, and it embeds the needed parts of the fonts. No file
// depends on the time or the machine.
func (f *Figure) Render(extension string) ([]byte, error) {
	switch extension {
	case ".svg":
		return f.safely(func() ([]byte, error) {
			svg, err := f.svg(fmt.Sprintf(`width="%.5gpt" height="%.5gpt"`, f.style.scale()*f.width.Points(), f.style.scale()*f.height.Points()), f.stamp, false)
			return append([]byte(`<?xml version="1.0" encoding="UTF-8"?>`+"\n"), svg...), err
		})
	case ".png":
		return f.safely(f.png)
	case ".pdf":
		return f.safely(f.pdf)
	case ".dot":
		return f.dot, nil
	}
	return nil, fmt.Errorf("plots: figure %q as %q: want one of %s: %w", f.title, extension, strings.Join(f.Extensions(), ", "), ErrInvalid)
}

// InlineSVG returns an svg element for an HTML page. It has no prolog, is as wide as its
// place up to its natural width, and has role, title and description for screen readers. It
// has no ids, so that a page can contain any number of them. A figure of boards or of gray
// areas has the class "shaded". In others a page may change the colors of the paper, the
// ink and the lines, see theme.go.
func (f *Figure) InlineSVG() ([]byte, error) {
	class := ""
	if f.shaded {
		class = `class="shaded" `
	}
	return f.safely(func() ([]byte, error) {
		return f.svg(fmt.Sprintf(class+`width="100%%" style="max-width:%.5gpt;height:auto"`, f.style.scale()*f.width.Points()), "", true)
	})
}

// safely converts panics of gonum to errors. Checked data should cause none, but a figure
// must never end a run of hours.
func (f *Figure) safely(render func() ([]byte, error)) (file []byte, err error) {
	if len(f.stamp) > longestStamp {
		return nil, fmt.Errorf("plots: stamp of %q has %d bytes: want at most %d: %w", f.title, len(f.stamp), longestStamp, ErrStamp)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("plots: draw %q: %v", f.title, r)
		}
	}()
	if file, err = render(); err != nil {
		return nil, fmt.Errorf("plots: encode %q: %w", f.title, err)
	}
	return file, nil
}

// dpi is the resolution of PNG pictures: a figure of the default width has
// 1008 pixels, sharp in print at column width.
const dpi = 160

func (f *Figure) png() ([]byte, error) {
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(int(math.Round(dpi*f.style.scale()))))}
	f.paint(draw.New(canvas))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	if err == nil && f.stamp != "" {
		return stampedPNG(b.Bytes(), f.stamp), nil
	}
	return b.Bytes(), err
}

// fontFamilies are the fonts of an SVG, set once on the root, by the font of its style. The
// names after the first have the widths of the first, so that text keeps its place wherever it
// is shown.
var fontFamilies = map[string]string{
	"sans":  "'Liberation Sans', Arial, Helvetica, sans-serif",
	"serif": "'Liberation Serif', 'Times New Roman', Times, serif",
}

// svgFace matches the font that vgsvg writes into every text. Text content is escaped, so that
// a raw quotation mark stands only in markup and a replacement cannot change what a figure says.
var svgFace = regexp.MustCompile(`\n\tstyle="font-family:[^";]*;font-variant:[^";]*;(?:font-weight:normal;|(font-weight:bold;))font-style:normal;`)

// svg returns an svg element with a size. Its content is that of vgsvg's element. That of a
// page has groups for its parts, see inpage.go.
func (f *Figure) svg(size, stamp string, onPage bool) ([]byte, error) {
	canvas := vgsvg.New(f.width, f.height)
	page := &pageCanvas{Canvas: canvas, height: f.height}
	if onPage {
		f.paint(draw.New(page))
	} else {
		f.paint(draw.New(canvas))
	}
	var drawn strings.Builder
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return nil, err
	}
	_, content, _ := strings.Cut(drawn.String(), "<svg")
	_, content, ok := strings.Cut(content, ">\n")
	if !ok {
		return nil, errors.New("the SVG writer's output has no svg element")
	}
	if onPage {
		var err error
		if content, err = replaced(content, emptyGroup, page.groups); err != nil {
			return nil, err
		}
		if content, err = replaced(content, textStart, page.texts); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.5g %.5g" %s role="img" font-family="%s">`+"\n",
		f.width.Points(), f.height.Points(), size, fontFamilies[cmp.Or(f.style.Font, "sans")])
	for _, e := range []struct{ name, text string }{{"title", f.title}, {"desc", f.description}, {"metadata", stamp}} {
		if e.text != "" {
			fmt.Fprintf(&b, "<%s>", e.name)
			xml.EscapeText(&b, []byte(e.text)) // a bytes.Buffer never fails
			fmt.Fprintf(&b, "</%s>\n", e.name)
		}
	}
	b.WriteString(svgFace.ReplaceAllString(content, ` style="$1`))
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
