package diff

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"alamos/pkg/disk"
	"alamos/pkg/report"
	"alamos/pkg/store"
	"alamos/plots"
)

// Text writes the report as text, optionally with colors. short shortens long values to the
// part that differs, for a terminal.
func (r *Report) Text(w io.Writer, color, short bool) error {
	blocks, err := r.textBlocks(short)
	if err != nil {
		return err
	}
	return report.WriteText(w, color, blocks...)
}

func (r *Report) textBlocks(short bool) ([]report.Block, error) {
	sides := report.Table{Columns: make([]report.Column, 2), Rows: [][]report.Cell{
		{{Text: "a", Class: report.Before}, {Text: r.A.String()}},
		{{Text: "b", Class: report.After}, {Text: r.B.String()}},
	}}
	fit := whole
	if short {
		fit = excerpts
	}
	blocks, err := r.blocks("a", "b", fit, nil)
	return append([]report.Block{sides}, blocks...), err
}

// HTML returns the report as one self-contained page.
func (r *Report) HTML() ([]byte, error) {
	p, err := r.page(func(*plots.Figure, string) ([]string, error) { return nil, nil })
	if err != nil {
		return nil, err
	}
	return p.HTML()
}

// Markdown returns the report for a pull request. Its figures are SVG files in folder with
// names that begin with stem. If stem is empty, it has no figures.
func (r *Report) Markdown(folder, stem string) ([]byte, error) {
	var keep keeper
	if stem != "" {
		keep = func(f *plots.Figure, name string) ([]string, error) {
			svg, err := f.Render(".svg")
			if err != nil {
				return nil, err
			}
			file := stem + "-" + name + ".svg"
			return []string{file}, disk.WriteBytes(filepath.Join(folder, file), svg)
		}
	}
	p, err := r.page(keep)
	if err != nil {
		return nil, err
	}
	return p.Markdown(), nil
}

// keeper stores a figure and returns links to its files. A nil keeper draws no figures.
type keeper func(f *plots.Figure, name string) (links []string, err error)

func (r *Report) page(keep keeper) (*report.Page, error) {
	blocks, err := r.blocks(r.A.Name, r.B.Name, whole, keep)
	return &report.Page{
		Title: r.A.Name + " and " + r.B.Name, Subtitle: r.A.String() + "; " + r.B.String(), Wide: true,
		Blocks: append([]report.Block{report.Heading{Text: "Settings"}}, blocks...),
	}, err
}

// blocks returns the settings that differ, the results of each group and the notes. fit
// shortens the two values of a setting.
func (r *Report) blocks(nameA, nameB string, fit func(a, b string) (string, string), keep keeper) ([]report.Block, error) {
	blocks := []report.Block{r.changes(nameA, nameB, fit)}
	for i := range r.Groups {
		g := &r.Groups[i]
		blocks = append(blocks, g.results(nameA, nameB)...)
		if keep != nil && len(g.Metrics) > 0 {
			figures, err := g.figures(nameA, nameB, func(f *plots.Figure, name string) ([]string, error) {
				if len(r.Groups) > 1 {
					name = fmt.Sprintf("%d-%s", i+1, name)
				}
				return keep(f, name)
			})
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, figures...)
		}
		blocks = append(blocks, notes(g.Notes)...)
	}
	blocks = append(blocks, notes(r.Notes)...)
	if r.A.Results > 0 && r.B.Results > 0 {
		blocks = append(append(blocks, without(r.A.Name, r.OnlyA)...), without(r.B.Name, r.OnlyB)...)
	}
	return blocks, nil
}

func notes(texts []string) (blocks []report.Block) {
	for _, text := range texts {
		blocks = append(blocks, report.Note{Text: text})
	}
	return blocks
}

// without returns a note on the trials of a side without a counterpart.
func without(side string, labels []string) []report.Block {
	if len(labels) == 0 {
		return nil
	}
	text := strings.Join(labels, "; ")
	if text == "" {
		text = "its only trial"
	}
	return notes([]string{side + " has trials without a counterpart on the other side: " + text})
}

