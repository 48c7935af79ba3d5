package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"alamos/plots"
)

const (
	// shownTrials is the maximum number of trials side by side; more are folded.
	shownTrials = 6
	// listedTrials is the maximum number of separate folds of trials; more are within one
	// fold.
	listedTrials = 24
	// longTable is the number of rows from which a table scrolls below its head.
	longTable = 30
	// foldedRoom is the maximum total size in bytes of the pictures of folded trials.
	// Others are links to their files.
	foldedRoom = 3 << 20
)

// writer writes the blocks of a page as Markdown, or as HTML if html is set. goldmark makes
// the HTML from the same Markdown. Folds and columns are tags in both.
type writer struct {
	bytes.Buffer
	html            bool
	figures, tables int
	ids             parser.IDs      // of headings; they have no underscores
	sections        []section       // of the page itself, for its table of contents
	placed          map[string]bool // anchors of trials, true if placed
	depth           int             // above 0 within other blocks
	folded          bool            // within the fold of a trial
	room            int             // remaining bytes for pictures of folded trials
	replayRoom      int             // remaining bytes for games
	replays         bool            // the page has games
}

// section is a heading of the page.
type section struct {
	Level    int
	Text, ID string
}

func newWriter(blocks []Block, html bool) *writer {
	w := &writer{html: html, ids: parser.NewContext().IDs(), placed: map[string]bool{}, room: foldedRoom, replayRoom: replayRoom}
	var find func([]Block)
	find = func(blocks []Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case Fold:
				find(b.Blocks)
			case SideBySide:
				for _, t := range b {
					w.placed[anchor(t.Number)] = false
				}
			}
		}
	}
	find(blocks)
	w.ids.Put([]byte("main")) // of the page's shell
	return w
}

// Markdown returns the page as GitHub's Markdown for a repository. Figures are links to
// their first file. The Markdown of [Text] is unchanged.
func (p *Page) Markdown() []byte {
	w := newWriter(p.Blocks, false)
	if p.Title != "" {
		w.markdown("# " + escape(p.Title))
	}
	if p.Subtitle != "" {
		w.markdown("*" + escape(p.Subtitle) + "*")
	}
	w.markdown(p.About)
	w.blocks(p.Blocks)
	return printable(w.Bytes())
}

// printable replaces NUL and invalid UTF-8.
func printable(page []byte) []byte {
	return bytes.ReplaceAll(bytes.ToValidUTF8(page, []byte("\uFFFD")), []byte{0}, []byte("\uFFFD"))
}

func (w *writer) blocks(blocks []Block) {
	for _, b := range blocks {
		b.write(w)
	}
}

// within writes blocks with headings that are not sections of the page.
func (w *writer) within(blocks []Block) {
	w.depth++
	w.blocks(blocks)
	w.depth--
}

// tag writes HTML that is the same in both forms, with its arguments escaped.
func (w *writer) tag(format string, args ...string) {
	escaped := make([]any, len(args))
	for i, s := range args {
		escaped[i] = html.EscapeString(strings.Join(strings.Fields(s), " "))
	}
	if !w.html && w.Len() > 0 {
		w.WriteByte('\n')
	}
	fmt.Fprintf(w, format+"\n", escaped...)
}

// htmlTag writes a tag in HTML only.
func (w *writer) htmlTag(format string, args ...string) {
	if w.html {
		w.tag(format, args...)
	}
}

func (w *writer) markdown(source string) {
	source = strings.Trim(source, "\n")
	switch {
	case source == "":
	case w.html:
		w.render(source, nil)
	default:
		if w.Len() > 0 {
			w.WriteByte('\n')
		}
		w.WriteString(source + "\n")
	}
}

// goldmarkGFM reads Markdown in GitHub's dialect. It has no parsers of HTML, so that HTML
// is shown as text.
var goldmarkGFM = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithAutoHeadingID(),
	)),
	goldmark.WithExtensions(extension.GFM),
)

// without returns the parsers of other types than that of one.
func without(parsers []util.PrioritizedValue, one any) []util.PrioritizedValue {
	return slices.DeleteFunc(parsers, func(p util.PrioritizedValue) bool { return reflect.TypeOf(p.Value) == reflect.TypeOf(one) })
}

