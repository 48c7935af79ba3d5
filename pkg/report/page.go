package report

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	humanize "github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"alamos/pkg/config"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/store"
	"alamos/plots"
)

// PagePath returns the path of the page among the results: in the folder of the experiment,
// or of its only trial, see [Report.Only].
func (r *Report) PagePath() string {
	return r.path("", store.PageName, r.only)
}

// WritePage writes the notebook page among the results. If a cell cannot be shown,
// WritePage returns an error, but still writes the page without it.
func (r *Report) WritePage() error {
	path := r.PagePath()
	page, faults := r.Page(Options{}, filepath.Dir(path))
	html, err := page.HTML()
	if err == nil {
		err = r.write("", path, html)
	}
	return errors.Join(faults, err)
}

// WriteMarkdown writes the page as Markdown for a repository. Its figures and tables are in
// a folder beside the file, with the file's name without its extension.
func (r *Report) WriteMarkdown(path string) error { return r.writeBeside(path, (*Page).Markdown) }

// WriteLaTeX writes the figures and tables of the page as LaTeX, and their files beside it as
// WriteMarkdown does.
func (r *Report) WriteLaTeX(path string) error { return r.writeBeside(path, (*Page).LaTeX) }

// writeBeside writes a form of the page, and its files into a folder beside it.
func (r *Report) writeBeside(path string, form func(*Page) []byte) error {
	opt := Options{Out: strings.TrimSuffix(path, filepath.Ext(path))}
	if opt.Out == path {
		return fmt.Errorf("%s has no ending: want a name as in page.md, the figures go into the folder page", path)
	}
	_, faults := r.Redraw(opt)
	page, more := r.Page(opt, filepath.Dir(path))
	return errors.Join(faults, more, disk.WriteBytes(path, form(page)))
}

// pageBuilder makes the blocks of a notebook page.
type pageBuilder struct {
	*Report
	out  string // the folder of all files; empty: among the results
	base string // the folder of the page
	all  []*picture
}

// Page returns the notebook page of the experiment in the folder base, with links to files
// where opt places them. A cell that cannot be shown is an error, and a warning replaces
// it.
func (r *Report) Page(opt Options, base string) (page *Page, faults error) {
	page = &Page{Title: r.Name, About: r.About, Wide: len(r.Trials) > 1}
	pictures, err := r.drawn("")
	if err != nil {
		return page, err
	}
	b := &pageBuilder{r, opt.Out, base, pictures}
	if r.only != nil {
		page.Title, page.Subtitle = fmt.Sprintf("%s/%d", r.Name, r.only.Number), r.only.Settings.Game.Name()+", "+r.only.Label
	} else if n := len(r.Experiment.Trials); n > 0 {
		page.Subtitle = english.Plural(n, "trial", "")
		name := r.Experiment.Trials[0].Settings.Game.Name()
		if !slices.ContainsFunc(r.Experiment.Trials, func(t experiment.Trial) bool { return t.Settings.Game.Name() != name }) {
			page.Subtitle = name + ", " + page.Subtitle
		}
	}
	page.Blocks = append(b.notes(), b.changes()...)
	if text := b.answer(); text != "" {
		page.Blocks = append(page.Blocks, Text{"**Answer.** " + strings.ReplaceAll(escape(text), " %", "\u00a0%")}) // no line begins with the unit
	}
	hasTrials := slices.ContainsFunc(r.Notebook, func(c experiment.Cell) bool { return c.Table == "trials" })
	if len(r.Trials) > 1 && !hasTrials {
		page.Blocks = append(page.Blocks, b.trials()...)
	}
	for i := range r.Notebook {
		blocks, err := b.cell(i)
		if err != nil {
			faults = errors.Join(faults, fmt.Errorf("notebook cell %d: %w", i+1, err))
			blocks = []Block{Note{true, "This could not be shown:", []string{err.Error()}}}
		}
		page.Blocks = append(page.Blocks, blocks...)
	}
	page.Blocks = append(page.Blocks, b.provenance()...)
	return page, faults
}

