package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"alamos/pkg/report"
)

func notebookCommand() *cobra.Command {
	var set []string
	var results, markdown string
	cmd := &cobra.Command{
		Use:   "notebook EXPERIMENT",
		Short: "Write an experiment's notebook page again, or as Markdown for a repository",
		Long: `notebook draws the figures of an experiment again and writes its page from the results.
EXPERIMENT is as for alamos figures. With --markdown it writes the page as Markdown, with
figures and tables in a folder beside it that has the file's name without its extension.`,
		Example: `  alamos notebook experiments/quickstart.yaml
  alamos notebook quickstart --markdown docs/quickstart.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := openReport(args[0], results, set, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if len(r.Trials) == 0 {
				return fmt.Errorf("%s has no results yet: run it with alamos run", r.Dir)
			}
			if markdown != "" {
				err = r.WriteMarkdown(markdown)
			} else {
				markdown = filepath.Join(r.Dir, report.PageName)
				if _, err = r.Redraw(report.Options{}); err == nil {
					err = r.WritePage()
				}
			}
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), markdown)
			}
			return err
		},
	}
	cmd.ValidArgsFunction = completeRuns(&results, true)
	cmd.Flags().StringVar(&markdown, "markdown", "", "write this Markdown file instead of the page")
	resultsFlag(cmd, &results)
	setFlag(cmd, &set)
	return cmd
}
