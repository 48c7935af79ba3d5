package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/store"
	"alamos/pkg/uci"
)

// importOptions are the flags of data import.
type importOptions struct {
	kindFlags
	set           []string
	trial         string
	input, policy string
	label         uci.Opponent
	chunk         int
	noEngines     bool
	results       string
	out           string

	// What the import reads, and how it encodes positions.
	cfg   data.Config
	codec encode.Codec
	seed  uint64
}

func dataImportCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE.yaml | FILE... --out F.parquet",
		Short: "Write positions as a file of samples",
		Long: `import writes a chunk of positions as a sample file, which the training of alamos reads.
Other programs can read it as Parquet.

With an experiment that has data, import writes the chunk that generation --chunk learns
from, with the same bytes as alamos run. With files of positions, import writes what the
flags select, by default all positions of all files, in the encodings --input and
--policy. The defaults are lc0's encodings for lc0's files, ChessMarro's for ChessMarro's,
and those of the variant for games.

The answers of an engine are kept in a journal beside F.parquet until that file is
written. An interrupted import continues from the journal.`,
		Example: `  alamos data import mine.yaml --chunk 2 --out chunk-2.parquet
  alamos data import training-*.tar --positions 1 --out lc0.parquet
  alamos data import games.pgn --label stockfish --depth 1 --input dtu24 --out labeled.parquet`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeFiles(append(dataFiles, "yaml", "yml")...),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.add(cmd)
	setFlag(cmd, &o.set)
	f := cmd.Flags()
	f.StringVar(&o.trial, "trial", "", "of an experiment with a sweep: `trial` by number, by values of the sweep as in width=16,seed=8, or by the first digits of its hash (default: the first)")
	completeTrialFlag(cmd, &o.set)
	choiceFlag(cmd, &o.input, "input", "", encode.PlanesNames(), "encoding of the positions")
	choiceFlag(cmd, &o.policy, "policy", "", append(encode.PolicyNames(), "none"), "encoding of the moves")
	f.IntVar(&o.cfg.Positions, "positions", 0, "positions drawn of each game; 0: all")
	f.IntVar(&o.cfg.Games, "games", 0, "most games to read; 0: all")
	f.IntVar(&o.cfg.Chunk, "chunk-size", 0, "positions of a chunk; 0: all in one")
	f.IntVar(&o.cfg.Shuffle, "shuffle", 0, "positions in the shuffle buffer; 0: in their order")
	f.BoolVar(&o.cfg.SkipBroken, "skip-broken", false, "skip games in PGN and chunks of lc0 that cannot be read")
	f.StringVar(&o.label.Program, "label", "", "engine that evaluates the positions: stockfish, fairy-stockfish or a `program`")
	f.IntVar(&o.label.Limit.Depth, "depth", 0, "depth of the engine's search")
	f.Int64Var(&o.label.Limit.Nodes, "nodes", 0, "nodes of the engine's search")
	f.BoolVar(&o.noEngines, "no-engines", false, "refuse an experiment with data of a UCI engine")
	numberFlag(cmd, &o.chunk, "chunk", 1, atLeast(1), "number of the chunk, from 1")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the drawn positions and of the shuffle")
	resultsFlag(cmd, &o.results)
	f.StringVar(&o.out, "out", "", "`file` to write")
	completeFlag(cmd, "label", uci.Stockfish, uci.FairyStockfish)
	requiredFlag(cmd, "out")
	return cmd
}

func (o *importOptions) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	of, named := o.ofFiles, o.kind == ""
	if experiment.IsFile(args[0]) {
		of, named = o.ofExperiment, false
		for _, flag := range []string{"kind", "variant", "input", "policy", "positions", "games", "chunk-size", "shuffle", "skip-broken", "label", "depth", "nodes", "seed"} {
			if cmd.Flags().Changed(flag) {
				return usagef("--%s: the experiment sets it (change it with --set)", flag)
			}
		}
	}
	if err := of(ctx, args); err != nil {
		return err
	}
	source, err := data.Open(o.cfg, o.seed, 0)
	if err != nil {
		return dataFault(ctx, err)
	}
	defer source.Close() // what was written is whole
	if named {
		for _, file := range source.Files() {
			if kind, err := data.KindOf(file); err == nil && kind != o.cfg.Kind {
				return usagef("%s holds %s by its name, and %s %s: import files of one kind at a time, or set --kind", source.Files()[0], o.cfg.Kind, file, kind)
			}
		}
	}
	if err := checkOut(o.out, append(source.Files(), args...)); err != nil {
		return err
	}
	if err := disk.SweepFile(o.out); err != nil {
		return err
	}
	var answers data.Answers
	journal := o.out + ".journal"
	if source.UsesEngine() {
		identity, err := source.Identity(o.chunk)
		if err != nil {
			return err
		}
		j, err := disk.OpenJournal(journal, []byte(identity), answers.Replay)
		if err != nil {
			return err
		}
		defer j.Close()
		answers.Keep = j.Add
	}
	var p data.Progress
	done := showReading("import", &p)
	var info data.Info
	from, err := source.Seek(ctx, o.chunk, &p)
	if err == nil {
		info, err = source.Chunk(ctx, from, o.codec, o.out, &answers, &p)
	}
	done()
	switch {
	case err != nil && ctx.Err() != nil && source.UsesEngine():
		return errors.Join(errResumable, err)
	case err != nil:
		return err
	case source.UsesEngine():
		if err := disk.Remove(journal); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s: %s positions of %s games in %s and %s\n", o.out, grouped(info.Positions), grouped(info.Games), o.codec.Planes.Name(), o.codec.Policy.Name())
	if info.Broken > 0 {
		fmt.Fprintf(out, "  %s could not be read\n", english.Plural(info.Broken, "game", ""))
	}
	if left := data.LeftOut(info.NoResult, info.NoMoves); left != "" {
		fmt.Fprintf(out, "  games left out: %s\n", left)
	}
	if info.Unexpressed > 0 {
		fmt.Fprintf(out, "  %s left out: the policy cannot express the move played\n", english.Plural(info.Unexpressed, "position", ""))
	}
	return nil
}

