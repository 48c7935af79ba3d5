package web

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/report"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// Results is the server of the page of alamos serve. It shows the results of all experiments
// in a folder while runs write them, and changes nothing. It reads files only while a page is
// open.
type Results struct {
	http.Handler // serves the page and answers its requests

	dir string
	log *slog.Logger

	mu       sync.Mutex
	runs     map[string]*liveRun // by the name of the folder
	serial   int                 // of the last change
	watchers int
	polling  bool
	changed  chan struct{} // closed at the next change
}

// Times between two looks at the files of runs and of trials. Those that have ended are looked
// at more seldom.
const (
	pollEvery = time.Second
	restEvery = 10 // polls

	// Large results are read more seldom: for 1 % of the time of one core.
	pollShare = 100
	mostRest  = 10 * time.Second
)

// NewResults returns a server of the results in dir. host is a name of the server beside
// localhost and its addresses; "": none. log receives failures.
func NewResults(dir, host string, log *slog.Logger) *Results {
	r := &Results{dir: dir, log: log, runs: map[string]*liveRun{}, changed: make(chan struct{})}
	mux := http.NewServeMux()
	servePage(mux, "results")
	mux.HandleFunc("GET /api/events", r.events)
	mux.HandleFunc("GET /metrics", r.metrics)
	for path, f := range map[string]func(*http.Request, *liveRun) (any, error){"series": series, "final": final, "trials/{trial}": detail, "trials/{trial}/losses": losses} {
		mux.HandleFunc("GET /api/runs/{run}/"+path, func(w http.ResponseWriter, q *http.Request) {
			v, err := r.locked(func() (any, error) {
				run := r.runs[q.PathValue("run")]
				if run == nil {
					return nil, problemf(http.StatusNotFound, "there are no results of %.100q", q.PathValue("run"))
				}
				return f(q, run)
			})
			if rest, ok := v.(func() any); ok { // takes long, and others need not wait for it
				v = rest()
			}
			answer(w, v, err)
		})
	}
	r.Handler = guard{host: host, next: mux}
	return r
}

func (r *Results) locked(f func() (any, error)) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return f()
}

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
	array   bool // processes hold single trials, as in an array of jobs
}

// runView is an experiment as the page lists it.
type runView struct {
	Name        string            `json:"name"`
	About       string            `json:"about"`
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

// events streams changes: of the list of experiments, and of the trials of the one that the
// page shows.
func (r *Results) events(w http.ResponseWriter, q *http.Request) {
	shown, sent := q.URL.Query().Get("run"), -1
	r.mu.Lock()
	r.watchers++
	if !r.polling {
		r.polling = true
		go r.poll()
	}
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.watchers--
		r.mu.Unlock()
	}()
	err := stream(q.Context(), w, func() (any, <-chan struct{}) {
		r.mu.Lock()
		defer r.mu.Unlock()
		news := resultsNews{All: []string{}, Runs: []runView{}, Trials: []trialView{}}
		for name, run := range r.runs {
			news.All = append(news.All, name)
			if run.view.serial > sent {
				news.Runs = append(news.Runs, run.view)
			}
			for _, row := range run.rows {
				if name == shown && row.serial > sent {
					news.Trials = append(news.Trials, row)
				}
			}
		}
		if r.serial == 0 { // nothing was read yet
			return nil, r.changed
		}
		slices.Sort(news.All)
		sent = r.serial
		return news, r.changed
	})
	if err != nil {
		r.log.Debug("a page is gone", "error", err)
	}
}

