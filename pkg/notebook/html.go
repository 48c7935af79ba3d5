package notebook

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"strings"
)

var (
	//go:embed page.tmpl
	pageTemplate string
	//go:embed style.css
	styleSheet string
	//go:embed script.js
	script string

	templates = template.Must(template.New("page").Funcs(template.FuncMap{"cellClass": cellClass}).Parse(pageTemplate))
)

// tocFrom is the number of sections from which a page has a table of contents.
const tocFrom = 4

// htmlWriter renders the cells of one page in their order.
type htmlWriter struct {
	body            bytes.Buffer
	sections        sections
	figures, tables int
}

// HTML renders the page as one file.
func (p Page) HTML() ([]byte, error) {
	var w htmlWriter
	if p.About != "" {
		if err := (Text{p.About}).renderHTML(&w); err != nil {
			return nil, err
		}
	}
	for i, c := range p.Cells {
		if c == nil {
			return nil, fmt.Errorf("notebook: page %q: cell %d is nil: %w", p.Title, i, ErrShape)
		}
		if err := c.renderHTML(&w); err != nil {
			return nil, err
		}
	}
	hash := sha256.Sum256([]byte(script))
	view := struct {
		Page
		Style    template.CSS
		Script   template.JS
		Policy   string
		Sections []section
		Body     template.HTML
	}{
		Page:   p,
		Style:  template.CSS(styleSheet),
		Script: template.JS(script),
		// Nothing may be loaded, and no script may run but the one above.
		Policy: "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-" +
			base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'",
		Body: template.HTML(w.body.String()),
	}
	if len(w.sections.list) >= tocFrom {
		view.Sections = w.sections.list
	}
	var b bytes.Buffer
	if err := templates.Execute(&b, view); err != nil {
		return nil, fmt.Errorf("notebook: render page %q: %w", p.Title, err)
	}
	return bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD")), nil
}

// execute renders one of the page's templates.
func (w *htmlWriter) execute(name string, view any) error {
	if err := templates.ExecuteTemplate(&w.body, name, view); err != nil {
		return fmt.Errorf("notebook: render %s: %w", name, err)
	}
	return nil
}

func (h Heading) renderHTML(w *htmlWriter) error {
	level := min(4, max(2, h.Level))
	id := w.sections.add(level, h.Text)
	fmt.Fprintf(&w.body, `<h%d id="%s">%s</h%d>`+"\n", level, template.HTMLEscapeString(id), template.HTMLEscapeString(h.Text), level)
	return nil
}

func (t Text) renderHTML(w *htmlWriter) error {
	html, err := w.sections.markdownHTML(t.Markdown)
	if err != nil {
		return err
	}
	fmt.Fprintf(&w.body, "<section class=\"text\">\n%s</section>\n", html)
	return nil
}

func (n Note) renderHTML(w *htmlWriter) error {
	html, err := w.sections.markdownHTML(n.Markdown)
	if err != nil {
		return err
	}
	return w.execute("note", struct {
		Kind string
		Body template.HTML
	}{n.Kind.String(), template.HTML(html)})
}

// columnView is a column and what its cells look like.
type columnView struct {
	Column
	Varies, Alike bool
}

// cellClass returns the classes of a cell.
func cellClass(c columnView) string {
	var classes []string
	if c.Numeric {
		classes = append(classes, "num")
	}
	if c.Varies {
		classes = append(classes, "varies")
	}
	if c.Alike {
		classes = append(classes, "alike")
	}
	return strings.Join(classes, " ")
}

func (t Table) renderHTML(w *htmlWriter) error {
	if err := t.check(); err != nil {
		return err
	}
	files, err := links(t.Files)
	if err != nil {
		return fmt.Errorf("notebook: table %q: %w", t.Caption, err)
	}
	w.tables++
	columns := make([]columnView, len(t.Columns))
	for i, c := range t.Columns {
		varies := t.varies(i)
		columns[i] = columnView{c, c.Setting && varies, c.Setting && !varies && len(t.Rows) > 1}
	}
	return w.execute("table", struct {
		Table
		Number  int
		Columns []columnView
		Links   []link
	}{t, w.tables, columns, files})
}

func (f Figure) renderHTML(w *htmlWriter) error {
	w.figures++
	alt := f.Alt
	if alt == "" {
		alt = f.Caption
	}
	svg, err := inlineSVG(f.SVG, fmt.Sprintf("f%d-", w.figures), alt)
	if err != nil {
		return fmt.Errorf("notebook: figure %q: %w", f.Caption, err)
	}
	files, err := links(f.Files)
	if err != nil {
		return fmt.Errorf("notebook: figure %q: %w", f.Caption, err)
	}
	return w.execute("figure", struct {
		Figure
		Number  int
		Drawing template.HTML
		Links   []link
	}{f, w.figures, template.HTML(svg), files})
}

func (s SideBySide) renderHTML(w *htmlWriter) error {
	if err := s.check(); err != nil {
		return err
	}
	w.body.WriteString("<div class=\"beside\">\n")
	if s.Caption != "" {
		fmt.Fprintf(&w.body, "<p class=\"caption\">%s</p>\n", template.HTMLEscapeString(s.Caption))
	}
	w.body.WriteString("<div class=\"trials\">\n")
	for _, trial := range s.Trials {
		fmt.Fprintf(&w.body, "<section class=\"trial\">\n<p class=\"label\">%s</p>\n", template.HTMLEscapeString(trial.Label))
		for _, c := range trial.Cells {
			if err := c.renderHTML(w); err != nil {
				return err
			}
		}
		w.body.WriteString("</section>\n")
	}
	w.body.WriteString("</div>\n</div>\n")
	return nil
}

func (s Settings) renderHTML(w *htmlWriter) error {
	if s.Title == "" {
		s.Title = "Settings"
	}
	return w.execute("settings", struct {
		Settings
		Groups []settingGroup
	}{s, s.groups()})
}

func (d Diff) renderHTML(w *htmlWriter) error { return w.execute("diff", d) }

func (p Provenance) renderHTML(w *htmlWriter) error {
	if p.Title == "" {
		p.Title = "Provenance"
	}
	return w.execute("provenance", p)
}

// settingGroup is the settings that share what stands before the last dot of
// their keys.
type settingGroup struct {
	Name  string
	Items []Setting // keys without the name
}

// groups splits settings where the part before the last dot changes; their
// order stays.
func (s Settings) groups() []settingGroup {
	var groups []settingGroup
	for _, item := range s.Items {
		name := ""
		if dot := strings.LastIndexByte(item.Key, '.'); dot > 0 {
			name, item.Key = item.Key[:dot], item.Key[dot+1:]
		}
		if len(groups) == 0 || groups[len(groups)-1].Name != name {
			groups = append(groups, settingGroup{Name: name})
		}
		last := &groups[len(groups)-1]
		last.Items = append(last.Items, item)
	}
	return groups
}

// link is a file beside the page.
type link struct{ Name, URL string }

// links checks paths of files beside the page and makes links of them.
func links(files []string) ([]link, error) {
	var list []link
	for _, file := range files {
		u := url.URL{Path: file}
		if file == "" || strings.HasPrefix(file, "/") || strings.ContainsAny(file, "\\\x00\r\n") {
			return nil, fmt.Errorf("file %q: want a path relative to the page: %w", file, ErrLink)
		}
		name := strings.TrimPrefix(path.Ext(file), ".")
		if name == "" {
			name = path.Base(file)
		}
		list = append(list, link{name, u.String()})
	}
	return list, nil
}
