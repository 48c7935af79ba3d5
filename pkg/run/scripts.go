package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"alamos/pkg/config"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/hook"
	"alamos/pkg/hook/alamos"
	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// The Go scripts of an experiment measure games and checkpoints, set the learning rate, and
// end training (this file). They also adjudicate games, evaluate positions (scriptgames.go)
// and provide value targets (target.go). Scripts run in separate processes (package hook).
// The hash of a script is an input of the stages that call it. A script that was changed
// after the experiment was loaded does not run.

// Versions of the code of these stages.
const (
	hooksCode      = "2" // of games
	checkpointCode = "5"
	stopCode       = "1"
)

// scripts are the scripts of all trials of a run.
type scripts struct {
	time      time.Duration       // limit for a call; 0: hook.DefaultTime
	functions map[string][]string // functions of the scripts that measure, by hash of the source
}

func findScripts(e *experiment.Experiment, limit time.Duration) (*scripts, error) {
	all := &scripts{time: limit, functions: map[string][]string{}}
	for i := range e.Trials {
		for _, h := range e.Trials[i].Settings.Hooks {
			if _, known := all.functions[h.File.SHA256]; known {
				continue
			}
			script, err := readScript(&h.File)
			if err != nil {
				return nil, err
			}
			all.functions[h.File.SHA256] = script.Declared()
		}
	}
	return all, nil
}

// readScript reads a script and checks the hash from when the experiment was loaded.
func readScript(s *config.File) (*hook.Hook, error) {
	script, err := hook.Read(s.Path)
	if err == nil && script.SHA256() != s.SHA256 {
		err = fmt.Errorf("%s was changed while this ran: run again", s.Path)
	}
	return script, err
}

// has reports whether a hook defines a function.
func (all *scripts) has(h *experiment.Hook, function string) bool {
	return slices.Contains(all.functions[h.File.SHA256], function)
}

// open begins a session of a script. processes is the number of parallel calls. The output
// of the script goes to log, which may be nil.
func (all *scripts) open(s *config.File, processes int, log io.Writer) (*hook.Session, error) {
	script, err := readScript(s)
	if err != nil {
		return nil, err
	}
	return script.Open(hook.Limits{Time: all.time, Processes: processes, Log: log}), nil
}

// mostPrinted is the number of lines of a script's output that are shown.
const mostPrinted = 20

// callOnce makes one call of a script in a new process and shows the script's output.
func callOnce[T any](t *Trial, s *config.File, name string, call func(*hook.Session) (T, error)) (T, error) {
	var printed strings.Builder
	session, err := t.run.scripts.open(s, 1, &printed)
	if err != nil {
		var none T
		return none, err
	}
	out, err := call(session)
	session.Close()
	lines := slices.Collect(strings.Lines(printed.String()))
	for i, line := range lines {
		if i == mostPrinted {
			t.Report.Note(fmt.Sprintf("%s: and %d more lines", name, len(lines)-mostPrinted))
			break
		}
		t.Report.Note(name + ": " + strings.TrimSuffix(line, "\n"))
	}
	return out, err
}

// Check compiles the scripts of an experiment and checks that each defines the functions
// that it needs. If initialize is set, it also initializes their package variables; otherwise
// no code of the scripts runs. Faults of scripts are [config.Errors] with positions.
func Check(ctx context.Context, e *experiment.Experiment, initialize bool) error {
	var files []string            // in the order of the experiment
	uses := map[string][]string{} // functions that each file needs
	for i := range e.Trials {
		for _, x := range e.Trials[i].Settings.Scripts() {
			f := functionFor(x.Key, e.Trials[i].Settings.Data != nil)
			if uses[x.Path] == nil {
				files = append(files, x.Path)
			}
			if !slices.Contains(uses[x.Path], f) {
				uses[x.Path] = append(uses[x.Path], f)
			}
		}
	}
	// Each script is compiled in a process of its own. Starting the process dominates the
	// time.
	found := make([]config.Errors, len(files))
	var checks errgroup.Group
	checks.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		checks.Go(func() (err error) {
			found[i], err = checkScript(ctx, file, uses[file], initialize)
			return err
		})
	}
	if err := checks.Wait(); err != nil {
		return err
	}
	if faults := slices.Concat(found...); len(faults) > 0 {
		return faults
	}
	return nil
}

