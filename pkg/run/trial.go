package run

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"alamos/pkg/data"
	"alamos/pkg/disk"
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
	Workers  int               // goroutines that play games
	Machine  store.Machine     // machine of this process
	kind     store.Kind        // of the stage that runs
	Report   Report

	run       *run
	pace      pace
	isNew     bool            // no stage had run when the trial was opened
	nearest   *store.Manifest // of an earlier trial; see newInputs
	imports   imports         // the trial's data, while stages are executed
	early     early           // games that are played before their stage
	stopped   *store.Ended    // set when a stop rule ended training
	decisions []Decision      // so far
	unknown   []string        // notes about what a plan does not know
	large     bool            // a note has said that a replay window is large
}

// sessions opens a session of a model for each worker. The caller must call end.
func (t *Trial) sessions(m *nn.Model) (nets []search.Net, end func(), err error) {
	group, err := m.NewGroup(t.Workers)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range group.Sessions() {
		nets = append(nets, s)
	}
	return nets, group.Close, nil
}

// group opens the checkpoint of generation g for all threads of the trial.
func (t *Trial) group(g int) (*nn.Group, error) {
	model, err := t.Model(g)
	if err != nil {
		return nil, err
	}
	defer model.Close() // the group keeps its memory
	return model.NewGroup(t.Workers)
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
	m, err := c.Compile(t.run.inference())
	if err != nil {
		return nil, err
	}
	t.Machine.Precision = m.Precision()
	t.kind = kindOf(m.Devices()[0], m.Precision())
	if devices := m.Devices(); devices[0] != nn.CPU {
		t.Machine.Devices = devices
	}
	return m, nil
}

// kindOf returns the kind of machine that a device and a precision make.
func kindOf(device, precision string) store.Kind {
	if device != nn.CPU {
		device = nn.CUDA
	}
	return store.Kind{Device: device, Precision: precision}
}

// open opens a trial of the experiment with the results of earlier runs.
func (r *run) open(ctx context.Context, declared experiment.Trial, report Report) (*Trial, error) {
	t, err := r.openIn(ctx, filepath.Join(r.dir, declared.Folder), declared, report)
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
	t, err := r.newTrial(dir, declared, m, report)
	if err != nil {
		return nil, err
	}
	if f := t.Settings.Tournament.Format; f.First > 0 && t.Settings.Tournament.Rounds > 0 {
		if n := len(t.players(ctx, t.Settings.Generations)); n >= 2 && f.First >= n {
			return nil, fmt.Errorf("tournament.format: a gauntlet of %d players leaves no opponent among %d: want fewer", f.First, n)
		}
	}
	return t, nil
}

// newTrial returns a trial with its manifest.
func (r *run) newTrial(dir string, declared experiment.Trial, m *store.Manifest, report Report) (t *Trial, err error) {
	t = &Trial{
		Results: &store.Trial{Declared: declared, Dir: dir, Manifest: m},
		Workers: r.Workers, Machine: r.machine, Report: report, run: r, isNew: len(m.Stages) == 0,
	}
	t.Settings = &t.Results.Declared.Settings
	t.Setup, err = experiment.NewSetup(t.Settings)
	return t, err
}

// builder makes the stage of a generation, or nil if the experiment has no such stage. The
// inputs of a stage depend on the outputs of earlier stages, so those must be in the manifest
// before. With an error the stage has only its name.
type builder func(ctx context.Context, generation int) (*Stage, error)

