package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Overview is the table of a sweep: a row a trial, with what was varied and
// what came of it. In each metric that has a better end the best trial is
// marked, and with "~" those that are not told apart from it.
type Overview struct {
	Caption  string   // plain text, set after "Table 1."
	Settings []string // keys of the settings that the sweep varies
	Metrics  []Metric
	Rows     []OverviewRow
	Files    []string // the same data as files, see Figure.Files
}

// Metric is the head of a column of measures.
type Metric struct {
	Name, Unit string
	Better     Better
}

// OverviewRow is a trial. A row leads to the first [Trial] of the page whose
// label is the row's.
type OverviewRow struct {
	Trial    string    // label of the trial
	Name     string    // shown in its place; empty: the label
	Settings []string  // len(Overview.Settings)
	Values   []Measure // len(Overview.Metrics)
}

// mark is what a value is among those of its column.
type mark int

const (
	plainValue mark = iota
	bestValue       // better than all others
	amongBest       // not told apart from the best
)

func (m mark) sign() string { return [...]string{"", "★", "~"}[m] }

func (m mark) title() string {
	return [...]string{"", "best", "not told apart from the best"}[m]
}

// check tests that rows fit the heads.
func (o Overview) check() error {
	for i, row := range o.Rows {
		if len(row.Settings) != len(o.Settings) || len(row.Values) != len(o.Metrics) {
			return fmt.Errorf("notebook: overview %q: row %d has %d settings and %d values for %d and %d columns: %w",
				o.Caption, i+1, len(row.Settings), len(row.Values), len(o.Settings), len(o.Metrics), ErrShape)
		}
	}
	return nil
}

// marks finds the best values of a metric. A value is told apart from the best
// where the interval of their difference leaves 0 out, see [Measure.Minus];
// the table makes no correction for the number of trials. A value without
// interval is taken as exact.
func (o Overview) marks(metric int) []mark {
	out := make([]mark, len(o.Rows))
	better := o.Metrics[metric].Better
	if better == Neither {
		return out
	}
	best, measured := -1, 0
	value := func(row int) Measure { return o.Rows[row].Values[metric] }
	for i := range o.Rows {
		if value(i).Missing() {
			continue
		}
		measured++
		if best < 0 || better.gain(value(i).Value-value(best).Value) > 0 {
			best = i
		}
	}
	if measured < 2 {
		return out
	}
	alone := true
	for i := range o.Rows {
		if i == best || value(i).Missing() {
			continue
		}
		if value(i).Value == value(best).Value || value(best).minus(value(i)).Noise() {
			out[i], alone = amongBest, false
		}
	}
	out[best] = amongBest
	if alone {
		out[best] = bestValue
	}
	return out
}

// overviewCell is a value as it is shown.
type overviewCell struct {
	sortable
	Sign, Title string
	Best        bool
}

type overviewLine struct {
	Name, Link string
	Settings   []sortable
	Values     []overviewCell
}

// digits is the number of digits after the point that all bare values of a
// metric share, so that their points stand below one another; -1 if they are
// of too different sizes for that.
func (o Overview) digits(metric int) int {
	digits, most := 0, 0
	for _, row := range o.Rows {
		v := row.Values[metric]
		if !v.bare() {
			continue
		}
		s := fourDigits(v.Value)
		if strings.ContainsAny(s, "e∞") {
			return -1
		}
		whole, rest, _ := strings.Cut(s, ".")
		digits, most = max(digits, len(rest)), max(most, len(whole))
	}
	if digits > 0 && digits+most > 8 {
		return -1
	}
	return digits
}

// bare reports whether a measure is a number alone.
func (m Measure) bare() bool { return m.Text == "" && !m.Missing() && !m.Known() }

// column returns the values of a setting.
func (o Overview) column(setting int) []string {
	texts := make([]string, len(o.Rows))
	for i, row := range o.Rows {
		texts[i] = row.Settings[setting]
	}
	return texts
}

