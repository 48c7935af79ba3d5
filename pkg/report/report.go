package report

import (
	"errors"
	"slices"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// Report presents the stored results of one experiment, which may be unfinished, or of one
// of its trials, see [Report.Only].
type Report struct {
	*store.Experiment
	Dir    string         // the result folder
	Trials []*store.Trial // trials with a finished generation, in the experiment's order
	// Notes are warnings about the store, such as damaged manifests, which are left out.
	Notes []string

	rungs  []store.Rung       // comparisons of successive halving
	slugs  map[string]string  // names of the trials in file names, by ID; see slugs
	only   *experiment.Trial  // nil: all trials
	whole  []experiment.Trial // with only: all trials of the experiment
	listed []*picture         // see pictures
}

// Describe converts an experiment to the form that a run stores. A file with several trials
// and no notebook gets the notebook of a sweep.
func Describe(e *experiment.Experiment) *store.Experiment {
	x := store.Describe(e)
	if len(x.Trials) > 1 && e.Origin("notebook").Default() {
		x.Notebook = sweepNotebook(x)
	}
	shown := func(c experiment.Cell) bool { return c.Table == "final" || c.Figure != nil && c.Figure.Kind == "final" }
	if x.Final != nil && !slices.ContainsFunc(x.Notebook, shown) {
		x.Notebook = slices.Concat([]experiment.Cell{{Figure: &experiment.Figure{Kind: "final"}}, {Table: "final"}}, x.Notebook)
	}
	return x
}

// Open reads the available results of an experiment in dir, its result folder.
func Open(x *store.Experiment, dir string) (*Report, error) {
	r := &Report{Experiment: x, Dir: dir, slugs: slugs(x.Trials)}
	begun, notes, err := x.Open(dir)
	r.Trials = slices.DeleteFunc(begun, func(t *store.Trial) bool { return t.Done() == 0 })
	r.Notes = notes
	if err == nil {
		r.rungs, err = x.Rungs(dir)
	}
	return r, err
}

// Only reduces the report to one trial of a sweep: its page, its tables, and its figures.
// Figures over all trials show this trial alone. Figures over the swept settings are left
// out. All files have the same names and bytes as those of the whole experiment.
func (r *Report) Only(t *store.Trial) {
	if len(r.Experiment.Trials) == 1 {
		return
	}
	x := *r.Experiment
	x.Trials, x.Left, x.Halving, x.Failed = []experiment.Trial{t.Declared}, nil, nil, nil
	if why, failed := r.Failed[t.Declared.Folder]; failed {
		x.Failed = map[string]string{t.Declared.Folder: why}
	}
	r.whole = r.Experiment.Trials
	r.Experiment, r.only, r.listed, r.rungs = &x, &x.Trials[0], nil, nil
	r.Trials = slices.DeleteFunc(r.Trials, func(o *store.Trial) bool { return o.Declared.ID != t.Declared.ID })
}

// Answer returns as plain text what the results of the experiment whose run wrote dir say about
// the settings of its sweep. It is empty if they say nothing.
func Answer(dir string) (string, error) {
	x, err := store.ReadExperiment(dir)
	if err != nil {
		return "", err
	}
	r, err := Open(x, dir)
	if err != nil {
		return "", err
	}
	text := r.answer()
	if text != "" {
		text = "Answer. " + text
	}
	return text, nil
}

// Write writes all figures, tables and the notebook page of an experiment to dir, its
// result folder. Failed or unfinished trials are noted on the page and are no error. If a
// figure cannot be drawn, Write returns an error, but still writes the page without it.
func Write(x *store.Experiment, dir string) error {
	r, err := Open(x, dir)
	if err != nil {
		return err
	}
	_, faults := r.Redraw(Options{})
	return errors.Join(faults, r.WritePage())
}

// mostAxes is the maximum number of swept keys that one picture or table shows each by itself.
const mostAxes = 8

// sweepNotebook is the default notebook of a sweep: first the trials, then the swept
// settings, then the training.
func sweepNotebook(x *store.Experiment) []experiment.Cell {
	axes := experiment.WithoutSeed(x.Axes)
	// Each trial has its own opponents. Elo above the untrained network is comparable
	// between trials, but the score is less so.
	metric := "elo"
	if x.Final == nil && slices.ContainsFunc(x.Trials, func(t experiment.Trial) bool { return !t.Settings.Measures("vs_untrained") }) {
		metric = "loss"
	}
	some := func(has func(*experiment.Settings) bool) bool {
		return slices.ContainsFunc(x.Trials, func(t experiment.Trial) bool { return has(&t.Settings) })
	}
	plays := some(func(s *experiment.Settings) bool { return s.Tournament.Rounds > 0 })
	solves := some(func(s *experiment.Settings) bool { return s.Evaluation != nil && len(s.Evaluation.Puzzles) > 0 })
	accuracy := some(func(s *experiment.Settings) bool { return s.Evaluation != nil && s.Evaluation.Accuracy })
	games := some(func(s *experiment.Settings) bool { return s.Data == nil })
	var cells []experiment.Cell
	add := func(when bool, some ...experiment.Cell) {
		if when {
			cells = append(cells, some...)
		}
	}
	text := func(s string) experiment.Cell { return experiment.Cell{Text: s} }
	figure := func(f experiment.Figure) experiment.Cell { return experiment.Cell{Figure: &f} }
	table := func(s string) experiment.Cell { return experiment.Cell{Table: s} }
	add(true, text("## Trials"), table("trials"))
	add(len(axes) == 1 || len(axes) == 2, figure(experiment.Figure{Kind: "sweep", Metric: metric}))
	add(len(axes) == 2, figure(experiment.Figure{Kind: "heatmap", Metric: metric}))
	add(len(axes) > 2 && len(axes) <= mostAxes, figure(experiment.Figure{Kind: "parallel", Metric: metric}))
	add(len(axes) >= 2, figure(experiment.Figure{Kind: "effects", Metric: metric}))
	add(plays || solves, text("## Strength"))
	add(plays, figure(experiment.Figure{Kind: "score", X: "samples"}), table("standings"))
	add(plays && len(x.Trials) <= shownTrials, experiment.Cell{Games: experiment.TournamentGames})
	add(solves, table("puzzles"))
	add(true, text("## Training"), figure(experiment.Figure{Kind: "multiples", Metric: "loss"}), figure(experiment.Figure{Kind: "learning-rate", X: "epoch"}))
	add(accuracy, table("accuracy"))
	add(games, text("## Games"), figure(experiment.Figure{Kind: "lengths", X: "generation"}))
	add(!games, text("## Data"))
	add(true, table("generations"), text("## Learning"))
	add(games, figure(experiment.Figure{Kind: "metric", X: "generation", Metric: "kl"}))
	add(true, table("learning"), text("## Settings"), table("network"), table("settings"))
	return cells
}
