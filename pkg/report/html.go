package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"slices"
)

var (
	//go:embed page.tmpl
	pageTemplate string
	//go:embed style.css
	styleSheet string
	//go:embed script.js
	script string

	pageShell = template.Must(template.New("page").Parse(pageTemplate))
)

// tocFrom is the minimum number of sections of a page with a table of contents.
const tocFrom = 4

// HTML returns the page as one self-contained file. Its policy forbids the browser to load
// anything and to run any script except the page's own.
func (p *Page) HTML() ([]byte, error) {
	w := newWriter(p.Blocks, true)
	if p.About != "" {
		Text{p.About}.write(w)
	}
	w.blocks(p.Blocks)
	hash := sha256.Sum256([]byte(script))
	view := struct {
		*Page
		Style    template.CSS
		Script   template.JS
		Policy   string
		Sections []section
		Body     template.HTML
	}{
		Page:   p,
		Style:  template.CSS(styleSheet),
		Script: template.JS(script),
		Policy: "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-" +
			base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'",
		Body: template.HTML(w.String()),
	}
	sections := slices.DeleteFunc(w.sections, func(s section) bool { return s.Level > 3 })
	if len(sections) >= tocFrom {
		view.Sections = sections
	}
	var b bytes.Buffer
	if err := pageShell.Execute(&b, view); err != nil {
		return nil, err
	}
	return printable(b.Bytes()), nil
}
