package diff

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/config"
	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// Side is one side of a comparison.
type Side struct {
	Name   string // as the user wrote it, or of results: "lab", "lab/width=16"
	Folder string // of its results; empty if there is none

	written string // as the user wrote it

	rows   []config.Explained
	axes   []string       // swept settings, without the seed
	prefix string         // the revision, printed before the files of origins
	trials []*store.Trial // in the order of the experiment; of stored results, those that have begun
	notes  []string       // limits of its results
}

// Options configure a comparison.
type Options struct {
	Results string // folder of results; empty means "results"
	// MannWhitney compares seeds by their ranks instead of with Welch's t-test.
	MannWhitney bool
	// SettingsOnly leaves results out.
	SettingsOnly bool
}

func (o Options) results() string { return cmp.Or(o.Results, "results") }

// Open resolves a name in this order: an experiment file; a result folder of an experiment
// or of one trial, or a pack of them; REVISION:FILE in git, as in "HEAD~3:experiments/sweeps/depth.yaml"; and
// names that [store.Resolve] knows: an experiment with results, or the first digits of a
// trial's hash. FILE is relative to the top of the repository or, beginning with "./", to
// the working directory. An empty REVISION means the index.
//
// Faults of an experiment file are [config.Errors].
func Open(name string, o Options) (*Side, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir(), store.IsPack(name):
		return openRun(name, o)
	case err == nil:
		e, err := experiment.Load(name, experiment.Options{Lenient: true})
		if err != nil {
			return nil, err
		}
		return ofExperiment(name, "", e, o), nil
	}
	if revision, file, ok := strings.Cut(name, ":"); ok {
		return openRevision(name, revision, file, o)
	}
	if experiment.IsFile(name) {
		return nil, config.Errors{{Position: config.Position{File: name, Line: 1, Col: 1}, Msg: "cannot read the file: " + fs.ErrNotExist.Error(), Err: fs.ErrNotExist}}
	}
	return openRun(name, o)
}