// ofExperiment sets the source to the data of an experiment.
func (o *importOptions) ofExperiment(ctx context.Context, args []string) error {
	if len(args) > 1 {
		return usagef("want one experiment or files of positions, have %d files", len(args))
	}
	e, err := experiment.LoadChecked(args[0], o.set)
	if err != nil {
		return err
	}
	starts := slices.DeleteFunc(experiment.Starts(e, o.noEngines, false), func(f *config.Error) bool { return !strings.HasPrefix(f.Path, "data.") })
	if len(starts) > 0 {
		return starts
	}
	trial, err := findTrial(e, cmp.Or(o.trial, "1"))
	if err != nil {
		return err
	}
	if trial.Settings.Data == nil {
		return usagef("%s has no data: it learns from games of its own", args[0])
	}
	setup, err := experiment.NewSetup(&trial.Settings)
	if err != nil {
		return err
	}
	o.codec, o.seed = setup.Codec, setup.DataSeed()
	o.cfg, err = setup.Data(func(engine uci.Opponent) (uci.Command, error) {
		found, err := engine.Find(ctx, setup.Variant, setup.Chess960)
		if err != nil {
			return uci.Command{}, err
		}
		return found.Command, nil
	}, func(model string) (data.Network, error) {
		file, err := store.FindModel(o.results, model)
		if err != nil {
			return nil, fmt.Errorf("data.label.model: %w", err)
		}
		return func() (*nn.Model, encode.Codec, error) {
			c, codec, v, err := nn.ReadModel(file)
			if err != nil {
				return nil, codec, err
			}
			if v != setup.Variant {
				return nil, codec, fmt.Errorf("data.label.model: %s plays %s, not %s", model, v, setup.Variant)
			}
			m, err := c.Compile(nn.InferenceOptions{})
			return m, codec, err
		}, nil
	})
	if err != nil {
		return err
	}
	return store.NameSamples(o.results, &o.cfg)
}

// ofFiles sets the source to files as the flags say.
func (o *importOptions) ofFiles(ctx context.Context, files []string) error {
	var unusable string
	switch {
	case len(o.set) > 0:
		unusable = "set"
	case o.trial != "":
		unusable = "trial"
	case o.noEngines:
		unusable = "no-engines"
	}
	if unusable != "" {
		return usagef("--%s: only for experiments, and %s is not one", unusable, files[0])
	}
	files, err := matching(files)
	if err != nil {
		return err
	}
	cfg := &o.cfg
	cfg.Variant, cfg.Kind = orChess(o.variant), o.kind
	for _, file := range files {
		cfg.Files = append(cfg.Files, disk.Pattern(file))
	}
	if cfg.Kind == "" {
		if cfg.Kind, err = data.KindOf(files[0]); err != nil {
			return usageError{err}
		}
	}
	input, policy := encode.PlanesFor(cfg.Variant)[0], encode.PolicyFor(cfg.Variant)[0]
	switch cfg.Kind {
	case data.LC0:
		input, policy = "lc0-112", "lc0-1858"
	case data.Parquet:
		input, policy = "marro77", "marro4096"
		if meta, err := data.ReadMeta(files[0]); err == nil { // a sample file of alamos keeps its encodings
			input, policy = meta.Encoder, meta.Policy
			if cfg.Variant, err = chess.ParseVariant(meta.Variant); err != nil {
				return fmt.Errorf("%s: %w", files[0], err)
			}
		}
	}
	if o.codec, err = encode.NewCodec(cmp.Or(o.input, input), cmp.Or(o.policy, policy), cfg.Variant); err != nil {
		return usageError{err}
	}
	switch limited := o.label.Limit != (uci.Limit{}); {
	case o.label.Program == "" && limited:
		return usagef("--depth, --nodes: need an engine that labels: name it with --label")
	case o.label.Program == "":
		return nil
	case !limited:
		return usagef("--label: the search of %s needs a limit: give --depth or --nodes", o.label.Program)
	}
	found, err := o.label.Find(ctx, cfg.Variant, false)
	if err != nil {
		return err
	}
	cfg.Label = &data.Label{Command: found.Command, Limit: o.label.Limit}
	return nil
}

// checkOut returns an error if writing to a file would destroy an input of the import, or
// a file that is not a sample file of alamos.
func checkOut(out string, inputs []string) error {
	there, err := os.Stat(out)
	if errors.Is(err, fs.ErrNotExist) {
		if filepath.Ext(out) != ".parquet" {
			return usagef("--out: want a name that ends in .parquet, have %s", out)
		}
		return nil
	}
	if err != nil {
		return usagef("--out: %w", err)
	}
	if err := refuseInput(out, inputs...); err != nil {
		return err
	}
	if !there.Mode().IsRegular() {
		return usagef("--out: %s is not a file", out)
	}
	if _, err := data.ReadMeta(out); err != nil {
		return usagef("--out: %s exists and is not a sample file of alamos: name another file, or delete it first", out)
	}
	return nil
}
