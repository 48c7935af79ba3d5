package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"alamos/pkg/experiment"

	"github.com/dustin/go-humanize/english"
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
  alamos explain experiments/quickstart.yaml --trial network.depth=5
  alamos explain experiments/quickstart.yaml --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: experimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := experiment.SetupLoad(args[0], set)
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
				title += ", " + english.Plural(len(e.Trials), "trial", "")
			}
			if changed {
				rows = slices.DeleteFunc(rows, func(x experiment.Explained) bool { return x.Origin.Default() })
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), rows)
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

// explain prints rows in three columns, with an empty line between sections.
func explain(out io.Writer, title string, files []string, rows []experiment.Explained) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", title)
	if len(files) > 1 {
		fmt.Fprintf(&b, "# from %s\n", strings.Join(relative(files), ", "))
	}
	b.WriteByte('\n')
	lines := make([][3]string, 0, len(rows))
	for _, x := range rows {
		values := x.Items
		if len(values) == 0 {
			values = []string{x.Value}
		}
		for i, v := range values {
			line := [3]string{"", short(v), ""}
			if i == 0 {
				line = [3]string{x.Path, short(v), originOf(x)}
			}
			lines = append(lines, line)
		}
	}
	var path, value int // widths of the first two columns
	for _, l := range lines {
		path = max(path, len(l[0]))
		if l[2] != "" {
			value = max(value, utf8.RuneCountInString(l[1]))
		}
	}
	section := ""
	for i, l := range lines {
		if here := sectionOf(l[0]); l[0] != "" {
			if i > 0 && here != section {
				b.WriteByte('\n')
			}
			section = here
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s  %-*s  %s", path, l[0], value, l[1], l[2]), " ") + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// sectionOf is the first step of a key path; single keys between two sections
// are a section together.
func sectionOf(path string) string {
	section, _, nested := strings.Cut(path, ".")
	if !nested && section != "hooks" && section != "notebook" {
		return ""
	}
	return section
}

// short cuts a value that would push the column of origins out of sight.
func short(value string) string {
	const width = 56
	if r := []rune(value); len(r) > width {
		return string(r[:width-3]) + "..."
	}
	return value
}

func originOf(x experiment.Explained) string {
	at := x.Origin.String()
	if !x.Origin.Default() && x.Origin.File != "--set" {
		at = fmt.Sprintf("%s:%d", relative([]string{x.Origin.File})[0], x.Origin.Line)
	}
	if x.Swept {
		at += " (sweep)"
	}
	return at
}

// relative shortens the paths of files below the working directory.
func relative(files []string) []string {
	short := slices.Clone(files)
	here, err := os.Getwd()
	if err != nil {
		return short // as they were given
	}
	for i, f := range short {
		if rel, err := filepath.Rel(here, f); err == nil && filepath.IsAbs(f) && filepath.IsLocal(rel) {
			short[i] = rel
		}
	}
	return short
}
