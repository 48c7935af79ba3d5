package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
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
	All      []ShownTrial   `json:"all_trials"`
	Faults   []HookFault    `json:"hook_faults,omitempty"` // of the trials shown
}

// ShownSetting is a setting that differs from the default.
type ShownSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // the list of values if the sweep varies it
	Origin string `json:"origin"`
}

// ShownTrial is a trial with its results.
type ShownTrial struct {
	Number      int                       `json:"number"`
	Folder      string                    `json:"folder"`
	ID          string                    `json:"id"`
	Label       string                    `json:"label,omitempty"`
	Values      []string                  `json:"values,omitempty"` // of the axes
	Done        int                       `json:"generations_done"`
	Generations int                       `json:"generations"`
	Next        string                    `json:"next,omitempty"`
	Failed      string                    `json:"failed,omitempty"`
	Metrics     map[string]stats.Interval `json:"metrics"`
	Details     *ShownDetails             `json:"details,omitempty"` // if only this trial is shown

	trial *store.Trial
}

// ShownDetails are the stages of a trial, and its results after its last generation.
type ShownDetails struct {
	Machine   store.Machine         `json:"machine"`
	TrainedOn string                `json:"trained_on,omitempty"` // kinds of machine
	Ended     string                `json:"ended,omitempty"`      // the reason why it ended before its last generation
	Stages    []ShownStage          `json:"stages"`               // in the order of a run from the beginning
	Standings *store.Tournament     `json:"tournament,omitempty"`
	Puzzles   []store.PuzzleScore   `json:"puzzles,omitempty"`
	Accuracy  []store.PhaseAccuracy `json:"accuracy,omitempty"`
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
	x := run.Experiment
	if x == nil {
		return nil, fmt.Errorf("%s has no readable %s: run its experiment again", run.Dir, store.ExperimentName)
	}
	named := *run
	s := &Shown{Run: &named, About: x.About, File: x.File, Settings: departures(x)}
	for _, a := range x.Axes {
		s.Axes = append(s.Axes, a.Path)
	}
	for _, t := range run.All() {
		if trial != nil && trial.Declared.ID != t.Declared.ID {
			continue
		}
		shown := s.show(t)
		if trial != nil || len(x.Trials) == 1 && len(run.Opened) == 1 {
			var err error
			if shown.Details, err = details(t, verify); err != nil {
				return nil, err
			}
		}
		s.All = append(s.All, shown)
	}
	s.Faults = hookFaults(s.trials())
	s.Dir, s.Page = store.Shown(s.Dir), store.Shown(s.Page)
	return s, nil
}

func (s *Shown) trials() (all []*store.Trial) {
	for _, t := range s.All {
		all = append(all, t.trial)
	}
	return all
}

func (s *Shown) show(t *store.Trial) ShownTrial {
	d := &t.Declared
	row := ShownTrial{
		Number: d.Number, Folder: filepath.Base(t.Dir), ID: d.ID, Label: d.Label, Done: t.Done(), Generations: t.Last(), Next: t.Next(),
		Failed: s.Experiment.Failed[filepath.Base(t.Dir)], Metrics: map[string]stats.Interval{}, trial: t,
	}
	for _, path := range s.Axes {
		row.Values = append(row.Values, axisValue(d, path))
	}
	for _, m := range slices.Concat(trialColumns, store.LearningMeasures(), evaluationMetrics(s.Experiment, "puzzles.")) {
		row.Metrics[m] = t.Measure(m)
	}
	return row
}

func details(t *store.Trial, verify bool) (*ShownDetails, error) {
	d := &ShownDetails{Machine: t.Manifest.Machine, TrainedOn: t.TrainedOn(), Standings: t.Tournament(), Puzzles: t.PuzzleScores(t.Done()), Accuracy: t.Accuracy(t.Done())}
	if e := t.Manifest.Ended; e != nil {
		d.Ended = e.Why
	}
	var leftOut func(string) bool
	if verify {
		var err error
		if leftOut, err = t.LeftOut(); err != nil {
			return nil, err
		}
	}
	for _, stage := range t.Manifest.Stages {
		x := ShownStage{Name: stage.Name, Ended: stage.Ended, Seconds: stage.Seconds, Files: len(stage.Outputs)}
		if verify {
			kept := *stage
			kept.Outputs = maps.Clone(stage.Outputs)
			maps.DeleteFunc(kept.Outputs, func(file, _ string) bool {
				_, err := os.Lstat(t.Path(file))
				return errors.Is(err, fs.ErrNotExist) && leftOut(file)
			})
			var err error
			if x.State, x.File, err = kept.Verify(t.Dir, true); err != nil {
				return nil, err
			}
			if x.State == store.FileOK && len(kept.Outputs) < len(stage.Outputs) {
				x.State = store.FileLeftOut
			}
		}
		d.Stages = append(d.Stages, x)
	}
	slices.SortStableFunc(d.Stages, func(a, b ShownStage) int { return store.CompareStages(a.Name, b.Name) })
	return d, nil
}

