package notebook

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
}

// A Cell is a part of a page: [Heading], [Text], [Table], [Figure],
// [SideBySide], [Settings], [Diff], [Provenance] or [Note].
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

// SideBySide sets the cells of several trials beside one another, as many as
// there is room for.
type SideBySide struct {
	Caption string // plain text, may be empty
	Trials  []Trial
}

// Trial is one column of a [SideBySide].
type Trial struct {
	Label string // plain text: what makes the trial differ
	Cells []Cell // any but SideBySide
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

// Diff is what an experiment changes in the one that it extends.
type Diff struct {
	Base, This string // names of the two
	Items      []Change
}

// Change is one setting that differs; an empty value is one that is not there.
type Change struct{ Key, Base, This string }

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

// varies reports whether a column's cells differ.
func (t Table) varies(column int) bool {
	for _, row := range t.Rows {
		if row[column] != t.Rows[0][column] {
			return true
		}
	}
	return false
}

// check refuses a side by side within another.
func (s SideBySide) check() error {
	for _, trial := range s.Trials {
		for _, cell := range trial.Cells {
			switch cell.(type) {
			case SideBySide, *SideBySide:
				return fmt.Errorf("notebook: side by side %q: trial %q has trials of its own: %w", s.Caption, trial.Label, ErrShape)
			case nil:
				return fmt.Errorf("notebook: side by side %q: trial %q has an empty cell: %w", s.Caption, trial.Label, ErrShape)
			}
		}
	}
	return nil
}