// render writes Markdown as HTML. If source is the table t of the page, its cells get their
// classes.
func (w *writer) render(source string, t *Table) {
	src := []byte(source)
	doc := goldmarkGFM.Parser().Parse(text.NewReader(src), parser.WithContext(parser.NewContext(parser.WithIDs(w.ids))))
	var images []*ast.Image
	var autolinks []*ast.AutoLink
	row, column := -1, 0
	// A walk fails only if its function does.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = max(2, n.Level) // level 1 is the title of the page
			if id, ok := n.AttributeString("id"); ok && w.depth == 0 {
				w.sections = append(w.sections, section{Level: n.Level, Text: plainText(n, src), ID: string(id.([]byte))})
			}
		case *ast.Image:
			if !embedded.Match(n.Destination) {
				images = append(images, n)
			}
		case *ast.AutoLink:
			autolinks = append(autolinks, n)
		case *tables.Table:
			if t != nil && t.Caption != "" {
				n.SetAttributeString("class", []byte("sortable"))
			}
		case *tables.TableRow:
			row, column = row+1, 0
		case *tables.TableCell:
			if t != nil {
				t.attributes(n, row, column)
			}
			column++
		}
		return ast.WalkContinue, nil
	})
	for _, image := range images {
		linkInstead(image)
	}
	for _, a := range autolinks { // CommonMark allows them within links, HTML does not
		if withinLink(a) {
			a.Parent().ReplaceChild(a.Parent(), a, ast.NewString(a.Label(src)))
		}
	}
	if err := goldmarkGFM.Renderer().Render(w, src, doc); err != nil {
		panic(err) // writing to a buffer never fails
	}
}

// attributes sets the HTML attributes of a cell. Row -1 is the head.
func (t *Table) attributes(n *tables.TableCell, row, column int) {
	var classes []string
	if t.Columns[column].Numeric {
		classes = append(classes, "num")
	}
	switch {
	case row < 0 && t.Columns[column].Descending:
		n.SetAttributeString("data-first", []byte("descending"))
	case row >= 0 && column < len(t.Rows[row]) && t.Rows[row][column].Class != "":
		classes = append(classes, string(t.Rows[row][column].Class))
	}
	if len(classes) > 0 {
		n.SetAttributeString("class", []byte(strings.Join(classes, " ")))
	}
}

// embedded matches the addresses of pictures within the page.
var embedded = regexp.MustCompile(`^data:image/(png|gif|jpeg|webp);`)

// linkInstead replaces a picture outside the page by a link to it, or by its text if it is
// within another link, because the page must be self-contained.
func linkInstead(image *ast.Image) {
	var instead ast.Node
	link := ast.NewLink()
	link.Destination, link.Title = image.Destination, image.Title
	instead = link
	if withinLink(image) {
		instead = ast.NewEmphasis(1)
	}
	for c := image.FirstChild(); c != nil; c = image.FirstChild() {
		instead.AppendChild(instead, c)
	}
	if !instead.HasChildren() {
		instead.AppendChild(instead, ast.NewString(image.Destination))
	}
	image.Parent().ReplaceChild(image.Parent(), image, instead)
}

// withinLink reports whether a node is part of a link's text.
func withinLink(n ast.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

// plainText returns the text of a node without its markup.
func plainText(n ast.Node, src []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(util.UnescapePunctuations(c.Segment.Value(src)))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		default:
			b.WriteString(plainText(c, src))
		}
	}
	return b.String()
}

func (h Heading) write(w *writer) { w.markdown("## " + escape(h.Text)) }

func (t Text) write(w *writer) {
	w.htmlTag(`<div class="text">`)
	w.markdown(t.Markdown)
	w.htmlTag(`</div>`)
}

func (n Note) kind() string {
	if n.Warning {
		return "warning"
	}
	return "note"
}

func (n Note) write(w *writer) {
	source := escape(n.Text)
	if lines := n.shown(); len(lines) > 0 {
		source += "\n\n    " + strings.Join(lines, "\n    ")
	}
	if !w.html {
		w.markdown("> [!" + strings.ToUpper(n.kind()) + "]\n>\n> " + strings.ReplaceAll(source, "\n", "\n> "))
		return
	}
	w.tag(`<aside class="note %s"><p class="kind">%[1]s</p>`, n.kind())
	w.markdown(source)
	w.tag(`</aside>`)
}

// shown returns the first lines.
func (n Note) shown() []string {
	const most = 20
	if len(n.Lines) == 0 {
		return nil
	}
	lines := strings.Split(strings.Join(n.Lines, "\n"), "\n")
	if more := len(lines) - most; more > 0 {
		return append(lines[:most:most], fmt.Sprintf("and %d more", more))
	}
	return lines
}

func (w *writer) caption(what string, n int, caption string, files []string) {
	w.htmlTag(`<figcaption>`)
	w.markdown(fmt.Sprintf("**%s %d.** %s%s", what, n, escape(caption), links(files)))
	w.htmlTag(`</figcaption>`)
}