// functionFor returns the function that the script at a setting's key needs. It returns ""
// for scripts that may define either measuring function. Data has no games to measure.
func functionFor(key string, data bool) string {
	switch {
	case key == "stop":
		return hook.Stop
	case strings.HasSuffix(key, ".adjudicate"):
		return hook.Adjudicate
	case key == "training.schedule.file":
		return hook.Rate
	case strings.HasPrefix(key, "hooks[") && data:
		return hook.MeasureCheckpoint
	case strings.HasPrefix(key, "hooks["):
		return ""
	}
	return hook.Evaluate
}

// checkScript compiles a script and checks that it defines the wanted functions.
func checkScript(ctx context.Context, file string, want []string, initialize bool) (faults config.Errors, err error) {
	script, err := hook.Read(file)
	if err != nil {
		return nil, err
	}
	functions := script.Compile
	if initialize {
		functions = script.Functions
	}
	have, err := functions(ctx, hook.Limits{})
	if errors.As(err, &faults) {
		return faults, nil
	}
	if err != nil {
		return nil, err
	}
	for _, name := range want {
		var fault *config.Error
		if name != "" {
			fault = script.Has(have, name)
		} else if !slices.Contains(have, hook.Measure) && !slices.Contains(have, hook.MeasureCheckpoint) {
			fault = config.Position{File: file, Line: 1, Col: 1}.Errorf("", "measures nothing: want %s or %s, have %s", hook.Measure, hook.MeasureCheckpoint, strings.Join(have, ", "))
		}
		if fault != nil {
			faults = append(faults, fault)
		}
	}
	return faults, nil
}

// measureGames returns the stage that calls the scripts for the games of generation g. It
// reads the games from their PGN file, so that a new script can measure old games.
func (t *Trial) measureGames(_ context.Context, g int) (*Stage, error) {
	if t.Settings.Data != nil {
		t.Results.Manifest.Drop(store.HooksStage(g)) // there are no games
		return nil, nil
	}
	in := store.Inputs{"code": hooksCode, "games": t.Results.Output(store.SelfPlayStage(g), store.GamesFile(g))}
	return t.measure(store.HooksStage(g), hook.Measure, in, func() (measurement, func(), error) {
		all, err := t.scriptGeneration(g)
		return func(ctx context.Context, s *hook.Session) (hook.Measured, error) { return s.Measure(ctx, all) }, func() {}, err
	}), nil
}

// measureCheckpoint returns the stage that calls the scripts for the checkpoint of
// generation g.
func (t *Trial) measureCheckpoint(_ context.Context, g int) (*Stage, error) {
	in := store.Inputs{"code": checkpointCode, "network": t.Results.CheckpointSum(g)}
	in.Settings("search", t.Settings.At(g).Search)
	return t.measure(store.CheckpointHooksStage(g), hook.MeasureCheckpoint, in, func() (measurement, func(), error) {
		net, err := t.group(g)
		if err != nil {
			return nil, nil, err
		}
		c := t.scriptCheckpoint(g, net)
		return func(ctx context.Context, s *hook.Session) (hook.Measured, error) { return s.MeasureCheckpoint(ctx, c) }, net.Close, nil
	}), nil
}

// measurement is one call of a script.
type measurement = func(context.Context, *hook.Session) (hook.Measured, error)