// openRevision opens a file at a revision, or in the index if revision is empty. Its bases
// and scripts are read from the same revision.
func openRevision(name, revision, file string, o Options) (*Side, error) {
	prefix, err := git("rev-parse", "--show-prefix")
	switch {
	case strings.HasPrefix(revision, "-"):
		err = fmt.Errorf("%q is not a revision", revision)
	case err == nil && revision != "":
		if _, unknown := git("rev-parse", "--verify", "--quiet", revision+"^{commit}"); unknown != nil {
			err = fmt.Errorf("git knows no revision %q", revision)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if strings.HasPrefix(file, "./") || strings.HasPrefix(file, "../") {
		file = path.Join(strings.TrimSpace(string(prefix)), file)
	}
	e, err := experiment.Load(filepath.FromSlash(path.Clean(file)), experiment.Options{Lenient: true, ReadFile: func(file string) ([]byte, error) { return committed(revision, file) }})
	if err != nil {
		return nil, prefixed(err, revision+":", func(string) bool { return true })
	}
	return ofExperiment(name, revision+":", e, o), nil
}

// committed reads a file of a revision, or of the index if revision is empty. Its path is
// relative to the top of the repository.
func committed(revision, file string) ([]byte, error) {
	content, err := git("cat-file", "blob", revision+":"+filepath.ToSlash(filepath.Clean(file)))
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return content, nil
}

// git runs git and returns what it prints.
func git(args ...string) ([]byte, error) {
	out, err := exec.Command("git", args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && len(failed.Stderr) > 0 {
		line, _, _ := strings.Cut(strings.TrimSpace(string(failed.Stderr)), "\n")
		err = errors.New(line)
	}
	if err != nil {
		return out, fmt.Errorf("git: %w", err)
	}
	return out, nil
}

// prefixed puts a prefix before the names of some files in the faults of an experiment.
func prefixed(err error, prefix string, of func(file string) bool) error {
	faults, _ := errors.AsType[config.Errors](err)
	for _, f := range faults {
		if of(f.File) {
			f.File = prefix + f.File
		}
	}
	return err
}

// ofExperiment returns the side of an experiment with its results, if any.
func ofExperiment(name, prefix string, e *experiment.Experiment, o Options) *Side {
	x, dir := store.Describe(e), filepath.Join(o.results(), e.Name)
	x.Recall(dir)
	s := &Side{Name: name, written: name, prefix: prefix, rows: experiment.Compared(x.Settings), axes: axes(x.Axes)}
	s.miss(e)
	for _, t := range x.Trials {
		if trial := s.add(t, filepath.Join(dir, t.Folder)); len(trial.Manifest.Stages) > 0 {
			s.Folder = dir
		}
	}
	return s
}

// add adds a trial with the results in its folder. A damaged manifest must not hide the
// settings.
func (s *Side) add(t experiment.Trial, dir string) *store.Trial {
	m, err := store.ReadManifest(dir)
	if err != nil {
		s.notes = append(s.notes, err.Error()+": its results are left out")
		m = &store.Manifest{}
	}
	trial := &store.Trial{Declared: t, Dir: dir, Manifest: m}
	s.trials = append(s.trials, trial)
	return trial
}

// miss notes the files that the settings name and that are not there.
func (s *Side) miss(e *experiment.Experiment) {
	for _, file := range e.Missing {
		s.notes = append(s.notes, s.prefix+file+" does not exist: only its name is compared")
	}
}

// axes returns the paths of a sweep's axes without the seed.
func axes(all []experiment.Axis) (paths []string) {
	for _, a := range experiment.WithoutSeed(all) {
		paths = append(paths, a.Path)
	}
	return paths
}

// openRun opens the stored results of an experiment, or of one of its trials.
func openRun(name string, o Options) (*Side, error) {
	run, trials, err := store.ResolveAll(o.results(), name)
	if err != nil {
		for _, dir := range []string{filepath.Join(o.results(), name), name} {
			if _, missing := os.Stat(filepath.Join(dir, store.SettingsFile)); missing == nil {
				return openTrial(name, dir, experiment.Trial{}) // its experiment has other trials now
			}
		}
		return nil, err
	}
	if trials != nil {
		return openTrials(name, run, trials)
	}
	x := run.Experiment
	if x == nil {
		return nil, errors.New(run.Why)
	}
	s := &Side{Name: run.Name, written: name, Folder: run.Dir, axes: axes(x.Axes)}
	if s.trials, s.notes, err = x.Open(run.Dir); err != nil {
		return nil, err
	}
	s.rows = experiment.Compared(x.Settings)
	return s, nil
}

// openTrials opens trials of a run that have a common name, such as the seeds of one setting.
func openTrials(name string, run *store.Run, trials []*store.Trial) (*Side, error) {
	s, err := openTrial(name, trials[0].Dir, trials[0].Declared)
	if err != nil {
		return nil, err
	}
	s.originsOf(run.Experiment)
	if len(trials) == 1 {
		s.trials[0].Final = trials[0].Final
		return s, nil
	}
	_, given, ok := strings.Cut(name, run.Name+"/")
	if !ok {
		_, given, _ = strings.Cut(name, store.PackExtension+"/")
	}
	s.Name, s.Folder, s.trials = run.Name+"/"+given, run.Dir, trials
	for i, of := range trials[0].Declared.Axis {
		if !slices.ContainsFunc(trials, func(t *store.Trial) bool { return t.Declared.Axis[i] != of }) {
			continue
		}
		if of.Path != "seed" {
			s.axes = append(s.axes, of.Path)
		}
		if row, swept := find(s.rows, of.Path), find(run.Experiment.Settings, of.Path); row != nil && swept != nil {
			*row = *swept
		}
	}
	return s, nil
}

// openTrial reads the stored results of one trial by the settings in its folder, because
// the experiment may have other settings now. It is called as its experiment declares it, if
// that still does.
func openTrial(name, dir string, declared experiment.Trial) (*Side, error) {
	e, err := experiment.Load(filepath.Join(dir, store.SettingsFile), experiment.Options{Lenient: true})
	if err != nil {
		return nil, err
	}
	s := &Side{written: name, Folder: dir, rows: experiment.Compared(e.Explain())}
	s.miss(e)
	trial := s.add(e.Trials[0], dir)
	trial.Declared.Label, trial.Declared.Name, trial.Declared.Axis = trial.Manifest.Label, declared.Name, declared.Axis
	s.Name = nameOf(trial)
	return s, nil
}

// originsOf replaces the origins of a trial's settings, which are all in one file, and the
// paths of its copies of scripts by those of its experiment.
func (s *Side) originsOf(x *store.Experiment) {
	for i := range s.rows {
		r := &s.rows[i]
		switch now := find(x.Settings, r.Path); {
		case now == nil:
		case now.Swept:
			r.Origin = now.Origin
		case now.Meaning == r.Meaning:
			*r = *now
		}
	}
}

// nameOf returns the name of a trial, which commands accept: "lab/width=16,seed=8".
func nameOf(t *store.Trial) string {
	d := &t.Declared
	if d.Label == "" {
		return d.Settings.Name
	}
	return d.Settings.Name + "/" + cmp.Or(store.ShortLabel(d, ","), strings.ReplaceAll(d.Label, " ", ","))
}

// origin formats the origin of a value: "" for a default, "as search.visits" for a value
// that follows another key.
func (s *Side) origin(o config.Origin) string {
	switch {
	case !o.Default():
		return s.prefix + o.String()
	case o.As != "":
		return "as " + o.As
	}
	return ""
}