func (t Table) write(w *writer) {
	if t.Caption != "" {
		w.tables++
		w.htmlTag(`<figure class="table" id="table_%s">`, fmt.Sprint(w.tables))
		w.caption("Table", w.tables, t.Caption, t.Files)
	} else {
		w.htmlTag(`<figure class="table">`)
	}
	if len(t.Columns) > 0 {
		w.cells(t)
	}
	if t.Legend != "" {
		w.htmlTag(`<div class="legend">`)
		w.markdown(escape(t.Legend))
		w.htmlTag(`</div>`)
	}
	w.htmlTag(`</figure>`)
}

// cells writes the cells of a table, without links to trials that are not on the page.
func (w *writer) cells(t Table) {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head, rule := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i], rule[i] = escape(c.head()), "---"
		if w.html { // the path of a key may be broken after a dot
			head[i] = strings.ReplaceAll(head[i], ".", ".\u200b")
		}
		if c.Numeric {
			rule[i] = "--:"
		}
	}
	line(head)
	line(rule)
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
		for i, c := range row {
			if _, ok := w.placed[c.Link]; !ok {
				c.Link = ""
			}
			cells[i] = c.markdown()
		}
		line(cells)
	}
	if !w.html {
		w.markdown(b.String())
		return
	}
	class := "scroll"
	if len(t.Rows) > longTable {
		class += " long"
	}
	w.tag(`<div class="%s">`, class)
	w.render(b.String(), &t)
	w.tag(`</div>`)
}

func (f Figure) write(w *writer) {
	w.figures++
	w.htmlTag(`<figure class="picture" id="figure_%s">`, fmt.Sprint(w.figures))
	switch {
	case !w.html && len(f.Files) > 0:
		w.markdown(fmt.Sprintf("![%s](<%s>)", escape(f.Alt), (&url.URL{Path: f.Files[0]}).String()))
	case !w.html:
	case w.folded && len(f.Files) > 0 && len(f.SVG) > w.room:
		w.tag(`<p class="none">This picture is in its files only: the page has no room for more pictures of single trials.</p>`)
	default:
		w.Write(f.SVG)
	}
	if w.folded {
		w.room -= len(f.SVG)
	}
	w.caption("Figure", w.figures, f.Caption, f.Files)
	w.htmlTag(`</figure>`)
}

func (f Fold) write(w *writer) {
	w.tag(`<details><summary>%s</summary><div class="content">`, f.Title)
	w.within(f.Blocks)
	w.tag(`</div></details>`)
}

func (s SideBySide) write(w *writer) {
	class, open := "trials", " open"
	if len(s) > shownTrials {
		class, open = "folds", ""
	}
	if len(s) > listedTrials {
		w.tag(`<details class="all"><summary>Each of %s trials</summary>`, fmt.Sprint(len(s)))
	}
	w.tag(`<div class="%s">`, class)
	for _, t := range s {
		id := anchor(t.Number)
		attribute := ` id="` + id + `"`
		if w.placed[id] {
			attribute = ""
		}
		w.placed[id] = true
		folded := w.folded
		w.folded = folded || open == ""
		// The id is within the fold, because the script opens the fold of a link's target.
		w.tag(`<details class="trial"`+open+`><summary>%s</summary><div class="content"`+attribute+`>`, t.Label)
		w.within(t.Blocks)
		w.tag(`</div></details>`)
		w.folded = folded
	}
	w.tag(`</div>`)
	if len(s) > listedTrials {
		w.tag(`</details>`)
	}
}

var (
	//go:embed page.tmpl
	pageTemplate string
	//go:embed style.css
	styleSheet string
	//go:embed script.js
	script string
	//go:embed figure.js
	figureScript string
	//go:embed replay/colors.css
	colorSheet string
	//go:embed replay/board.css
	boardStyle string

	pageShell = template.Must(template.New("page").Parse(pageTemplate))
)

// pageScript is a script of a page.
type pageScript struct {
	Module bool
	Text   template.JS
}

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
	view := struct {
		*Page
		Style    template.CSS
		Scripts  []pageScript
		Pieces   template.HTML
		Policy   string
		Sections []section
		Body     template.HTML
	}{
		Page:    p,
		Style:   template.CSS(colorSheet + styleSheet),
		Scripts: []pageScript{{Text: template.JS(script)}},
		Body:    template.HTML(w.String()),
	}
	if strings.Contains(w.String(), " data-value=") {
		view.Scripts = append(view.Scripts, pageScript{true, template.JS(figureScript)})
	}
	if w.replays {
		view.Style += template.CSS(boardStyle)
		view.Scripts = append(view.Scripts, pageScript{true, template.JS(replayScript())})
		view.Pieces = template.HTML(plots.PieceSymbols())
	}
	var hashes []string
	for _, s := range view.Scripts {
		hash := sha256.Sum256([]byte(s.Text))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'")
	}
	view.Policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src " + strings.Join(hashes, " ") + "; base-uri 'none'; form-action 'none'"
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
