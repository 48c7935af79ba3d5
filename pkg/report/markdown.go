package report

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"strings"
)

// markdownWriter renders the cells of one page in their order.
type markdownWriter struct {
	body            bytes.Buffer
	anchors         anchors
	figures, tables int
}

// Markdown renders the page as GitHub's Markdown, for a repository: figures are
// their first file, by a link relative to the page, and what the page folds is
// folded. The Markdown of [Text] and [Note] cells goes out as it came in, but
// for its HTML, which is escaped as everything else is.
func (p Page) Markdown() ([]byte, error) {
	if err := check(fmt.Sprintf("page %q", p.Title), p.Cells, 0, false); err != nil {
		return nil, err
	}
	w := markdownWriter{anchors: newAnchors(p.Cells)}
	w.paragraph("# " + escape(p.Title))
	if p.Subtitle != "" {
		w.paragraph("*" + escape(p.Subtitle) + "*")
	}
	if p.About != "" {
		w.paragraph(contained(p.About))
	}
	if err := w.cells(p.Cells); err != nil {
		return nil, err
	}
	return bytes.ToValidUTF8(w.body.Bytes(), []byte("\uFFFD")), nil
}

// paragraph writes a block, if there is one, with a blank line before it.
func (w *markdownWriter) paragraph(s string) {
	s = strings.TrimSpace(s)
	if s == "" {
		return
	}
	if w.body.Len() > 0 {
		w.body.WriteByte('\n')
	}
	w.body.WriteString(s + "\n")
}

// cells renders cells one after another.
func (w *markdownWriter) cells(cells []Cell) error {
	for _, c := range cells {
		if err := c.renderMarkdown(w); err != nil {
			return err
		}
	}
	return nil
}

// fold writes what inner writes so that it is hidden until it is asked for.
func (w *markdownWriter) fold(title string, open bool, inner func() error) error {
	return w.foldAt("", title, open, inner)
}

// foldAt is fold with an anchor for links.
func (w *markdownWriter) foldAt(id, title string, open bool, inner func() error) error {
	tag := "<details>"
	if open {
		tag = "<details open>"
	}
	anchor := ""
	if id != "" {
		anchor = "<a" + idAttribute(id) + "></a>"
	}
	w.paragraph(tag + "<summary>" + anchor + template.HTMLEscapeString(strings.Join(strings.Fields(title), " ")) + "</summary>")
	if err := inner(); err != nil {
		return err
	}
	w.paragraph("</details>")
	return nil
}

var markup = regexp.MustCompile("[\\\\`*_{}\\[\\]()<>#|~&$!]")

// escape makes a single line of text that Markdown shows as it is. It must
// not start a line, where digits and dashes could open a list.
func escape(s string) string {
	return markup.ReplaceAllString(strings.Join(strings.Fields(s), " "), `\$0`)
}

// grid writes a table; the cells are escaped already.
func (w *markdownWriter) grid(head []string, numeric []bool, rows [][]string) {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = "---"
		if numeric != nil && numeric[i] {
			rule[i] = "--:"
		}
	}
	line(rule)
	for _, row := range rows {
		line(row)
	}
	w.paragraph(b.String())
}

func escapeAll(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = escape(c)
	}
	return out
}

func (h Heading) renderMarkdown(w *markdownWriter) error {
	w.paragraph(strings.Repeat("#", min(4, max(2, h.Level))) + " " + escape(h.Text))
	return nil
}

func (t Text) renderMarkdown(w *markdownWriter) error {
	w.paragraph(contained(t.Markdown))
	return nil
}

func (n Note) renderMarkdown(w *markdownWriter) error {
	lines := strings.Split(contained(n.Markdown), "\n")
	w.paragraph("> [!" + strings.ToUpper(n.Kind.String()) + "]\n>\n> " + strings.Join(lines, "\n> "))
	return nil
}

func (t Table) renderMarkdown(w *markdownWriter) error {
	if err := t.check(); err != nil {
		return err
	}
	files, err := links(t.Files)
	if err != nil {
		return fmt.Errorf("notebook: table %q: %w", t.Caption, err)
	}
	w.tables++
	w.paragraph(fmt.Sprintf("**Table %d.** %s%s", w.tables, escape(t.Caption), markdownLinks(files)))
	if len(t.Columns) == 0 {
		return nil
	}
	head := make([]string, len(t.Columns))
	numeric := make([]bool, len(t.Columns))
	for i, c := range t.Columns {
		head[i], numeric[i] = escape(c.Name), c.Numeric
		if c.Unit != "" {
			head[i] += " (" + escape(c.Unit) + ")"
		}
	}
	var rows [][]string
	for _, row := range t.Rows {
		rows = append(rows, escapeAll(row))
	}
	w.grid(head, numeric, rows)
	return nil
}

func (f Figure) renderMarkdown(w *markdownWriter) error {
	files, err := links(f.Files)
	if err != nil {
		return fmt.Errorf("notebook: figure %q: %w", f.Caption, err)
	}
	w.figures++
	if len(files) > 0 {
		alt := f.Alt
		if alt == "" {
			alt = f.Caption
		}
		w.paragraph(fmt.Sprintf("![%s](<%s>)", escape(alt), files[0].URL))
	}
	w.paragraph(fmt.Sprintf("**Figure %d.** %s%s", w.figures, escape(f.Caption), markdownLinks(files)))
	return nil
}

func (s Settings) renderMarkdown(w *markdownWriter) error {
	title := s.Title
	if title == "" {
		title = "Settings"
	}
	var rows [][]string
	for _, item := range s.Items {
		origin := item.Origin
		if origin == "" {
			origin = "default"
		}
		rows = append(rows, escapeAll([]string{item.Key, item.Value, origin}))
	}
	return w.fold(fmt.Sprintf("%s (%d)", title, len(s.Items)), s.Open, func() error {
		w.grid([]string{"setting", "value", "set by"}, nil, rows)
		return nil
	})
}

func (p Provenance) renderMarkdown(w *markdownWriter) error {
	title := p.Title
	if title == "" {
		title = "Provenance"
	}
	var rows [][]string
	for _, f := range p.Facts {
		rows = append(rows, escapeAll([]string{f.Name, f.Value}))
	}
	return w.fold(title, p.Open, func() error {
		w.grid([]string{"what", "value"}, nil, rows)
		return nil
	})
}

// markdownLinks writes the links that follow a caption.
func markdownLinks(files []link) string {
	var parts []string
	for _, f := range files {
		parts = append(parts, fmt.Sprintf("[%s](<%s>)", escape(f.Name), f.URL))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
