package report

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textWriter writes blocks for a terminal.
type textWriter struct {
	strings.Builder
	color bool
}

// WriteText writes blocks for a terminal, with a blank line between them.
func WriteText(out io.Writer, color bool, blocks ...Block) error {
	w := &textWriter{color: color}
	w.blocks(blocks)
	_, err := io.WriteString(out, w.String())
	return err
}

func (w *textWriter) blocks(blocks []Block) {
	var before Block
	for _, b := range blocks {
		_, note := b.(Note)
		_, afterHeading := before.(Heading)
		_, afterNote := before.(Note)
		if w.Len() > 0 && !afterHeading && !(note && afterNote) {
			w.WriteByte('\n')
		}
		b.text(w)
		before = b
	}
}

// titled writes blocks directly below a line.
func (w *textWriter) titled(title string, blocks []Block) {
	w.WriteString(paint(title, Strong, w.color) + "\n")
	for _, b := range blocks {
		b.text(w)
	}
}

func (h Heading) text(w *textWriter) { w.titled(h.Text, nil) }
func (t Text) text(w *textWriter)    { w.WriteString(strings.Trim(t.Markdown, "\n") + "\n") }
func (f Fold) text(w *textWriter)    { w.titled(f.Title, f.Blocks) }

func (n Note) text(w *textWriter) {
	w.WriteString(n.kind() + ": " + n.Text + "\n")
	for _, line := range n.shown() {
		w.WriteString("  " + line + "\n")
	}
}

func (f Figure) text(w *textWriter) {
	w.WriteString(f.Caption + " " + strings.Join(f.Files, " ") + "\n")
}

func (s SideBySide) text(w *textWriter) {
	for _, t := range s {
		w.titled(t.Label, t.Blocks)
	}
}

func (t Table) text(w *textWriter) {
	if t.Caption != "" {
		w.WriteString(t.Caption + "\n")
	}
	rows := t.Rows
	if slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name != "" }) {
		var head []Cell
		for _, c := range t.Columns {
			head = append(head, Cell{Text: c.head()})
		}
		rows = append([][]Cell{head}, rows...)
	}
	w.WriteString(align(t.Columns, rows, w.color))
	if t.Legend != "" {
		w.WriteString(t.Legend + "\n")
	}
}

// align formats rows with aligned columns. Columns without heads are flush left. A row's
// last cell may have any length.
func align(heads []Column, rows [][]Cell, color bool) string {
	numeric := func(column int) bool { return column < len(heads) && heads[column].Numeric }
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 || numeric(i) {
				widths[i] = max(widths[i], c.width())
			}
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, c := range row {
			pad := strings.Repeat(" ", max(0, widths[i]-c.width()))
			text := paint(Visible(strings.TrimSpace(c.Text+" "+c.Mark)), c.Class, color)
			if numeric(i) {
				text = pad + text
			} else {
				text += pad
			}
			line += text + "  "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// Visible replaces control characters, other than line breaks and tabs, which could change
// what a terminal shows. Names and the output of scripts may have some.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Bidi_Control) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// width returns the number of characters of a cell, without its colors.
func (c Cell) width() int {
	return utf8.RuneCountInString(strings.TrimSpace(c.Text + " " + c.Mark))
}

// escapes are the terminal escape sequences of classes.
var escapes = map[Class]string{
	Strong: "\x1b[1m", Best: "\x1b[1m", Faint: "\x1b[2m",
	Before: "\x1b[31m", Bad: "\x1b[31m", After: "\x1b[32m", Good: "\x1b[32m",
}

func paint(s string, class Class, color bool) string {
	if !color || escapes[class] == "" || s == "" {
		return s
	}
	return escapes[class] + s + "\x1b[0m"
}
