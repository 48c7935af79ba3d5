package report

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"alamos/plots"
)

// Page is a document of text, tables and figures. Its forms are Markdown, one file of HTML,
// and text for a terminal.
type Page struct {
	Title    string // plain text, like all fields except Markdown
	Subtitle string
	About    string // Markdown, at the top of the page
	Blocks   []Block
	Wide     bool // widens the page for columns side by side
}

// Block is a part of a page: [Heading], [Text], [Note], [Table], [Figure], [Fold] or
// [SideBySide].
type Block interface {
	// write writes the block as Markdown, or as the HTML of this Markdown.
	write(w *writer)
	// text writes the block for a terminal.
	text(w *textWriter)
}

// Heading opens a section.
type Heading struct{ Text string }

// Text is Markdown in GitHub's dialect. HTML in it is shown as text.
type Text struct{ Markdown string }

// Note is highlighted text.
type Note struct {
	Warning bool // affects the trust in the results
	Text    string
	Lines   []string // shown verbatim below the text
}

// Table is rows of cells.
type Table struct {
	Caption string // set after "Table 1."; a table without a caption has no number
	Columns []Column
	Rows    [][]Cell // as wide as Columns, or shorter
	Legend  string   // explains marks
	Files   []string // the same data as files, with paths relative to the page
}

// Column is the head of a column.
type Column struct {
	Name, Unit string
	Numeric    bool // set flush right
	Descending bool // the first click on its head sorts in descending order
}

// Cell is one entry of a table.
type Cell struct {
	Text  string
	Mark  string // beside the text: ★ or ~
	Class Class
	Link  string // an anchor of the page
}

// Class is the meaning of a cell, which determines its colors. In HTML it is the CSS class.
type Class string

const (
	Best    Class = "best"    // the best of its column
	Good    Class = "good"    // an improvement
	Bad     Class = "bad"     // a deterioration
	Faint   Class = "faint"   // secondary: a default, an origin
	Before  Class = "before"  // a value of the first side
	After   Class = "after"   // a value of the second side
	Code    Class = "code"    // a hash
	Strong  Class = "strong"  // a heading within text for a terminal
	Neutral Class = "neutral" // a difference within noise
)

// Figure is a picture.
type Figure struct {
	Caption string // set after "Figure 1."
	SVG     []byte // an svg element of package plots, embedded unchanged
	Alt     string // alternative text for readers who cannot see the picture
	// Files are the files of the picture, with paths relative to the page. Markdown shows
	// the first one.
	Files []string
}

// NewFigure returns a picture of package plots as a block without files.
func NewFigure(caption string, f *plots.Figure) (Figure, error) {
	svg, err := f.InlineSVG()
	return Figure{Caption: caption, SVG: svg, Alt: f.Description()}, err
}

// Fold hides blocks until the reader opens it.
type Fold struct {
	Title  string
	Blocks []Block
}

// SideBySide sets the blocks of several trials beside one another. Many trials are folded.
type SideBySide []Trial

// Trial is one column of a [SideBySide].
type Trial struct {
	Number int // in the experiment; a [Cell] may link to its [anchor]
	Label  string
	Blocks []Block
}

// anchor returns the id of the first place on a page that shows a trial.
func anchor(number int) string { return fmt.Sprintf("trial_%d", number) }

// number returns the head of a column of numbers.
func number(name, unit string) Column { return Column{Name: name, Unit: unit, Numeric: true} }

// Row returns a row of plain cells with values as text.
func Row(values ...any) []Cell {
	cells := make([]Cell, len(values))
	for i, v := range values {
		cells[i].Text = fmt.Sprint(v)
	}
	return cells
}

// column adds a column with a cell for each row.
func (t *Table) column(c Column, cell func(row int) Cell) {
	t.Columns = append(t.Columns, c)
	for i := range t.Rows {
		t.Rows[i] = append(t.Rows[i], cell(i))
	}
}

// head returns the name of a column with its unit.
func (c Column) head() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + " (" + c.Unit + ")"
}

func (c Cell) markdown() string {
	s := escape(c.Text)
	switch {
	case s == "":
	case c.Class == Best:
		s = "**" + s + "**"
	case c.Link != "":
		s = "[" + s + "](#" + c.Link + ")"
	}
	if c.Mark != "" {
		s += " *" + escape(c.Mark) + "*"
	}
	return s
}

var markup = regexp.MustCompile("[\\\\`*_\\[\\]<>#|~&$!]")

// escape escapes a line of text so that Markdown shows it verbatim. The line must not start
// a block, because digits and dashes could open a list there.
func escape(s string) string {
	return markup.ReplaceAllString(strings.Join(strings.Fields(s), " "), `\$0`)
}

// links returns the links to files that follow a caption: "([svg](<a.svg>))".
func links(files []string) string {
	if len(files) == 0 {
		return ""
	}
	var parts []string
	for _, file := range files {
		name := strings.TrimPrefix(path.Ext(file), ".")
		parts = append(parts, fmt.Sprintf("[%s](<%s>)", escape(name), (&url.URL{Path: file}).String()))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
