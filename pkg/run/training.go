package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	humanize "github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/nn"
	"alamos/pkg/report"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// trainingCode is the version of the code of training, see [Stage].
const trainingCode = "11"

// untrainedCode is the version of the code of the untrained network.
const untrainedCode = "1"

// untrained returns the stage that initializes the network.
func (t *Trial) untrained(context.Context, int) (*Stage, error) {
	in := store.Inputs{"code": untrainedCode, "seed": strconv.FormatUint(t.Settings.Seed, 10), "game.variant": t.Setup.Variant.Spec()}
	in.Settings("network", t.Settings.Network)
	start, err := t.Setup.Schedule(nil).Start()
	if err != nil {
		return &Stage{Name: store.UntrainedStage}, err
	}
	in.Settings("schedule", start)
	var from externalModel
	if s := t.Settings.Start; s != nil {
		if from, err = t.startModel(string(s.Model)); err != nil {
			return &Stage{Name: store.UntrainedStage}, fmt.Errorf("start.model: %w", err)
		}
		in["start"] = from.sum
	}
	return &Stage{Name: store.UntrainedStage, In: in, Files: []string{store.CheckpointFile(0)}, Run: func(context.Context) (any, error) {
		c := &nn.Checkpoint{Header: t.Setup.Header(0)}
		var err error
		if c.Training, err = json.Marshal(train.State{Schedule: start}); err != nil {
			return nil, err
		}
		if c.Network, err = t.firstNetwork(from.file); err != nil {
			return nil, err
		}
		return nil, c.Write(t.Results.Path(store.CheckpointFile(0)))
	}}, nil
}

// firstNetwork returns a random network, or one grown from the model of a file.
func (t *Trial) firstNetwork(file string) (nn.Tensors, error) {
	if file == "" {
		net, err := nn.New(t.Setup.Spec(), t.Setup.Seed("network", 0))
		if err != nil {
			return nil, err
		}
		return net.State()
	}
	from, err := nn.ReadCheckpoint(file)
	if err != nil {
		return nil, err
	}
	grown, err := t.Setup.Spec().Grow(from.Spec, from.Playing(), t.Setup.Seed("growth", 0))
	if err != nil {
		return nil, fmt.Errorf("start.model: %s: %w", t.Settings.Start.Model, err)
	}
	return grown, nil
}

// startModel finds the network that the trial begins with.
func (t *Trial) startModel(model string) (externalModel, error) {
	m, err := t.run.model(model)
	if err != nil {
		return m, err
	}
	if have, want := [2]string{m.codec.Planes.Name(), m.codec.Policy.Name()}, [2]string{t.Setup.Codec.Planes.Name(), t.Setup.Codec.Policy.Name()}; have != want {
		return m, fmt.Errorf("%s has input %s and policy %s: want those of network, %s and %s", model, have[0], have[1], want[0], want[1])
	}
	if err := t.Setup.Spec().CanGrow(m.spec); err != nil {
		return m, fmt.Errorf("%s: %w", model, err)
	}
	return m, nil
}

