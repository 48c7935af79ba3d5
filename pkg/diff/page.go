package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/disk"
	"alamos/pkg/report"
	"alamos/plots"
)

// JSON returns the report for programs. [Report] is its schema.
func (r *Report) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r)
	return b.Bytes(), err
}

// HTML returns the report as one self-contained page.
func (r *Report) HTML() ([]byte, error) {
	p, err := r.page(func(g *Group, _ int) ([]report.Block, error) { return g.figures(r.A.Name, r.B.Name, nil) })
	if err != nil {
		return nil, err
	}
	return p.HTML()
}

// Markdown returns the report for a pull request. Its figures are SVG files in folder with
// names that begin with stem. If stem is empty, it has no figures.
func (r *Report) Markdown(folder, stem string) ([]byte, error) {
	p, err := r.page(func(g *Group, i int) ([]report.Block, error) {
		if stem == "" {
			return nil, nil
		}
		return g.figures(r.A.Name, r.B.Name, func(name string, f *plots.Figure) ([]string, error) {
			svg, err := f.SVG()
			if err != nil {
				return nil, err
			}
			file := fmt.Sprintf("%s-%s.svg", stem, name)
			if len(r.Groups) > 1 {
				file = fmt.Sprintf("%s-%d-%s.svg", stem, i+1, name)
			}
			return []string{file}, disk.WriteBytes(filepath.Join(folder, file), svg)
		})
	})
	if err != nil {
		return nil, err
	}
	return p.Markdown(), nil
}

// page returns the report as a document, with the figures of each group.
func (r *Report) page(figures func(g *Group, i int) ([]report.Block, error)) (*report.Page, error) {
	p := &report.Page{Title: r.A.Name + " and " + r.B.Name, Subtitle: r.A.describe() + "; " + r.B.describe(), Wide: true}
	p.Blocks = []report.Block{report.Heading{Text: "Settings"}, r.changes()}
	for i := range r.Groups {
		g := &r.Groups[i]
		p.Blocks = append(p.Blocks, g.blocks(r.A.Name, r.B.Name)...)
		if len(g.Metrics) > 0 {
			blocks, err := figures(g, i)
			if err != nil {
				return nil, err
			}
			p.Blocks = append(p.Blocks, blocks...)
		}
		p.Blocks = append(p.Blocks, notes(g.Notes)...)
	}
	p.Blocks = append(p.Blocks, notes(r.allNotes())...)
	return p, nil
}

// describe returns a side with its trials.
func (h Head) describe() string {
	s := h.Name + ": " + english.Plural(h.Trials, "trial", "")
	switch {
	case h.Trials == 0:
		return h.Name + ": not there"
	case h.Results == 0:
		return s + ", no results"
	case h.Results < h.Trials:
		s += fmt.Sprintf(", %d with results", h.Results)
	}
	return s + " in " + h.Folder
}

// allNotes returns the notes of the report, and the trials without a counterpart.
func (r *Report) allNotes() []string {
	notes := r.Notes
	for _, side := range []struct {
		name   string
		labels []string
	}{{r.A.Name, r.OnlyA}, {r.B.Name, r.OnlyB}} {
		if len(side.labels) > 0 && r.A.Results > 0 && r.B.Results > 0 {
			var of []string
			for _, l := range side.labels {
				if l == "" {
					l = "its only trial"
				}
				of = append(of, l)
			}
			notes = append(notes[:len(notes):len(notes)], fmt.Sprintf("%s has trials without a counterpart on the other side: %s", side.name, strings.Join(of, "; ")))
		}
	}
	return notes
}

func notes(texts []string) (blocks []report.Block) {
	for _, text := range texts {
		blocks = append(blocks, report.Note{Text: text})
	}
	return blocks
}

