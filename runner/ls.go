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

// writeJSON prints a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