// metrics writes what the page shows of all trials in the text format of Prometheus, version 0.0.4.
func (r *Results) metrics(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.look()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	for _, m := range []struct {
		name, help string
		of         func(*trialView) float64
	}{
		{"generation", "Generations that have ended.", func(v *trialView) float64 { return float64(v.Generation) }},
		{"generations", "Generations of the trial.", func(v *trialView) float64 { return float64(v.Generations) }},
		{"running", "1 if the trial runs, 0 otherwise.", func(v *trialView) float64 { return flag(v.State == store.Running) }},
		{"stage_parts", "Games, or steps of training, of the current stage that are done.", func(v *trialView) float64 { return float64(v.Parts) }},
		{"stage_parts_total", "Games, or steps of training, of the current stage; 0 if unknown.", func(v *trialView) float64 { return float64(v.Of) }},
		{"evaluations_per_second", "Positions that networks evaluate in each second of self-play.", func(v *trialView) float64 { return float64(v.Speed) }},
		{"seconds_left", "Estimated seconds until the trial ends; 0 if unknown.", func(v *trialView) float64 { return v.Left }},
	} {
		fmt.Fprintf(w, "# HELP alamos_%s %s\n# TYPE alamos_%s gauge\n", m.name, m.help, m.name)
		r.eachRow(func(labels string, v *trialView) { fmt.Fprintf(w, "alamos_%s{%s} %g\n", m.name, labels, m.of(v)) })
	}
	fmt.Fprint(w, "# HELP alamos_metric A measure of the trial, as its table shows it.\n# TYPE alamos_metric gauge\n")
	r.eachRow(func(labels string, v *trialView) {
		for _, name := range slices.Sorted(maps.Keys(v.Metrics)) {
			if x := float64(v.Metrics[name]); !math.IsNaN(x) {
				fmt.Fprintf(w, "alamos_metric{%s,metric=%s} %g\n", labels, quoted(name), x)
			}
		}
	})
	r.workerMetrics(w)
}

// workerMetrics writes what is known of the workers of runs.
func (r *Results) workerMetrics(w http.ResponseWriter) {
	for _, m := range []struct {
		name, kind, help string
		of               func(*store.Worker) float64
	}{
		{"worker_games_total", "counter", "Games that the run has of a worker.", func(w *store.Worker) float64 { return float64(w.Taken) }},
		{"worker_verified_total", "counter", "Games of a worker that another one played again, with the same result.", func(w *store.Worker) float64 { return float64(w.Verified) }},
		{"worker_games_per_second", "gauge", "Games that a worker ends in each second.", func(w *store.Worker) float64 { return w.Speed }},
		{"worker_held", "gauge", "Games that a worker plays now.", func(w *store.Worker) float64 { return float64(w.Held) }},
		{"worker_refused", "gauge", "1 if the run refuses the worker, 0 otherwise.", func(w *store.Worker) float64 { return flag(w.Refused != "") }},
	} {
		fmt.Fprintf(w, "# HELP alamos_%s %s\n# TYPE alamos_%s %s\n", m.name, m.help, m.name, m.kind)
		for _, name := range slices.Sorted(maps.Keys(r.runs)) {
			for i := range r.runs[name].workers {
				x := &r.runs[name].workers[i]
				fmt.Fprintf(w, "alamos_%s{experiment=%s,worker=%s,host=%s,process=\"%d\"} %g\n", m.name, quoted(name), quoted(x.Name), quoted(x.Host), i+1, m.of(x))
			}
		}
	}
}

// eachRow calls f for each trial with the labels that name it.
func (r *Results) eachRow(f func(labels string, v *trialView)) {
	for _, name := range slices.Sorted(maps.Keys(r.runs)) {
		rows := r.runs[name].rows
		for i := range rows {
			f(fmt.Sprintf("experiment=%s,trial=\"%d\",setting=%s", quoted(name), rows[i].Number, quoted(rows[i].Label)), &rows[i])
		}
	}
}

// flag returns the value of a measure that is true or false.
func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// quoted writes the value of a label.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// resultsNews is an event of the page of results.
type resultsNews struct {
	All    []string    `json:"all"`    // names of all experiments
	Runs   []runView   `json:"runs"`   // that have changed
	Trials []trialView `json:"trials"` // of the shown experiment, that have changed
}

// poll reads the results while pages watch them.
func (r *Results) poll() {
	for {
		began := time.Now()
		r.mu.Lock()
		if r.watchers == 0 {
			r.polling = false
			r.mu.Unlock()
			return
		}
		r.look()
		r.mu.Unlock()
		time.Sleep(min(max(pollEvery, pollShare*time.Since(began)), mostRest))
	}
}

// look reads what has changed, and tells those who wait for it. r.mu is held.
func (r *Results) look() {
	if r.refresh() || r.serial == 0 {
		r.serial++
		close(r.changed)
		r.changed = make(chan struct{})
	}
}

// refresh reads what has changed, and reports whether something has. r.mu is held.
func (r *Results) refresh() (changed bool) {
	entries, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.log.Error("the results cannot be read", "error", err)
		return false
	}
	there := map[string]bool{}
	for _, e := range entries {
		stamp, err := disk.StampOf(filepath.Join(r.dir, e.Name(), store.ExperimentName))
		if err != nil {
			continue
		}
		there[e.Name()] = true
		run := r.runs[e.Name()]
		if run == nil || run.stamp != stamp {
			run = r.describe(e.Name(), stamp, run)
			r.runs[e.Name()] = run
		}
		if run.refresh(r.serial + 1) {
			changed = true
		}
	}
	for name := range r.runs {
		if !there[name] {
			delete(r.runs, name)
			changed = true
		}
	}
	return changed
}