// execute executes stages of generation g.
func (t *Trial) execute(ctx context.Context, g int, builders ...builder) error {
	for _, build := range builders {
		s, err := build(ctx, g)
		if err == nil && s != nil {
			err = t.run.executor.stage(ctx, t, s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}

// take executes the stages of the trial up to generation until and, if end is not nil, the
// final stages.
func (t *Trial) take(ctx context.Context, until int, end *store.Ended) error {
	if err := t.execute(ctx, 0, t.untrained); err != nil {
		return err
	}
	t.pace, t.stopped = pace{until: until, began: time.Now()}, nil
	samples := t.selfplay
	if t.Settings.Data != nil {
		if err := t.openData(ctx); err != nil {
			return fmt.Errorf("%s: %w", store.DataStage(1), err)
		}
		defer t.imports.Close() // which stops its engines
		samples = t.importChunk
		if err := t.execute(ctx, 0, t.importTest); err != nil {
			return err
		}
	}
	if e := t.Results.Manifest.Ended; e != nil && e.Generation < until { // it goes on where an earlier run ended it
		t.Results.Manifest.Ended = nil
	}
	t.early = early{}
	defer t.early.end()
	for g := 1; g <= until && t.stopped == nil; g++ {
		err := t.execute(ctx, g, samples, t.playAhead, t.measureGames, t.valueTarget, t.training, t.measureCheckpoint,
			t.regularly(t.puzzles), t.regularly(t.accuracy), t.stopRule)
		if err == nil {
			t.stopped, err = t.verdict(g)
		}
		if err != nil {
			return err
		}
	}
	if err := t.early.drop(t); err != nil {
		return err
	}
	if end != nil {
		t.end(end)
		if err := t.execute(ctx, t.Results.Done(), t.final()...); err != nil {
			return err
		}
	}
	return t.run.executor.end(t)
}

// final returns the stages after the last generation.
func (t *Trial) final() []builder {
	all := []builder{t.puzzles, t.accuracy}
	if !t.Results.Dropped() {
		all = append(all, t.tournament)
	}
	for _, cell := range t.run.experiment.Notebook {
		if cell.Figure == nil {
			continue
		}
		if len(cell.Figure.Only) > 0 {
			shown, err := store.TrialsOf(t.run.experiment.Trials, cell.Figure)
			if err != nil || !slices.ContainsFunc(shown, func(x experiment.Trial) bool { return x.ID == t.Results.Declared.ID }) {
				continue // a growing sweep may get a trial of this name yet
			}
		}
		q, ok := t.Results.Position(cell.Figure)
		if ok && q.Generation <= t.Results.Done() { // training may have ended before this generation
			all = append(all, func(context.Context, int) (*Stage, error) { return t.position(q) })
		}
	}
	return all
}

// end records in the manifest whether the trial ended early: by a stop rule or at a rung.
func (t *Trial) end(end *store.Ended) {
	ended := t.stopped
	if ended == nil && end.Generation < t.Settings.Generations {
		ended = end
	}
	if ended != nil {
		ended.Rung = end.Rung
	}
	t.Results.Manifest.Ended = ended
}

// regularly restricts a stage of the evaluation to the generations that the experiment
// evaluates before the last one.
func (t *Trial) regularly(build builder) builder {
	return func(ctx context.Context, g int) (*Stage, error) {
		if e := t.Settings.Evaluation; e == nil || e.Every == 0 || g%e.Every != 0 {
			return nil, nil
		}
		return build(ctx, g)
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
	return window{t, max(1, g-t.Settings.At(g).Training.Window+1), g}
}

// inputs adds the checksums of the samples to the inputs of a stage.
func (w window) inputs(in store.Inputs) {
	r := w.trial.Results
	for g := w.first; g <= w.last; g++ {
		in["samples "+strconv.Itoa(g)] = r.Output(r.SamplesStage(g), store.SamplesFile(g))
	}
}

// read reads the samples, by generation and as one set. Samples that take most of the memory are
// kept in a file instead, and the sets end with close.
func (w window) read() (each []*data.Set, all *data.Set, close func(), err error) {
	t := w.trial
	var mapped *disk.Mapped
	close = func() {
		if mapped != nil {
			_ = mapped.Close() // of a temporary file
		}
	}
	defer func() {
		if err != nil {
			close()
		}
	}()
	n, err := w.stored()
	if err == nil && n.isLarge(t.run.memory) {
		if mapped, err = disk.NewMapped(t.Results.Dir); !t.large {
			t.large = true
			t.Report.Note(n.text(t.run.memory))
		}
	}
	if err != nil {
		return nil, nil, close, err
	}
	for g := w.first; g <= w.last; g++ {
		set, err := data.ReadInto(t.Results.Path(store.SamplesFile(g)), mapped)
		if err != nil {
			return nil, nil, close, err
		}
		each = append(each, set)
	}
	all, err = data.ReplayWindow(each...)
	return each, all, close, err
}
