package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"alamos/pkg/report"
	"alamos/pkg/store"
)

func lsCommand() *cobra.Command {
	var results string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List experiments that have results, and how it stands with them",
		Long: `ls lists the experiments with results: running (by which process, at which stage),
finished, failed, interrupted before a stage, or damaged; how many trials and generations
are done, when a file last changed, how large they are, and the notebook page. Trials
that the experiment had once and no longer has are counted as old. It only reads, so it
may be called while experiments run.`,
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
				fmt.Fprintf(cmd.ErrOrStderr(), "no results in %s: alamos run makes them\n", results)
				return nil
			}
			return report.List(cmd.OutOrStdout(), runs)
		},
	}
	jsonFlag(cmd, &asJSON)
	resultsFlag(cmd, &results)
	return cmd
}

// writeJSON prints a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
