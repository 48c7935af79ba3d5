package report

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Page is a document of text, tables and figures. It is written as Markdown, as one
// file of HTML, and as text for a terminal.
type Page struct {
	Title    string // plain text, as are all fields but Markdown
	Subtitle string
	About    string // Markdown: the opening
	Blocks   []Block
	Wide     bool // gives columns side by side more room than text needs
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

// Text is Markdown as GitHub reads it. On the page HTML in it is text like any other.
type Text struct{ Markdown string }

// Note stands out from the text.
type Note struct {
	Warning bool // to be read before the results are trusted
	Text    string
	Lines   []string // shown below the text as they are
}

// Table is rows of cells.
type Table struct {
	Caption string // set after "Table 1."; a table without one has no number
	Columns []Column
	Rows    [][]Cell // as wide as Columns, or shorter
	Legend  string   // explains marks
	Files   []string // the same data as files: paths relative to the page
}

// Column is the head of a column.
type Column struct {
	Name, Unit string
	Numeric    bool // set flush right
	Descending bool // the first press of its head sorts from the highest down
}

// Cell is one entry of a table.
type Cell struct {
	Text  string
	Mark  string // beside the text: ★ or ~
	Class Class
	Link  string // an anchor of the page
}

// Class is what a cell stands for, which decides its colors. In HTML it is the CSS
// class.
type Class string

const (
	Best    Class = "best"    // the best of its column
	Good    Class = "good"    // a difference for the better
	Bad     Class = "bad"     // a difference for the worse
	Faint   Class = "faint"   // of little interest: a default, an origin
	Before  Class = "before"  // a value of the first side
	After   Class = "after"   // a value of the second side
	Code    Class = "code"    // a hash
	Strong  Class = "strong"  // a heading within text for a terminal
	Neutral Class = "neutral" // a difference within noise
)

// Figure is a picture.
type Figure struct {
	Caption string // set after "Figure 1."
	SVG     []byte // an svg element of package plots, which goes into the page as it is
	Alt     string // what is shown, for those who cannot see it
	// Files are the picture as files: paths relative to the page. In Markdown the first
	// is the picture.
	Files []string
}

// Fold hides blocks until the reader opens it.
type Fold struct {
	Title  string
	Blocks []Block
}

// SideBySide sets the blocks of several trials beside one another. Many trials are
// folded.
type SideBySide []Trial

// Trial is one column of a [SideBySide].
type Trial struct {
	Number int // in the experiment; a [Cell] may link to its [anchor]
	Label  string
	Blocks []Block
}

// anchor is the id of the first place on a page where a trial is shown.
func anchor(number int) string { return fmt.Sprintf("trial-%d", number) }

// number is the head of a column of numbers.
func number(name, unit string) Column { return Column{Name: name, Unit: unit, Numeric: true} }

// Row is a row of plain cells.
func Row(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, s := range texts {
		cells[i].Text = s
	}
	return cells
}

// head is the name of a column with its unit.
func (c Column) head() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + " (" + c.Unit + ")"
}

// markdown writes the table without its caption.
func (t Table) markdown() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head, rule := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i], rule[i] = escape(c.head()), "---"
		if c.Numeric {
			rule[i] = "--:"
		}
	}
	line(head)
	line(rule)
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
		for i, c := range row {
			cells[i] = c.markdown()
		}
		line(cells)
	}
	return b.String()
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

// escape makes a line of text that Markdown shows as it is. It must not start a block,
// where digits and dashes could open a list.
func escape(s string) string {
	return markup.ReplaceAllString(strings.Join(strings.Fields(s), " "), `\$0`)
}

// links are the links to files that follow a caption: "([svg](<a.svg>))".
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

// slug keeps letters and digits and joins them by single hyphens.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, "-")
}