// changes returns the settings that differ, with lists item by item.
func (r *Report) changes(nameA, nameB string, fit func(a, b string) (string, string)) report.Block {
	var rows [][]report.Cell
	add := func(key string, a, b *Value) {
		textA, textB := fit(a.String(), b.String())
		if a != nil && b != nil && a.String() == b.String() {
			textB += " (moved)"
		}
		rows = append(rows, []report.Cell{{Text: key}, {Text: textA, Class: report.Before}, {Text: textB, Class: report.After}, {Text: from(a, b), Class: report.Faint}})
	}
	for _, x := range r.Settings {
		if len(x.Items) == 0 || x.A.Swept {
			add(x.Key, x.A, x.B)
			continue
		}
		for _, i := range x.Items {
			add(x.Key+i.index(), i.A, i.B)
		}
	}
	if len(rows) == 0 {
		return report.Text{Markdown: "No setting differs."}
	}
	return report.Changes(nameA, nameB, rows)
}

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

// String returns the text of a value, or a dash for nil.
func (v *Value) String() string {
	if v == nil {
		return "–"
	}
	text := v.Text
	if v.Swept {
		text = "swept " + text
	}
	if v.Source != "" {
		text += " (content " + v.Source + ")"
	}
	return text
}

// from returns the origins of two values.
func from(a, b *Value) string {
	origin := func(v *Value) string { return cmp.Or(v.Origin, "default") }
	switch {
	case a == nil:
		return origin(b)
	case b == nil, a.Origin == b.Origin:
		return origin(a)
	}
	return origin(a) + " → " + origin(b)
}

// whole does not shorten the two values of a setting.
func whole(a, b string) (string, string) { return a, b }

// mostShown is the maximum number of characters of a value in a terminal. Files, pages and
// JSON have the whole value.
const mostShown = 44

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

// results returns the heading and the metrics of a group.
func (g *Group) results(nameA, nameB string) []report.Block {
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
			t.Legend = "~ within noise: the difference may be chance."
		}
	}
	return append(blocks, t)
}

// row returns the metric's row in the table of results. "~" replaces a difference within
// noise.
func (m *Metric) row() []report.Cell {
	name := cmp.Or(m.Label, m.Name)
	if m.Unit != "" {
		name += " (" + m.Unit + ")"
	}
	difference, verdict := report.Delta(m.Difference), m.Verdict
	if m.Verdict == "~" {
		difference, verdict = "~", "within noise"
	}
	class := map[string]report.Class{"~": report.Neutral, "better": report.Good, "worse": report.Bad}[m.Verdict]
	var how []string
	p, corrected := m.deciding(), ""
	if m.Holm != nil && *m.Holm != *m.P {
		corrected = " corrected"
	}
	switch {
	case p == nil:
	case *p < 0.001:
		how = append(how, "p<0.001"+corrected)
	default:
		how = append(how, fmt.Sprintf("p=%.3f%s", *p, corrected))
	}
	if m.Basis != "" {
		how = append(how, m.Basis)
	}
	if len(how) > 0 {
		verdict = strings.TrimSpace(verdict + " (" + strings.Join(how, ", ") + ")")
	}
	return []report.Cell{
		{Text: name}, {Text: report.Measured(m.A)}, {Text: report.Measured(m.B)},
		{Text: difference, Class: class}, {Text: report.Ends(m.Difference)}, {Text: verdict},
	}
}

// figures returns the charts of a group that have data, with both sides in each.
func (g *Group) figures(nameA, nameB string, keep keeper) (blocks []report.Block, err error) {
	group := func(name string, all []*measured, played bool) store.Group {
		of := store.Group{Name: name}
		for _, m := range all {
			if !played || m.played != nil {
				of.Trials = append(of.Trials, m.trial)
			}
		}
		return of
	}
	for _, x := range []struct {
		name, caption string
		chart         func([]store.Group) plots.Chart
		played        bool
	}{
		{"score", "Strength of checkpoints, each in the tournament of its own run", func(g []store.Group) plots.Chart { return report.ScoreChart(g, "samples") }, true},
		{"loss", "Learning rate and losses over epochs", func(g []store.Group) plots.Chart { return report.LossChart(g, true) }, false},
	} {
		a, b := group(nameA, g.a, x.played), group(nameB, g.b, x.played)
		if len(a.Trials) == 0 || len(b.Trials) == 0 {
			continue
		}
		f, err := x.chart([]store.Group{a, b}).Figure()
		if errors.Is(err, plots.ErrNoData) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if max(len(g.a), len(g.b)) > 1 {
			x.caption += ", the mean of seeds"
		}
		block, err := report.NewFigure(x.caption+".", f)
		if err == nil {
			block.Files, err = keep(f, x.name)
		}
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}
