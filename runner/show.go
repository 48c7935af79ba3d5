package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"alamos/pkg/report"
	"alamos/pkg/store"
)

func showCommand() *cobra.Command {
	var results string
	var asJSON, quick bool
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show the results of an experiment or a trial",
		Long: `show prints an experiment's results: the settings that differ from the defaults, with
the lines that set them, and a row for each trial. For one trial it prints each stage
with its time, whether its files are undamaged, and the standings of the tournament.

RUN is the name of an experiment, a trial of it, or the folder of one.
` + aboutTrials + `

show only reads, so you can call it during a run. The exit status is 1 if a
file is damaged.`,
		Example: `  alamos show quickstart
  alamos show quickstart/2
  alamos show lab/width=16,seed=8
  alamos show results/quickstart --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, trial, err := store.Resolve(results, args[0])
			if err != nil {
				return err
			}
			s, err := report.Show(run, trial, !quick)
			if err != nil {
				return err
			}
			err = writeResult(cmd.OutOrStdout(), asJSON, s, s.Write)
			if err == nil && s.Damaged() {
				err = report.ErrDamaged
			}
			return err
		},
	}
	cmd.ValidArgsFunction = completeRuns(&results, 1, cobra.ShellCompDirectiveNoFileComp)
	f := cmd.Flags()
	jsonFlag(cmd, &asJSON)
	f.BoolVar(&quick, "quick", false, "do not compare files with their checksums")
	resultsFlag(cmd, &results)
	return cmd
}

func lsCommand() *cobra.Command {
	var results string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List experiments that have results, and their states",
		Long: `ls lists the experiments with results and their states: running (with process and
stage), finished, failed, interrupted or damaged; the trials and generations that are
done; the time of the last change, the size, and the notebook page. It counts trials that
the experiment no longer has as old. It only reads, so you can call it during a run.`,
		Example: `  alamos ls
  alamos ls --results elsewhere --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := store.List(results)
			if err != nil {
				return err
			}
			if asJSON {
				if runs == nil {
					runs = []*store.Run{}
				}
				return writeJSON(cmd.OutOrStdout(), runs)
			}
			if len(runs) == 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "no results in %s: alamos run writes them\n", results)
				return nil
			}
			return report.List(cmd.OutOrStdout(), runs)
		},
	}
	jsonFlag(cmd, &asJSON)
	resultsFlag(cmd, &results)
	return cmd
}

func gcCommand() *cobra.Command {
	var dry, asJSON bool
	var results string
	cmd := &cobra.Command{
		Use:   "gc [EXPERIMENT]",
		Short: "Remove trials that no experiment has any more",
		Long: `gc removes what no experiment in the folder of results needs, or what one of them does not
need: the folders of trials that the experiment no longer has (which alamos ls counts as old),
and temporary files that killed runs left.

The trials of an experiment are those of its latest run, so gc also removes the trials of
earlier runs with other settings. --dry-run shows what it would remove. gc leaves alone
experiments that are running, and all that no run has made. It asks nothing. The sum
counts only files that are not also linked into other trials.`,
		Example: `  alamos gc --dry-run
  alamos gc --results elsewhere
  alamos gc depth`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			names, _ := store.Names(results)
			names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, typed) })
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := results
			if len(args) > 0 {
				run, trial, err := store.Resolve(results, args[0])
				if err != nil {
					return err
				}
				if trial != nil {
					return usagef("%s is a trial: want the name of an experiment", args[0])
				}
				dir = run.Dir
			}
			if _, err := os.Stat(dir); err != nil {
				return err
			}
			c, err := store.CollectGarbage(dir, dry)
			if err != nil {
				return err
			}
			return writeResult(cmd.OutOrStdout(), asJSON, c, func(w io.Writer) error { return report.Garbage(w, c, dry) })
		},
	}
	resultsFlag(cmd, &results)
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "list what would be removed; remove nothing")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// writeResult prints a value as JSON or as text.
func writeResult(w io.Writer, asJSON bool, v any, text func(io.Writer) error) error {
	if asJSON {
		return writeJSON(w, v)
	}
	return text(w)
}

// writeJSON prints a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
