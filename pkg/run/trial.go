package run

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"time"

	"alamos/pkg/data"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/store"
)

// Trial is a trial of a run with the state of its execution.
type Trial struct {
	Settings *experiment.Settings
	Setup    *experiment.Setup // objects built from the settings
	Results  *store.Trial      // folder of the outputs, with its manifest
	Hardware Hardware
	Machine  store.Machine // machine of this process
	Report   Report

	run       *run
	imports   *imports     // the trial's data; nil: not opened
	stopped   *store.Ended // set when a stop rule ended training
	changed   bool         // the manifest differs from its file
	reported  map[string]bool
	decisions []Decision // in a plan
	unknown   []string   // notes about what a plan does not know
}

// Hardware decides the speed of stages, never their output.
type Hardware struct {
	Workers   int    // goroutines that play games
	Batch     int    // positions per network call
	Device    string // see nn.Devices
	Precision string // of inference: "auto", "fp32" or "bf16"
}

// InferenceOptions returns the options for inference on this hardware.
func (h Hardware) InferenceOptions() nn.InferenceOptions {
	return nn.InferenceOptions{Batch: h.Batch, Device: h.Device, Precision: h.Precision}
}

// TrainerOptions returns the options for training on this hardware.
func (h Hardware) TrainerOptions() nn.TrainerOptions { return nn.TrainerOptions{Device: h.Device} }

// Sessions opens a session of a model for each worker. The caller must call end, even after
// an error.
func (h Hardware) Sessions(m *nn.Model) (nets []search.Net, end func(), err error) {
	var sessions []*nn.Session
	end = func() {
		for _, s := range sessions {
			s.Close()
		}
	}
	for range h.Workers {
		s, err := m.NewSession()
		if err != nil {
			return nil, end, err
		}
		sessions, nets = append(sessions, s), append(nets, s)
	}
	return nets, end, nil
}

// Model opens the checkpoint of generation g for inference.
func (t *Trial) Model(g int) (*nn.Model, error) {
	return t.Compile(t.Results.Path(store.CheckpointFile(g)))
}

// Compile opens a checkpoint file for inference.
func (t *Trial) Compile(file string) (*nn.Model, error) {
	c, err := nn.ReadCheckpoint(file)
	if err != nil {
		return nil, err
	}
	m, err := c.Compile(t.Hardware.InferenceOptions())
	if err != nil {
		return nil, err
	}
	t.Machine.Precision = m.Precision()
	if devices := m.Devices(); devices[0] != nn.CPU {
		t.Machine.Devices = devices
	}
	return m, nil
}

// open opens a trial of the experiment with the results of earlier runs.
func (r *run) open(ctx context.Context, declared experiment.Trial, report Report) (*Trial, error) {
	t, err := r.openIn(ctx, filepath.Join(r.dir, store.Folder(&declared)), declared, report)
	if err != nil {
		return nil, err
	}
	t.Results.Manifest.Trial, t.Results.Manifest.Label = declared.ID, declared.Label
	return t, r.executor.begin(t)
}

// openIn opens a trial in a folder.
func (r *run) openIn(ctx context.Context, dir string, declared experiment.Trial, report Report) (*Trial, error) {
	m, err := r.cache.manifest(dir)
	if err != nil {
		return nil, err
	}
	t := &Trial{
		Results:  &store.Trial{Declared: declared, Dir: dir, Manifest: m},
		Hardware: Hardware{Workers: r.Workers, Batch: r.Batch, Device: r.Device, Precision: r.Precision},
		Machine:  r.machine, Report: report, run: r, reported: map[string]bool{},
	}
	t.Settings = &t.Results.Declared.Settings
	if t.Setup, err = experiment.NewSetup(t.Settings); err != nil {
		return nil, err
	}
	if f := t.Settings.Tournament.Format; f.First > 0 && t.Settings.Tournament.Rounds > 0 {
		if n := len(t.players(ctx)); n >= 2 && f.First >= n {
			return nil, fmt.Errorf("tournament.format: a gauntlet of %d players leaves no opponent among %d: want fewer", f.First, n)
		}
	}
	return t, nil
}

// ending means that a trial ends. why is the reason if it ends before its last generation.
type ending struct{ why string }

