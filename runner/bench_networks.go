package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"alamos/pkg/bench"
	"alamos/pkg/chess"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

func benchNetworkCommand() *cobra.Command {
	var flags benchFlags
	var networks networkFlags
	var b bench.Network
	cmd := &cobra.Command{
		Use:   "network",
		Short: "Measure networks beside their bare convolutions",
		Long: `network measures how many positions a second untrained networks evaluate, from
packed input planes to the priors of the legal moves and the value, with 30 to 40
legal moves a position. In turns with it the bare convolutions of the same network
are measured, with weights packed in advance, in the same process, on as many
threads: what the network could reach if input, residual additions and heads cost
nothing. The ratio is the share of this that it reaches.

Each worker is a thread with batches of its own, as in self-play. With --together
all workers share each batch, as in a search for a single game.`,
		Example: `  alamos bench network
  alamos bench network --network 2x32 --network 5x32 --policy-head conv-linear
  alamos bench network --network 20x256 --batch 32 --batch 128 --json
  alamos bench network --network 20x256 --batch 1,8,16,32 --together`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if b.Networks, b.PolicyHead, err = networks.choice(); err != nil {
				return err
			}
			if b.Time, err = flags.time(); err != nil {
				return err
			}
			workers, batch, err := nn.Throughput(b.Device)
			if err != nil {
				return err
			}
			if len(b.Batches) == 0 {
				b.Batches = []int{batch}
			}
			for _, n := range b.Batches {
				if n < 1 || n > 1<<14 {
					return usagef("--batch: want 1 to %d, have %d", 1<<14, n)
				}
			}
			if b.Workers == 0 {
				b.Workers = workers
			}
			return runBench(cmd, flags.json, "network", "measurements", &b.Reporter, b.Run)
		},
	}
	flags.add(cmd, 3, "each side is measured with each network and batch")
	networks.add(cmd, "6x64", "10x128", "20x256")
	cmd.Flags().IntSliceVar(&b.Batches, "batch", nil, fmt.Sprintf("positions evaluated at once (repeatable; default: %d, with CUDA %d)", nn.DefaultBatch, nn.DefaultBatchCUDA))
	deviceFlags(cmd, &b.Device, &b.Precision)
	numberFlag(cmd, &b.Workers, "workers", 0, between(0, 1<<10), "threads (default: one a core, with CUDA two)")
	cmd.Flags().BoolVar(&b.Together, "together", false, "all workers share each batch, as in a search for a single game")
	return cmd
}

func benchSearchCommand() *cobra.Command {
	var flags benchFlags
	var networks networkFlags
	var variants []string
	var b bench.Search
	cmd := &cobra.Command{
		Use:   "search",
		Short: "Measure tree search, alone or with a network",
		Long: `search measures how many visits a second a tree search makes from the start
position, on one thread, with an evaluator that costs nothing: all moves are alike
and all positions equal. What is left is the tree and the rules. bytes/visit is the
memory of the tree.

With --network one search has the machine to itself, with an untrained network of
that size: the threads share each batch of --leaves positions of the one tree.`,
		Example: `  alamos bench search
  alamos bench search --variant crazyhouse --visits 1000000 --json
  alamos bench search --network 20x256 --variant atomic --visits 800`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if b.Networks, b.PolicyHead, err = networks.choice(); err != nil {
				return err
			}
			if b.Time, err = flags.time(); err != nil {
				return err
			}
			for _, name := range variants {
				v, err := chess.ParseVariant(name)
				if err != nil {
					return usagef("--variant: %w", err)
				}
				b.Variants = append(b.Variants, v)
			}
			alone := len(b.Networks) == 0
			if b.Visits == 0 {
				b.Visits = 800
				if alone {
					b.Visits = 100_000
				}
			}
			if b.Leaves == 0 {
				b.Leaves = 32
				if alone {
					b.Leaves = 1
				}
			}
			if err := (search.Config{Leaves: b.Leaves, Cache: b.Cache}).Validate(); err != nil {
				return usagef("%v", err)
			}
			if b.Workers == 0 {
				workers, _, err := nn.Latency(b.Device)
				if err != nil {
					return err
				}
				b.Workers = workers
			}
			return runBench(cmd, flags.json, "search", "measurements", &b.Reporter, b.Run)
		},
	}
	flags.add(cmd, 2, "each search is measured")
	networks.add(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&variants, "variant", []string{"atomic", "chess"}, "rules of the game (repeatable)")
	numberFlag(cmd, &b.Visits, "visits", 0, between(0, 100_000_000), "visits of a search (default: 100000, with --network 800)")
	f.IntVar(&b.Leaves, "leaves", 0, "positions of the tree evaluated at once (default: 1, with --network 32)")
	f.BoolVar(&b.Solver, "solver", false, "make results by force known")
	f.IntVar(&b.Cache, "cache", 0, "evaluations that are remembered")
	deviceFlags(cmd, &b.Device, &b.Precision)
	numberFlag(cmd, &b.Workers, "workers", 0, between(0, 1<<10), "threads of the network (default: one a core, with CUDA one a device)")
	completeFlag(cmd, "variant", variantNames()...)
	return cmd
}