// changes returns the settings that differ, with lists item by item.
func (r *Report) changes() report.Block {
	var rows [][]report.Cell
	add := func(key string, a, b *Value) {
		textA, textB := shown(a), shown(b)
		if a != nil && b != nil && textA == textB { // a moved item
			textA, textB = textA+", before", textB+", after"
		}
		rows = append(rows, []report.Cell{{Text: key}, {Text: textA, Class: report.Before}, {Text: textB, Class: report.After}, {Text: from(a, b), Class: report.Faint}})
	}
	for _, s := range r.Sections {
		for _, x := range s.Settings {
			if !x.itemized() {
				add(x.Key, x.A, x.B)
				continue
			}
			for _, i := range x.Items {
				add(x.Key+i.index(), i.A, i.B)
			}
		}
	}
	if len(rows) == 0 {
		return report.Text{Markdown: "No setting differs."}
	}
	return report.Changes(r.A.Name, r.B.Name, rows)
}

// itemized reports whether a setting is a list that is shown item by item.
func (s *Setting) itemized() bool { return len(s.Items) > 0 && !s.A.Swept }

// index formats the index of an item: "[2]", or "[2→0]" if it differs between the sides.
func (i Item) index() string {
	switch {
	case i.A == nil || i.IndexA == i.IndexB:
		return fmt.Sprintf("[%d]", i.IndexB)
	case i.B == nil:
		return fmt.Sprintf("[%d]", i.IndexA)
	}
	return fmt.Sprintf("[%d→%d]", i.IndexA, i.IndexB)
}

// String returns the text of a value, or "" for nil.
func (v *Value) String() string {
	switch {
	case v == nil:
		return ""
	case v.Swept:
		return "swept " + v.Text
	case v.Source != "":
		return v.Text + " (" + v.Source + ")"
	}
	return v.Text
}

// shown returns the text of a value, or a dash for nil.
func shown(v *Value) string {
	if v == nil {
		return "–"
	}
	return v.String()
}

func (v *Value) origin() string {
	switch {
	case v == nil:
		return ""
	case v.Origin == "":
		return "default"
	}
	return v.Origin
}

// from returns the origins of two values.
func from(a, b *Value) string {
	switch {
	case a == nil:
		return b.origin()
	case b == nil, a.Origin == b.Origin:
		return a.origin()
	}
	return a.origin() + " → " + b.origin()
}

// blocks returns the heading and the metrics of a group.
func (g *Group) blocks(nameA, nameB string) []report.Block {
	title := "Results"
	if t := g.Title(); t != "" {
		title += ", " + t
	}
	blocks := []report.Block{report.Heading{Text: title}}
	if len(g.Metrics) == 0 {
		return blocks
	}
	numeric := func(name string) report.Column { return report.Column{Name: name, Numeric: true} }
	t := report.Table{
		Caption: "Results, with 95 % intervals where chance was measured.",
		Columns: []report.Column{{Name: "metric"}, numeric(nameA), numeric(nameB), numeric("difference"), numeric("95 %"), {Name: "verdict"}},
	}
	for i := range g.Metrics {
		t.Rows = append(t.Rows, g.Metrics[i].row())
		if g.Metrics[i].Verdict == "~" {
			t.Legend = "~ within noise: chance explains the difference."
		}
	}
	return append(blocks, t)
}

// row returns the metric's row in the table of results. "~" replaces a difference within
// noise.
func (m *Metric) row() []report.Cell {
	name := m.Name
	if m.Unit != "" {
		name += " (" + m.Unit + ")"
	}
	d := m.Difference.interval()
	difference, verdict := report.Delta(d), m.Verdict
	if m.Verdict == "~" {
		difference, verdict = "~", "within noise"
	}
	class := map[string]report.Class{"~": report.Neutral, "better": report.Good, "worse": report.Bad}[m.Verdict]
	var how []string
	if m.P != nil {
		how = append(how, probability(*m.P))
	}
	if m.Basis != "" {
		how = append(how, m.Basis)
	}
	if len(how) > 0 {
		verdict = strings.TrimSpace(verdict + " (" + strings.Join(how, ", ") + ")")
	}
	return []report.Cell{
		{Text: name}, {Text: report.Measured(m.A.interval())}, {Text: report.Measured(m.B.interval())},
		{Text: difference, Class: class}, {Text: report.Ends(d)}, {Text: verdict},
	}
}

func probability(p float64) string {
	if p < 0.001 {
		return "p<0.001"
	}
	return fmt.Sprintf("p=%.3f", p)
}
