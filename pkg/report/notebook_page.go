package report

import (
	"errors"
	"fmt"
)

// What can be wrong with a page. Errors of this package wrap one of these.
var (
	// ErrShape: a table's row has more or fewer cells than there are columns,
	// or cells are nested too deeply.
	ErrShape = errors.New("cells do not fit together")
	// ErrPicture: a figure's SVG cannot be read, or has more than a drawing in
	// it.
	ErrPicture = errors.New("not a plain drawing")
	// ErrLink: a link leaves the page's folder in a way that is not safe.
	ErrLink = errors.New("not a link to a file")
)

// Page is a notebook.
type Page struct {
	Title    string // plain text
	Subtitle string // plain text, may be empty
	About    string // Markdown: the opening, may be empty
	Cells    []Cell
	Wide     bool // gives columns side by side more room than text needs
}

// A Cell is a part of a page: [Heading], [Text], [Note], [Table], [Figure],
// [SideBySide], [Fold], [Settings], [Provenance], [Overview] of a sweep, or
// [Diff], [Comparison] and [Pair] of two experiments.
type Cell interface {
	// renderHTML and renderMarkdown write the cell; they keep the set of cells
	// closed, so that every cell escapes what it shows.
	renderHTML(w *htmlWriter) error
	renderMarkdown(w *markdownWriter) error
}

// Heading opens a section. Markdown headings in a [Text] do the same; a Heading
// is for names that are not to be read as Markdown.
type Heading struct {
	Level int    // 2 to 4; 0 means 2
	Text  string // plain text
}

// Text is Markdown, with tables and strikethrough. Headings in it become
// sections of the page; HTML in it is shown as it is written.
type Text struct{ Markdown string }

// Table is rows of cells. All are plain text, written by the caller with the
// digits that are meant.
type Table struct {
	Caption string // plain text, set after "Table 1."
	Columns []Column
	Rows    [][]string // every row has len(Columns) cells
	Files   []string   // the same data as files, see Figure.Files
}

// Column is the head of a column.
type Column struct {
	Name string
	Unit string // may be empty
	// Numeric columns are set flush right in digits of equal width, and
	// sorted by number.
	Numeric bool
	// Setting marks a column of settings: where its values differ between
	// rows it is tinted, where they are all alike it is dimmed, so that a
	// table of many trials shows what was varied.
	Setting bool
}

// Figure is a picture.
type Figure struct {
	Caption string // plain text, set after "Figure 1."
	SVG     []byte // a drawing, with or without an XML prolog
	// Alt says what is shown to those who cannot see it; empty: the caption.
	Alt string
	// Files are links to the picture as a file, relative to the page, with
	// forward slashes. Each is shown by its extension. In Markdown the first
	// is the picture itself.
	Files []string
}

// Settings is a resolved experiment, folded unless Open.
type Settings struct {
	Title string // plain text; empty: "Settings"
	Items []Setting
	Open  bool
}

// Setting is one resolved value.
type Setting struct {
	Key    string // dotted: "network.depth"; grouped by what stands before the last dot
	Value  string
	Origin string // the file and line that set it; empty: a default, shown dimmed
}

// Provenance says where results come from: hashes, versions, machine, times.
// It is folded unless Open.
type Provenance struct {
	Title string // plain text; empty: "Provenance"
	Facts []Fact
	Open  bool
}

// Fact is one line of a [Provenance].
type Fact struct {
	Name, Value string
	Code        bool // set in a fixed width: hashes, commands
}

// Note stands out from the text.
type Note struct {
	Kind     NoteKind
	Markdown string
}

// NoteKind is how much a note matters.
type NoteKind int

const (
	Info    NoteKind = iota // good to know
	Warning                 // read this before you trust the results
)

func (k NoteKind) String() string {
	if k == Warning {
		return "Warning"
	}
	return "Note"
}

// check tests that a table's rows fit its columns.
func (t Table) check() error {
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("notebook: table %q: row %d has %d cells for %d columns: %w",
				t.Caption, i+1, len(row), len(t.Columns), ErrShape)
		}
	}
	return nil
}

// column returns the cells of a column.
func (t Table) column(i int) []string {
	cells := make([]string, len(t.Rows))
	for r, row := range t.Rows {
		cells[r] = row[i]
	}
	return cells
}

// varies reports whether a column's cells differ.
func (t Table) varies(column int) bool {
	for _, row := range t.Rows {
		if row[column] != t.Rows[0][column] {
			return true
		}
	}
	return false
}
