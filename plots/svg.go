package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
)

const xmlProlog = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// fontFamily is set once, on the root. The second and third names have the
// widths of the first, so that text keeps its place wherever it is shown.
const fontFamily = "'Liberation Sans', Arial, Helvetica, sans-serif"

// svgOpen writes the root's start tag and its title and description.
func (f *Figure) svgOpen(b *bytes.Buffer, inline bool) {
	w, h := f.width.Points(), f.height.Points()
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.5g %.5g"`, w, h)
	if inline {
		fmt.Fprintf(b, ` width="100%%" style="max-width:%.5gpt;height:auto"`, w)
	} else {
		fmt.Fprintf(b, ` width="%.5gpt" height="%.5gpt"`, w, h)
	}
	fmt.Fprintf(b, ` role="img" font-family="%s">`+"\n", fontFamily)
	element(b, "title", f.title)
	element(b, "desc", f.description)
}

func element(b *bytes.Buffer, name, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "<%s>", name)
	xml.EscapeText(b, []byte(text)) // a bytes.Buffer never fails
	fmt.Fprintf(b, "</%s>\n", name)
}

// The library writes the font's full description into every text. Text
// content is escaped, so a raw quotation mark stands only in markup and these
// replacements cannot touch what a figure says.
var (
	plainFace = []byte(`style="font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;`)
	boldFace  = []byte(`style="font-family:Liberation Sans;font-variant:normal;font-weight:bold;font-style:normal;`)
)

// cleanSVG takes the root's start tag and everything before it off, and the
// repeated font descriptions out, of what vgsvg wrote.
func cleanSVG(doc []byte) ([]byte, error) {
	_, rest, ok := bytes.Cut(doc, []byte("<svg"))
	if ok {
		_, rest, ok = bytes.Cut(rest, []byte(">\n"))
	}
	if !ok {
		return nil, errors.New("plots: the SVG writer's output has no svg element")
	}
	rest = bytes.ReplaceAll(rest, plainFace, []byte(`style="`))
	rest = bytes.ReplaceAll(rest, boldFace, []byte(`style="font-weight:bold;`))
	return bytes.ReplaceAll(rest, []byte("\n\tstyle="), []byte(" style=")), nil
}