// take executes the stages of the trial up to generation until and, if end is not nil, the
// final stages.
func (t *Trial) take(ctx context.Context, until int, end *ending) error {
	defer t.closeData()
	for s, err := range t.stages(ctx, until, end) {
		if err != nil {
			return err
		}
		if err := t.run.executor.stage(ctx, t, s); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return t.run.executor.end(t)
}

// stages yields the stages of the trial in order, up to generation until and, if end is not
// nil, the final stages. The inputs of a stage depend on the outputs of earlier stages, so
// each stage must be in the manifest before the next one is requested.
func (t *Trial) stages(ctx context.Context, until int, end *ending) iter.Seq2[*Stage, error] {
	return func(yield func(*Stage, error) bool) {
		next := func(name string, s *Stage, err error) bool {
			if err != nil {
				yield(nil, fmt.Errorf("%s: %w", name, err))
				return false
			}
			return s == nil || yield(s, nil) // nil: the experiment has no such stage
		}
		s, err := t.untrained()
		if !next(store.UntrainedStage, s, err) {
			return
		}
		pace := &pace{until: until, began: time.Now()}
		t.stopped = nil
		for g := 1; g <= until && t.stopped == nil; g++ {
			for _, build := range []struct {
				name  string
				stage func(context.Context, int) (*Stage, error)
			}{
				{t.Results.SamplesStage(g), t.samples}, {store.HooksStage(g), t.measureGames}, {store.TargetStage(g), t.valueTarget},
				{store.TrainStage(g), func(_ context.Context, g int) (*Stage, error) { return t.training(g, pace) }},
				{store.CheckpointHooksStage(g), t.measureCheckpoint},
				{store.PuzzlesStage(g), t.onTheWay(t.puzzles)}, {store.AccuracyStage(g), t.onTheWay(t.accuracy)},
				{store.StopStage(g), t.stopRule},
			} {
				s, err := build.stage(ctx, g)
				if !next(build.name, s, err) {
					return
				}
			}
			if t.stopped, err = t.verdict(g); !next(store.StopStage(g), nil, err) {
				return
			}
		}
		if end == nil {
			return
		}
		t.end(until, end)
		last := t.Results.Done()
		for _, build := range []struct {
			name  string
			stage func(context.Context, int) (*Stage, error)
		}{{store.PuzzlesStage(last), t.puzzles}, {store.AccuracyStage(last), t.accuracy}, {store.TournamentStage, t.tournament}} {
			s, err := build.stage(ctx, last)
			if !next(build.name, s, err) {
				return
			}
		}
		for _, f := range t.run.figures() {
			q, ok := t.Results.Question(f)
			if !ok || q.Generation > last { // training ended before this generation
				continue
			}
			s, err := t.position(q)
			if !next(q.Stage(), s, err) {
				return
			}
		}
	}
}

// end records in the manifest whether the trial ended early.
func (t *Trial) end(until int, end *ending) {
	ended := t.stopped
	if ended == nil && until < t.Settings.Generations {
		ended = &store.Ended{Generation: until, Why: end.why}
	}
	was := t.Results.Manifest.Ended
	if was == ended || was != nil && ended != nil && *was == *ended {
		return
	}
	t.Results.Manifest.Ended, t.changed = ended, true
}

// samples returns the stage that makes the samples of generation g.
func (t *Trial) samples(ctx context.Context, g int) (*Stage, error) {
	if t.Settings.Data != nil {
		return t.importChunk(ctx, g)
	}
	return t.selfplay(g), nil
}

// onTheWay restricts a stage of the evaluation to the generations that the experiment
// evaluates before the last one.
func (t *Trial) onTheWay(stage func(context.Context, int) (*Stage, error)) func(context.Context, int) (*Stage, error) {
	return func(ctx context.Context, g int) (*Stage, error) {
		if e := t.Settings.Evaluation; e == nil || e.Every == 0 || g%e.Every != 0 {
			return nil, nil
		}
		return stage(ctx, g)
	}
}

// knows reports whether the results of the first generations are known. In a plan they may
// be unknown.
func (t *Trial) knows(generations int) bool {
	for g := 1; g <= generations; g++ {
		for _, name := range []string{t.Results.SamplesStage(g), store.TrainStage(g)} {
			if s := t.Results.Manifest.Stage(name); s == nil || len(s.Facts) == 0 {
				return false
			}
		}
	}
	return true
}

// window is a replay window: the samples of the generations first to last.
type window struct {
	trial       *Trial
	first, last int
}

func (t *Trial) window(g int) window {
	return window{t, max(1, g-t.Settings.Training.Window+1), g}
}

// inputs adds the checksums of the samples to the inputs of a stage.
func (w window) inputs(in store.Inputs) {
	r := w.trial.Results
	for g := w.first; g <= w.last; g++ {
		in["samples "+strconv.Itoa(g)] = r.Output(r.SamplesStage(g), store.SamplesFile(g))
	}
}

// read reads the samples, by generation and as one set.
func (w window) read() (each []*data.Set, all *data.Set, err error) {
	for g := w.first; g <= w.last; g++ {
		set, err := data.Read(w.trial.Results.Path(store.SamplesFile(g)))
		if err != nil {
			return nil, nil, err
		}
		each = append(each, set)
	}
	all, err = data.ReplayWindow(each...)
	return each, all, err
}
