package report

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/store"
	"alamos/plots"
)

// Options select figures and their folder.
type Options struct {
	// Out is a folder for all figures and tables together, named after their trials. If it
	// is empty, each file has its place among the results.
	Out string
	// Figure draws only the figures of this name or kind.
	Figure string
	// LaTeX adds latexFile to the folder Out.
	LaTeX bool
}

// latexFile has the figures and tables of a folder for a LaTeX document.
const latexFile = "figures.tex"

// path returns the path of a file in the folder of a trial, or of the experiment if t is
// nil. If out is not empty, all files are in this folder.
func (r *Report) path(out, file string, t *experiment.Trial) string {
	switch {
	case out != "":
		base := filepath.Base(file)
		if t != nil && r.slugs[t.ID] != "" {
			ext := filepath.Ext(base)
			base = strings.TrimSuffix(base, ext) + "-" + r.slugs[t.ID] + ext
		}
		return filepath.Join(out, base)
	case t == nil:
		return filepath.Join(r.Dir, file)
	}
	return filepath.Join(r.Dir, t.Folder, file)
}

// slugs returns names of trials for file names, by ID: their labels, as in depth-2-seed-1. A
// single trial needs none.
func slugs(trials []experiment.Trial) map[string]string {
	out := map[string]string{}
	if len(trials) < 2 {
		return out
	}
	taken := map[string]bool{}
	for i := range trials {
		t := &trials[i]
		slug := strings.Trim(inFileName(store.ShortLabel(t, ",")), "-")
		if len(slug) > 80 || slug == "" || taken[slug] {
			slug = t.Folder
		}
		taken[slug] = true
		out[t.ID] = slug
	}
	return out
}

// file is one file of a report: a picture in one format, a table, or a tree as text.
type file struct {
	path  string
	stamp *plots.Stamp           // of a picture
	bytes func() ([]byte, error) // nil if there is nothing to draw
	why   string                 // the reason why there is nothing to draw
}

// files lists the files that opt selects. If a figure cannot be drawn, files returns a
// fault along with the other files.
func (r *Report) files(opt Options) (files []file, faults error) {
	all, err := r.drawn(opt.Figure)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.err != nil {
			faults = errors.Join(faults, p.err)
			continue
		}
		path := r.path(opt.Out, "figures/"+p.name, p.trial)
		extensions := plots.Extensions[:]
		if p.figure != nil {
			extensions = p.figure.Extensions()
		}
		for _, ext := range extensions {
			f := file{path: path + ext, why: string(p.nothing)}
			if ext != ".dot" { // which has no place for a stamp
				f.stamp = &p.stamp
			}
			if p.nothing == "" {
				f.bytes = func() ([]byte, error) { return p.render(ext) }
			}
			files = append(files, f)
		}
	}
	if opt.Figure == "" {
		files = append(files, r.tables(opt.Out)...)
	}
	if opt.LaTeX && len(r.Trials) > 0 {
		files = append(files, file{path: filepath.Join(opt.Out, latexFile), bytes: func() ([]byte, error) {
			page, _ := r.Page(opt, opt.Out) // a cell that cannot be shown has its fault on the page
			return page.LaTeX(), nil
		}})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files, faults
}

// Redraw writes every figure and table of the experiment again, and returns their paths. If
// a figure cannot be drawn, Redraw continues with the others and returns an error.
func (r *Report) Redraw(opt Options) (paths []string, err error) {
	files, err := r.files(opt)
	files = slices.DeleteFunc(files, func(f file) bool { return f.bytes == nil })
	faults := make([]error, len(files))
	inParallel(len(files), func(i int) {
		b, err := files[i].bytes()
		if err == nil {
			err = r.write(opt.Out, files[i].path, b)
		}
		faults[i] = err
	})
	for i, f := range files {
		if faults[i] == nil {
			paths = append(paths, f.path)
		}
	}
	return paths, errors.Join(append(faults, err)...)
}

// write writes a file. Among the results, no link and no name leads to another folder.
func (r *Report) write(out, path string, b []byte) error {
	if out != "" {
		return disk.WriteBytes(path, b)
	}
	name, err := filepath.Rel(r.Dir, path)
	if err != nil {
		return err
	}
	return disk.WriteBytesIn(r.Dir, name, b)
}

