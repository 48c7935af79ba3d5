package report

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

// longTable is the number of rows from which a table scrolls below its head.
const longTable = 30

// foldedRoom is how many bytes the pictures of folded trials may take
// together. Those that find no more room are links to their files.
const foldedRoom = 3 << 20

// tocFrom is the number of sections from which a page has a table of contents.
const tocFrom = 4

// htmlWriter renders the cells of one page in their order.
type htmlWriter struct {
	body            bytes.Buffer
	sections        sections
	anchors         anchors
	styles          styles // of the drawings
	figures, tables int
	diffs           int
	// folded is above 0 within the folds of trials, and room what their
	// pictures may still take, in bytes.
	folded, room int
}

// HTML renders the page as one file.
func (p Page) HTML() ([]byte, error) {
	if err := check(fmt.Sprintf("page %q", p.Title), p.Cells, 0, false); err != nil {
		return nil, err
	}
	w := htmlWriter{anchors: newAnchors(p.Cells), room: foldedRoom}
	if p.About != "" {
		if err := (Text{p.About}).renderHTML(&w); err != nil {
			return nil, err
		}
	}
	for _, c := range p.Cells {
		if err := c.renderHTML(&w); err != nil {
			return nil, err
		}
	}
	hash := sha256.Sum256([]byte(script))
	view := struct {
		Page
		Style    template.CSS
		Drawings template.CSS
		Script   template.JS
		Policy   string
		Classes  string
		Sections []tocEntry
		Body     template.HTML
	}{
		Page:     p,
		Style:    template.CSS(styleSheet),
		Drawings: template.CSS(w.styles.rules.String()),
		Script:   template.JS(script),
		// Nothing may be loaded, and no script may run but the one above.
		Policy: "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-" +
			base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'",
		Body: template.HTML(w.body.String()),
	}
	var classes []string
	if len(w.sections.list) >= tocFrom {
		view.Sections = contents(w.sections.list)
		classes = append(classes, "with-toc")
	}
	if p.Wide {
		classes = append(classes, "wide")
	}
	view.Classes = strings.Join(classes, " ")
	var b bytes.Buffer
	if err := templates.Execute(&b, view); err != nil {
		return nil, fmt.Errorf("notebook: render page %q: %w", p.Title, err)
	}
	return bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD")), nil
}

// tocEntry is a line of the table of contents with those that belong to it.
type tocEntry struct {
	section
	Inner []section
}

// contents makes two levels of a page's sections: those of level 2, and of
// level 3 within them. A page that opens deeper has its first sections at the
// top; deeper ones are left to the text.
func contents(list []section) []tocEntry {
	var toc []tocEntry
	for _, s := range list {
		switch {
		case s.Level <= 2 || s.Level == 3 && len(toc) == 0:
			toc = append(toc, tocEntry{section: s})
		case s.Level == 3:
			last := &toc[len(toc)-1]
			last.Inner = append(last.Inner, s)
		}
	}
	return toc
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
	fmt.Fprintf(&w.body, "<div class=\"text\">\n%s</div>\n", html)
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
	Numbers       bool // sorted as such
	Head          bool // its cells name their rows
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
	rows := make([][]sortable, len(t.Rows))
	for i, c := range t.Columns {
		varies := t.varies(i)
		cells, numbers := sortKeys(t.column(i))
		columns[i] = columnView{c, c.Setting && varies, c.Setting && !varies && len(t.Rows) > 1, numbers, i == 0 && !numbers && !c.Numeric}
		for r, cell := range cells {
			rows[r] = append(rows[r], cell)
		}
	}
	return w.execute("table", struct {
		Table
		Number  int
		Columns []columnView
		Rows    [][]sortable
		Links   []link
		Long    bool
	}{t, w.tables, columns, rows, files, len(t.Rows) > longTable})
}

func (f Figure) renderHTML(w *htmlWriter) error {
	w.figures++
	alt := f.Alt
	if alt == "" {
		alt = f.Caption
	}
	svg, err := inlineSVG(f.SVG, fmt.Sprintf("f%d-", w.figures), alt, &w.styles)
	if err != nil {
		return fmt.Errorf("notebook: figure %q: %w", f.Caption, err)
	}
	files, err := links(f.Files)
	if err != nil {
		return fmt.Errorf("notebook: figure %q: %w", f.Caption, err)
	}
	if w.folded > 0 && len(files) > 0 {
		if len(svg) > w.room {
			svg = ""
		}
		w.room -= len(svg)
	}
	return w.execute("figure", struct {
		Figure
		Number  int
		Drawing template.HTML
		Links   []link
	}{f, w.figures, template.HTML(svg), files})
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

// groups splits settings by what stands before the last dot of their keys, in the
// order in which it first appears: subgroups may stand between the keys of a group.
func (s Settings) groups() []settingGroup {
	var groups []settingGroup
	at := map[string]int{}
	for _, item := range s.Items {
		name := ""
		if dot := strings.LastIndexByte(item.Key, '.'); dot > 0 {
			name, item.Key = item.Key[:dot], item.Key[dot+1:]
		}
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, settingGroup{Name: name})
		}
		groups[i].Items = append(groups[i].Items, item)
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
