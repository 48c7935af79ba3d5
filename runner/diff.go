package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"alamos/pkg/diff"
	"alamos/pkg/disk"
)

// errDiffer ends alamos diff --exit-code where settings differ: all has been said.
var errDiffer = errors.New("settings differ")

func diffCommand() *cobra.Command {
	var o diff.Options
	var format, out, color, test string
	var driver, exitCode bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two experiments: what differs, and what it did to the results",
		Long: `diff compares two experiments after everything in them has been resolved: the
settings that differ, by section, each with the file and line that set it. Comments,
order of keys and spelling (1e-4 and 0.0001) are no differences. Where both have
results these stand side by side, with 95 % intervals and what they rest on; "~" is a
difference within noise.

A and B are each one of
  FILE               an experiment file
  REVISION:FILE      a file as it was at a revision of git, with all that it extends:
                     HEAD~3:experiments/sweeps/depth.yaml, or v1:./depth.yaml from here; :FILE
                     is what is staged
  NAME               results of an experiment
  TRIAL              those of one trial: lab/3, lab/width=16,seed=8 or lab/876a
  FOLDER             the same, by its path

Ratings are compared by the games that both played against the same opponent from the
same opening with the same color, where there are such; otherwise by games against the
same opponents, or by the two ratings. Repetitions (sweep.seeds) are compared by
Welch's t-test, or with --test rank by that of Mann and Whitney. Each metric is tested
by itself at the level of 5 %: of twenty that do not differ, one will seem to.

The keys of --format json are those of the type Report (go doc alamos/pkg/diff.Report);
alamos_diff is their version, and within one they are only added to.

The exit status is 0 whether or not anything differs; with --exit-code it is 1 where
settings differ, as git diff and diff do it.

As a driver of git, diff compares experiments wherever git shows a difference: in
git diff, git show, git log -p --ext-diff. Say once what files are experiments, in
.gitattributes:

  experiments/**/*.yaml diff=alamos

and once on each machine what compares them:

  git config diff.alamos.command 'alamos diff --git-driver'

Or for once: GIT_EXTERNAL_DIFF='alamos diff --git-driver' git diff. Files that are
extended are then read from the working tree, and what cannot be read as an experiment
is compared line by line.`,
		Example: `  alamos diff experiments/quickstart.yaml experiments/tiny.yaml
  alamos diff HEAD~3:experiments/quickstart.yaml experiments/quickstart.yaml
  alamos diff tiny quickstart --format html --out diff.html
  alamos diff main:experiments/quickstart.yaml experiments/quickstart.yaml --format markdown
  alamos diff a.yaml b.yaml --settings-only --exit-code`,
		Args: func(cmd *cobra.Command, args []string) error {
			if driver {
				return nil // git decides what they are
			}
			return cobra.ExactArgs(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.MannWhitney = test == "rank"
			colors := color == "always" || color == "auto" && out == "" && colorful(driver)
			if driver {
				d, err := diff.ParseDriverArgs(args)
				if err != nil {
					return usagef("--git-driver: %w", err)
				}
				d.Prefix = os.Getenv("GIT_PREFIX")
				return diff.Driver(cmd.OutOrStdout(), d, o, colors)
			}
			r, err := compare(args[0], args[1], o)
			if err != nil {
				return err
			}
			if err := writeDiff(cmd, r, format, out, colors); err != nil {
				return err
			}
			if exitCode && !r.Equal() {
				return errDiffer
			}
			return nil
		},
	}
	f := cmd.Flags()
	choiceFlag(cmd, &format, "format", "text", []string{"text", "markdown", "json", "html"}, "format of the comparison")
	f.StringVar(&out, "out", "", "file to write to; beside one of Markdown lie its figures")
	choiceFlag(cmd, &color, "color", "auto", []string{"auto", "always", "never"}, "use colors")
	choiceFlag(cmd, &test, "test", "t", []string{"t", "rank"}, "test of seeds, by Welch or by Mann and Whitney")
	f.BoolVar(&o.SettingsOnly, "settings-only", false, "compare settings, not results")
	f.BoolVar(&exitCode, "exit-code", false, "exit with 1 where settings differ")
	f.BoolVar(&driver, "git-driver", false, "be an external diff driver of git; the arguments are git's")
	resultsFlag(cmd, &o.Results)
	complete := completeRuns(&o.Results, true)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, nil, typed)
	}
	return cmd
}

func compare(a, b string, o diff.Options) (*diff.Report, error) {
	x, err := diff.Open(a, o)
	if err != nil {
		return nil, err
	}
	y, err := diff.Open(b, o)
	if err != nil {
		return nil, err
	}
	return diff.Compare(x, y, o)
}

func writeDiff(cmd *cobra.Command, r *diff.Report, format, out string, colors bool) error {
	var text strings.Builder
	var data []byte
	var err error
	switch format {
	case "text":
		err = r.Text(&text, colors)
		data = []byte(text.String())
	case "json":
		data, err = r.JSON()
	case "html":
		data, err = r.HTML()
	case "markdown":
		stem := ""
		if out != "" {
			stem = strings.TrimSuffix(filepath.Base(out), filepath.Ext(out))
		}
		data, err = r.Markdown(filepath.Dir(out), stem)
	}
	if err != nil {
		return err
	}
	if out == "" {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s", data)
		return err
	}
	return disk.WriteBytes(out, data)
}

// colorful says whether colors are seen: on a terminal, or through git's pager.
func colorful(driver bool) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	return term.IsTerminal(int(os.Stdout.Fd())) || driver && os.Getenv("GIT_PAGER_IN_USE") == "1"
}
