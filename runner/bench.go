package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"alamos/pkg/bench"
	"alamos/pkg/chess"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure parts of alamos beside what bounds their speed",
		Long: `bench measures the rules, search, networks, self-play or training on this machine. Each
takes turns with what it is compared with: another engine, or an upper bound of its speed.
The important figure is the ratio of the two speeds. A speed alone depends on the machine
and its load.`,
		Example: `  alamos bench rules
  alamos bench rules --variant atomic --json`,
	}
	cmd.AddCommand(benchRulesCommand(), benchSelfplayCommand(), benchNetworkCommand(), benchSearchCommand(), benchTrainCommand())
	return cmd
}

// benchmark makes a command run a benchmark: it prints the results as JSON one by one, or as
// a table at the end, also after an interruption. unit is what the progress counts. The
// time of the benchmark is a flag: the seconds for which one side of a measurement runs.
func benchmark[R interface{ How() string }](cmd *cobra.Command, unit string, at *time.Duration, seconds time.Duration, r *bench.Reporter[R], run func(context.Context) error) *cobra.Command {
	*at = seconds * time.Second
	cmd.Flags().Var(value[time.Duration]{at, "seconds", func(text string) (time.Duration, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x > 0 && x <= 3600) {
			return 0, fmt.Errorf("want seconds, more than 0 and at most 3600, have %s", text)
		}
		return time.Duration(x * float64(time.Second)), nil
	}}, "time", "approximate time for each side in each measurement")
	var asJSON bool
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per line instead of a table")
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		out := cmd.OutOrStdout()
		progress := newBar(os.Stderr, cmd.Name(), unit)
		var results []R
		var notes []string // printed at the end, because they would break the progress bar
		var written error
		r.Begin = progress.Set
		r.Note = func(text string) { notes = append(notes, text) }
		r.Result = func(result R) {
			results = append(results, result)
			if asJSON && written == nil {
				written = json.NewEncoder(out).Encode(result)
			}
		}
		err := run(cmd.Context())
		progress.End()
		for _, note := range notes {
			fmt.Fprintln(cmd.ErrOrStderr(), note)
		}
		if !asJSON {
			written = bench.WriteTable(out, results)
		}
		return errors.Join(err, written)
	}
	return cmd
}

// networkBenchmark is [benchmark] for a benchmark of networks.
func networkBenchmark[R interface{ How() string }](cmd *cobra.Command, unit string, o *bench.Options, seconds time.Duration, r *bench.Reporter[R], run func(context.Context) error, networks ...bench.Shape) *cobra.Command {
	listFlag(cmd, &o.Networks, "network", networks, bench.ParseShape, "networks: 6x64 is residual, of 6 blocks of 64 channels, transformer-6x64 a transformer, sparse-256+128x8 sparse, of 256 features for the value, 128 for the policy and 8 king buckets (repeatable)")
	choiceFlag(cmd, &o.PolicyHead, "policy-head", nn.PolicyConv73, []string{nn.PolicyConv73, nn.PolicyConv, nn.PolicyAlphaZero, nn.PolicyAttention}, "the networks' policy head")
	deviceFlags(cmd, &o.Device, &o.Precision)
	return benchmark(cmd, unit, &o.Time, seconds, r, run)
}

// The networks that are measured by default.
var usualNetworks = []bench.Shape{{Depth: 6, Width: 64}, {Depth: 10, Width: 128}, {Depth: 20, Width: 256}}

var batchUsage = fmt.Sprintf("positions evaluated at once (default: %d, with CUDA %d)", nn.DefaultBatch, nn.DefaultBatchCUDA)

// listFlag declares a flag with several values, which are separated by commas or repeated.
func listFlag[T any](cmd *cobra.Command, at *[]T, name string, initial []T, parse func(string) (T, error), usage string) {
	*at = initial
	var given []T
	cmd.Flags().Var(value[[]T]{at, "strings", func(text string) ([]T, error) {
		for word := range strings.SplitSeq(text, ",") {
			x, err := parse(word)
			if err != nil {
				return nil, err
			}
			given = append(given, x)
		}
		return given, nil
	}}, name, usage)
	if len(initial) == 0 {
		cmd.Flag(name).DefValue = ""
	}
}

func variantsFlag(cmd *cobra.Command, at *[]chess.Variant, initial []chess.Variant, usage string) {
	listFlag(cmd, at, "variant", initial, chess.ParseVariant, usage)
	completeFlag(cmd, "variant", variantNames()...)
}