// training returns the stage that trains the network of generation g-1 on the replay window
// that ends with generation g.
func (t *Trial) training(_ context.Context, g int) (*Stage, error) {
	s := t.Settings.At(g)
	window := t.window(g)
	in := store.Inputs{
		"code": trainingCode, "network": t.Results.CheckpointSum(g - 1),
		"seed": strconv.FormatUint(s.Seed, 10), "generation": strconv.Itoa(g),
	}
	window.inputs(in)
	if s.Training.ValueTarget != nil {
		for i := window.first; i <= g; i++ {
			in["value target "+strconv.Itoa(i)] = t.Results.Output(store.TargetStage(i), store.TargetFile(i))
		}
	}
	in.Settings("training", s.Training)
	if s.Training.Schedule.Script != nil { // the rest of its arguments follows from the other inputs
		in["progress"] = t.progressSum(g)
	}
	return &Stage{
		Name: store.TrainStage(g), In: in, Files: []string{store.CheckpointFile(g)},
		Run: func(ctx context.Context) (any, error) {
			c, err := nn.ReadCheckpoint(t.Results.Path(store.CheckpointFile(g - 1)))
			if err != nil {
				return nil, err
			}
			sets, all, closeWindow, err := window.read()
			if err != nil {
				return nil, err
			}
			defer closeWindow()
			values, err := t.mixedValues(window.first, sets)
			if err != nil {
				return nil, err
			}
			next, epochs, err := t.learn(ctx, g, in, c, all, values)
			if err != nil {
				return nil, err
			}
			next.Samples = t.Results.SamplesUntil(g)
			for i := range epochs {
				epochs[i].Generation = g
			}
			return epochs, next.Write(t.Results.Path(store.CheckpointFile(g)))
		},
		Done: func() error {
			t.Report.Note(t.summary(g))
			return report.Tables(t.Results)
		},
		Work: func(e *estimate) error {
			positions := 0.0
			for i := window.first; i <= g; i++ {
				if s.Data != nil {
					positions += t.chunkSize(i)
				} else {
					cfg := t.Setup.SelfPlay(i)
					positions += float64(cfg.Games) * e.plies(t) * cfg.FullShare()
				}
			}
			e.train(t, positions)
			if n := window.planned(positions); n.isLarge(t.run.memory) && !t.large {
				t.large = true
				t.unknown = append(t.unknown, n.text(t.run.memory))
			}
			return nil
		},
	}, nil
}

// learn trains from checkpoint c and returns the next checkpoint. If an earlier process was
// interrupted, training resumes after the last step whose progress was written. values, unless
// nil, replace the values of the samples.
func (t *Trial) learn(ctx context.Context, g int, in store.Inputs, c *nn.Checkpoint, window *data.Set, values []float32) (*nn.Checkpoint, []train.Epoch, error) {
	net, err := nn.Restore(c.Spec, c.Network)
	if err != nil {
		return nil, nil, err
	}
	tr, err := nn.NewTrainer(net, t.Setup.Optimizer(g), nn.TrainerOptions{Device: t.run.Device, Threads: t.run.Threads})
	if err != nil {
		return nil, nil, err
	}
	defer tr.Close()
	restart := t.Settings.Training.Carry == train.CarryWeights
	if len(c.Optimizer) > 0 && !restart {
		if err := tr.Load(c.Optimizer); err != nil {
			return nil, nil, err
		}
	}

	t.kind = kindOf(tr.Devices()[0], tr.Precision())
	if t.kind.Device == nn.CPU && t.Settings.Training.Micro == 1 { // otherwise it changes no bit
		t.kind.Threads = tr.Threads()
	}
	if all, err := nn.Devices(t.run.Device); err == nil && len(tr.Devices()) < len(all) && g == 1 {
		t.Report.Note(fmt.Sprintf("%s of %d devices train: training.micro_batches is %d", strings.Join(tr.Devices(), ", "), len(all), t.Settings.Training.Micro))
	}
	t.warnOfKind(g)
	path := t.scratch(store.TrainStage(g))
	done, err := t.trainingProgress(g, path, in)
	if err != nil {
		return nil, nil, err
	}
	task := t.Report.Task(store.TrainStage(g), "steps")
	defer task.End()
	rate, end, err := t.rates(ctx, g)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	cfg, seeds := t.Setup.Training(g, rate)
	cfg.Values = values
	state, err := startState(c, g, restart, cfg.Schedule)
	if err != nil {
		return nil, nil, err
	}
	live, err := t.openSteps(g, in, state.Before+state.Schedule.Epochs, cfg.Epochs)
	if err != nil {
		return nil, nil, err
	}
	defer live.Close()
	how := ""
	var resume sync.Once
	written, cost := time.Now(), time.Duration(0)
	epochs, err := train.Run(ctx, cfg, net, tr, window, seeds, &state, done, train.Hooks{
		Step: func(done, total int, loss nn.Loss) {
			resume.Do(func() { task.Resume(done - 1) })
			task.Set(done, total, how)
			live.step(done, total, loss)
		},
		Epoch: func(e train.Epoch) {
			how = fmt.Sprintf("epoch %d, loss %.3f", e.Number, e.Loss().Total)
			live.add(store.TrainingEntry{Epoch: &e})
		},
		Due: func() bool { return time.Since(written) >= max(progressEvery, progressShare*cost) },
		Progress: func(p *train.Progress) error {
			began := time.Now()
			err := writeProgress(path, in, t.kind, p)
			written, cost = time.Now(), time.Since(began)
			if err != nil && ctx.Err() != nil { // the run ends with the cancellation alone
				t.Report.Note(fmt.Sprintf("the last steps of generation %d are lost: %v", g, err))
			}
			return err
		},
	})
	if err != nil {
		return nil, nil, err
	}
	next := &nn.Checkpoint{Header: t.Setup.Header(g)}
	if next.Training, err = json.Marshal(state); err != nil {
		return nil, nil, err
	}
	next.Snapshot, err = nn.TakeSnapshot(net, tr)
	next.Average = state.Average
	return next, epochs, err
}