// cell makes the blocks of cell i of the experiment's notebook.
func (b *pageBuilder) cell(i int) ([]Block, error) {
	c := &b.Notebook[i]
	switch {
	case c.Text != "":
		return []Block{Text{c.Text}}, nil
	case c.Figure != nil:
		return b.figures(i)
	case c.Games != "":
		return b.beside(func(t *store.Trial) (Block, error) {
			games, err := replays(t, c.Games)
			if len(games.Games) == 0 || err != nil {
				return nil, err
			}
			games.Files = b.links(&t.Declared, games.Files)
			return games, nil
		})
	}
	switch c.Table {
	case "trials":
		return b.trials(), nil
	case "colors":
		return []Block{colorsTable(b.Experiment, b.Trials)}, nil
	case "settings":
		return []Block{b.settings()}, nil
	case "network":
		return b.networks()
	case "final":
		return b.final()
	}
	return b.beside(func(t *store.Trial) (Block, error) {
		table := trialTables[c.Table](t)
		if len(table.Rows) == 0 {
			return nil, nil
		}
		table.Files = b.links(&t.Declared, table.Files)
		return table, nil
	})
}

// mostTrials is the maximum number of trials of which the page has their own tables and
// figures, and of networks of which it has the layers.
const mostTrials = 200

// beside sets a block of each trial side by side. It omits trials without one, and those
// beyond mostTrials. An experiment of one trial needs no frame.
func (b *pageBuilder) beside(make func(*store.Trial) (Block, error)) ([]Block, error) {
	var all SideBySide
	shown := b.Trials[:min(len(b.Trials), mostTrials)]
	for _, t := range shown {
		block, err := make(t)
		if err != nil {
			return nil, err
		}
		if block != nil {
			all = append(all, Trial{t.Declared.Number, nameOf(&t.Declared), []Block{block}})
		}
	}
	switch {
	case len(all) == 0:
		return nil, nil
	case len(b.Experiment.Trials) == 1:
		return all[0].Blocks, nil
	}
	blocks := []Block{all}
	if left := len(b.Trials) - len(shown); left > 0 {
		blocks = append(blocks, Note{Text: fmt.Sprintf("%s more are not on this page: see their folders, or write the page of one, as with alamos notebook %s/%d.",
			english.Plural(left, "trial", ""), b.Name, b.Trials[mostTrials].Declared.Number)})
	}
	return blocks, nil
}

// figures returns the pictures of a cell, with those of single trials side by side.
func (b *pageBuilder) figures(i int) ([]Block, error) {
	pictures := slices.DeleteFunc(slices.Clone(b.all), func(p *picture) bool { return p.cell != i })
	if len(pictures) == 0 {
		return nil, nil
	}
	if !slices.ContainsFunc(pictures, func(p *picture) bool { return p.nothing == "" }) {
		return []Block{Note{Text: fmt.Sprintf("There is nothing to draw yet for the figure %s: %s.", pictures[0].name, pictures[len(pictures)-1].nothing)}}, nil
	}
	if pictures[0].trial == nil {
		f, err := b.figure(pictures[0])
		return []Block{f}, err
	}
	return b.beside(func(t *store.Trial) (Block, error) {
		for _, p := range pictures {
			if p.trial.ID == t.Declared.ID && p.nothing == "" {
				return b.figure(p)
			}
		}
		return nil, nil
	})
}

func (b *pageBuilder) figure(p *picture) (Block, error) {
	if p.err != nil {
		return nil, p.err
	}
	f, err := NewFigure(p.caption, p.figure)
	if err != nil {
		return nil, err
	}
	for _, ext := range plots.Extensions {
		f.Files = append(f.Files, b.link("figures/"+p.name, p.trial)+ext)
	}
	return f, nil
}

// trials returns the tables of the trials, and those of successive halving in a fold each.
func (b *pageBuilder) trials() []Block {
	blocks := trialBlocks(b.Experiment, b.Trials)
	for i, block := range blocks {
		if t, ok := block.(Table); ok && len(t.Files) > 0 {
			t.Files = b.links(nil, t.Files)
			blocks[i] = t
		}
	}
	for _, r := range b.rungs {
		_, settings := r.Place("")
		blocks = append(blocks, Fold{fmt.Sprintf("Successive halving after generation %d: %d of %d settings went on", r.Generation, r.Survivors, settings), []Block{rungTable(r, b.Experiment.Trials)}})
	}
	return blocks
}

