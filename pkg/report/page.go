package report

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/store"
)

// WritePage writes the notebook page among the results. A cell that cannot be shown
// is an error, but the page is written without it.
func (r *Report) WritePage() error {
	page, faults := r.Page(Options{}, r.Dir)
	html, err := page.HTML()
	if err == nil {
		err = disk.WriteBytes(filepath.Join(r.Dir, PageName), html)
	}
	return errors.Join(faults, err)
}

// WriteMarkdown writes the page as Markdown, for a repository: its figures and
// tables go into a folder beside the file that is called as it without its ending.
func (r *Report) WriteMarkdown(path string) error {
	opt := Options{Out: strings.TrimSuffix(path, filepath.Ext(path))}
	if opt.Out == path {
		return fmt.Errorf("%s has no ending: want a name as in page.md, the figures go into the folder page", path)
	}
	_, faults := r.Redraw(opt)
	page, more := r.Page(opt, filepath.Dir(path))
	faults = errors.Join(faults, more)
	text, err := page.Markdown()
	if err == nil {
		err = disk.WriteBytes(path, text)
	}
	return errors.Join(faults, err)
}

// pageWriter makes the cells of a page.
type pageWriter struct {
	*Report
	layout
	base   string // the folder of the page
	trials []*store.Trial
	drawn  map[int][]*drawn // by cell
	faults error
}

// Page is the page of the experiment for a folder base, with links to files as
// opt places them. A cell that cannot be shown is a fault and a warning in its
// place.
func (r *Report) Page(opt Options, base string) (*Page, error) {
	opt.Figure = ""
	w := &pageWriter{Report: r, layout: r.layout(opt), base: base, trials: r.Trials, drawn: map[int][]*drawn{}}
	page := &Page{Title: r.Name, About: r.About, Wide: len(r.Trials) > 1}
	all, err := r.all(opt)
	if err != nil {
		return page, err
	}
	for _, d := range all {
		w.drawn[d.number] = append(w.drawn[d.number], d)
	}
	if len(r.Experiment.Trials) > 0 {
		page.Subtitle = fmt.Sprintf("%s, %s", r.Experiment.Trials[0].Settings.Game.Variant, english.Plural(len(r.Experiment.Trials), "trial", ""))
	}
	page.Cells = append(w.state(), w.changes()...)
	if len(w.trials) > 1 && !r.tells("trials") {
		page.Cells = append(page.Cells, w.cell("overview", w.overview)...)
	}
	for i := range r.Notebook {
		page.Cells = append(page.Cells, w.cell(fmt.Sprintf("notebook cell %d", i+1), func() ([]Cell, error) { return w.notebookCell(i) })...)
	}
	page.Cells = append(page.Cells, w.provenances()...)
	return page, w.faults
}

// cell makes cells, or a warning of what went wrong.
func (w *pageWriter) cell(what string, make func() ([]Cell, error)) []Cell {
	cells, err := make()
	if err != nil {
		w.faults = errors.Join(w.faults, fmt.Errorf("%s: %w", what, err))
		return []Cell{warning(fmt.Sprintf("This could not be shown: `%s`", strings.ReplaceAll(err.Error(), "`", "'")))}
	}
	return cells
}

func warning(markdown string) Cell {
	return Note{Kind: Warning, Markdown: markdown}
}

// tells reports whether the notebook has such a table.
func (r *Report) tells(table string) bool {
	for _, c := range r.Notebook {
		if c.Table == table {
			return true
		}
	}
	return false
}

// state says what is not there yet.
func (w *pageWriter) state() []Cell {
	var cells []Cell
	if len(w.Failed) > 0 {
		var list []string
		for i := range w.Experiment.Trials {
			t := &w.Experiment.Trials[i]
			if why, ok := w.Failed[store.Folder(t)]; ok {
				list = append(list, cmp.Or(t.Label, t.Settings.Name)+": "+strings.ReplaceAll(why, "\n", "\n    "))
			}
		}
		cells = append(cells, warning(english.Plural(len(w.Failed), "trial", "")+" failed.\n\n"+asCode(list)))
	}
	if n := len(w.Experiment.Trials) - len(w.trials); n > len(w.Failed) {
		cells = append(cells, Note{Markdown: fmt.Sprintf("%s not finished a generation and %s not shown.", have(n), are(n))})
	}
	var unfinished []string
	for _, t := range w.trials {
		if t.Done() < t.Last() {
			unfinished = append(unfinished, fmt.Sprintf("%s: %d of %s", t.Name(), t.Done(), english.Plural(t.Last(), "generation", "")))
		}
	}
	switch n := len(unfinished); {
	case n == 0:
	case n > 8:
		cells = append(cells, Note{Markdown: english.Plural(n, "trial", "") + " have not all of their generations."})
	default:
		cells = append(cells, Note{Markdown: "Not all generations are there. " + strings.Join(unfinished, "; ") + "."})
	}
	return append(append(cells, w.endings()...), w.leftOut()...)
}

// leftOut says what the budget of the sweep has no trial for.
func (w *pageWriter) leftOut() []Cell {
	if len(w.Left) == 0 {
		return nil
	}
	var list []string
	for _, l := range w.Left {
		list = append(list, l.Label+": "+l.Why)
	}
	return []Cell{Note{Markdown: fmt.Sprintf("The budget of the sweep leaves out %s.\n\n%s", english.Plural(len(list), "combination", ""), asCode(list))}}
}

