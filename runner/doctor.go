package main

import (
	"errors"

	"github.com/spf13/cobra"

	"alamos/pkg/report"
	"alamos/pkg/store"
)

// errUnusual ends alamos doctor --exit-code if a measure is out of range. It has no message.
var errUnusual = errors.New("a measure is out of range")

func doctorCommand() *cobra.Command {
	var results string
	var asJSON, exitCode bool
	cmd := &cobra.Command{
		Use:   "doctor RUN",
		Short: "Say why a run does or does not learn",
		Long: `doctor compares the measures of each generation (learning.csv, epochs.csv) and the
tournament with those of good runs. For each measure that is out of range in the last
generations, it says since when, which settings to try, and where the range is from.
experiments/MANUAL.md explains the measures: "Why does it not learn?".

RUN is the name of an experiment, a trial of it, or the folder of one.
` + aboutTrials + `

doctor only reads, so you can call it during a run. The exit status is 0 whether or not
anything is unusual; with --exit-code it is 1 if something is. What is only not known, for
example because of too few games, does not count.`,
		Example: `  alamos doctor quickstart
  alamos doctor quickstart/2
  alamos doctor results/quickstart --json
  alamos doctor tiny --exit-code`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, trial, err := store.Resolve(results, args[0])
			if err != nil {
				return err
			}
			d, err := report.Diagnose(run, trial)
			if err != nil {
				return err
			}
			err = writeResult(cmd.OutOrStdout(), asJSON, d, d.Write)
			if err == nil && exitCode && d.Problems() {
				err = errUnusual
			}
			return err
		},
	}
	cmd.ValidArgsFunction = completeRuns(&results, 1, cobra.ShellCompDirectiveNoFileComp)
	f := cmd.Flags()
	jsonFlag(cmd, &asJSON)
	f.BoolVar(&exitCode, "exit-code", false, "exit with status 1 if something is unusual")
	resultsFlag(cmd, &results)
	return cmd
}
