package diff

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// What the text looks like: what a and b are; the settings that differ, by
// section, each with its value on both sides and where it was set, long values and
// entries of lists on lines of their own that begin with - and +; the results of
// each group of trials, a line a metric; notes.

// longValue is the number of characters from which a value has its own line.
const longValue = 36

// line is a line of aligned columns. Colors do not count for the width.
type line []cell

type cell struct {
	text  string
	color string
	right bool // flush right
}

const (
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	reset = "\x1b[0m"
)

// Text writes the report for a terminal, with colors if asked for.
func (r *Report) Text(w io.Writer, color bool) error {
	t := &textWriter{color: color}
	t.table([]line{{{text: "a", color: red}, {text: r.A.describe()}}, {{text: "b", color: green}, {text: r.B.describe()}}}, "")
	t.blank()
	t.settings(r.Sections)
	for i := range r.Groups {
		t.blank()
		t.group(&r.Groups[i])
	}
	if notes := r.allNotes(); len(notes) > 0 {
		t.blank()
		t.notes(notes)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

type textWriter struct {
	b     strings.Builder
	color bool
}

func (t *textWriter) blank() { t.b.WriteByte('\n') }

func (t *textWriter) paint(s, color string) string {
	if !t.color || color == "" || s == "" {
		return s
	}
	return color + s + reset
}

// table writes lines with their columns aligned.
func (t *textWriter) table(lines []line, indent string) {
	var widths []int
	for _, l := range lines {
		for i, c := range l[:max(0, len(l)-1)] { // the last column may be as long as it likes
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	for _, l := range lines {
		text := indent
		for i, c := range l {
			pad := ""
			if i < len(widths) {
				pad = strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(c.text)))
			}
			switch {
			case c.right:
				text += pad + t.paint(c.text, c.color)
			case i < len(l)-1:
				text += t.paint(c.text, c.color) + pad
			default:
				text += t.paint(c.text, c.color)
			}
			if i < len(l)-1 {
				text += "  "
			}
		}
		t.b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
}

func (t *textWriter) settings(sections []Section) {
	if len(sections) == 0 {
		t.b.WriteString("no setting differs\n")
	}
	for i, s := range sections {
		if i > 0 {
			t.blank()
		}
		indent := ""
		if s.Name != "" {
			t.b.WriteString(t.paint(s.Name, bold) + "\n")
			indent = "  "
		}
		var lines []line
		flush := func() {
			t.table(lines, indent)
			lines = nil
		}
		for _, x := range s.Settings {
			key := strings.TrimPrefix(x.Key, s.Name+".")
			if l, ok := short(key, &x); ok {
				lines = append(lines, l)
				continue
			}
			flush()
			t.b.WriteString(indent + key + "\n")
			t.table(long(&x), indent+"  ")
		}
		flush()
	}
}

// short shows a setting on one line, if it fits.
func short(key string, x *Setting) (line, bool) {
	a, b := shown(x.A), shown(x.B)
	if x.itemized() || utf8.RuneCountInString(a) > longValue || utf8.RuneCountInString(b) > longValue {
		return nil, false
	}
	return line{
		{text: key}, {text: a, color: red}, {text: "→"}, {text: b, color: green},
		{text: from(x.A, x.B), color: faint},
	}, true
}

func shown(v *Value) string {
	if v == nil {
		return "–"
	}
	return v.String()
}

// from says where two values were set.
func from(a, b *Value) string {
	switch {
	case a == nil:
		return b.origin()
	case b == nil, a.Origin == b.Origin:
		return a.origin()
	}
	return a.origin() + " → " + b.origin()
}

// long shows a setting on a line a side, or on the lines of its entries.
func long(x *Setting) (lines []line) {
	side := func(sign, color, index, text string, v *Value) {
		if v == nil {
			return
		}
		l := line{{text: sign, color: color}, {text: text, color: color}, {text: v.origin(), color: faint}}
		if index != "" {
			l = append(line{{text: index}}, l...)
		}
		lines = append(lines, l)
	}
	if !x.itemized() {
		a, b := excerpts(x.A.String(), x.B.String())
		side("-", red, "", a, x.A)
		side("+", green, "", b, x.B)
		return lines
	}
	for _, i := range x.Items {
		a, b := excerpts(i.A.String(), i.B.String())
		if i.moved() {
			side("↕", "", i.index(), b, i.B)
			continue
		}
		side("-", red, fmt.Sprintf("[%d]", i.IndexA), a, i.A)
		side("+", green, fmt.Sprintf("[%d]", i.IndexB), b, i.B)
	}
	return lines
}

// mostShown is the number of characters of a value that are shown; pages and JSON
// have them all.
const mostShown = 72

// excerpts shortens two long values so that what differs is seen.
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

// excerpt shows what fits from a place on, and what was left out by dots.
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

func (t *textWriter) group(g *Group) {
	title := "results"
	if s := g.Title(); s != "" {
		title += ", " + s
	}
	t.b.WriteString(t.paint(title, bold) + "\n")
	if len(g.Metrics) > 0 {
		lines := []line{{{}, {text: "a", right: true}, {text: "b", right: true}, {text: "difference", right: true}, {}}}
		for i := range g.Metrics {
			lines = append(lines, metricLine(&g.Metrics[i]))
		}
		t.table(lines, "  ")
	}
	t.notes(g.Notes)
}

// metricLine shows a metric: "~" takes the place of a difference within noise.
func metricLine(m *Metric) line {
	name := m.Name
	if m.Unit != "" {
		name += " (" + m.Unit + ")"
	}
	difference := m.Difference.measure().String()
	if d := m.Difference.Value; d != nil && *d > 0 {
		difference = "+" + difference
	}
	color := ""
	verdict := m.Verdict
	switch verdict {
	case "~", "=":
		difference, verdict = verdict, ""
	case "better":
		color = green
	case "worse":
		color = red
	}
	if how := m.how(); how != "" {
		verdict = strings.TrimSpace(verdict + " (" + how + ")")
	}
	return line{
		{text: name}, {text: m.A.measure().String(), right: true}, {text: m.B.measure().String(), right: true},
		{text: difference, color: color, right: true}, {text: verdict},
	}
}

func (t *textWriter) notes(notes []string) {
	for _, n := range notes {
		fmt.Fprintf(&t.b, "note: %s\n", n)
	}
}
