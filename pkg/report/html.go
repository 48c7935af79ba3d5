package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
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
	if len(w.sections) >= tocFrom {
		view.Sections = contents(w.sections)
	}
	var b bytes.Buffer
	if err := pageShell.Execute(&b, view); err != nil {
		return nil, err
	}
	return printable(b.Bytes()), nil
}

// contents arranges a page's sections in two levels: those of level 2, and those of level 3
// within them. If a page starts with a deeper level, its first sections are at the top.
func contents(list []section) []section {
	var toc []section
	for _, s := range list {
		switch {
		case s.Level <= 2 || s.Level == 3 && len(toc) == 0:
			toc = append(toc, s)
		case s.Level == 3:
			last := &toc[len(toc)-1]
			last.Inner = append(last.Inner, s)
		}
	}
	return toc
}
