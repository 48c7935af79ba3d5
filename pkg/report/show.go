package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Shown is what is told of an experiment's results, or of those of one trial.
type Shown struct {
	*store.Run
	About    string           `json:"about,omitempty"`
	File     string           `json:"file"`
	Settings []ShownSetting   `json:"settings"` // that are not the defaults
	Axes     []string         `json:"axes,omitempty"`
	Metrics  []string         `json:"metrics,omitempty"`
	All      []ShownTrial     `json:"all_trials,omitempty"` // a row each
	Details  []ShownTrialMore `json:"trial_details,omitempty"`
}

// ShownSetting is a setting that is not the default.
type ShownSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // the list of values where the sweep varies it
	Origin string `json:"origin"`
}

// ShownTrial is a row of the sweep.
type ShownTrial struct {
	Folder      string                    `json:"folder"`
	ID          string                    `json:"id"`
	Values      []string                  `json:"values,omitempty"` // of the axes
	Done        int                       `json:"generations_done"`
	Generations int                       `json:"generations"`
	Next        string                    `json:"next,omitempty"`
	Failed      string                    `json:"failed,omitempty"`
	Metrics     map[string]stats.Interval `json:"metrics"`
}

// ShownTrialMore is what is told of a trial by itself.
type ShownTrialMore struct {
	Folder    string            `json:"folder"`
	ID        string            `json:"id"`
	Label     string            `json:"label,omitempty"`
	Machine   store.Machine     `json:"machine"`
	Ended     string            `json:"ended,omitempty"` // why it ended before its last generation
	Stages    []ShownStage      `json:"stages"`          // in the order of a run that begins anew
	Standings *store.Tournament `json:"tournament,omitempty"`
	// Puzzles and Accuracy are what the last checkpoint was asked.
	Puzzles  []store.PuzzleScore   `json:"puzzles,omitempty"`
	Accuracy []store.PhaseAccuracy `json:"accuracy,omitempty"`
}

// ShownStage is a stage that has run.
type ShownStage struct {
	Name    string          `json:"name"`
	Ended   time.Time       `json:"ended"`
	Seconds float64         `json:"seconds"`
	Files   int             `json:"files"`
	State   store.FileState `json:"state,omitempty"` // empty: not looked at
	File    string          `json:"file,omitempty"`  // the one that is missing or damaged
}

// shownMetrics are the columns of a sweep in a terminal.
var shownMetrics = []string{"score", "elo", "vs_untrained", "loss", "samples", "seconds"}

// Show tells of the results of an experiment, or, where trial is not nil, of one of
// its trials. With verify the files of a trial that is told of by itself are
// compared with their checksums, which reads them all.
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
		return s, s.add(trial, verify)
	}
	if len(x.Trials) == 1 && len(run.Opened) == 1 {
		if err := s.add(run.Opened[0], verify); err != nil {
			return nil, err
		}
	}
	s.Metrics = slices.Clone(shownMetrics)
	for _, name := range x.Trials[0].Settings.EvaluationMeasures() {
		if strings.HasPrefix(name, "puzzles.") {
			s.Metrics = append(s.Metrics, name)
		}
	}
	for i := range x.Trials {
		row, err := s.row(x, i)
		if err != nil {
			return nil, err
		}
		s.All = append(s.All, row)
	}
	return s, nil
}

// row is trial i of the experiment in the table of the sweep.
func (s *Shown) row(x *store.Experiment, i int) (ShownTrial, error) {
	d := &x.Trials[i]
	row := ShownTrial{Folder: store.Folder(d), ID: d.ID, Generations: d.Settings.Generations, Next: store.UntrainedStage, Metrics: map[string]stats.Interval{}}
	row.Failed = x.Failed[row.Folder]
	for _, a := range x.Axes {
		row.Values = append(row.Values, valueOn(d, a.Path))
	}
	for _, t := range s.Opened {
		if t.ID != d.ID {
			continue
		}
		row.Done, row.Next, row.Generations = t.Done(), t.Next(), t.Last()
		for _, m := range s.Metrics {
			v, err := t.Measure(m)
			if err != nil {
				return row, err
			}
			row.Metrics[m] = v
		}
	}
	return row, nil
}

func valueOn(t *experiment.Trial, path string) string {
	for _, a := range t.Axis {
		if a.Path == path {
			return a.Value
		}
	}
	return ""
}

