package run

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strconv"
	"time"

	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"

	"alamos/pkg/nn"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/uci"
)

// dataCode is the version of the code that imports data, see [Stage].
const dataCode = "9"

// sumsName is the file of checksums in the folder of all results.
const sumsName = ".checksums.json"

// imports is the source of a trial's positions.
type imports struct {
	source *data.Source
	in     store.Inputs // common inputs of all chunks

	test   *data.Source // of the test files; nil: there are none
	testIn store.Inputs
}

// Close stops the engines of the sources.
func (i *imports) Close() {
	i.source.Close()
	if i.test != nil {
		i.test.Close()
	}
}

// openData finds the files and engines of the trial's data. The caller must close its imports.
func (t *Trial) openData(ctx context.Context) error {
	s := t.Settings
	in := store.Inputs{
		"code": dataCode, "seed": strconv.FormatUint(s.Seed, 10), "game.variant": t.Setup.Variant.Spec(),
		"network.input": s.Network.Input, "network.policy": s.Network.Policy,
	}
	settings := *s.Data
	settings.Files, settings.Test, settings.Run, settings.Generations = nil, nil, "", 0 // data.contents covers the contents of the files
	if settings.Label != nil {
		label := *settings.Label
		label.Model = "" // and the network's checksum those of its file
		settings.Label = &label
	}
	if settings.Kind == data.Engine {
		in.Settings("game.start", s.Game.Start)
	}
	cfg, err := t.Setup.Data(t.enginesOfData(ctx, in), func(model string) (data.Network, error) {
		m, err := t.run.model(model)
		if err == nil && m.variant != t.Setup.Variant {
			err = fmt.Errorf("%s plays %s, not %s", model, m.variant, t.Setup.Variant)
		}
		if err != nil {
			return nil, fmt.Errorf("data.label.model: %w", err)
		}
		in["network that labels"] = m.sum
		return func() (*nn.Model, encode.Codec, error) {
			network, err := t.Compile(m.file)
			return network, m.codec, err
		}, nil
	})
	if err != nil {
		return err
	}
	if err := store.NameSamples(t.run.Results, &cfg); err != nil {
		return err
	}
	in["network.future_board"], in["continued"] = strconv.Itoa(cfg.Future), strconv.FormatBool(cfg.Continued)
	if cfg.Kind == data.Parquet { // a file may have no results
		in["results"] = strconv.FormatBool(cfg.Results)
	}
	t.imports = imports{in: maps.Clone(in)}
	t.imports.in.Settings("data", settings)
	if t.imports.source, err = t.openFiles(ctx, cfg, t.imports.in); err != nil || len(cfg.Test) == 0 {
		return err
	}
	cfg.Files, cfg.Games, cfg.Chunk, cfg.Shuffle = cfg.Test, 0, 0, 0
	settings.Games, settings.Chunk, settings.Shuffle = 0, 0, 0
	t.imports.testIn = in
	t.imports.testIn.Settings("data", settings)
	if t.imports.test, err = t.openFiles(ctx, cfg, t.imports.testIn); err != nil {
		t.imports.source.Close()
	}
	return err
}

// openFiles opens a source and adds the contents of its files to the inputs.
func (t *Trial) openFiles(ctx context.Context, cfg data.Config, in store.Inputs) (*data.Source, error) {
	source, err := data.Open(cfg, t.Setup.DataSeed(), t.Workers)
	if err != nil {
		return nil, err
	}
	if files := source.Files(); len(files) > 0 {
		sums, err := t.run.sums.Of(ctx, files...)
		if err != nil {
			source.Close()
			return nil, fmt.Errorf("data: %w", err)
		}
		in["data.contents"] = experiment.Hash(sums)
	}
	return source, nil
}

// engineInput is followed by the name of an engine, in the inputs of a chunk.
const engineInput = "engine "

// enginesOfData returns a function that finds an engine of the data and adds its identity to the
// inputs of chunks.
func (t *Trial) enginesOfData(ctx context.Context, in store.Inputs) func(uci.Opponent) (uci.Command, error) {
	return func(o uci.Opponent) (uci.Command, error) {
		found, err := t.run.engine(ctx, t.Setup, &o)
		if err != nil {
			return uci.Command{}, err
		}
		in[engineInput+found.Name] = found.ID
		return found.Command, nil
	}
}

// importedChunk is the row of a chunk, with the cursor of the next one.
type importedChunk struct {
	store.Generation
	Next data.Cursor `json:"next"`
}

