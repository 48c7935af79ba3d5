package main

import (
	"context"

	"github.com/spf13/cobra"

	"alamos/pkg/bench"
)

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
			if t.Batch < 1 || t.Batch > 1<<14 {
				return usagef("--batch: want 1 to %d, have %d", 1<<14, t.Batch)
			}
			if t.Threads < 0 || t.Threads > 1<<10 {
				return usagef("--threads: want 0 to %d, have %d", 1<<10, t.Threads)
			}
			return runBench(cmd, flags.json, "training", "networks", bench.TrainTable, func(ctx context.Context, b benchmark[bench.TrainResult]) error {
				t.Begin = func(done int, next bench.Shape) { b.begin(done, len(t.Networks), next.String()) }
				t.Result = b.result
				return t.Run(ctx)
			})
		},
	}
	flags.add(cmd, 6, "each side is measured with each network")
	networks.add(cmd, "6x64", "10x128", "20x256")
	f := cmd.Flags()
	f.IntVar(&t.Batch, "batch", 256, "positions a step")
	deviceFlags(cmd, &t.Device, &t.Precision)
	f.IntVar(&t.Threads, "threads", 0, "threads (default: one a core)")
	return cmd
}