// have is "1 trial has".
func have(n int) string {
	if n == 1 {
		return "1 trial has"
	}
	return english.Plural(n, "trial", "") + " have"
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// changes is what the experiment sets otherwise than the one that it extends.
func (w *pageWriter) changes() []Cell {
	if len(w.Changes) == 0 {
		return nil
	}
	dir := filepath.Dir(w.File)
	d := Diff{Base: experiment.FileFrom(dir, w.Base), This: filepath.Base(w.File)}
	for _, x := range w.Changes {
		if x.Key == "notebook" { // the page shows it
			continue
		}
		d.Items = append(d.Items, Change{Key: x.Key, Base: x.Base, This: x.This})
	}
	if len(d.Items) == 0 {
		return nil
	}
	return []Cell{d}
}

// notebookCell makes what cell i of the experiment's notebook shows.
func (w *pageWriter) notebookCell(i int) ([]Cell, error) {
	c := &w.Notebook[i]
	switch {
	case c.Text != "":
		return []Cell{Text{Markdown: c.Text}}, nil
	case c.Figure != nil:
		return w.figureCells(i)
	}
	switch c.Table {
	case "trials":
		return w.overview()
	case "settings":
		return []Cell{w.settings()}, nil
	case "network":
		return w.networks()
	}
	return w.beside(func(t *store.Trial) (Cell, error) { return w.table(t, c.Table) })
}

// figureCells are the pictures of a cell, those of trials side by side.
func (w *pageWriter) figureCells(i int) ([]Cell, error) {
	pictures := w.drawn[i]
	if len(pictures) == 0 {
		return nil, nil
	}
	byTrial := map[string]*drawn{}
	var why string
	some := false
	for _, d := range pictures {
		reason, isNothing := d.nothing()
		if isNothing {
			why = reason
		}
		some = some || !isNothing
		if d.trial != nil {
			byTrial[d.trial.ID] = d
		}
	}
	if !some {
		return []Cell{Note{Markdown: fmt.Sprintf("There is nothing to draw yet for the figure `%s`: %s.", pictures[0].name, why)}}, nil
	}
	if pictures[0].trial == nil {
		c, err := w.figure(pictures[0])
		return []Cell{c}, err
	}
	return w.beside(func(t *store.Trial) (Cell, error) {
		d := byTrial[t.ID]
		if d == nil {
			return nil, nil
		}
		if _, ok := d.nothing(); ok {
			return nil, nil
		}
		return w.figure(d)
	})
}

// figure is a picture as a cell.
func (w *pageWriter) figure(d *drawn) (Cell, error) {
	if d.err != nil {
		return nil, d.err
	}
	svg, err := d.figure.InlineSVG()
	if err != nil {
		return nil, err
	}
	out := Figure{Caption: d.caption, SVG: svg, Alt: d.figure.Description()}
	for _, ext := range [...]string{".svg", ".png", ".pdf"} {
		link, err := relative(w.base, d.path+ext)
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, link)
	}
	return out, nil
}

// beside sets a cell of each trial side by side; trials without it are left out,
// and a single trial needs no frame.
func (w *pageWriter) beside(make func(*store.Trial) (Cell, error)) ([]Cell, error) {
	var all SideBySide
	for _, t := range w.trials {
		c, err := make(t)
		if err != nil {
			return nil, err
		}
		if c != nil {
			all.Trials = append(all.Trials, Trial{Label: t.Name(), Cells: []Cell{c}})
		}
	}
	switch {
	case len(all.Trials) == 0:
		return nil, nil
	case len(w.Experiment.Trials) == 1:
		return all.Trials[0].Cells, nil
	}
	return []Cell{all}, nil
}

func (w *pageWriter) settings() Cell {
	s := Settings{Title: "Resolved settings"}
	for _, x := range w.Settings {
		if strings.HasPrefix(x.Path, "notebook") || x.Path == "about" {
			continue
		}
		origin := ""
		if !x.Origin.Default() {
			origin = x.Origin.From(filepath.Dir(w.File)).String()
		}
		s.Items = append(s.Items, Setting{Key: x.Path, Value: x.Value, Origin: origin})
	}
	return s
}

// links are files of the trial's tables, where opt places them, as the page links to
// them; games lie only among the results.
func (w *pageWriter) links(t *experiment.Trial, files ...string) ([]string, error) {
	var out []string
	for _, f := range files {
		if w.out != "" && (filepath.Ext(f) != ".csv" || t != nil && !w.shows(f)) {
			continue
		}
		link, err := relative(w.base, w.layout.table(f, t))
		if err != nil {
			return nil, err
		}
		out = append(out, link)
	}
	return out, nil
}

// provenances say where the results of each trial come from, those of many trials
// in one fold.
func (w *pageWriter) provenances() []Cell {
	var cells []Cell
	for _, t := range w.trials {
		cells = append(cells, provenance(t))
	}
	if len(cells) > 3 {
		return []Cell{Fold{Title: "Provenance of " + english.Plural(len(cells), "trial", ""), Cells: cells}}
	}
	return cells
}

// provenance says where a trial's results come from.
func provenance(t *store.Trial) Cell {
	p := Provenance{Title: "Provenance of " + t.Name()}
	add := func(name, value string, code bool) {
		p.Facts = append(p.Facts, Fact{Name: name, Value: value, Code: code})
	}
	m := t.Manifest.Machine
	add("folder", filepath.Base(t.Dir), true)
	add("settings", t.ID, true)
	add("seed", strconv.FormatUint(t.Settings.Seed, 10), true)
	add("alamos", m.Alamos, true)
	add("drawing code", codeVersion, true)
	add("machine", m.Hardware()+", "+m.OS, false)
	add("Go", m.Go, false)
	add("inference", m.Precision, false)
	if g := t.Done(); g > 0 {
		add(store.CheckpointFile(g), t.CheckpointSum(g), true)
	}
	if s := t.Manifest.Stage(store.TournamentStage); s != nil {
		add("tournament ended", s.Ended.Format(time.RFC3339), false)
	}
	return p
}
