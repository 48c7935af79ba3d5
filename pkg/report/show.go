package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Shown holds the results of an experiment or of one of its trials.
type Shown struct {
	*store.Run
	About    string         `json:"about,omitempty"`
	File     string         `json:"file"`
	Settings []ShownSetting `json:"settings"` // settings that differ from the defaults
	Axes     []string       `json:"axes,omitempty"`
	Metrics  []string       `json:"metrics,omitempty"`
	All      []ShownTrial   `json:"all_trials,omitempty"`
	Details  []ShownDetails `json:"trial_details,omitempty"`

	trials []*store.Trial // of All, with or without results
}

// ShownSetting is a setting that differs from the default.
type ShownSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // the list of values if the sweep varies it
	Origin string `json:"origin"`
}

// ShownTrial is a trial of the sweep.
type ShownTrial struct {
	Number      int                       `json:"number"`
	Folder      string                    `json:"folder"`
	ID          string                    `json:"id"`
	Values      []string                  `json:"values,omitempty"` // of the axes
	Done        int                       `json:"generations_done"`
	Generations int                       `json:"generations"`
	Next        string                    `json:"next,omitempty"`
	Failed      string                    `json:"failed,omitempty"`
	Metrics     map[string]stats.Interval `json:"metrics"`
}

// ShownDetails are the stages and results of one trial.
type ShownDetails struct {
	Folder    string            `json:"folder"`
	ID        string            `json:"id"`
	Number    int               `json:"number"`
	Label     string            `json:"label,omitempty"`
	Machine   store.Machine     `json:"machine"`
	Ended     string            `json:"ended,omitempty"` // the reason why it ended before its last generation
	Stages    []ShownStage      `json:"stages"`          // in the order of a run from the beginning
	Standings *store.Tournament `json:"tournament,omitempty"`
	// Puzzles and Accuracy are of the last checkpoint.
	Puzzles  []store.PuzzleScore   `json:"puzzles,omitempty"`
	Accuracy []store.PhaseAccuracy `json:"accuracy,omitempty"`

	trial *store.Trial
}

// ShownStage is a finished stage.
type ShownStage struct {
	Name    string          `json:"name"`
	Ended   time.Time       `json:"ended"`
	Seconds float64         `json:"seconds"`
	Files   int             `json:"files"`
	State   store.FileState `json:"state,omitempty"` // empty means not verified
	File    string          `json:"file,omitempty"`  // the missing or damaged file
}

// ErrDamaged reports a file that differs from what a run wrote.
var ErrDamaged = errors.New("a file is not what the run wrote: delete it and alamos run makes it again")

