package main

import (
	"context"

	"github.com/spf13/cobra"

	"alamos/pkg/bench"
	"alamos/pkg/chess"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

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
			if b.Visits < 1 || b.Visits > 1e8 {
				return usagef("--visits: want 1 to 100000000, have %d", b.Visits)
			}
			if err := (search.Config{Leaves: b.Leaves, Cache: b.Cache}).Validate(); err != nil {
				return usagef("%v", err)
			}
			if b.Workers < 0 || b.Workers > 1<<10 {
				return usagef("--workers: want 0 to %d, have %d", 1<<10, b.Workers)
			}
			if b.Workers == 0 {
				workers, _, err := nn.Latency(b.Device)
				if err != nil {
					return err
				}
				b.Workers = workers
			}
			return runBench(cmd, flags.json, "search", "measurements", bench.SearchTable, func(ctx context.Context, r benchmark[bench.SearchResult]) error {
				b.Begin = func(done int, next string) { r.begin(done, b.Runs(), next) }
				b.Result = r.result
				return b.Run(ctx)
			})
		},
	}
	flags.add(cmd, 2, "each search is measured")
	networks.add(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&variants, "variant", []string{"atomic", "chess"}, "rules of the game (repeatable)")
	f.IntVar(&b.Visits, "visits", 0, "visits of a search (default: 100000, with --network 800)")
	f.IntVar(&b.Leaves, "leaves", 0, "positions of the tree evaluated at once (default: 1, with --network 32)")
	f.BoolVar(&b.Solver, "solver", false, "make results by force known")
	f.IntVar(&b.Cache, "cache", 0, "evaluations that are remembered")
	deviceFlags(cmd, &b.Device, &b.Precision)
	f.IntVar(&b.Workers, "workers", 0, "threads of the network (default: one a core, with CUDA one a device)")
	_ = cmd.RegisterFlagCompletionFunc("variant", cobra.FixedCompletions(variantNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