func benchRulesCommand() *cobra.Command {
	var variants []chess.Variant
	var names []string
	var engine string
	var alone bool
	var b bench.Rules
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Count move sequences (perft) and compare the speed with Stockfish's",
		Long: `rules counts the move sequences of fixed positions in one thread. It checks every count: a
wrong one is an error instead of a speed, and the exit status is then 1.

In turns with alamos, an engine counts the same positions: Stockfish for chess,
Fairy-Stockfish for the variants. The Fairy-Stockfish that ` + "`make setup`" + ` installs is compiled
to WebAssembly, and slower than a native build. --engine takes another engine, which must
prove that it knows the variant. No side makes the moves of the last ply. Most engines list
them, but alamos does not.

With --json and without an engine, its speed and the ratio are null.`,
		Example: `  alamos bench rules
  alamos bench rules --variant chess --variant atomic --time 5
  alamos bench rules --variant atomic --engine ~/bin/fairy-stockfish
  alamos bench rules --variant chess --position kiwipete --no-engine --json`,
	}
	variantsFlag(cmd, &variants, nil, "only these variants (repeatable; default: all)")
	f := cmd.Flags()
	f.StringSliceVar(&names, "position", nil, "only positions of this name, such as start (repeatable; default: all)")
	f.StringVar(&engine, "engine", "", "compare with the UCI engine in this file (default: an installed one)")
	f.BoolVar(&alone, "no-engine", false, "measure alamos alone")
	cmd.MarkFlagsMutuallyExclusive("engine", "no-engine")
	completeFlagBy(cmd, "position", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		_, known := speedSet(variants, nil)
		return known, cobra.ShellCompDirectiveNoFileComp
	})
	return benchmark(cmd, "positions", &b.Time, 2, &b.Reporter, func(ctx context.Context) error {
		positions, known := speedSet(variants, names)
		for _, name := range names {
			if !slices.Contains(known, name) {
				return usagef("--position: %q: want one of %s", name, strings.Join(known, ", "))
			}
		}
		b.Positions = positions
		switch {
		case engine != "":
			b.Peer = func(ctx context.Context, v chess.Variant) (*uci.Client, error) {
				return bench.StartPeer(ctx, engine, v)
			}
			if err := provePeer(ctx, b.Peer, positions); err != nil {
				return err
			}
		case !alone:
			b.Peer = bench.FindPeer
		}
		return b.Run(ctx)
	})
}

// speedSet returns the positions of some variants and names. No variants and no names mean
// all. known lists the names that the variants have.
func speedSet(variants []chess.Variant, names []string) (positions []bench.Position, known []string) {
	for _, p := range bench.SpeedSet() {
		if len(variants) > 0 && !slices.Contains(variants, p.Variant) {
			continue
		}
		if !slices.Contains(known, p.Name) {
			known = append(known, p.Name)
		}
		if len(names) == 0 || slices.Contains(names, p.Name) {
			positions = append(positions, p)
		}
	}
	return positions, known
}

// provePeer returns an error if an engine does not know all variants of the positions.
func provePeer(ctx context.Context, start func(context.Context, chess.Variant) (*uci.Client, error), positions []bench.Position) error {
	for i, p := range positions {
		if i > 0 && p.Variant == positions[i-1].Variant {
			continue
		}
		peer, err := start(ctx, p.Variant)
		switch {
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case errors.Is(err, uci.ErrVariant):
			return usagef("--engine: %w (choose variants that it knows with --variant)", err)
		case err != nil:
			return usagef("--engine: %w", err)
		}
		peer.Close()
	}
	return nil
}

func benchNetworkCommand() *cobra.Command {
	var b bench.Network
	cmd := &cobra.Command{
		Use:   "network",
		Short: "Measure networks beside their bare convolutions",
		Long: `network measures the positions per second that untrained networks evaluate, from packed
input planes to the value and the priors of the legal moves, of which a position has 30 to
40. It takes turns with the bare convolutions of the same network, with prepacked weights
and as many threads. They are the speed if input, residual additions and heads cost
nothing.

Each worker is a thread with its own batches, as in self-play. With --together all workers
share each batch, as in a search for a single game.`,
		Example: `  alamos bench network
  alamos bench network --network 2x32 --network 5x32 --policy-head conv-linear
  alamos bench network --network 20x256 --batch 32 --batch 128 --json
  alamos bench network --network 20x256 --batch 1,8,16,32 --together`,
	}
	listFlag(cmd, &b.Batches, "batch", nil, func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1<<14 {
			return 0, fmt.Errorf("want 1 to %d, have %s", 1<<14, text)
		}
		return n, nil
	}, batchUsage+" (repeatable)")
	notFromMachineFile(cmd, "batch")
	numberFlag(cmd, &b.Workers, "workers", 0, between(0, 1<<10), "threads (default: one per core, with CUDA two per core)")
	cmd.Flags().BoolVar(&b.Together, "together", false, "all workers share each batch, as in a search for a single game")
	return networkBenchmark(cmd, "measurements", &b.Options, 3, &b.Reporter, b.Run, usualNetworks...)
}

