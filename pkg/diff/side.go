package diff

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// Side is one of the two that are compared.
type Side struct {
	Name   string // as it was asked for
	Folder string // of its results; empty where there is none

	rows   []experiment.Row
	prefix string         // before the files of origins: the revision
	trials []*store.Trial // all that it has, with or without results
	notes  []string       // what a person should know
}

// Options say where things are looked for.
type Options struct {
	Results string // folder of results; empty: "results"
	// MannWhitney tests seeds by their ranks, in place of Welch's t-test.
	MannWhitney bool
	// SettingsOnly leaves results out.
	SettingsOnly bool
}

func (o Options) results() string {
	if o.Results == "" {
		return "results"
	}
	return o.Results
}

// NotFoundError says that nothing has a name.
type NotFoundError struct {
	Name  string
	Tried []string
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("%s: there is no such experiment or run: it is %s", e.Name, strings.Join(e.Tried, ", "))
}

// Open finds what is meant by a name, in this order: an experiment file; a folder
// of results, of an experiment or of one trial; REVISION:FILE in git, as in
// "HEAD~3:experiments/depth.yaml", where FILE starts at the top of the repository
// or, beginning with "./", at the working directory, and an empty REVISION is what
// is staged; the name of an experiment with results, or NAME/TRIAL; and a trial by
// the beginning of its folder's name, at least 4 digits.
//
// Faults of an experiment file are [experiment.Errors]; where nothing is meant the
// error is a [NotFoundError].
func Open(name string, o Options) (*Side, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return openRun(name, name, o)
	case err == nil:
		return openFile(name, o)
	}
	if revision, file, ok := strings.Cut(name, ":"); ok {
		return openRevision(name, revision, file, o)
	}
	tried := []string{"no file or folder"}
	if filepath.IsLocal(name) {
		dir := filepath.Join(o.results(), name)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return openRun(name, dir, o)
		}
		tried = append(tried, "nothing in "+o.results())
		found, err := trialsCalled(o.results(), name)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 1:
			return openRun(name, found[0], o)
		case len(found) > 1:
			return nil, fmt.Errorf("%s: several trials begin like this: %s", name, strings.Join(found, ", "))
		}
		tried = append(tried, "and no trial's folder there begins like it")
	}
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return nil, experiment.Errors{{File: name, Line: 1, Col: 1, Msg: "cannot read the file: " + fs.ErrNotExist.Error(), Err: fs.ErrNotExist}}
	}
	return nil, &NotFoundError{name, tried}
}

// fewestDigits of a trial's folder are enough to name it.
const fewestDigits = 4

