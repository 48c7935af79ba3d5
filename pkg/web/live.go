package web

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// liveRun is the results of an experiment.
type liveRun struct {
	name   string // of its folder
	dir    string
	stamp  disk.Stamp // of its description
	x      *store.Experiment
	trials []*store.Live
	played *store.Tournament // the final tournament that ended; nil: none has
	final  *store.Live       // the final tournament that runs; nil: none
	read   bool              // the trials were read once
	fault  string

	workers []store.Worker
	view    runView
	rows    []trialView
	ticks   int
	array   bool      // processes hold single trials, as in an array of jobs
	since   time.Time // when the process that runs all trials began; zero: none does
}

// runView is an experiment as the page lists it.
type runView struct {
	Name        string            `json:"name"`
	Variant     string            `json:"variant"`
	State       store.State       `json:"state"`
	Fault       string            `json:"fault,omitempty"`
	Trials      int               `json:"trials"`
	Ended       int               `json:"ended"` // trials
	Generations int               `json:"generations"`
	Done        int               `json:"done"`     // generations
	Left        float64           `json:"left"`     // seconds; 0: unknown
	Changed     string            `json:"changed"`  // RFC 3339
	Axes        []string          `json:"axes"`     // swept keys
	Metrics     []string          `json:"metrics"`  // of its trials
	Labels      map[string]string `json:"labels"`   // of the metrics that scripts label
	Final       int               `json:"final"`    // games of the final tournament that runs; 0: none does
	FinalOf     int               `json:"final_of"` // 0: unknown
	Workers     []store.Worker    `json:"workers"`  // on other machines

	serial int
}

// trialView is a row of the table of trials.
type trialView struct {
	Number      int                    `json:"number"`
	Label       string                 `json:"label"`
	Values      []string               `json:"values"` // of the axes
	State       store.State            `json:"state"`
	Why         string                 `json:"why,omitempty"` // of a failure or of an early end
	Stage       string                 `json:"stage,omitempty"`
	Generation  int                    `json:"generation"` // generations that have ended
	Generations int                    `json:"generations"`
	Parts       int                    `json:"parts"`  // of the stage that are done: games, or steps of training
	Of          int                    `json:"of"`     // all of the stage; 0: unknown
	Speed       int                    `json:"speed"`  // evaluations per second
	Left        float64                `json:"left"`   // seconds; 0: unknown
	Latest      string                 `json:"latest"` // names the latest game: when it changes, there is another
	Metrics     map[string]stats.Float `json:"metrics"`

	serial int
}

// States of trials beside those of runs.
const (
	waiting store.State = "waiting"
	dropped store.State = "dropped" // by successive halving
)

// refresh reads the trials that may have changed, and makes the views of those that have.
func (run *liveRun) refresh(serial int) (changed bool) {
	rest := run.ticks%restEvery == 0
	run.ticks++
	if rest {
		run.array = slices.ContainsFunc(run.trials, func(t *store.Live) bool { return holder(t.Dir) != nil })
	}
	held := holder(run.dir)
	isRunning := run.array || held != nil
	if run.since = (time.Time{}); held != nil {
		run.since = held.Since
	}
	turned := isRunning != (run.view.State == store.Running)
	renewed := make([]bool, len(run.trials))
	for i, t := range run.trials {
		if run.read && !rest && !turned && (t.Stage == "" && t.Done() > 0 || !isRunning) {
			continue
		}
		more, err := t.Read()
		run.failed(err)
		renewed[i] = more || turned || !run.read
	}
	trials := make([]*store.Trial, len(run.trials)) // Read may have replaced them
	for i, t := range run.trials {
		trials[i] = t.Trial
	}
	run.x.Attach(run.played, trials)
	for i, t := range run.trials {
		if renewed[i] {
			run.rows[i], changed = run.row(t, isRunning), true
			run.rows[i].serial = serial
		}
	}
	if run.final != nil && (isRunning || rest) {
		more, err := run.final.Read()
		run.failed(err)
		changed = changed || more
	}
	workers := []store.Worker{}
	if isRunning {
		var err error
		workers, err = store.ReadWorkers(run.dir)
		run.failed(err)
	}
	if run.read && !changed && !turned && reflect.DeepEqual(workers, run.workers) {
		return false
	}
	run.workers = workers
	run.read = true
	run.view = run.summary(isRunning)
	run.view.serial = serial
	return true
}

// failed keeps the first error.
func (run *liveRun) failed(err error) {
	if err != nil && run.fault == "" {
		run.fault = err.Error()
	}
}

// holder returns the process that writes to a folder; nil: none.
func holder(dir string) *disk.HeldError {
	held, err := disk.Held(dir)
	if err != nil {
		return nil
	}
	return held
}