// measure returns a stage that calls a function of all scripts that define it, or nil if no
// script does. begin opens the games or the checkpoint. It returns the call and a function
// that closes what it opened.
func (t *Trial) measure(name, function string, in store.Inputs, begin func() (measurement, func(), error)) *Stage {
	hooks, scripts := t.Settings.Hooks, t.run.scripts
	if !slices.ContainsFunc(hooks, func(h experiment.Hook) bool { return scripts.has(&h, function) }) {
		t.Results.Manifest.Drop(name)
		return nil
	}
	limit := cmp.Or(scripts.time, hook.DefaultTime).Seconds()
	if had := t.Results.HookLimit(name); had > 0 && had < limit { // what failed may have time enough now
		t.Results.Manifest.Drop(name)
	}
	var names []string
	for i := range hooks {
		h := &hooks[i]
		names = append(names, h.Name())
		in["hook "+h.Name()] = h.File.SHA256
		if h.OnError == "stop" {
			in["on_error "+h.Name()] = h.OnError // a fault that is known shall stop the run now
		}
		if !scripts.has(h, function) {
			in["hook "+h.Name()] = "has no " + function
		}
	}
	in.List("hook", names) // results are in this order
	return &Stage{Name: name, In: in, Run: func(ctx context.Context) (any, error) {
		call, end, err := begin()
		if err != nil {
			return nil, err
		}
		defer end()
		out := store.HookResults{Metrics: make([]map[string]stats.Float, len(hooks))}
		for i := range hooks {
			h := &hooks[i]
			if !scripts.has(h, function) {
				continue
			}
			var labels hook.Labels
			m, err := callOnce(t, &h.File, h.Name(), func(s *hook.Session) (m hook.Measured, err error) {
				if m, err = call(ctx, s); err == nil {
					labels, err = s.Labels(ctx)
				}
				if err != nil {
					return hook.Measured{}, err
				}
				return m, nil
			})
			switch {
			case err == nil:
			case errors.As(err, new(*config.Error)) && h.OnError != "stop":
				note := fmt.Sprintf("hook %s has no metrics: %v", h.Name(), err)
				if _, g := store.SplitStage(name); slices.Contains(t.Results.HookFaults(g-1), err.Error()) {
					note = fmt.Sprintf("hook %s has no metrics again", h.Name())
				}
				t.Report.Note(note)
				out.Faults = append(out.Faults, err.Error())
			default:
				return nil, err
			}
			addMeasured(&out, i, m, labels)
		}
		if len(out.Faults) > 0 {
			out.Limit = limit
		}
		return out, nil
	}}
}

// addMeasured adds what script i measured, and the labels of that.
func addMeasured(out *store.HookResults, i int, m hook.Measured, labels hook.Labels) {
	label := func(name string) {
		if l, ok := labels[name]; ok {
			out.Label(i, name, store.Label(l))
		}
	}
	out.Metrics[i] = map[string]stats.Float{}
	for name, v := range m.Metrics {
		out.Metrics[i][name] = stats.Float(v)
		label(name)
	}
	for name, points := range m.Series {
		curve := make([][2]stats.Float, len(points))
		for k, p := range points {
			curve[k] = [2]stats.Float{stats.Float(p.X), stats.Float(p.Y)}
		}
		out.AddSeries(i, name, curve)
		label(name)
	}
}

// verdict is the result of a stop rule.
type verdict struct {
	Stop bool   `json:"stop"`
	Why  string `json:"why"`
}

// stopRule returns the stage that calls the stop rule after generation g.
func (t *Trial) stopRule(_ context.Context, g int) (*Stage, error) {
	script := t.Settings.Stop
	if script == nil || g == t.Settings.Generations || !t.knows(g) {
		return nil, nil
	}
	p := t.progressAfter(g)
	in := store.Inputs{"code": stopCode, "script": script.SHA256, "progress": hashProgress(p)}
	return &Stage{Name: store.StopStage(g), In: in, Run: func(ctx context.Context) (any, error) {
		return callOnce(t, script, script.Name(), func(s *hook.Session) (v verdict, err error) {
			v.Stop, v.Why, err = s.Stop(ctx, p)
			return v, err
		})
	}}, nil
}