// final returns the standings of the final tournament, in a fold if a setting has several
// seeds, whose means the table of trials has.
func (b *pageBuilder) final() ([]Block, error) {
	res, err := b.FinalTournament(b.Dir)
	if err != nil || res == nil {
		return nil, err
	}
	t := standings("Standings of the final tournament between all trials", res)
	if len(store.Groups(b.Trials)) == len(b.Trials) {
		return []Block{t}, nil
	}
	return []Block{Fold{fmt.Sprintf("Final tournament: %s", english.Plural(len(res.Players), "player", "")), []Block{t}}}, nil
}

// networks returns the layers of each different network of the trials.
func (b *pageBuilder) networks() ([]Block, error) {
	all, err := OfTrials(b.Experiment.Trials)
	if err != nil {
		return nil, err
	}
	var blocks []Block
	for i, n := range all {
		if i == mostTrials {
			return append(blocks, Note{Text: fmt.Sprintf("%d more networks are not on this page.", len(all)-i)}), nil
		}
		t := n.Table(false)
		t.Caption = fmt.Sprintf("Layers of the network: %s. It has %s trained parameters.", n.Summary(), humanize.Comma(int64(n.Parameters)))
		blocks = append(blocks, Fold{n.title("Layers of the network"), []Block{t}})
	}
	return blocks, nil
}

// settings returns the resolved settings with their origins, in a fold.
func (b *pageBuilder) settings() Block {
	t := Table{Columns: []Column{{Name: "setting"}, {Name: "value"}, {Name: "set by"}}}
	for _, x := range b.Settings {
		if strings.HasPrefix(x.Path, "notebook") || x.Path == "about" {
			continue
		}
		row := Row(x.Path, x.Value, "default")
		if x.Origin.Default() {
			row[0].Class, row[1].Class, row[2].Class = Faint, Faint, Faint
		} else {
			row[2] = Cell{Text: x.Origin.From(filepath.Dir(b.File)).String(), Class: Faint}
		}
		t.Rows = append(t.Rows, row)
	}
	return Fold{fmt.Sprintf("Resolved settings (%d)", len(t.Rows)), []Block{t}}
}

