package diff

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"alamos/pkg/report"
)

const (
	// longValue is the number of characters from which a value gets its own line.
	longValue = 36
	// mostShown is the maximum number of characters of a value on a line. Pages and JSON
	// have the whole value.
	mostShown = 72
)

// Text writes the report for a terminal, optionally with colors: the two sides; the
// settings that differ, by section, each with both values and their origins; the results of
// each group of trials; notes. Long values and entries of lists have their own lines, which
// begin with - and +.
func (r *Report) Text(w io.Writer, color bool) error {
	return report.WriteText(w, color, r.textBlocks(color)...)
}

func (r *Report) textBlocks(color bool) []report.Block {
	blocks := []report.Block{report.Table{Columns: make([]report.Column, 2), Rows: [][]report.Cell{
		{{Text: "a", Class: report.Before}, {Text: r.A.describe()}},
		{{Text: "b", Class: report.After}, {Text: r.B.describe()}},
	}}}
	if len(r.Sections) == 0 {
		blocks = append(blocks, report.Text{Markdown: "no setting differs"})
	}
	for _, s := range r.Sections {
		indent := ""
		if s.Name != "" {
			blocks = append(blocks, report.Heading{Text: s.Name})
			indent = "  "
		}
		blocks = append(blocks, report.Text{Markdown: s.text(color, indent)})
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		blocks = append(append(blocks, g.blocks("a", "b")...), notes(g.Notes)...)
	}
	return append(blocks, notes(r.allNotes())...)
}

// text formats the settings of a section, one per line if they fit.
func (s Section) text(color bool, indent string) string {
	var b strings.Builder
	var lines [][]report.Cell
	flush := func(indent string) {
		b.WriteString(report.Align(nil, lines, color, indent))
		lines = nil
	}
	for _, x := range s.Settings {
		key := strings.TrimPrefix(x.Key, s.Name+".")
		textA, textB := shown(x.A), shown(x.B)
		if !x.itemized() && utf8.RuneCountInString(textA) <= longValue && utf8.RuneCountInString(textB) <= longValue {
			lines = append(lines, []report.Cell{
				{Text: key}, {Text: textA, Class: report.Before}, {Text: "→"}, {Text: textB, Class: report.After},
				{Text: from(x.A, x.B), Class: report.Faint},
			})
			continue
		}
		flush(indent)
		b.WriteString(indent + key + "\n")
		lines = x.long()
		flush(indent + "  ")
	}
	flush(indent)
	return b.String()
}

// long shows a setting on one line per side, or on the lines of its entries.
func (s *Setting) long() (lines [][]report.Cell) {
	side := func(sign string, class report.Class, index, text string, v *Value) {
		if v == nil {
			return
		}
		line := []report.Cell{{Text: sign, Class: class}, {Text: text, Class: class}, {Text: v.origin(), Class: report.Faint}}
		if index != "" {
			line = append([]report.Cell{{Text: index}}, line...)
		}
		lines = append(lines, line)
	}
	if !s.itemized() {
		a, b := excerpts(s.A.String(), s.B.String())
		side("-", report.Before, "", a, s.A)
		side("+", report.After, "", b, s.B)
		return lines
	}
	for _, i := range s.Items {
		a, b := excerpts(i.A.String(), i.B.String())
		if i.moved() {
			side("↕", "", i.index(), b, i.B)
			continue
		}
		side("-", report.Before, fmt.Sprintf("[%d]", i.IndexA), a, i.A)
		side("+", report.After, fmt.Sprintf("[%d]", i.IndexB), b, i.B)
	}
	return lines
}

// excerpts shortens two long values so that the difference stays visible.
func excerpts(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	start := 0
	if max(len(x), len(y)) > mostShown && same < max(len(x), len(y)) {
		start = max(0, same-mostShown/3)
	}
	return excerpt(x, start), excerpt(y, start)
}

// excerpt returns the part of s from start that fits, with dots for the rest.
func excerpt(s []rune, start int) string {
	before, after := "", ""
	if start > 0 && len(s) > 0 {
		s, before = s[min(start, len(s)):], "…"
	}
	if len(s) > mostShown {
		s, after = s[:mostShown], "…"
	}
	return before + string(s) + after
}