// verdict returns the end of the trial if the stop rule ended training after generation g,
// otherwise nil.
func (t *Trial) verdict(g int) (*store.Ended, error) {
	script := t.Settings.Stop
	if script == nil || g == t.Settings.Generations {
		return nil, nil
	}
	s := t.Results.Manifest.Stage(store.StopStage(g))
	if !t.knows(g) || len(s.Facts) == 0 {
		t.unknown = append(t.unknown, "the stop rule may end trials before their last generation: this is the most that there is to do")
		return nil, nil
	}
	var v verdict
	if err := s.Decode(&v); err != nil || !v.Stop {
		return nil, err
	}
	why := script.Name()
	if v.Why != "" {
		why += ": " + v.Why
	}
	t.Report.Note(fmt.Sprintf("training ends after generation %d: %s", g, why))
	return &store.Ended{Generation: g, Why: why}, nil
}

// hookMetrics returns the metrics of all hooks for generation g, with keys "hook.metric".
func (t *Trial) hookMetrics(g int) map[string]float64 {
	all := map[string]float64{}
	for i, h := range t.Settings.Hooks {
		for name, x := range t.Results.Metrics(g, i) {
			all[h.Name()+"."+name] = float64(x)
		}
	}
	return all
}

// rates opens the script that sets the learning rate in generation g. rate is nil if there
// is no script. The caller must call end.
func (t *Trial) rates(ctx context.Context, g int) (rate func([]train.Epoch) (float64, error), end func(), err error) {
	script := t.Settings.Training.Schedule.Script
	if script == nil {
		return nil, func() {}, nil
	}
	p := t.progress(g)
	s, err := t.run.scripts.open(script, 1, nil)
	if err != nil {
		return nil, nil, err
	}
	rate = func(done []train.Epoch) (float64, error) { return s.Rate(ctx, during(p, done)) }
	return rate, s.Close, nil
}

// progress returns what scripts receive about the training before generation g.
func (t *Trial) progress(g int) hook.Progress {
	s := t.Settings
	p := hook.Progress{
		Variant: t.Setup.Variant.Spec(), Generation: g, Generations: s.Generations,
		EpochsEach: s.Training.Epochs, Initial: s.Training.Schedule.Initial,
	}
	for i := 1; i < g; i++ {
		row, epochs := t.Results.Generation(i), t.Results.Epochs(i)
		p.Past = append(p.Past, alamos.Summary{
			Generation: i, Games: row.Games, Samples: row.Samples, WhiteWins: row.WhiteWins, Draws: row.Draws, BlackWins: row.BlackWins,
			MeanPlies: row.MeanPlies(), Loss: train.SelectedLoss(epochs).Total,
		})
		p.Epochs = append(p.Epochs, scriptEpochs(i, epochs)...)
	}
	return p
}

// during returns the progress within a generation, from that before it and the epochs since.
func during(before hook.Progress, done []train.Epoch) hook.Progress {
	before.Epochs = append(slices.Clip(before.Epochs), scriptEpochs(before.Generation, done)...)
	return before
}

// progressAfter returns what the stop rule receives after generation g.
func (t *Trial) progressAfter(g int) hook.Progress {
	p := t.progress(g + 1)
	p.Generation = g
	for i := range p.Past {
		p.Past[i].Metrics = t.hookMetrics(i + 1)
	}
	return p
}

// scriptEpochs returns epochs of generation g in the form that scripts receive.
func scriptEpochs(g int, epochs []train.Epoch) (all []alamos.Epoch) {
	loss := func(l nn.Loss) alamos.Loss {
		return alamos.Loss{Total: l.Total, Policy: l.Policy, Value: l.Value}
	}
	for _, e := range epochs {
		all = append(all, alamos.Epoch{
			Generation: g, Number: e.Number, Rate: e.Rate,
			Train: loss(e.Train), Validation: loss(e.Validation), Selected: e.Selected,
		})
	}
	return all
}

// progressSum returns the hash of the progress before generation g, as an input of a stage.
func (t *Trial) progressSum(g int) string {
	if !t.knows(g - 1) {
		return unknown("progress", t.Results.CheckpointSum(g-1))
	}
	return hashProgress(t.progress(g))
}

func hashProgress(p hook.Progress) string {
	return disk.SumOf(fmt.Appendf(nil, "%+v", p)) // fmt prints maps in the order of their keys
}