// tables returns the files of tables: among the results those that no stage writes, in a
// folder out those that the notebook shows.
func (r *Report) tables(out string) (files []file) {
	if len(r.Trials) == 0 {
		return nil
	}
	add := func(t *experiment.Trial, d *dataset) {
		files = append(files, file{path: r.path(out, d.file, t), bytes: d.bytes})
	}
	if r.only == nil {
		add(nil, trialsData(r.Experiment, r.Trials))
	}
	for _, t := range r.Trials {
		for _, d := range datasets(t) {
			if out == "" || r.shows(d.file) {
				add(&t.Declared, d)
			}
		}
		if out == "" || t.Declared.Settings.Tournament.Rounds == 0 {
			continue
		}
		for _, name := range []string{crosstableFile, ratingsFile} {
			if t.Output(store.TournamentStage, name) != "" && r.shows(name) {
				files = append(files, file{path: r.path(out, name, &t.Declared), bytes: func() ([]byte, error) { return t.ReadOutput(store.TournamentStage, name) }})
			}
		}
	}
	return files
}

const (
	crosstableFile = "tournament/crosstable.csv"
	ratingsFile    = "tournament/ratings.csv"
)

// shownIn maps the files of a trial's tables to the tables and figures of a notebook that
// show their content.
var shownIn = map[string][]string{
	crosstableFile: {"crosstable"}, ratingsFile: {"standings", "elo"}, "generations.csv": {"generations"}, "epochs.csv": {"loss", "loss-heads"},
	"evaluation/puzzles.csv": {"puzzles"}, "evaluation/accuracy.csv": {"accuracy"}, "learning.csv": {"learning"}, "calibration.csv": {"calibration"},
}

// shows reports whether the notebook shows the content of a trial's table.
func (r *Report) shows(table string) bool {
	return slices.ContainsFunc(r.Notebook, func(c experiment.Cell) bool {
		return slices.Contains(shownIn[table], c.Table) || c.Figure != nil && slices.Contains(shownIn[table], c.Figure.Kind)
	})
}

// Finding is the result of a check of one file.
type Finding struct {
	Path  string `json:"path"`
	State State  `json:"state"`
	Why   string `json:"why,omitempty"`
}

// State is the result of comparing a file with the one that would be drawn today.
type State string

const (
	Current State = "current" // the same bytes
	Stale   State = "stale"   // drawn from other settings, other results or by other code
	Changed State = "changed" // the stamp is current, but the bytes differ
	Missing State = "missing"
	// Unchecked files have current settings and code in their stamps, but the results to
	// draw them from are not here.
	Unchecked State = "unchecked"
)

// OK reports whether the file needs no action.
func (s State) OK() bool { return s == Current || s == Unchecked }

// Check compares every figure and table of the experiment with the files on disk, and
// writes nothing. If the results of a trial are not here, as in a fresh copy of a
// repository, it compares only the settings and the code in the stamps of the figures.
func (r *Report) Check(opt Options) (findings []Finding, err error) {
	files, faults := r.files(opt)
	all, errs := make([]Finding, len(files)), make([]error, len(files))
	inParallel(len(files), func(i int) { all[i], errs[i] = files[i].check() })
	for i, f := range all {
		if files[i].bytes == nil && f.State == Stale && len(r.Trials) > 0 {
			f.Why += "; nothing can be drawn in its place: " + files[i].why
		}
		if f.State != "" {
			findings = append(findings, f)
		}
	}
	return findings, errors.Join(append(errs, faults)...)
}

// check compares a file with the one that would be drawn. The finding has no state if
// neither exists.
func (f *file) check() (Finding, error) {
	out := Finding{Path: filepath.Clean(f.path)}
	have, err := disk.ReadFile(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.bytes != nil {
			out.State = Missing
		}
		return out, nil
	case err != nil:
		return out, err
	case f.bytes != nil:
		want, err := f.bytes()
		if err != nil {
			return out, err
		}
		if bytes.Equal(have, want) {
			out.State = Current
			return out, nil
		}
	}
	if f.stamp == nil {
		out.State, out.Why = Stale, "its contents have changed"
	} else if out.State, out.Why = staleness(have, *f.stamp); f.bytes == nil && out.Why == edited {
		out.State, out.Why = Unchecked, f.why
	}
	return out, nil
}

const edited = "its stamp is today's but its bytes are not: it was edited, or drawn by another build"

// staleness compares a picture with the stamp of the one that would be drawn today.
func staleness(have []byte, today plots.Stamp) (State, string) {
	stamp, err := plots.ParseStamp(have)
	switch {
	case errors.Is(err, plots.ErrNoStamp):
		return Stale, "it has no stamp"
	case err != nil:
		return Changed, "it is not a picture of alamos, or is damaged"
	}
	var why []string
	if stamp.Experiment != today.Experiment {
		why = append(why, "the experiment's settings or the style have changed")
	}
	if stamp.Code != today.Code {
		why = append(why, "it was drawn by other code ("+stamp.Code+", this is "+today.Code+")")
	}
	if len(why) == 0 && today.Data != "" && stamp.Data != today.Data { // other settings make other data
		why = append(why, "the results have changed")
	}
	if len(why) == 0 {
		return Changed, edited
	}
	return Stale, strings.Join(why, ", ")
}
