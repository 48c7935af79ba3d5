package run

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// forecast estimates the time until a run of several trials ends. A plan says which stages
// will run. Stages of the same kind that have run say how long they take. It does not guess
// the time of a stage of which none has run.
type forecast struct {
	jobs  int
	rungs []int // generations after which all trials wait for a comparison

	mu      sync.Mutex
	count   int             // number of trials; 0: no forecast is shown
	ended   map[string]bool // trials, by folder
	pending []*pendingTrial // planned work, in order of execution
	more    bool            // TPE will add trials
	took    map[string]timing
}

// pendingTrial is the rest of a trial. The comparisons of successive halving are one too.
type pendingTrial struct {
	dir    string
	stages []string  // planned stages that have not ended
	began  time.Time // of the first one; zero if it has not begun
}

// timing is the time of the stages of one name.
type timing struct {
	seconds float64
	stages  int
	own     bool // this process measured it
}

// foresee plans what is left to run. It is called while no trial runs. If the plan fails,
// there is no estimate, and the run itself reports why.
func (r *run) foresee(ctx context.Context) {
	f := r.forecast
	if f.count == 0 {
		return
	}
	plan := &Plan{}
	if dry, err := newRun(r.experiment, r.Options); err == nil {
		dry.sums = r.sums // has the checksums of large files
		if p, err := new(planner).plan(ctx, dry); err == nil {
			plan = p
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending, f.more = nil, len(r.Trials) == 0 && plan.Pending > 0
	add := func(dir string, stages []Decision) {
		rest := &pendingTrial{dir: dir}
		for _, d := range stages {
			if d.Does == Runs {
				rest.stages = append(rest.stages, d.Name)
			}
		}
		f.pending = append(f.pending, rest)
	}
	for _, t := range plan.Trials {
		add(t.Folder, t.Stages)
	}
	add(filepath.Join(r.dir, store.ComparisonsFolder), plan.Comparisons)
}

func newForecast(e *experiment.Experiment, jobs int) *forecast {
	f := &forecast{jobs: jobs, ended: map[string]bool{}, took: map[string]timing{}}
	if h := e.Halving; h != nil {
		rungs := h.Rungs(e.Trials[0].Settings.Generations)
		f.rungs = rungs[:len(rungs)-1]
	}
	return f
}

// begin is called when a stage begins to run.
func (f *forecast) begin(dir, stage string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.rest(dir); p != nil && len(p.stages) > 0 && p.stages[0] == stage {
		p.began = time.Now()
	}
}

// end is called when a stage has run, or was found to have run earlier or elsewhere.
func (f *forecast) end(t *Trial, d Decision) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.rest(t.Results.Dir); p != nil {
		p.stages = slices.DeleteFunc(p.stages, func(s string) bool { return s == d.Name })
		p.began = time.Time{}
	}
	m, own := t.Results.Manifest, d.Does == Runs
	if !own && (m.Machine.CPU != t.Machine.CPU || m.Machine.Cores != t.Machine.Cores) {
		return
	}
	x := f.took[d.Name]
	if own && !x.own {
		x = timing{own: true}
	}
	if own == x.own {
		x.seconds += m.Stage(d.Name).Seconds
		x.stages++
	}
	f.took[d.Name] = x
}

// endTrial is called when a trial has ended or failed.
func (f *forecast) endTrial(dir string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended[dir] = true
	if p := f.rest(dir); p != nil {
		p.stages = nil
	}
}

// rest returns what is left of a trial, or nil. The caller holds the mutex.
func (f *forecast) rest(dir string) *pendingTrial {
	if i := slices.IndexFunc(f.pending, func(p *pendingTrial) bool { return p.dir == dir }); i >= 0 {
		return f.pending[i]
	}
	return nil
}

// String describes the progress: "4 of 12 trials, about 1 h 40 min left". It leaves out the
// time as long as most of the stages that are left are of kinds that have not run. With some
// of them, or if TPE will add trials, the time is a lower bound. It is empty if there is
// nothing to report: no trial has ended, or nothing has to run.
func (f *forecast) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.ContainsFunc(f.pending, func(p *pendingTrial) bool { return len(p.stages) > 0 }) {
		return ""
	}
	text := fmt.Sprintf("%d of %s", len(f.ended), english.Plural(f.count, "trial", ""))
	left, known, unknown := f.left()
	switch left := Roughly(left); {
	case known <= unknown && len(f.ended) == 0:
		return ""
	case known <= unknown:
		return text
	case unknown > 0 || f.more:
		return text + ", at least " + left + " left"
	default:
		return text + ", about " + left + " left"
	}
}

// left returns the expected time of the stages that are left, and the numbers of stages with
// known and unknown times. The caller holds the mutex.
func (f *forecast) left() (left time.Duration, known, unknown int) {
	phases := make([][]float64, 2*len(f.rungs)+2) // seconds of each trial, by phase
	for _, p := range f.pending {
		seconds := make([]float64, len(phases))
		for i, stage := range p.stages {
			expected, ok := f.expect(stage)
			if !ok {
				unknown++
				continue
			}
			known++
			if i == 0 && !p.began.IsZero() {
				expected = max(0, expected-time.Since(p.began).Seconds())
			}
			seconds[f.phase(stage)] += expected
		}
		for i := range phases {
			phases[i] = append(phases[i], seconds[i])
		}
	}
	for _, trials := range phases {
		left += time.Duration(makespan(trials, f.jobs) * float64(time.Second))
	}
	return left, known, unknown
}

// phase returns the phase of a stage. With successive halving, trials and comparisons take
// turns: a phase begins when the one before has ended. The last phase is the final tournament.
func (f *forecast) phase(stage string) int {
	_, g := store.SplitStage(stage)
	if stage == store.FinalStage {
		return 2*len(f.rungs) + 1
	}
	if g == 0 && stage != store.UntrainedStage { // after the last generation
		return 2 * len(f.rungs)
	}
	i, _ := slices.BinarySearch(f.rungs, g)
	if stage == store.RungStage(g) {
		return 2*i + 1
	}
	return 2 * i
}

// expect returns the mean time of stages of this name, or of the same kind in the nearest
// earlier generation.
func (f *forecast) expect(stage string) (seconds float64, ok bool) {
	kind, g := store.SplitStage(stage)
	for name := stage; ; name = fmt.Sprintf("%s %d", kind, g) {
		if x := f.took[name]; x.stages > 0 {
			return x.seconds / float64(x.stages), true
		}
		if g--; g < 1 {
			return 0, false
		}
	}
}

// makespan returns the time that jobs workers need for tasks that they take in order.
func makespan(tasks []float64, jobs int) float64 {
	free := make([]float64, max(1, jobs)) // when each worker is free
	for _, seconds := range tasks {
		next := slices.Index(free, slices.Min(free))
		free[next] += seconds
	}
	return slices.Max(free)
}
