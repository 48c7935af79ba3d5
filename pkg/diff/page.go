package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/disk"
	"alamos/pkg/report"
	"alamos/plots"
)

// JSON writes the report for programs; [Report] is its schema.
func (r *Report) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r)
	return b.Bytes(), err
}

// HTML writes the report as one page that needs no other file.
func (r *Report) HTML() ([]byte, error) {
	p, err := r.page(func(g *Group, _ int) ([]report.Cell, error) { return g.drawn(r.A.Name, r.B.Name, nil) })
	if err != nil {
		return nil, err
	}
	return p.HTML()
}

// Markdown writes the report for a pull request. Its figures are SVG files in
// folder, whose names begin with stem; without a stem it has none.
func (r *Report) Markdown(folder, stem string) ([]byte, error) {
	p, err := r.page(func(g *Group, i int) ([]report.Cell, error) {
		if stem == "" {
			return nil, nil
		}
		return g.drawn(r.A.Name, r.B.Name, func(name string, f *plots.Figure) ([]string, error) {
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
	return p.Markdown()
}

// page makes the cells of the report.
func (r *Report) page(figures func(g *Group, i int) ([]report.Cell, error)) (*report.Page, error) {
	p := &report.Page{Title: r.A.Name + " and " + r.B.Name, Subtitle: r.subtitle(), Wide: true}
	add := func(c ...report.Cell) { p.Cells = append(p.Cells, c...) }
	add(report.Heading{Text: "Settings"}, r.changes())
	for i := range r.Groups {
		g := &r.Groups[i]
		title := "Results"
		if t := g.Title(); t != "" {
			title += ", " + t
		}
		add(report.Heading{Text: title})
		if len(g.Metrics) > 0 {
			add(g.comparison(r.A.Name, r.B.Name))
			cells, err := figures(g, i)
			if err != nil {
				return nil, err
			}
			add(cells...)
		}
		for _, n := range g.Notes {
			add(report.Note{Markdown: plain(n)})
		}
	}
	for _, n := range r.allNotes() {
		add(report.Note{Markdown: plain(n)})
	}
	return p, nil
}

func (r *Report) subtitle() string {
	return fmt.Sprintf("%s; %s", r.A.describe(), r.B.describe())
}

// describe says what a side has.
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

// allNotes are those of the report, and what has no counterpart.
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
			notes = append(notes[:len(notes):len(notes)], fmt.Sprintf("nothing to compare with on the other side has, of %s: %s", side.name, strings.Join(of, "; ")))
		}
	}
	return notes
}

// plain is a sentence of a text that Markdown does not read as markup.
func plain(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if word, _, _ := strings.Cut(s, " "); size > 0 && !strings.ContainsAny(word, "/:") { // a path is no word
		s = string(unicode.ToUpper(first)) + s[size:]
	}
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "<", "\\<", "~", "\\~").Replace(s)
}

// changes are the settings that differ, lists item by item.
func (r *Report) changes() report.Cell {
	d := report.Diff{Base: r.A.Name, This: r.B.Name}
	for _, s := range r.Sections {
		for _, x := range s.Settings {
			if !x.itemized() {
				d.Items = append(d.Items, change(x.Key, x.A, x.B))
				continue
			}
			for _, i := range x.Items {
				d.Items = append(d.Items, change(x.Key+i.index(), i.A, i.B))
			}
		}
	}
	return d
}

// itemized says whether a setting is shown item by item: a list of more than
// words.
func (s *Setting) itemized() bool { return len(s.Items) > 0 && !s.A.Swept }

// index is the place of an item: "[2]", or "[2→0]" where it is not the same on
// both sides.
func (i Item) index() string {
	switch {
	case i.A == nil || i.IndexA == i.IndexB:
		return fmt.Sprintf("[%d]", i.IndexB)
	case i.B == nil:
		return fmt.Sprintf("[%d]", i.IndexA)
	}
	return fmt.Sprintf("[%d→%d]", i.IndexA, i.IndexB)
}

func change(key string, a, b *Value) report.Change {
	c := report.Change{Key: key, Base: a.String(), This: b.String(), BaseOrigin: a.origin(), ThisOrigin: b.origin()}
	if a != nil && b != nil && c.Base == c.This { // an item that moved
		c.Base, c.This = c.Base+", before", c.This+", after"
	}
	return c
}

// String is what is shown of a value: "" where there is none.
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

func (v *Value) origin() string {
	switch {
	case v == nil:
		return ""
	case v.Origin == "":
		return "default"
	}
	return v.Origin
}

// comparison is the table of a group's metrics.
func (g *Group) comparison(nameA, nameB string) report.Cell {
	c := report.Comparison{Caption: "Results, with 95 % intervals where chance was measured.", A: nameA, B: nameB}
	for _, m := range g.Metrics {
		d := m.Difference.measure()
		row := report.Compared{Name: m.Name, Unit: m.Unit, A: m.A.measure(), B: m.B.measure(), Delta: &d, How: m.how()}
		switch m.Better {
		case higher:
			row.Better = report.Higher
		case lower:
			row.Better = report.Lower
		}
		if !d.Known() && m.P != nil { // a test without an interval
			row.How = m.Verdict + " " + row.How
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// measure is the estimate as the notebook writes it.
func (e Estimate) measure() report.Measure {
	if e.Value == nil {
		return report.Unmeasured()
	}
	m := report.Measure{Value: *e.Value}
	if e.Low != nil && e.High != nil {
		m.Low, m.High = *e.Low, *e.High
	}
	return m
}

// how is the test and what the difference rests on.
func (m *Metric) how() string {
	var parts []string
	if m.P != nil {
		parts = append(parts, probability(*m.P))
	}
	if m.Basis != "" {
		parts = append(parts, m.Basis)
	}
	return strings.Join(parts, ", ")
}

func probability(p float64) string {
	if p < 0.001 {
		return "p<0.001"
	}
	return fmt.Sprintf("p=%.3f", p)
}