func benchSelfplayCommand() *cobra.Command {
	var flags benchFlags
	var networks networkFlags
	var s bench.SelfPlay
	var variant string
	cmd := &cobra.Command{
		Use:   "selfplay",
		Short: "Measure how much of the network's speed self-play reaches",
		Long: `selfplay plays games of untrained networks against themselves, as ` + "`alamos run`" + `
does with the settings of the OppenheimerZero thesis, and says how many positions
a second the network evaluates for it, and how many it evaluates when nothing else
is done: with as many workers, in batches of the same size, positions of the same
games. Both take turns. Their ratio is what the searches and the games leave of
the network's speed; only evaluations that a tree used are counted.

Without --games play is stopped in the middle of the games: neither their
beginning nor their end, when there are fewer games left than places in the
batches, is in the figures, and the games an hour are computed at the length that
games of a network that knows nothing have. With --games so many are played from
the first to the last, and all figures are those of the whole. "fill" is the share
of the places in the batches that had a position.`,
		Example: `  alamos bench selfplay
  alamos bench selfplay --network 2x32 --network 5x32 --policy-head conv-linear
  alamos bench selfplay --network 6x64 --visits 800 --workers 1 --json
  alamos bench selfplay --network 2x32 --games 250`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if s.Networks, s.PolicyHead, err = networks.choice(); err != nil {
				return err
			}
			if s.Variant, err = chess.ParseVariant(variant); err != nil {
				return usagef("--variant: %w", err)
			}
			if s.Time, err = flags.time(); err != nil {
				return err
			}
			workers, batch, err := nn.Throughput(s.Device)
			if err != nil {
				return err
			}
			if s.Batch == 0 {
				s.Batch = batch
			}
			if s.Workers == 0 {
				s.Workers = workers
			}
			return runBench(cmd, flags.json, "self-play", "networks", &s.Reporter, s.Run)
		},
	}
	flags.add(cmd, 6, "each side is measured with each network")
	networks.add(cmd, "6x64", "10x128", "20x256")
	cmd.Flags().StringVar(&variant, "variant", chess.Atomic.String(), "the rules")
	numberFlag(cmd, &s.Visits, "visits", 100, between(1, 1_000_000), "of a search")
	numberFlag(cmd, &s.Batch, "batch", 0, between(0, 1<<14), fmt.Sprintf("positions evaluated at once (default: %d, with CUDA %d)", nn.DefaultBatch, nn.DefaultBatchCUDA))
	numberFlag(cmd, &s.Workers, "workers", 0, between(0, 1<<10), "goroutines that play games (default: one a core, with CUDA two)")
	numberFlag(cmd, &s.Games, "games", 0, between(0, 1<<20), "play this many games from the first to the last (default: as many as the time allows)")
	deviceFlags(cmd, &s.Device, &s.Precision)
	return cmd
}

func benchTrainCommand() *cobra.Command {
	var flags benchFlags
	var networks networkFlags
	var t bench.Train
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Measure training beside bare forward and backward passes",
		Long: `train measures from how many positions a second untrained networks learn, as
` + "`alamos run`" + ` has them do it: samples of a window in memory are assembled to
batches while the batch before trains, and each batch is unpacked, goes forward
through the network and backward, and the optimizer makes a step.

In turns with it bare passes of the same network are measured, in the same process,
precision and number of threads: a batch that is in libtorch's memory already goes
forward and backward, and nothing else is done. No batches are assembled or
unpacked, there are no losses (outputs times fixed numbers are summed instead) and
no optimizer, and weights have the precision of the maps from the beginning.

"bare" does this with libtorch's own operations, channels last in memory; it is made
with the batch divided among the threads and with every operation divided, and the
faster counts. "fused" does it with the operations that training uses, in which
batch norm, addition and ReLU are one. "waited" is the share of the time in which
training had to wait for its next batch; each turn begins without any.`,
		Example: `  alamos bench train
  alamos bench train --network 2x32 --network 5x32 --policy-head conv-linear
  alamos bench train --network 6x64 --precision fp32 --threads 1 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if t.Networks, t.PolicyHead, err = networks.choice(); err != nil {
				return err
			}
			if t.Time, err = flags.time(); err != nil {
				return err
			}
			return runBench(cmd, flags.json, "training", "networks", &t.Reporter, t.Run)
		},
	}
	flags.add(cmd, 6, "each side is measured with each network")
	networks.add(cmd, "6x64", "10x128", "20x256")
	numberFlag(cmd, &t.Batch, "batch", 256, between(1, 1<<14), "positions a step")
	deviceFlags(cmd, &t.Device, &t.Precision)
	numberFlag(cmd, &t.Threads, "threads", 0, between(0, 1<<10), "threads (default: one a core)")
	return cmd
}