// describe reads the description of an experiment. Trials that it had before keep what is
// known of them.
func (r *Results) describe(name string, stamp disk.Stamp, before *liveRun) *liveRun {
	run := &liveRun{name: name, dir: filepath.Join(r.dir, name), stamp: stamp}
	x, err := store.ReadExperiment(run.dir)
	if err != nil {
		run.failed(err)
		run.x = &store.Experiment{Description: experiment.Description{Name: name}}
		return run
	}
	run.x = x
	run.played, err = x.FinalTournament(run.dir)
	run.failed(err)
	for _, t := range x.Trials {
		live := store.NewLive(run.dir, t)
		if before != nil {
			for _, old := range before.trials {
				if old.Declared.Folder == t.Folder && old.Declared.ID == t.ID {
					live, old.Declared = old, t
				}
			}
		}
		run.trials = append(run.trials, live)
	}
	if x.Final != nil {
		run.final = store.NewLiveFinal(run.dir)
	}
	run.rows = make([]trialView, len(run.trials))
	return run
}

// refresh reads the trials that may have changed, and makes the views of those that have.
func (run *liveRun) refresh(serial int) (changed bool) {
	rest := run.ticks%restEvery == 0
	run.ticks++
	if rest {
		run.array = slices.ContainsFunc(run.trials, func(t *store.Live) bool { return isHeld(t.Dir) })
	}
	isRunning := run.array || isHeld(run.dir)
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

// isHeld reports whether a process writes to a folder.
func isHeld(dir string) bool {
	held, err := disk.Held(dir)
	return err == nil && held != nil
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
	switch why, isFailed := run.x.Failed[t.Declared.Folder]; {
	case isFailed && !isRunning:
		v.State, v.Why = store.Failed, why
	case !begun:
	case t.Dropped():
		v.State = dropped
	case t.Stage == "":
		v.State = store.Finished
	case isRunning:
		v.State = store.Running
	default:
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
		if v.Left = left(t, &v); v.Left == 0 {
			v.Left = t.Left().Seconds()
		}
	}
	return v
}

// metricsOf returns the names of the metrics of a trial: those of all trials, and those of
// its evaluation and of its hooks.
func metricsOf(t *store.Trial) []string {
	names := append(experiment.TrialMetrics(), t.Declared.Settings.EvaluationMeasures()...)
	for i, h := range t.Declared.Settings.Hooks {
		for _, metric := range t.MetricNames(i) {
			names = append(names, h.Name()+"."+metric)
		}
	}
	return names
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
	v := runView{Name: run.name, About: x.About, Fault: run.fault, Trials: len(x.Trials) + x.Pending, Axes: []string{}, Metrics: []string{}, Labels: map[string]string{}, State: store.Interrupted}
	for _, a := range x.Axes {
		v.Axes = append(v.Axes, a.Path)
	}
	var changed time.Time
	var seconds, rest float64 // of trials that have ended; of those that run
	var runs int
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
		if waits := v.Trials - v.Ended - runs; waits > 0 && v.Ended > 0 {
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

// find returns the trial of a request.
func (run *liveRun) find(number string) (*store.Live, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(run.trials) {
		return nil, problemf(http.StatusNotFound, "there is no trial %.20q: want 1 to %d", number, len(run.trials))
	}
	return run.trials[n-1], nil
}

// series returns a metric after each generation of some trials: the numbers of samples and
// the values.
func series(q *http.Request, run *liveRun) (any, error) {
	type line struct {
		Trial   int           `json:"trial"`
		Samples []int         `json:"samples"`
		Values  []stats.Float `json:"values"`
	}
	metric := q.URL.Query().Get("metric")
	lines := []line{}
	for number := range strings.SplitSeq(q.URL.Query().Get("trials"), ",") {
		t, err := run.find(number)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(metricsOf(t.Trial), metric) {
			continue
		}
		l := line{Trial: t.Declared.Number, Samples: []int{}, Values: []stats.Float{}}
		for g := 1; g <= t.Done(); g++ {
			l.Samples = append(l.Samples, t.SamplesUntil(g))
			l.Values = append(l.Values, stats.Float(t.MeasureAt(g, metric).Value))
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// lossLine is a line of the figure of a trial's losses.
type lossLine struct {
	Name   string          `json:"name"`
	Points [][]stats.Float `json:"points"` // epochs and losses
}

// losses returns the losses of a trial over its epochs, and those of the steps of the training
// that runs.
func losses(q *http.Request, run *liveRun) (any, error) {
	t, err := run.find(q.PathValue("trial"))
	if err != nil {
		return nil, err
	}
	var epochs []train.Epoch
	for g := 1; g <= t.Done(); g++ {
		epochs = append(epochs, t.Trial.Epochs(g)...)
	}
	epochs = append(epochs, t.Epochs...)
	lines := []lossLine{{Name: "validation"}, {Name: "training"}, {Name: "steps of this generation"}}
	add := func(i int, at, loss float64) {
		if !math.IsNaN(loss) {
			lines[i].Points = append(lines[i].Points, []stats.Float{stats.Float(at), stats.Float(loss)})
		}
	}
	for _, e := range epochs {
		add(0, float64(e.Number), e.Validation.Total)
		add(1, float64(e.Number), e.Train.Total)
	}
	for _, s := range t.Steps {
		add(2, s.At, float64(s.Loss))
	}
	return slices.DeleteFunc(lines, func(l lossLine) bool { return len(l.Points) == 0 }), nil
}

// trialDetail is what the page shows of a single trial.
type trialDetail struct {
	Table *tableView     `json:"table"` // of its tournament; null: none
	Game  *report.Replay `json:"game"`  // the latest; null: none is known
}

// final returns the table of the final tournament so far, or null.
func final(_ *http.Request, run *liveRun) (any, error) {
	if run.final == nil {
		return nil, nil
	}
	return tableOf(run.final)
}

// tableView is a crosstable, the best player first.
type tableView struct {
	Players []string   `json:"players"`
	Games   []int      `json:"games"`
	Shares  []float64  `json:"shares"` // of the points, in percent
	Elo     []string   `json:"elo"`    // with its interval; empty while it runs
	Points  [][]string `json:"points"` // of the row's player against the column's
	Running bool       `json:"running"`
}

func detail(q *http.Request, run *liveRun) (any, error) {
	t, err := run.find(q.PathValue("trial"))
	if err != nil {
		return nil, err
	}
	var d trialDetail
	if d.Table, err = tableOf(t); err != nil {
		return nil, err
	}
	latest, file := t.Latest, t.Path(store.TournamentGames)
	if t.Manifest.Stage(store.TournamentStage) == nil {
		file = t.Path(store.GamesFile(t.Done()))
	}
	return func() any {
		if latest == nil {
			latest = lastGame(file)
		}
		if latest != nil {
			d.Game = report.NewReplay(latest)
		}
		return d
	}, nil
}

// lastGame returns the last game of a file, or nil.
func lastGame(file string) (last *match.Game) {
	// A run may replace the file meanwhile; then there is another game soon.
	_ = match.ReadGames(file, func(_ string, g *match.Game) error {
		last = g
		return nil
	})
	return last
}

// tableOf returns the crosstable of a trial's tournament, or of its games so far.
func tableOf(t *store.Live) (*tableView, error) {
	v := &tableView{}
	var games *match.Results
	res := t.Tournament()
	rated := res != nil && t.Stage != store.TournamentStage
	if rated {
		games = &res.Games
	} else {
		var err error
		if games, err = t.Table(); games == nil || err != nil {
			return nil, err
		}
		v.Running = true
	}
	standings := games.Standings()
	order := match.Descending(len(standings), func(i int) float64 { return standings[i].Share() })
	if rated {
		order = res.Ranking()
	}
	for _, i := range order {
		elo := ""
		if rated {
			elo = report.Measured(res.Players[i].Elo)
		}
		var points []string
		for _, j := range order {
			cell := ""
			if x := games.Against(i, j); x.Games() > 0 {
				cell = strconv.FormatFloat(x.Score(), 'f', -1, 64)
			}
			points = append(points, cell)
		}
		s := standings[i]
		v.Players, v.Games, v.Shares = append(v.Players, s.Name), append(v.Games, s.Games()), append(v.Shares, 100*s.Share())
		v.Elo, v.Points = append(v.Elo, elo), append(v.Points, points)
	}
	return v, nil
}