// trainingProgress returns the progress of generation g that an interrupted process left, or nil
// if there is none with these inputs that this machine can continue.
func (t *Trial) trainingProgress(g int, path string, in store.Inputs) (*train.Progress, error) {
	done, other, err := readProgress(path, in, t.kind)
	if other != "" {
		t.Report.Note(fmt.Sprintf("%s was begun on another kind of machine (%s) and is done again on this one (%s)", path, other, t.kind))
	}
	if errors.Is(err, nn.ErrDamaged) {
		t.Report.Note(fmt.Sprintf("%v: generation %d is trained again", err, g))
		err = nil
	}
	return done, err
}

// startState returns the state of training that generation g begins with after checkpoint c.
func startState(c *nn.Checkpoint, g int, restart bool, schedule train.Schedule) (state train.State, err error) {
	if err = json.Unmarshal(c.Training, &state); err != nil {
		return state, fmt.Errorf("the training state of the checkpoint before generation %d: %w", g, err)
	}
	if len(c.Average) > 0 {
		state.Average = c.Average
	}
	if restart {
		return state.Restarted(schedule)
	}
	return state, nil
}

// warnOfKind reports that the generation before g was trained on another kind of machine.
func (t *Trial) warnOfKind(g int) {
	if s := t.Results.Manifest.Stage(store.TrainStage(g - 1)); s != nil && s.On != t.kind {
		t.Report.Note(fmt.Sprintf("%s runs on another kind of machine (%s) than the generation before (%s): no single machine repeats its bytes; --threads sets the number of threads", store.TrainStage(g), t.kind, s.On))
	}
}

// Metadata keys of the progress of training, a safetensors file beside the checkpoints: the
// hash of the inputs, and the kind of machine. The file is replaced after every epoch, within
// long epochs, and at an interruption, and deleted at the end of the stage.
const (
	progressInputs = "alamos.inputs"
	progressKind   = "alamos.kind"
)

// Times between two writes of the progress within an epoch.
const (
	progressEvery = time.Minute
	progressShare = 50 // of the time that a write takes
)

// stepJournal tells those who watch how training goes, see [store.TrainingEntry]. It is not a
// result, so failed writes are ignored; writing the progress would fail for the same reason and is
// reported.
type stepJournal struct {
	*disk.Journal
	before, epochs int // epochs of earlier generations, and of this one
	began, told    time.Time
	sum            float64 // of the losses since then
	steps          int
}

// openSteps opens the journal of the steps of generation g.
func (t *Trial) openSteps(g int, in store.Inputs, before, epochs int) (*stepJournal, error) {
	j, err := t.openJournal(t.Results.Path(store.StepsFile(g)), in, t.kind, func([]byte) error { return nil })
	now := time.Now()
	return &stepJournal{Journal: j, before: before, epochs: epochs, began: now, told: now}, err
}

