package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
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
			v, err := r.ofRun(q, f)
			if rest, ok := v.(func() any); ok { // takes long, and others need not wait for it
				v = rest()
			}
			answer(w, v, err)
		})
	}
	r.Handler = guard{host: host, next: mux}
	return r
}

// ofRun calls f with the run that a request names.
func (r *Results) ofRun(q *http.Request, f func(*http.Request, *liveRun) (any, error)) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[q.PathValue("run")]
	if run == nil {
		return nil, problemf(http.StatusNotFound, "there are no results of %.100q", q.PathValue("run"))
	}
	return f(q, run)
}

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
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(r.allMetrics()) // a reader that is slow or gone holds up nothing
}

func (r *Results) allMetrics() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.look()
	w := &bytes.Buffer{}
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
	return w.Bytes()
}

// workerMetrics writes what is known of the workers of runs.
func (r *Results) workerMetrics(w io.Writer) {
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
