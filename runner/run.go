package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"alamos/pkg/lab"
)

func runCommand() *cobra.Command {
	var set []string
	opt := lab.Options{Alamos: version()}
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run an experiment: self-play, training, tournament, figures, notebook page",
		Long: `run takes every trial of an experiment through its stages and writes the results
to results/<name>/, with a notebook page of all trials. A stage whose inputs are
what they were is not run again, so that a second run does nothing; why a stage
runs is printed beside it. Ctrl-C, or a kill, loses at most the games that were
being played: the same command goes on from there.

How a machine runs an experiment never changes its results and is not part of
it: that is what the flags here are for.`,
		Example: `  alamos run experiments/quickstart.yaml
  alamos run experiments/quickstart.yaml --set search.visits=100 --results elsewhere
  alamos run experiments/quickstart.yaml --workers 1`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case opt.Workers < 0:
				return usagef("--workers: want 0 or more, have %d", opt.Workers)
			case opt.Precision != "auto" && opt.Precision != "fp32" && opt.Precision != "bf16":
				return usagef("--precision: want auto, fp32 or bf16, have %q", opt.Precision)
			}
			e, err := lab.Load(args[0], set)
			if err != nil {
				return err
			}
			c := newConsole(os.Stderr)
			opt.Reporter = c
			err = lab.CheckHooks(cmd.Context(), e)
			if err == nil {
				err = lab.Run(cmd.Context(), e, opt)
			}
			if errors.Is(err, context.Canceled) {
				return errResumable
			}
			if err != nil {
				return err
			}
			c.flush()
			fmt.Fprintf(cmd.OutOrStdout(), "notebook: %s\n", lab.Notebook(e, opt.Results))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.Results, "results", "results", "folder to write results below")
	f.IntVar(&opt.Workers, "workers", 0, "goroutines that play games (default: one a core)")
	f.StringVar(&opt.Precision, "precision", "auto", "of network inference: auto, fp32 or bf16")
	f.BoolVar(&opt.SkipMissingEngines, "skip-missing-engines", false, "leave out tournament opponents that are not installed")
	setFlag(cmd, &set)
	return cmd
}