// Times between two entries. Long trainings have few, so that all can be shown.
const (
	stepsEvery = time.Second / 2
	stepsShare = 500 // of the time since the beginning
)

// step adds a step of the generation.
func (j *stepJournal) step(done, total int, loss nn.Loss) {
	j.sum += loss.Total
	j.steps++
	now := time.Now()
	if done < total && now.Sub(j.told) < max(stepsEvery, now.Sub(j.began)/stepsShare) {
		return
	}
	j.add(store.TrainingEntry{Done: done, Of: total, At: float64(j.before) + float64(j.epochs*done)/float64(total), Loss: stats.Float(j.sum / float64(j.steps))})
	j.sum, j.steps, j.told = 0, 0, now
}

func (j *stepJournal) add(e store.TrainingEntry) {
	if b, err := json.Marshal(e); err == nil {
		_ = j.Add(b)
	}
}

// writeProgress writes the state that training needs to resume after a step.
func writeProgress(path string, in store.Inputs, on store.Kind, p *train.Progress) error {
	all, meta, err := p.Pack()
	if err != nil {
		return err
	}
	meta[progressInputs], meta[progressKind] = in.Hash(), on.String()
	return disk.WriteFile(path, func(w io.Writer) error { return nn.WriteSafetensors(w, all, meta) })
}

// readProgress returns nil if there is no progress, or if it has other inputs or is of another
// kind of machine, which it then returns.
func readProgress(path string, in store.Inputs, on store.Kind) (p *train.Progress, other string, err error) {
	all, meta, err := nn.ReadSafetensors(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && meta[progressInputs] != in.Hash():
		return nil, "", nil
	case err == nil && meta[progressKind] != on.String():
		return nil, meta[progressKind], nil
	case err != nil:
		return nil, "", err
	}
	p, err = train.Unpack(all, meta)
	return p, "", err
}

// pace measures the speed of training in this process.
type pace struct {
	until   int // the last generation
	began   time.Time
	trained int // number of generations
}

// summary returns a line about generation g, with an estimate of the remaining time.
func (t *Trial) summary(g int) string {
	t.pace.trained++
	row, epochs := t.Results.Generation(g), t.Results.Epochs(g)
	s := fmt.Sprintf("generation %d of %d: ", g, t.pace.until)
	if row.Data == nil {
		s += fmt.Sprintf("%d games of %.0f plies on average", row.Games, row.MeanPlies())
	} else {
		s += fmt.Sprintf("%s positions of %s games", humanize.Comma(int64(row.Samples)), humanize.Comma(int64(row.Games)))
	}
	if known := row.WhiteWins + row.Draws + row.BlackWins; known > 0 {
		s += fmt.Sprintf(", white scored %.0f %%", 100*(float64(row.WhiteWins)+float64(row.Draws)/2)/float64(known))
	}
	if loss := train.SelectedLoss(epochs).Total; !math.IsNaN(loss) {
		s += fmt.Sprintf(", loss %.3f", loss)
	}
	if d := row.Data; d != nil && d.NoResult+d.NoMoves > 0 {
		s += fmt.Sprintf(", games left out: %s", data.LeftOut(d.NoResult, d.NoMoves))
	}
	if d := row.Data; d != nil && d.Broken > 0 {
		s += fmt.Sprintf(", skipped %s", english.Plural(d.Broken, "unreadable game", ""))
	}
	if row.Thrown > 0 {
		s += fmt.Sprintf(", %s over the move limit discarded", english.Plural(row.Thrown, "game", ""))
	}
	if g < t.pace.until {
		left := time.Since(t.pace.began) / time.Duration(t.pace.trained) * time.Duration(t.pace.until-g)
		s += fmt.Sprintf("; about %s of training left at this pace", Roughly(left))
	}
	return s
}
