package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"alamos/pkg/bench"
	"alamos/pkg/chess"
	"alamos/pkg/nn"
)

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
			for _, n := range []struct {
				flag                string
				have, least, atMost int
			}{
				{"visits", s.Visits, 1, 1_000_000},
				{"batch", s.Batch, 1, 1 << 14},
				{"workers", s.Workers, 0, 1 << 10},
				{"games", s.Games, 0, 1 << 20},
			} {
				if n.have < n.least || n.have > n.atMost {
					return usagef("--%s: want %d to %d, have %d", n.flag, n.least, n.atMost, n.have)
				}
			}
			if s.Workers == 0 {
				s.Workers = workers
			}
			return runBench(cmd, flags.json, "self-play", "networks", bench.SelfPlayTable, func(ctx context.Context, b benchmark[bench.SelfPlayResult]) error {
				s.Begin = func(done int, next bench.Shape) { b.begin(done, len(s.Networks), next.String()) }
				s.Result = b.result
				return s.Run(ctx)
			})
		},
	}
	flags.add(cmd, 6, "each side is measured with each network")
	networks.add(cmd, "6x64", "10x128", "20x256")
	f := cmd.Flags()
	f.StringVar(&variant, "variant", chess.Atomic.String(), "the rules")
	f.IntVar(&s.Visits, "visits", 100, "of a search")
	f.IntVar(&s.Batch, "batch", 0, fmt.Sprintf("positions evaluated at once (default: %d, with CUDA %d)", nn.DefaultBatch, nn.DefaultBatchCUDA))
	f.IntVar(&s.Workers, "workers", 0, "goroutines that play games (default: one a core, with CUDA two)")
	f.IntVar(&s.Games, "games", 0, "play so many games from the first to the last (default: as many as the time allows)")
	deviceFlags(cmd, &s.Device, &s.Precision)
	return cmd
}