func benchSearchCommand() *cobra.Command {
	var b bench.Search
	cmd := &cobra.Command{
		Use:   "search",
		Short: "Measure tree search, alone or with a network",
		Long: `search measures the visits per second of a tree search from the start position. It uses one
thread and an evaluator that costs nothing: all moves and all positions are equal to it.
This measures the tree and the rules. bytes/visit is the memory of the tree.

With --network one search has the machine to itself, with an untrained network of that
size. Its threads share each batch of --leaves positions of the one tree.`,
		Example: `  alamos bench search
  alamos bench search --variant crazyhouse --visits 1000000 --json
  alamos bench search --network 20x256 --variant atomic --visits 800`,
	}
	variantsFlag(cmd, &b.Variants, []chess.Variant{chess.Atomic, chess.Standard}, "rules of the game (repeatable)")
	f := cmd.Flags()
	numberFlag(cmd, &b.Visits, "visits", 0, between(0, 100_000_000), "visits of a search (default: 100000, with --network 800)")
	numberFlag(cmd, &b.Leaves, "leaves", 0, between(0, 4096), "positions of the tree evaluated at once (default: 1, with --network 32)")
	f.BoolVar(&b.Solver, "solver", false, "mark proven wins, draws and losses")
	f.IntVar(&b.Cache, "cache", 0, "number of cached evaluations")
	numberFlag(cmd, &b.Workers, "workers", 0, between(0, 1<<10), "threads of the network (default: one per core, with CUDA one per device)")
	notFromMachineFile(cmd, "workers")
	return networkBenchmark(cmd, "measurements", &b.Options, 2, &b.Reporter, func(ctx context.Context) error {
		if err := (search.Config{Leaves: max(1, b.Leaves), Cache: b.Cache}).Validate(); err != nil {
			return usagef("%v", err)
		}
		return b.Run(ctx)
	})
}

func benchSelfplayCommand() *cobra.Command {
	var variant *chess.Variant
	var b bench.SelfPlay
	cmd := &cobra.Command{
		Use:   "selfplay",
		Short: "Measure how much of the network's speed self-play reaches",
		Long: `selfplay plays games of untrained networks against themselves, with the settings of the
OppenheimerZero thesis, and measures the evaluations per second. It takes turns with the
network alone: as many workers evaluate positions of the same games, in batches of the same
size. The ratio is the part of the network's speed that searches and games leave. Only
evaluations that a tree used count.

Without --games, the figures exclude the beginning and the end of the games, when fewer games
run than the batches have places. games/h is then computed from the length of games of a
network with equal priors and value 0. With --games, alamos plays this number of games from the first to the
last, and all figures include all of them. "fill" is the share of the places in the batches
that had a position.`,
		Example: `  alamos bench selfplay
  alamos bench selfplay --network 2x32 --network 5x32 --policy-head conv-linear
  alamos bench selfplay --network 6x64 --visits 800 --workers 1 --json
  alamos bench selfplay --network 2x32 --games 250`,
	}
	variantFlag(cmd, &variant, "rules of the game (default: atomic)")
	numberFlag(cmd, &b.Visits, "visits", 100, between(1, 1_000_000), "visits of a search")
	numberFlag(cmd, &b.Batch, "batch", 0, between(0, 1<<14), batchUsage)
	numberFlag(cmd, &b.Workers, "workers", 0, between(0, 1<<10), "goroutines that play games (default: one per core, with CUDA two per core)")
	numberFlag(cmd, &b.Games, "games", 0, between(0, 1<<20), "play this many games from the first to the last (default: as many as the time allows)")
	return networkBenchmark(cmd, "networks", &b.Options, 6, &b.Reporter, func(ctx context.Context) error {
		if b.Variant = chess.Atomic; variant != nil {
			b.Variant = *variant
		}
		return b.Run(ctx)
	}, usualNetworks...)
}

func benchTrainCommand() *cobra.Command {
	var b bench.Train
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Measure training beside bare forward and backward passes",
		Long: `train measures the positions per second that untrained networks learn from, as in
` + "`alamos run`" + `. It assembles batches from a window of samples in memory while the previous
batch trains. Each batch is unpacked and passes forward and backward, and the optimizer makes
a step.

It takes turns with bare passes of the same network, with the same precision and number of
threads: forward and backward passes of one batch that is already in libtorch's memory. They
have no batch assembly, no unpacking, no losses (they sum the outputs times fixed numbers)
and no optimizer, and the weights have the precision of the maps from the beginning.

"bare" uses libtorch's own operations, channels-last in memory. It is measured with the batch
divided among the threads and with every operation divided, and the faster result counts.
"fused" uses the operations of training, which combine batch norm, addition and ReLU.
"waited" is the share of the time that training waited for its next batch. Each turn begins
without a batch.`,
		Example: `  alamos bench train
  alamos bench train --network 2x32 --network 5x32 --policy-head conv-linear
  alamos bench train --network 6x64 --precision fp32 --threads 1 --json`,
	}
	numberFlag(cmd, &b.Batch, "batch", 256, between(1, 1<<14), "positions per step")
	notFromMachineFile(cmd, "batch")
	numberFlag(cmd, &b.Threads, "threads", 0, between(0, 1<<10), "threads (default: one per core)")
	numberFlag(cmd, &b.Micro, "micro-batches", 1, between(1, 1<<10), "equal parts of a batch, which several devices share")
	return networkBenchmark(cmd, "networks", &b.Options, 6, &b.Reporter, b.Run, usualNetworks...)
}