// trialsCalled are the folders of trials below results that "TRIAL" or
// "NAME/TRIAL" is the beginning of.
func trialsCalled(results, name string) ([]string, error) {
	of, trial := filepath.Split(filepath.FromSlash(name))
	if len(trial) < fewestDigits || strings.ContainsAny(name, `*?[\`) {
		return nil, nil
	}
	if of == "" {
		of = "*"
	}
	found, err := filepath.Glob(filepath.Join(results, of, trial+"*", store.ManifestName))
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found, err
}

// openFile opens an experiment file in the working tree.
func openFile(path string, o Options) (*Side, error) {
	e, err := experiment.Load(path, experiment.Options{})
	if err != nil {
		return nil, err
	}
	return ofExperiment(path, "", e, o), nil
}

// ofExperiment is the side of an experiment with the results that it has, if any.
func ofExperiment(name, prefix string, e *experiment.Experiment, o Options) *Side {
	s := &Side{Name: name, prefix: prefix, rows: e.Rows()}
	dir := filepath.Join(o.results(), e.Name)
	for _, t := range e.Trials {
		trial, note, err := store.Open(dir, t)
		if err != nil { // what is damaged is no reason to hide the settings
			note = err.Error() + ": its results are left out"
			trial = &store.Trial{Trial: t, Dir: filepath.Join(dir, store.Folder(&t)), Manifest: &store.Manifest{}}
		}
		if note != "" {
			s.notes = append(s.notes, note)
		}
		if len(trial.Manifest.Stages) > 0 {
			s.Folder = dir
		}
		s.trials = append(s.trials, trial)
	}
	return s
}

// openRun opens a folder of results: of a trial, or of an experiment with all its
// trials.
func openRun(name, dir string, o Options) (*Side, error) {
	s := &Side{Name: name, Folder: dir}
	folders, err := trialFolders(dir)
	if err != nil {
		return nil, err
	}
	if len(folders) == 0 {
		return nil, fmt.Errorf("%s: no results of a run: want a folder with %s or folders of trials in it", dir, store.ManifestName)
	}
	var all [][]experiment.Row
	for _, folder := range folders {
		t, rows, err := s.openTrial(folder)
		if err != nil {
			return nil, err
		}
		s.trials = append(s.trials, t)
		all = append(all, rows)
	}
	s.rows = together(all)
	return s, nil
}

// trialFolders are the folders of the trials in the results of an experiment, in
// the order of trials.csv, which names those of the last run; or the folder of a
// trial itself.
func trialFolders(dir string) ([]string, error) {
	isTrial := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "experiment.yaml"))
		return err == nil
	}
	if isTrial(dir) {
		return []string{dir}, nil
	}
	names, err := listedTrials(filepath.Join(dir, "trials.csv"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	var folders []string
	for _, n := range names {
		if folder := filepath.Join(dir, n); filepath.IsLocal(n) && isTrial(folder) {
			folders = append(folders, folder)
		}
	}
	return folders, nil
}

// openTrial reads what a run has left of one trial. A script that is no longer
// where it was is taken for the one of that name.
func (s *Side) openTrial(dir string) (*store.Trial, []experiment.Row, error) {
	e, err := experiment.Load(filepath.Join(dir, "experiment.yaml"), experiment.Options{ReadFile: func(path string) ([]byte, error) {
		data, err := os.ReadFile(path)
		if filepath.Ext(path) != ".go" || !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
		note := fmt.Sprintf("the script %s is gone: it is compared by its name", filepath.Base(path))
		if !slices.Contains(s.notes, note) {
			s.notes = append(s.notes, note)
		}
		return []byte("the script " + filepath.Base(path)), nil
	}})
	if err != nil {
		return nil, nil, err
	}
	m, note, err := store.ReadManifest(dir)
	if err != nil {
		note, m = err.Error()+": its results are left out", &store.Manifest{}
	}
	if note != "" {
		s.notes = append(s.notes, note)
	}
	t := e.Trials[0]
	t.Label = m.Label
	return &store.Trial{Trial: t, Dir: dir, Manifest: m}, e.Rows(), nil
}

// together makes one list of rows of those of several trials: where they differ,
// the key is swept.
func together(all [][]experiment.Row) []experiment.Row {
	var rows []experiment.Row
	at := map[string]int{}
	for _, trial := range all {
		for _, r := range trial {
			i, ok := at[r.Path]
			if !ok {
				at[r.Path] = len(rows)
				rows = append(rows, r)
				continue
			}
			have := &rows[i]
			if !have.Swept && have.Meaning == r.Meaning {
				continue
			}
			if !have.Swept {
				have.Items = []experiment.Item{{Value: have.Value, Meaning: have.Meaning, Origin: have.Origin}}
				have.Swept, have.List = true, true
			}
			if !slices.ContainsFunc(have.Items, func(x experiment.Item) bool { return x.Meaning == r.Meaning }) {
				have.Items = append(have.Items, experiment.Item{Value: r.Value, Meaning: r.Meaning, Origin: r.Origin})
			}
		}
	}
	for i := range rows {
		if r := &rows[i]; r.Swept {
			var values, meanings []string
			for _, x := range r.Items {
				values, meanings = append(values, x.Value), append(meanings, x.Meaning)
			}
			r.Value = "[" + strings.Join(values, ", ") + "]"
			r.Meaning = "[" + strings.Join(meanings, ", ") + "]"
		}
	}
	return rows
}

// origin writes where a value was set: "" for a default, "as search.visits" for one
// that follows another key.
func (s *Side) origin(o experiment.Origin) string {
	switch {
	case !o.Default():
		return s.prefix + o.String()
	case o.As != "":
		return "as " + o.As
	}
	return ""
}
