package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"alamos/pkg/experiment"
	"alamos/pkg/run"

	"github.com/dustin/go-humanize/english"
)

func checkCommand() *cobra.Command {
	var set []string
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Find the faults of experiment files; run nothing",
		Long: `check reads experiment files with all files that they extend, and compiles their hooks.
It prints every fault on its own line, as file:line:column, and runs nothing. The exit
status is 2 if there is a fault. Missing data files and engines are notes, not faults,
because the run may happen on another machine.`,
		Example: `  alamos check experiments/*.yaml
  alamos check experiments/quickstart.yaml --set network.depth=4`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: experimentFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			var all experiment.Errors
			for _, file := range files {
				e, err := experiment.SetupLoad(file, set)
				if err == nil {
					err = run.Check(cmd.Context(), e)
				}
				var faults experiment.Errors
				if errors.As(err, &faults) {
					all = append(all, faults...)
					continue
				} else if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: ok, %s%s\n", file, english.Plural(len(e.Trials), "trial", ""), leftOut(e))
				for _, lacking := range experiment.Missing(e) {
					fmt.Fprintf(cmd.OutOrStdout(), "note: %s\n", lacking)
				}
			}
			if len(all) > 0 {
				return all
			}
			return nil
		},
	}
	setFlag(cmd, &set)
	return cmd
}

// experimentFiles has a shell complete the names of experiment files.
func experimentFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// leftOut says what the budget of a sweep leaves out.
func leftOut(e *experiment.Experiment) string {
	if len(e.Left) == 0 {
		return ""
	}
	return fmt.Sprintf(" (its budget leaves out %s)", english.Plural(len(e.Left), "combination", ""))
}

// setFlag adds --set, which overrides keys of an experiment.
func setFlag(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVar(set, "set", nil, "override a key, as in --set search.visits=100 (repeatable)")
	completeFlagBy(cmd, "set", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var all []string
		for _, path := range keyPaths() {
			all = append(all, path+"=")
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}
