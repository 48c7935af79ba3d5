package report

import (
	"errors"
	"fmt"
	"os"
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
}

// layout determines the path of each file.
type layout struct {
	dir   string // of the results
	out   string // one folder for all files; empty means among the results
	slugs map[string]string
}

func (r *Report) layout(opt Options) layout {
	return layout{r.Dir, opt.Out, r.slugs}
}

// picture returns the path of a picture, without extension. It is of the trial, or of the
// experiment if t is nil.
func (l layout) picture(name string, t *experiment.Trial) string {
	switch {
	case l.out != "":
		return filepath.Join(l.out, l.flat(name, t))
	case t == nil:
		return filepath.Join(l.dir, "figures", name)
	}
	return filepath.Join(l.dir, store.Folder(t), "figures", name)
}

// table returns the path of a table in the folder of the trial, or of the experiment if t
// is nil.
func (l layout) table(file string, t *experiment.Trial) string {
	switch {
	case l.out != "":
		base := filepath.Base(file)
		ext := filepath.Ext(base)
		return filepath.Join(l.out, l.flat(strings.TrimSuffix(base, ext), t)+ext)
	case t == nil:
		return filepath.Join(l.dir, file)
	}
	return filepath.Join(l.dir, store.Folder(t), file)
}

func (l layout) flat(name string, t *experiment.Trial) string {
	if t == nil || l.slugs[t.ID] == "" {
		return name
	}
	return name + "-" + l.slugs[t.ID]
}

// slugs returns names of trials for file names, by ID: short forms of the swept settings,
// as in depth-2. A single trial needs none.
func slugs(trials []experiment.Trial) map[string]string {
	out := map[string]string{}
	if len(trials) < 2 {
		return out
	}
	taken := map[string]bool{}
	for i := range trials {
		t := &trials[i]
		var parts []string
		for _, a := range t.Axis {
			key := strings.ReplaceAll(store.ShortKey(t, a.Path), ".", "-")
			value := strings.Trim(inFileName(a.Value), "-")
			if len(value) > 24 || value == "" { // a list of positions
				value = experiment.Hash(a.Value)[:6]
			}
			parts = append(parts, key+"-"+value)
		}
		slug := strings.Join(parts, "-")
		if len(slug) > 80 || slug == "" || taken[slug] {
			slug = store.Folder(t)
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
	all, err := r.all(opt)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		why, nothing := d.nothing()
		if d.err != nil && !nothing {
			faults = errors.Join(faults, d.err)
			continue
		}
		for _, ext := range plots.Extensions {
			f := file{path: d.path + ext, stamp: &d.stamp, why: why}
			if !nothing {
				f.bytes = func() ([]byte, error) { return d.render(ext) }
			}
			files = append(files, f)
		}
		if c, ok := d.chart.(interface{ DOT() ([]byte, error) }); ok && !nothing { // for Graphviz
			files = append(files, file{path: d.path + ".dot", bytes: c.DOT})
		}
	}
	if opt.Figure == "" {
		tables, err := r.tables(opt)
		files, faults = append(files, tables...), errors.Join(faults, err)
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files, faults
}

// render returns the picture as a file.
func (d *drawn) render(ext string) (b []byte, err error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	switch ext {
	case ".svg":
		b, err = d.figure.SVG()
	case ".png":
		b, err = d.figure.PNG()
	default:
		b, err = d.figure.PDF()
	}
	if err != nil {
		err = fmt.Errorf("figure %s: %w", d.name, err)
	}
	return b, err
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
			err = disk.WriteBytes(files[i].path, b)
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

// tables returns the tables that opt selects. Among the results these are the ones that no
// stage writes, elsewhere those that the notebook shows.
func (r *Report) tables(opt Options) (files []file, err error) {
	if len(r.Trials) == 0 {
		return nil, nil
	}
	l := r.layout(opt)
	if r.only == nil {
		all, err := trialsCSV(r.Experiment, r.Trials)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: l.table(all.name, nil), bytes: all.bytes})
	}
	for _, t := range r.Trials {
		tables, err := csvTables(t)
		if err != nil {
			return nil, err
		}
		for _, x := range tables {
			if opt.Out == "" || r.shows(x.name) {
				files = append(files, file{path: l.table(x.name, &t.Declared), bytes: x.bytes})
			}
		}
		stage := t.Manifest.Stage(store.TournamentStage)
		if opt.Out == "" || stage == nil || t.Declared.Settings.Tournament.Rounds == 0 {
			continue
		}
		for _, name := range []string{"tournament/crosstable.csv", "tournament/ratings.csv"} {
			if sum, ok := stage.Outputs[name]; ok && r.shows(name) {
				files = append(files, file{path: l.table(name, &t.Declared), bytes: func() ([]byte, error) { return readWhole(t.Path(name), sum) }})
			}
		}
	}
	return files, nil
}

// shows reports whether the notebook shows the content of a trial's table.
func (r *Report) shows(table string) bool {
	for _, c := range r.Notebook {
		var shown bool
		switch table {
		case "tournament/crosstable.csv":
			shown = c.Table == "crosstable" || c.Figure != nil && c.Figure.Kind == "crosstable"
		case "tournament/ratings.csv":
			shown = c.Table == "standings" || c.Figure != nil && c.Figure.Kind == "elo"
		case puzzlesFile:
			shown = c.Table == "puzzles"
		case accuracyFile:
			shown = c.Table == "accuracy"
		case "generations.csv":
			shown = c.Table == "generations"
		case "epochs.csv":
			shown = c.Figure != nil && strings.HasPrefix(c.Figure.Kind, "loss")
		default: // of a hook
			shown = c.Figure != nil && c.Figure.Kind == "hook"
		}
		if shown {
			return true
		}
	}
	return false
}

// readWhole reads a file and checks that it has the checksum that a stage recorded.
func readWhole(path, sum string) ([]byte, error) {
	have, err := disk.Sum(path)
	if err != nil {
		return nil, err
	}
	if have != sum {
		return nil, fmt.Errorf("%s is not what the run wrote (its checksum differs): delete it and alamos run makes it again", path)
	}
	return os.ReadFile(path)
}

// relative returns a path relative to a page in the folder base.
func relative(base, path string) (string, error) {
	rel, err := filepath.Rel(base, path)
	return filepath.ToSlash(rel), err
}
