package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"alamos/pkg/config"
	"alamos/pkg/experiment"
	"alamos/pkg/report"
	"alamos/pkg/run"
)

func explainCommand() *cobra.Command {
	var set []string
	var trial string
	var changed, asJSON bool
	cmd := &cobra.Command{
		Use:   "explain FILE",
		Short: "Print the resolved experiment and where each value was set",
		Long: `explain prints every setting of an experiment, with the files that it extends merged and
defaults filled in, and the file and line that set it. For a key that the sweep varies it
prints all values; --trial prints the values of one trial instead.`,
		Example: `  alamos explain experiments/quickstart.yaml
  alamos explain experiments/quickstart.yaml --changed --set network.width=64
  alamos explain experiments/quickstart.yaml --trial visits=64
  alamos explain experiments/quickstart.yaml --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: experimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := experiment.LoadChecked(args[0], set)
			if err != nil {
				return err
			}
			rows, title := e.Explain(), e.Name
			switch {
			case cmd.Flags().Changed("trial"):
				t, err := findTrial(e, trial)
				if err != nil {
					return err
				}
				rows, title = e.ExplainTrial(t.Number-1), strings.TrimSpace(fmt.Sprintf("%s, trial %d %s", e.Name, t.Number, t.Label))
			case len(e.Trials) > 1:
				title += ", " + english.Plural(e.Total(), "trial", "")
			}
			if changed {
				rows = slices.DeleteFunc(rows, func(x config.Explained) bool { return x.Origin.Default() })
			}
			if asJSON {
				all := make([]any, len(rows))
				for i := range rows {
					if all[i], err = rows[i].JSON(); err != nil {
						return err
					}
				}
				return writeJSON(cmd.OutOrStdout(), all)
			}
			return explain(cmd.OutOrStdout(), title, e.Files, rows)
		},
	}
	setFlag(cmd, &set)
	cmd.Flags().StringVar(&trial, "trial", "", "show one `trial`: its number, values of the sweep as in width=16,seed=8, or the first digits of its hash")
	completeTrialFlag(cmd, &set)
	cmd.Flags().BoolVar(&changed, "changed", false, "print only settings that differ from their defaults")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// explain prints settings, values and origins in columns, with an empty line between
// sections.
func explain(out io.Writer, title string, files []string, rows []config.Explained) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# %s\n", title)
	if len(files) > 1 {
		var names []string
		for _, f := range files {
			names = append(names, config.FileFrom(here, f))
		}
		fmt.Fprintf(out, "# from %s\n", strings.Join(names, ", "))
	}
	var table report.Table
	section := "\x00" // of no setting: an empty line follows the title
	for _, x := range rows {
		if here := sectionOf(x.Path); here != section {
			table.Rows = append(table.Rows, nil)
			section = here
		}
		values := valuesOf(x)
		origin := x.Origin.From(here).String()
		if x.Swept {
			origin += " (sweep)"
		}
		table.Rows = append(table.Rows, report.Row(x.Path, values[0], origin))
		for _, v := range values[1:] {
			table.Rows = append(table.Rows, report.Row("", v))
		}
	}
	return report.WriteText(out, false, table)
}

// sectionOf returns the first step of a key path. Single keys between two sections form a
// section.
func sectionOf(path string) string {
	section, _, nested := strings.Cut(path, ".")
	if !nested && section != "hooks" && section != "notebook" {
		return ""
	}
	return section
}

// valuesOf returns the lines of a value. A long list has a line for each item. Lines are cut
// where they would push the origin out of sight.
func valuesOf(x config.Explained) []string {
	const width = 56
	cut := func(v string) string {
		if r := []rune(v); len(r) > width {
			return string(r[:width-3]) + "..."
		}
		return v
	}
	if x.Swept || len(x.Items) == 0 || cut(x.Value) == x.Value {
		return []string{cut(x.Value)}
	}
	var lines []string
	for _, item := range x.Items {
		lines = append(lines, cut(item.Value))
	}
	return lines
}

func checkCommand() *cobra.Command {
	var set []string
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Find the faults of experiment files; run nothing",
		Long: `check reads experiment files with all files that they extend, and compiles their hooks.
It prints every fault on its own line, as file:line:column. It starts no engine and no
script, also not the initialization of a script's variables. The exit status is 2 if there
is a fault. Missing data files and engines are notes, not faults,
because the run may happen on another machine.`,
		Example: `  alamos check experiments/*.yaml
  alamos check experiments/quickstart.yaml --set network.width=256`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: experimentFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			return loadEach(files, set, func(file string, e *experiment.Experiment) error {
				if err := run.Check(cmd.Context(), e, false); err != nil {
					return err
				}
				left := ""
				if len(e.Left) > 0 {
					left = fmt.Sprintf(" (its budget leaves out %s)", english.Plural(len(e.Left), "combination", ""))
				}
				if e.Pending > 0 {
					left = fmt.Sprintf(" (%s)", e.Growth())
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: ok, %s%s\n", file, english.Plural(len(e.Trials), "trial", ""), left)
				for _, missing := range experiment.Missing(e) {
					fmt.Fprintf(cmd.OutOrStdout(), "note: %s\n", missing)
				}
				return nil
			})
		},
	}
	setFlag(cmd, &set)
	return cmd
}

// experimentFiles completes the names of experiment files.
var experimentFiles = completeFiles("yaml", "yml")

// loadEach loads experiments and calls do for each. It returns the faults of all files.
func loadEach(files, set []string, do func(file string, e *experiment.Experiment) error) error {
	return faultsOf(files, func(file string) error {
		e, err := experiment.LoadChecked(file, set)
		if err != nil {
			return err
		}
		return do(file, e)
	})
}

// faultsOf calls check for each file. It returns the faults of all files, or the first error
// of another kind.
func faultsOf(files []string, check func(file string) error) error {
	var all config.Errors
	for _, file := range files {
		err := check(file)
		var faults config.Errors
		var fault *config.Error
		switch {
		case errors.As(err, &faults):
			all = append(all, faults...)
		case errors.As(err, &fault):
			all = append(all, fault)
		case err != nil:
			return err
		}
	}
	if len(all) > 0 {
		return all
	}
	return nil
}

// setFlag adds --set, which overrides keys of an experiment.
func setFlag(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVar(set, "set", nil, "override a setting: `KEY=VALUE`, as in search.visits=100 (repeatable)")
	completeFlagBy(cmd, "set", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var all []string
		for _, path := range keyPaths() {
			all = append(all, path+"=")
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

func referenceCommand() *cobra.Command {
	var key string
	var schema bool
	cmd := &cobra.Command{
		Use:   "reference",
		Short: "Print the reference of the language of experiments",
		Long: `reference prints every key of experiment files in Markdown: its range, default and
meaning, and the values that the papers published. --key prints one key or one section;
--json-schema prints the JSON Schema with which editors complete files.`,
		Example: `  alamos reference --key search.c_puct
  alamos reference --key sweep
  alamos reference > experiments/REFERENCE.md
  alamos reference --json-schema > experiments/schema.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			switch {
			case schema:
				_, err := out.Write(experiment.JSONSchema())
				return err
			case cmd.Flags().Changed("key"):
				keys, err := experiment.FindKey(key)
				if err != nil {
					return usageError{err}
				}
				for i, k := range keys {
					if i > 0 {
						fmt.Fprintln(out)
					}
					printKey(out, k)
				}
				return nil
			}
			_, err := io.WriteString(out, experiment.Reference())
			return err
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "show one key, such as search.c_puct, or one section")
	cmd.Flags().BoolVar(&schema, "json-schema", false, "print the JSON Schema (draft 7)")
	cmd.MarkFlagsMutuallyExclusive("key", "json-schema")
	completeFlagBy(cmd, "key", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return keyPaths(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// keyPaths returns the paths of all keys, without the [] of lists.
func keyPaths() (paths []string) {
	for _, k := range experiment.Keys() {
		if path := strings.ReplaceAll(k.Path, "[]", ""); !slices.Contains(paths, path) { // a key may have a kind for each use
			paths = append(paths, path)
		}
	}
	return paths
}

// printKey prints a key for the terminal.
func printKey(out io.Writer, k experiment.Key) {
	initial, when := k.DefaultText(), ""
	if k.Required {
		initial = "none: it is required"
	}
	if k.When != nil {
		when = k.When.String()
	}
	fmt.Fprintf(out, "%s\n  %s\n", k.Path, k.Doc)
	rows := [][2]string{{"want", k.Want()}, {"unit", k.Unit}, {"default", initial}, {"only", when}}
	label := "papers"
	for _, p := range k.Published {
		rows = append(rows, [2]string{label, p.System + ": " + p.Value})
		label = ""
	}
	for _, row := range rows {
		if row[1] != "" {
			fmt.Fprintf(out, "  %-9s%s\n", row[0], row[1])
		}
	}
}