// departures returns the settings of an experiment that differ from the defaults.
func departures(x *store.Experiment) (out []ShownSetting) {
	for _, e := range x.Settings {
		isDefault := e.Origin.Default() || !e.Swept && experiment.IsDefault(e.Path, e.Value)
		if skip := slices.Contains([]string{"alamos", "notebook", "about", "name", "extends"}, e.Path) || strings.HasPrefix(e.Path, "sweep"); !skip && !isDefault {
			out = append(out, ShownSetting{e.Path, e.Value, e.Origin.String()})
		}
	}
	return out
}

// Damaged reports whether a file differs from what a run wrote.
func (s *Shown) Damaged() bool {
	return s.State == store.Damaged || slices.ContainsFunc(s.All, func(t ShownTrial) bool {
		return t.Details != nil && slices.ContainsFunc(t.Details.Stages, func(x ShownStage) bool { return x.State == store.FileDamaged })
	})
}

// Write writes the results for a terminal.
func (s *Shown) Write(w io.Writer) error {
	head := facts(
		Row("experiment", fmt.Sprintf("%s (%s)", s.Name, s.File)),
		Row("results", fmt.Sprintf("%s, %s, changed %s", s.Dir, size(s.Bytes), when(s.Changed))),
		Row("state", standing(s.Run)),
		Row("page", s.Page),
	)
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
	for i := range s.All {
		if t := &s.All[i]; t.Details != nil {
			blocks = append(blocks, t.blocks()...)
		}
	}
	if len(s.All) > 1 {
		blocks = append(blocks, trialBlocks(s.Experiment, s.trials())...)
	}
	if len(s.Faults) > 0 {
		blocks = append(blocks, noteOf(s.Faults))
	}
	return WriteText(w, false, blocks...)
}

// blocks returns the stages and results of a trial for a terminal.
func (t *ShownTrial) blocks() []Block {
	d := t.Details
	head := facts(
		Row("trial", fmt.Sprintf("#%d, %s, settings %s", t.Number, t.Folder, t.ID)),
		Row("differs in", t.Label),
		Row("computed on", fmt.Sprintf("%s, %s, %s, alamos %s", d.Machine.Host, d.Machine.Hardware(), d.Machine.Precision, d.Machine.Alamos)),
		Row("trained on", d.TrainedOn),
		Row("ended early", d.Ended),
	)
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
	for _, name := range []string{"learning", "puzzles", "accuracy", "standings"} {
		table := trialTables[name](t.trial)
		if len(table.Columns) > 0 && table.Columns[0].Name == "generation" { // the last generation is enough
			table.Rows = slices.DeleteFunc(table.Rows, func(row []Cell) bool { return row[0].Text != grouped(float64(t.Done), 0) })
		}
		if len(table.Rows) > 0 {
			blocks = append(blocks, table)
		}
	}
	return blocks
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
	blocks := []Block{t}
	for _, r := range runs {
		if len(r.Workers) > 0 {
			blocks = append(blocks, Text{"workers of " + r.Name}, workersTable(r.Workers))
		}
	}
	return WriteText(w, false, blocks...)
}

// workersTable lists the workers of a run.
func workersTable(workers []store.Worker) Table {
	t := Table{Columns: []Column{{Name: "worker"}, {Name: "host"}, {Name: "kind"}, {Name: "games", Numeric: true}, {Name: "verified", Numeric: true},
		{Name: "per second", Numeric: true}, {Name: "at work on", Numeric: true}, {Name: "state"}}}
	for _, w := range workers {
		state := "heard " + humanize.Time(w.Seen)
		if w.Refused != "" {
			state = "refused: " + w.Refused
		}
		t.Rows = append(t.Rows, Row(w.Name, w.Host, w.Kind.String(), fmt.Sprint(w.Taken), fmt.Sprint(w.Verified), fmt.Sprintf("%.3g", w.Speed), fmt.Sprint(w.Held), state))
	}
	return t
}

// Garbage writes what a collection removed, or would remove if it was dry.
func Garbage(w io.Writer, c *store.Collection, dry bool) error {
	t := Table{Columns: []Column{{}, {Numeric: true}, {}}}
	for _, g := range c.Garbage {
		t.Rows = append(t.Rows, Row(g.Path, size(g.Bytes), g.What))
	}
	total := "freed " + size(c.Freed)
	switch {
	case len(c.Garbage) == 0:
		total = "nothing to remove"
	case dry:
		total = "would free " + size(c.Freed)
	}
	text := ""
	for _, left := range c.Left {
		text += "left alone: " + left + "\n"
	}
	return errors.Join(WriteText(w, false, t), WriteText(w, false, Text{text + total}))
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
