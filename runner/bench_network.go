package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"alamos/pkg/bench"
	"alamos/pkg/nn"
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
			if b.Workers < 0 || b.Workers > 1<<10 {
				return usagef("--workers: want 0 to %d, have %d", 1<<10, b.Workers)
			}
			if b.Workers == 0 {
				b.Workers = workers
			}
			return runBench(cmd, flags.json, "network", "measurements", bench.NetworkTable, func(ctx context.Context, r benchmark[bench.NetworkResult]) error {
				b.Begin = func(done int, next string) { r.begin(done, b.Runs(), next) }
				b.Result = r.result
				return b.Run(ctx)
			})
		},
	}
	flags.add(cmd, 3, "each side is measured with each network and batch")
	networks.add(cmd, "6x64", "10x128", "20x256")
	f := cmd.Flags()
	f.IntSliceVar(&b.Batches, "batch", nil, fmt.Sprintf("positions evaluated at once (repeatable; default: %d, with CUDA %d)", nn.DefaultBatch, nn.DefaultBatchCUDA))
	deviceFlags(cmd, &b.Device, &b.Precision)
	f.IntVar(&b.Workers, "workers", 0, "threads (default: one a core, with CUDA two)")
	f.BoolVar(&b.Together, "together", false, "all workers share each batch, as in a search for a single game")
	return cmd
}