// changes returns the settings that differ from the extended experiment.
func (b *pageBuilder) changes() []Block {
	var rows [][]Cell
	for _, x := range b.Changes {
		if x.Path != "notebook" { // the page itself shows the notebook
			rows = append(rows, []Cell{{Text: x.Path}, {Text: cmp.Or(x.A, "–"), Class: Before}, {Text: cmp.Or(x.B, "–"), Class: After}})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	t := Changes(config.FileFrom(filepath.Dir(b.File), b.Base), filepath.Base(b.File), rows)
	t.Columns = t.Columns[:3]
	return []Block{t}
}

// provenance returns the origin of each trial's results, in a fold. What is the same for all
// of several trials stands above the table.
func (b *pageBuilder) provenance() []Block {
	t := Table{Rows: make([][]Cell, len(b.Trials))}
	var same []string
	add := func(name string, of func(*store.Trial) string) {
		first := func(x *store.Trial) bool { return of(x) != of(b.Trials[0]) }
		switch {
		case slices.ContainsFunc(b.Trials, first) || len(b.Trials) == 1 && of(b.Trials[0]) != "":
			t.column(Column{Name: name}, func(row int) Cell { return Cell{Text: of(b.Trials[row])} })
		case of(b.Trials[0]) != "":
			same = append(same, name+" "+of(b.Trials[0]))
		}
	}
	if len(b.Trials) == 0 {
		return nil
	}
	add("trial", func(x *store.Trial) string { return nameOf(&x.Declared) })
	add("folder", func(x *store.Trial) string { return filepath.Base(x.Dir) })
	add("settings", func(x *store.Trial) string { return x.Declared.ID })
	add("seed", func(x *store.Trial) string { return fmt.Sprint(x.Declared.Settings.Seed) })
	add("alamos", func(x *store.Trial) string { return x.Manifest.Machine.Alamos })
	add("drawing code", func(*store.Trial) string { return codeVersion })
	add("machine", func(x *store.Trial) string { return x.Manifest.Machine.Hardware() + ", " + x.Manifest.Machine.OS })
	add("Go", func(x *store.Trial) string { return x.Manifest.Machine.Go })
	add("inference", func(x *store.Trial) string { return x.Manifest.Machine.Precision })
	add("training", (*store.Trial).TrainedOn)
	add("checkpoint", func(x *store.Trial) string { return store.CheckpointName(x.Done()) })
	add("SHA-256", func(x *store.Trial) string { return x.CheckpointSum(x.Done()) })
	add("tournament ended", func(x *store.Trial) string {
		if s := x.Manifest.Stage(store.TournamentStage); s != nil {
			return s.Ended.Format(time.RFC3339)
		}
		return ""
	})
	blocks := []Block{t}
	if len(same) > 0 {
		blocks = []Block{Note{Text: "The same for all trials: " + strings.Join(same, "; ") + "."}, t}
	}
	return []Block{Fold{"Provenance", blocks}}
}

// link returns the link from the page to a file of a trial, or of the experiment if t is
// nil.
func (b *pageBuilder) link(file string, t *experiment.Trial) string {
	path := b.path(b.out, file, t)
	if rel, err := filepath.Rel(b.base, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}

// links returns the links to the files of a table that exist. Games are only among the
// results.
func (b *pageBuilder) links(t *experiment.Trial, files []string) (links []string) {
	for _, f := range files {
		exists := b.out == "" || filepath.Ext(f) == ".csv" && (t == nil || b.shows(f))
		if exists && (t != nil || b.only == nil) {
			links = append(links, b.link(f, t))
		}
	}
	return links
}

// notes lists missing results, failures and early ends.
func (b *pageBuilder) notes() (blocks []Block) {
	note := func(warning bool, text string, lines []string) {
		if len(lines) > 0 {
			blocks = append(blocks, Note{warning, text, lines})
		}
	}
	var failed, unfinished, ended, left []string
	missing := 0
	for i := range b.Experiment.Trials {
		t := &b.Experiment.Trials[i]
		if why, ok := b.Failed[t.Folder]; ok {
			failed = append(failed, nameOf(t)+": "+why)
		} else if !slices.ContainsFunc(b.Trials, func(o *store.Trial) bool { return o.Declared.Number == t.Number }) {
			missing++
		}
	}
	if missing > 0 {
		blocks = append(blocks, Note{Text: fmt.Sprintf("Trials that have not finished a generation are not shown: %d.", missing)})
	}
	for _, t := range b.Trials {
		name := nameOf(&t.Declared)
		if t.Done() < t.Last() {
			unfinished = append(unfinished, fmt.Sprintf("%s: %d of %s", name, t.Done(), english.Plural(t.Last(), "generation", "")))
		}
		if e := t.Manifest.Ended; e != nil {
			ended = append(ended, fmt.Sprintf("%s: after generation %d of %d, %s", name, e.Generation, t.Declared.Settings.Generations, e.Why))
		}
	}
	for _, l := range b.Left {
		left = append(left, l.Label+": "+l.Why)
	}
	note(true, english.Plural(len(failed), "trial", "")+" failed.", failed)
	note(false, "Not all generations are there.", unfinished)
	note(false, "Training ended early.", ended)
	if faults := hookFaults(b.Trials); len(faults) > 0 {
		blocks = append(blocks, noteOf(faults))
	}
	note(false, "The budget of the sweep leaves out "+english.Plural(len(left), "combination", "")+".", left)
	return blocks
}

// HookFault is a fault of a script that left cells empty.
type HookFault struct {
	Fault string `json:"fault"` // with file, line and column
	Count int    `json:"count"` // how often it occurred, in all trials
	Trial string `json:"trial"` // of the first time
	First int    `json:"first"` // generation of the first time
}

// hookFaults returns the faults of the scripts of trials, each once.
func hookFaults(trials []*store.Trial) (all []HookFault) {
	for _, t := range trials {
		for g := 1; g <= t.Done(); g++ {
			for _, fault := range t.HookFaults(g) {
				i := slices.IndexFunc(all, func(known HookFault) bool { return known.Fault == fault })
				if i < 0 {
					i = len(all)
					all = append(all, HookFault{Fault: fault, Trial: nameOf(&t.Declared), First: g})
				}
				all[i].Count++
			}
		}
	}
	return all
}

// noteOf lists the faults of scripts.
func noteOf(faults []HookFault) Note {
	n := Note{Warning: true, Text: "Scripts failed and left cells empty."}
	for _, f := range faults {
		line := fmt.Sprintf("%s (%s, generation %d)", f.Fault, f.Trial, f.First)
		if f.Count > 1 {
			line = fmt.Sprintf("%s (%d times, first in %s, generation %d)", f.Fault, f.Count, f.Trial, f.First)
		}
		n.Lines = append(n.Lines, line)
	}
	return n
}