// add tells of one trial.
func (s *Shown) add(t *store.Trial, verify bool) error {
	d := ShownTrialMore{Folder: folder(t), ID: t.ID, Label: t.Label, Machine: t.Manifest.Machine}
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

// departures are the settings of an experiment that are not the defaults.
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

// Broken reports whether a file is not what a stage wrote.
func (s *Shown) Broken() bool {
	return slices.ContainsFunc(s.Details, func(d ShownTrialMore) bool {
		return slices.ContainsFunc(d.Stages, func(x ShownStage) bool { return x.State == store.FileDamaged })
	})
}

// Write writes it for a terminal.
func (s *Shown) Write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "experiment\t%s (%s)\n", s.Name, s.File)
	fmt.Fprintf(tw, "results\t%s, %s, changed %s\n", s.Dir, size(s.Bytes), when(s.Changed))
	fmt.Fprintf(tw, "state\t%s\n", standing(s.Run))
	if s.Page != "" {
		fmt.Fprintf(tw, "page\t%s\n", s.Page)
	}
	if len(s.Settings) > 0 {
		fmt.Fprintln(tw, "\nsettings that are not the defaults")
		for _, x := range s.Settings {
			column := "\t"
			if len(x.Value) > 40 {
				column = "  " // a long list does not push away the places of the others
			}
			fmt.Fprintf(tw, "  %s\t%s%s%s\n", x.Key, x.Value, column, x.Origin)
		}
	}
	if len(s.All) > 1 {
		s.writeSweep(tw)
	}
	for i := range s.Details {
		s.Details[i].write(tw)
	}
	return tw.Flush()
}

// writeSweep writes the table of the sweep.
func (s *Shown) writeSweep(w io.Writer) {
	var metrics []metric
	for _, name := range s.Metrics {
		if slices.ContainsFunc(s.All, func(t ShownTrial) bool { m, ok := t.Metrics[name]; return ok && !m.Missing() }) {
			metrics = append(metrics, metricOf(name))
		}
	}
	row := append(append([]string{"\ntrial"}, s.Axes...), "generations")
	for _, m := range metrics {
		label := m.label
		if m.unit != "" {
			label += " (" + m.unit + ")"
		}
		row = append(row, label)
	}
	fmt.Fprintln(w, strings.Join(row, "\t"))
	for _, t := range s.All {
		row := []string{t.Folder}
		for _, v := range t.Values {
			row = append(row, cmp.Or(v, "–"))
		}
		row = append(row, progress(t.Done, t.Generations))
		for _, m := range metrics {
			v, ok := t.Metrics[m.name]
			if !ok {
				v = stats.Unknown()
			}
			row = append(row, shown(m, v).String())
		}
		if t.Failed != "" {
			first, _, _ := strings.Cut(t.Failed, "\n")
			row = append(row, "failed: "+first)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
}

// write writes what is told of a trial.
func (d *ShownTrialMore) write(w io.Writer) {
	fmt.Fprintf(w, "\ntrial\t%s, settings %s\n", d.Folder, d.ID)
	if d.Label != "" {
		fmt.Fprintf(w, "differs in\t%s\n", d.Label)
	}
	fmt.Fprintf(w, "computed on\t%s, %s, %s, alamos %s\n", d.Machine.Host, d.Machine.Hardware(), d.Machine.Precision, d.Machine.Alamos)
	if d.Ended != "" {
		fmt.Fprintf(w, "ended early\t%s\n", d.Ended)
	}
	fmt.Fprintln(w, "\nstage\tended\ttime\tfiles")
	for _, x := range d.Stages {
		files := "–"
		if x.Files > 0 {
			files = fmt.Sprint(x.Files)
			if x.State != "" {
				files += " " + string(x.State)
			}
		}
		if x.File != "" {
			files += ": " + x.File
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", x.Name, when(x.Ended), lasted(x.Seconds), files)
	}
	d.writeEvaluation(w)
	if d.Standings == nil {
		return
	}
	fmt.Fprintf(w, "\nstandings (%s)\tW/D/L\tscore\tElo\t95 %%\tas White\tas Black\n", zeroOf(d.Standings))
	for _, i := range d.Standings.Ranking() {
		p := d.Standings.Players[i]
		fmt.Fprintf(w, "%s\t%s\t%s %%\t%s\t%s\t%s\t%s\n", p.Name, record(p.Record), fixed(100*store.Share(p.Standing), 1), fixed(p.Elo.Value, 0), eloInterval(p), record(p.White), record(p.Black))
	}
	if a := d.Standings.FirstMove; !a.Missing() {
		fmt.Fprintf(w, "having White\t\t\t%.0f\t%.0f..%.0f\n", a.Value, a.Low, a.High)
	}
}

// lasted is a number of seconds as people read it.
func lasted(seconds float64) string {
	switch {
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 600:
		return fmt.Sprintf("%.0f s", seconds)
	}
	return time.Duration(math.Round(seconds) * float64(time.Second)).Truncate(time.Minute).String()
}

// ErrDamaged is the error of results with a file that is not what a run wrote.
var ErrDamaged = errors.New("a file is not what the run wrote: delete it and alamos run makes it again")