// lines are the rows as they are shown; signs says which marks occur.
func (o Overview) lines() (lines []overviewLine, signs [3]bool) {
	lines = make([]overviewLine, len(o.Rows))
	columns := make([][]sortable, len(o.Settings))
	for c := range o.Settings {
		columns[c], _ = sortKeys(o.column(c))
	}
	for i, row := range o.Rows {
		lines[i].Name = row.Name
		if row.Name == "" {
			lines[i].Name = row.Trial
		}
		for c := range columns {
			lines[i].Settings = append(lines[i].Settings, columns[c][i])
		}
	}
	for m := range o.Metrics {
		digits := o.digits(m)
		for i, mark := range o.marks(m) {
			v := o.Rows[i].Values[m]
			if digits >= 0 && v.bare() {
				v.Text = notebookFixed(v.Value, digits)
			}
			signs[mark] = true
			cell := overviewCell{sortable{Text: v.String(), Keyed: true}, mark.sign(), mark.title(), mark == bestValue}
			if !v.Missing() {
				cell.Key = jsNumber(v.Value)
			}
			lines[i].Values = append(lines[i].Values, cell)
		}
	}
	return lines, signs
}

// jsNumber writes a number as the page's script reads it.
func jsNumber(x float64) string {
	if math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'f', 0, 64)[:1] + "Infinity"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func (o Overview) renderHTML(w *htmlWriter) error {
	if err := o.check(); err != nil {
		return err
	}
	files, err := links(o.Files)
	if err != nil {
		return fmt.Errorf("notebook: overview %q: %w", o.Caption, err)
	}
	w.tables++
	lines, signs := o.lines()
	for i, row := range o.Rows {
		if id, ok := w.anchors.ids[row.Trial]; ok {
			lines[i].Link = "#" + id
		}
	}
	keys := make([]overviewKey, len(o.Settings))
	for i, name := range o.Settings {
		_, numbers := sortKeys(o.column(i))
		keys[i] = overviewKey{name, numbers}
	}
	metrics := make([]overviewMetric, len(o.Metrics))
	for i, m := range o.Metrics {
		metrics[i] = overviewMetric{m, m.Better == Higher}
	}
	return w.execute("overview", struct {
		Overview
		Number  int
		Keys    []overviewKey
		Metrics []overviewMetric
		Lines   []overviewLine
		Links   []link
		Legend  string
		Long    bool
	}{o, w.tables, keys, metrics, lines, files, legend(signs[bestValue], signs[amongBest]), len(o.Rows) > longTable})
}

// overviewKey is the head of a column of settings.
type overviewKey struct {
	Name    string
	Numbers bool // sorted as such
}

// overviewMetric is the head of a column of measures.
type overviewMetric struct {
	Metric
	Falling bool // the first press sorts from the highest down
}

func (o Overview) renderMarkdown(w *markdownWriter) error {
	if err := o.check(); err != nil {
		return err
	}
	files, err := links(o.Files)
	if err != nil {
		return fmt.Errorf("notebook: overview %q: %w", o.Caption, err)
	}
	w.tables++
	w.paragraph(fmt.Sprintf("**Table %d.** %s%s", w.tables, escape(o.Caption), markdownLinks(files)))
	head, numeric := []string{"trial"}, []bool{false}
	for i, s := range o.Settings {
		_, numbers := sortKeys(o.column(i))
		head, numeric = append(head, escape(s)), append(numeric, numbers)
	}
	for _, m := range o.Metrics {
		name := escape(m.Name)
		if m.Unit != "" {
			name += " (" + escape(m.Unit) + ")"
		}
		head, numeric = append(head, name), append(numeric, true)
	}
	lines, signs := o.lines()
	var rows [][]string
	for i, l := range lines {
		row := []string{escape(l.Name)}
		if id, ok := w.anchors.ids[o.Rows[i].Trial]; ok {
			row[0] = "[" + row[0] + "](#" + template.HTMLEscapeString(id) + ")"
		}
		for _, s := range l.Settings {
			row = append(row, escape(s.Text))
		}
		for _, v := range l.Values {
			text := escape(v.Text)
			if v.Best {
				text = "**" + text + "**"
			}
			if v.Sign != "" {
				text += " " + escape(v.Sign)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	w.grid(head, numeric, rows)
	if legend := legend(signs[bestValue], signs[amongBest]); legend != "" {
		w.paragraph(escape(legend))
	}
	return nil
}

// legend explains the marks.
func legend(best, tied bool) string {
	const (
		star  = "★ best of its column; where no intervals are given, noise is not known."
		tilde = "~ not told apart from the best of its column: the 95 % interval of the difference holds 0."
	)
	switch {
	case best && tied:
		return tilde + " " + star
	case best:
		return star
	case tied:
		return tilde
	}
	return ""
}