// row makes the view of a trial.
func (run *liveRun) row(t *store.Live, isRunning bool) trialView {
	v := trialView{
		Number: t.Declared.Number, Label: store.ShortLabel(&t.Declared, " "), State: waiting, Generations: t.Last(), Generation: t.Done(),
		Stage: t.Stage, Parts: t.Parts, Of: t.Of, Metrics: map[string]stats.Float{},
	}
	for _, a := range t.Declared.Axis {
		v.Values = append(v.Values, a.Value)
	}
	begun := len(t.Manifest.Stages) > 0
	isWorked := isRunning && !t.Changed.Before(run.since) // else an earlier run left it
	switch why, isFailed := run.x.Failed[t.Declared.Folder]; {
	case isFailed && !isWorked:
		v.State, v.Why = store.Failed, why
	case !begun:
	case t.Dropped():
		v.State = dropped
	case t.Stage == "", t.Stage == store.TournamentStage && run.x.Ended && !isFailed: // too few opponents were installed
		v.State = store.Finished
	case isWorked:
		v.State = store.Running
	case !isRunning:
		v.State = store.Interrupted
	}
	if e := t.Manifest.Ended; e != nil {
		v.Why = e.Why
	}
	if t.Latest != nil {
		v.Latest = t.Stage
		if len(t.Steps) == 0 {
			v.Latest += "/" + strconv.Itoa(t.Parts)
		}
	}
	for _, name := range metricsOf(t.Trial) {
		if x := t.Measure(name); !x.Missing() {
			v.Metrics[name] = stats.Float(x.Value)
		}
	}
	if v.State == store.Running {
		v.Speed = int(t.PerSecond)
	}
	if v.State == store.Running || v.State == waiting && begun {
		if v.Left = left(t, &v); v.Left == 0 {
			v.Left = t.Left().Seconds()
		}
	}
	return v
}

// metricsOf returns the names of the metrics of a trial: those of all trials, and those of
// its evaluation and of its hooks.
func metricsOf(t *store.Trial) []string {
	return append(experiment.TrialMetrics(), t.MeasureNames()...)
}

// left returns the expected time until the training of a trial ends, in seconds, from its
// generations so far. 0: unknown, or it has ended.
func left(t *store.Live, v *trialView) float64 {
	if v.Generation == 0 || v.Generation >= v.Generations {
		return 0
	}
	var all, play, train float64
	for _, s := range t.Manifest.Stages {
		if _, g := store.SplitStage(s.Name); g > 0 && g <= v.Generation && s.From == "" {
			all += s.Seconds
			switch s.Name {
			case store.SelfPlayStage(g):
				play += s.Seconds
			case store.TrainStage(g):
				train += s.Seconds
			}
		}
	}
	n := float64(v.Generation)
	rest := all / n * float64(v.Generations-v.Generation)
	part := 0.0 // of the stage that is done
	if v.Of > 0 {
		part = float64(v.Parts) / float64(v.Of)
	}
	switch v.Stage {
	case t.SamplesStage(v.Generation + 1):
		rest -= play / n * part
	case store.TrainStage(v.Generation + 1):
		rest -= (play + train*part) / n
	default: // the games were played
		rest -= play / n
	}
	return max(rest, 0)
}

// summary makes the view of an experiment from those of its trials.
func (run *liveRun) summary(isRunning bool) runView {
	x := run.x
	v := runView{Name: run.name, Fault: run.fault, Trials: len(x.Trials) + x.Pending, Axes: []string{}, Metrics: []string{}, Labels: map[string]string{}, State: store.Interrupted}
	for _, a := range x.Axes {
		v.Axes = append(v.Axes, a.Path)
	}
	var changed time.Time
	var seconds, rest float64 // of trials that have ended; of those that have begun
	var runs, queued int
	for i, row := range run.rows {
		t := run.trials[i]
		v.Variant = t.Declared.Settings.Game.Name()
		v.Generations += row.Generations
		v.Done += row.Generation
		if t.Changed.After(changed) {
			changed = t.Changed
		}
		for name := range row.Metrics {
			if !slices.Contains(v.Metrics, name) {
				v.Metrics = append(v.Metrics, name)
				if l := t.MetricLabel(name); l != (store.Label{}) {
					v.Labels[name] = cmp.Or(l.Text, name)
					if l.Unit != "" {
						v.Labels[name] += " (" + l.Unit + ")"
					}
				}
			}
		}
		switch row.State {
		case store.Finished, dropped, store.Failed:
			v.Ended++
			seconds += float64(row.Metrics["seconds"])
		case store.Running:
			runs++
			rest += row.Left
		case waiting:
			if row.Left > 0 { // an earlier run began it
				queued++
				rest += row.Left
			}
		}
	}
	if !changed.IsZero() {
		v.Changed = changed.Format(time.RFC3339)
	}
	slices.Sort(v.Metrics)
	v.Workers = append([]store.Worker{}, run.workers...)
	if f := run.final; f != nil {
		v.Final, v.FinalOf = f.Parts, f.Of
	}
	switch {
	case isRunning:
		v.State = store.Running
		if waits := v.Trials - v.Ended - runs - queued; waits > 0 && v.Ended > 0 {
			rest += seconds / float64(v.Ended) * float64(waits)
		}
		v.Left = rest / float64(max(runs, 1))
	case len(x.Failed) > 0:
		v.State = store.Failed
	case x.Ended:
		v.State = store.Finished
	}
	return v
}