// importChunk returns the stage that makes the samples of generation g from chunk g of the
// data.
func (t *Trial) importChunk(_ context.Context, g int) (*Stage, error) {
	in := maps.Clone(t.imports.in)
	in["chunk"] = strconv.Itoa(g)
	return &Stage{Name: store.DataStage(g), In: in, Files: []string{store.SamplesFile(g)}, Run: func(ctx context.Context) (any, error) {
		from := data.First
		if g > 1 {
			var before importedChunk
			if err := t.Results.Manifest.Stage(store.DataStage(g - 1)).Decode(&before); err != nil {
				return nil, err
			}
			from = before.Next
		}
		row, next, err := t.importFrom(ctx, t.imports.source, from, store.DataStage(g), store.SamplesFile(g), t.Settings.Data.Chunk, in)
		if err != nil {
			return nil, err
		}
		row.Number = g
		return importedChunk{row, next}, nil
	}, Work: func(e *estimate) error {
		speed := e.rate(t, importedPerSecond, in)
		e.work.Seconds += stats.Float(t.chunkSize(g) / speed)
		return nil
	}}, nil
}

// importTest returns the stage that makes samples of the test files.
func (t *Trial) importTest(context.Context, int) (*Stage, error) {
	if t.imports.test == nil || t.Settings.Evaluation == nil || !t.Settings.Evaluation.Accuracy {
		return nil, nil
	}
	in := t.imports.testIn
	return &Stage{Name: store.TestStage, In: in, Files: []string{store.TestFile}, Run: func(ctx context.Context) (any, error) {
		row, _, err := t.importFrom(ctx, t.imports.test, data.First, store.TestStage, store.TestFile, 0, in)
		return row, err
	}}, nil
}

// importFrom writes samples of a source to a file, in a stage with inputs in. positions is their
// number as planned, or 0. next is where the chunk after it begins.
func (t *Trial) importFrom(ctx context.Context, source *data.Source, from data.Cursor, stage, file string, positions int, in store.Inputs) (row store.Generation, next data.Cursor, err error) {
	var answers data.Answers
	if source.UsesEngine() {
		j, err := t.openJournal(t.scratch(stage), in, store.Kind{}, answers.Replay)
		if err != nil {
			return row, next, err
		}
		defer j.Close()
		answers.Keep = j.Add
		if t.run.Hub != nil && source == t.imports.source {
			if err := t.askAway(ctx, from, &answers); err != nil {
				return row, next, err
			}
		}
	}
	began := time.Now()
	var progress data.Progress
	done := t.showImport(stage, positions, &progress, answers.Games())
	info, err := source.Chunk(ctx, from, t.Setup.Codec, t.Results.Path(file), &answers, &progress)
	done()
	if err != nil {
		return row, next, err
	}
	return store.Generation{
		Games: info.Games, Samples: info.Positions, WhiteWins: info.White, Draws: info.Draws, BlackWins: info.Black,
		Reasons: map[string]int{}, Seconds: time.Since(began).Seconds(),
		Data: &store.Chunk{Pass: info.Pass, Broken: info.Broken, NoResult: info.NoResult, NoMoves: info.NoMoves, Finished: info.Finished, Unexpressed: info.Unexpressed, Last: info.Last},
	}, info.Next, nil
}

// chunkSize estimates the number of positions in chunk g: that of the last chunk that was
// imported, or that of the settings. It is NaN if both are unknown.
func (t *Trial) chunkSize(g int) float64 {
	for i := g; i >= 1; i-- {
		if s := t.Results.Manifest.Stage(store.DataStage(i)); s != nil && len(s.Facts) > 0 {
			return float64(t.Results.Generation(i).Samples)
		}
	}
	switch d := t.Settings.Data; {
	case d.Chunk > 0 && d.Kind != data.Engine:
		return float64(d.Chunk)
	case d.Kind == data.Engine && d.Positions > 0:
		return float64(d.Games * d.Positions)
	}
	return math.NaN()
}

// showImport reports the progress of a stage that imports, in games of an engine or in
// positions, until the caller calls done. planned is the number of positions, or 0. The first known
// games are already journaled.
func (t *Trial) showImport(stage string, planned int, p *data.Progress, known int) (done func()) {
	d := t.Settings.Data
	unit := "positions"
	if d.Kind == data.Engine {
		unit = "games"
	}
	task := t.Report.Task(stage, unit)
	if d.Kind == data.Engine {
		task.Resume(known)
	}
	began := time.Now()
	end := p.Watch(func() {
		positions := int(p.Positions.Load())
		done, total := positions, planned
		switch size := p.Size.Load(); {
		case d.Kind == data.Engine:
			done, total = int(p.Games.Load()), d.Games
		case total == 0 && size > 0: // assume equal density in the unread part
			total = int(float64(done) * float64(size) / float64(max(1, p.Bytes.Load())))
		}
		speed := float64(positions) / time.Since(began).Seconds()
		task.Set(done, max(done, total), fmt.Sprintf("%s positions/s", humanize.Comma(int64(speed))))
	})
	return func() {
		end()
		task.End()
	}
}