// Show reads the results of an experiment, or of one of its trials if trial is not nil. If
// verify is set, it reads all files of a trial whose details it shows and compares their
// checksums.
func Show(run *store.Run, trial *store.Trial, verify bool) (*Shown, error) {
	s := &Shown{Run: run}
	x := run.Experiment
	if x == nil {
		return nil, fmt.Errorf("%s has no readable %s: run its experiment again", run.Dir, store.ExperimentName)
	}
	s.About, s.File = x.About, x.File
	for _, a := range x.Axes {
		s.Axes = append(s.Axes, a.Path)
	}
	var err error
	if s.Settings, err = departures(x); err != nil {
		return nil, err
	}
	if trial != nil {
		return s, s.addDetails(trial, verify)
	}
	if len(x.Trials) == 1 && len(run.Opened) == 1 {
		if err := s.addDetails(run.Opened[0], verify); err != nil {
			return nil, err
		}
	}
	s.Metrics = append(slices.Clone(trialColumns), evaluationMetrics(x, "puzzles.")...)
	for i := range x.Trials {
		if err := s.addTrial(&x.Trials[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Shown) addTrial(d *experiment.Trial) error {
	folder := store.Folder(d)
	t := &store.Trial{Declared: *d, Dir: filepath.Join(s.Dir, folder), Manifest: &store.Manifest{}}
	if i := slices.IndexFunc(s.Opened, func(o *store.Trial) bool { return o.Declared.ID == d.ID }); i >= 0 {
		t = s.Opened[i]
	}
	row := ShownTrial{
		Number: d.Number, Folder: folder, ID: d.ID, Done: t.Done(), Generations: t.Last(), Next: t.Next(),
		Failed: s.Experiment.Failed[folder], Metrics: map[string]stats.Interval{},
	}
	for _, path := range s.Axes {
		row.Values = append(row.Values, axisValue(d, path))
	}
	for _, m := range s.Metrics {
		v, err := t.Measure(m)
		if err != nil {
			return err
		}
		row.Metrics[m] = v
	}
	s.All, s.trials = append(s.All, row), append(s.trials, t)
	return nil
}

func (s *Shown) addDetails(t *store.Trial, verify bool) error {
	d := ShownDetails{Folder: filepath.Base(t.Dir), ID: t.Declared.ID, Number: t.Declared.Number, Label: t.Declared.Label, Machine: t.Manifest.Machine, trial: t}
	if e := t.Manifest.Ended; e != nil {
		d.Ended = e.Why
	}
	for _, stage := range t.Manifest.Stages {
		x := ShownStage{Name: stage.Name, Ended: stage.Ended, Seconds: stage.Seconds, Files: len(stage.Outputs)}
		if verify {
			var err error
			if x.State, x.File, err = stage.Verify(t.Dir); err != nil {
				return err
			}
		}
		d.Stages = append(d.Stages, x)
	}
	slices.SortStableFunc(d.Stages, func(a, b ShownStage) int { return store.CompareStages(a.Name, b.Name) })
	var err error
	if d.Standings, err = t.Tournament(); err != nil {
		return err
	}
	if d.Puzzles, err = t.PuzzleScores(t.Done()); err != nil {
		return err
	}
	d.Accuracy, err = t.Accuracy(t.Done())
	s.Details = append(s.Details, d)
	return err
}

// departures returns the settings of an experiment that differ from the defaults.
func departures(x *store.Experiment) ([]ShownSetting, error) {
	if len(x.Trials) == 0 {
		return nil, nil
	}
	plain := []byte("alamos: 1\nname: plain\n")
	def, err := experiment.Load("plain.yaml", experiment.Options{ReadFile: func(name string) ([]byte, error) {
		if name == "plain.yaml" {
			return plain, nil
		}
		return nil, fs.ErrNotExist
	}})
	if err != nil {
		return nil, err
	}
	differs := map[string]bool{}
	for _, d := range experiment.DiffSettings(&def.Settings, &x.Trials[0].Settings) {
		differs[d.Path] = true
	}
	var out []ShownSetting
	for _, e := range x.Settings {
		skip := e.Path == "notebook" || e.Path == "about" || e.Path == "name" || strings.HasPrefix(e.Path, "sweep")
		if !skip && !e.Origin.Default() && (differs[e.Path] || e.Swept) {
			out = append(out, ShownSetting{e.Path, e.Value, e.Origin.String()})
		}
	}
	return out, nil
}

// Damaged reports whether a file differs from what a stage wrote.
func (s *Shown) Damaged() bool {
	return slices.ContainsFunc(s.Details, func(d ShownDetails) bool {
		return slices.ContainsFunc(d.Stages, func(x ShownStage) bool { return x.State == store.FileDamaged })
	})
}

// Write writes the results for a terminal.
func (s *Shown) Write(w io.Writer) error {
	head := facts(
		Row("experiment", fmt.Sprintf("%s (%s)", s.Name, s.File)),
		Row("results", fmt.Sprintf("%s, %s, changed %s", s.Dir, size(s.Bytes), when(s.Changed))),
		Row("state", standing(s.Run)),
	)
	if s.Page != "" {
		head.Rows = append(head.Rows, Row("page", s.Page))
	}
	blocks := []Block{head}
	if len(s.Settings) > 0 {
		settings := Table{Caption: "settings that are not the defaults"}
		for _, x := range s.Settings {
			row := Row("  "+x.Key, x.Value, x.Origin)
			if len(x.Value) > 40 { // a long list must not displace the origins of the other settings
				row = Row("  "+x.Key, x.Value+"  "+x.Origin)
			}
			settings.Rows = append(settings.Rows, row)
		}
		blocks = append(blocks, settings)
	}
	if len(s.All) > 1 {
		tables, err := trialBlocks(s.Experiment, s.trials)
		if err != nil {
			return err
		}
		blocks = append(blocks, tables...)
	}
	for _, d := range s.Details {
		more, err := d.blocks()
		if err != nil {
			return err
		}
		blocks = append(blocks, more...)
	}
	return WriteText(w, false, blocks...)
}

// blocks returns the stages and results of a trial for a terminal.
func (d *ShownDetails) blocks() ([]Block, error) {
	head := facts(Row("trial", fmt.Sprintf("#%d, %s, settings %s", d.Number, d.Folder, d.ID)))
	if d.Label != "" {
		head.Rows = append(head.Rows, Row("differs in", d.Label))
	}
	head.Rows = append(head.Rows, Row("computed on", fmt.Sprintf("%s, %s, %s, alamos %s", d.Machine.Host, d.Machine.Hardware(), d.Machine.Precision, d.Machine.Alamos)))
	if d.Ended != "" {
		head.Rows = append(head.Rows, Row("ended early", d.Ended))
	}
	stages := Table{Columns: []Column{{Name: "stage"}, {Name: "ended"}, {Name: "time"}, {Name: "files"}}}
	for _, x := range d.Stages {
		files := "–"
		if x.Files > 0 {
			files = strings.TrimSpace(fmt.Sprint(x.Files, " ", x.State))
		}
		if x.File != "" {
			files += ": " + x.File
		}
		stages.Rows = append(stages.Rows, Row(x.Name, when(x.Ended), lasted(x.Seconds), files))
	}
	blocks := []Block{head, stages}
	for _, name := range []string{"puzzles", "accuracy", "standings"} {
		t, err := trialTables[name](d.trial)
		if err != nil {
			return nil, err
		}
		if t.Columns != nil && t.Columns[0].Name == "generation" { // the last generation is enough
			last := fmt.Sprint(d.trial.Done())
			t.Rows = slices.DeleteFunc(t.Rows, func(row []Cell) bool { return row[0].Text != last })
		}
		if len(t.Rows) > 0 {
			blocks = append(blocks, t)
		}
	}
	return blocks, nil
}

// lasted formats a number of seconds for people.
func lasted(seconds float64) string {
	switch {
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 600:
		return fmt.Sprintf("%.0f s", seconds)
	}
	return time.Duration(math.Round(seconds) * float64(time.Second)).Truncate(time.Minute).String()
}

// List writes one line with the state of each experiment's results.
func List(w io.Writer, runs []*store.Run) error {
	var t Table
	for _, name := range []string{"NAME", "STATE", "TRIALS", "GENERATIONS", "CHANGED", "SIZE", "PAGE"} {
		t.Columns = append(t.Columns, Column{Name: name})
	}
	for _, r := range runs {
		trials, generations := progress(r.TrialsDone, r.Trials), progress(r.Done, r.Generations)
		if r.Experiment == nil {
			trials, generations = fmt.Sprint(r.Trials), "?"
		}
		if r.Old > 0 {
			trials += fmt.Sprintf(" (+%d old)", r.Old)
		}
		t.Rows = append(t.Rows, Row(r.Name, standing(r), trials, generations, when(r.Changed), size(r.Bytes), cmp.Or(r.Page, "–")))
	}
	return WriteText(w, false, t)
}

// standing describes the state of a run in a few words.
func standing(r *store.Run) string {
	s := string(r.State)
	switch {
	case r.State == store.Running && r.Stage != "":
		return fmt.Sprintf("%s: %s (%s)", s, r.Stage, r.Holder)
	case r.State == store.Running:
		return fmt.Sprintf("%s (%s)", s, r.Holder)
	case r.State == store.Interrupted && r.Stage != "":
		return s + " before " + r.Stage
	case r.State == store.Damaged, r.State == store.Failed:
		return s + ": " + r.Why
	}
	return s
}

func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// size formats a number of bytes for people.
func size(n int64) string { return humanize.Bytes(uint64(n)) }
