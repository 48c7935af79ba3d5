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
	"alamos/pkg/report"
)

// errDiffer ends alamos diff --exit-code if settings differ. It has no message.
var errDiffer = errors.New("settings differ")

func diffCommand() *cobra.Command {
	var o diff.Options
	var format, out, color, test string
	var by []string
	var driver, exitCode bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare the settings and results of two experiments",
		Long: `diff compares two experiments after resolution: the settings that differ, with
the file and line that set each. Comments, the order of keys and spelling (1e-4 and
0.0001) are not differences. If both have results, diff prints them side by side with
95 % intervals; "~" marks a difference within noise.

A and B are each one of
  FILE               an experiment file
  REVISION:FILE      a file at a revision of git, with the files that it extends:
                     HEAD~3:experiments/sweeps/depth.yaml, or v1:./depth.yaml from here;
                     :FILE is the staged file
  NAME               the results of an experiment
  TRIAL              those of one trial: lab/3, lab/width=16,seed=8 or lab/876a
  SETTING            those of all seeds of a setting: lab/width=16, or lab/large, the name
                     of a combination
  FOLDER             the same, by its path

Ratings are compared by games that both played against the same opponent from the same
opening with the same color, if there are any; otherwise by games against the same
opponents, or by the two ratings. Repetitions (sweep.seeds) are compared by Welch's
t-test, or by the Mann-Whitney test (--test rank). Verdicts are at the 5 % level, corrected
for the number of metrics (Holm). Settings of one sweep are also compared by its final
tournament.

--by compares the values of swept keys within the results of one experiment or several:
alamos diff lab --by network.width is alamos table lab --group network.width, which has
more settings.

The keys of --format json are those of the type Report (go doc alamos/pkg/diff.Report).
alamos_diff is their version; within a version keys are only added.

The exit status is 0 whether or not anything differs; with --exit-code it is 1 if
settings differ, as with git diff.

As a driver of git, diff compares experiments in git diff, git show and git log -p
--ext-diff. Name the experiment files once in .gitattributes:

  experiments/**/*.yaml diff=alamos

and the command once on each machine:

  git config diff.alamos.command 'alamos diff --git-driver'

For one call: GIT_EXTERNAL_DIFF='alamos diff --git-driver' git diff. Extended files are
then read from the working tree. Files that are not experiments are compared line by
line.`,
		Example: `  alamos diff experiments/quickstart.yaml experiments/tiny.yaml
  alamos diff HEAD~3:experiments/quickstart.yaml experiments/quickstart.yaml
  alamos diff tiny quickstart --format html --out diff.html
  alamos diff main:experiments/quickstart.yaml experiments/quickstart.yaml --format markdown
  alamos diff a.yaml b.yaml --settings-only --exit-code
  alamos diff lab/width=16 lab/width=32
  alamos diff lab --by network.width`,
		Args: func(cmd *cobra.Command, args []string) error {
			if driver {
				return nil // git decides what they are
			}
			if len(by) > 0 {
				return cobra.MinimumNArgs(1)(cmd, args)
			}
			return cobra.ExactArgs(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(by) > 0 {
				s, err := selected(o.Results, args, &report.Query{Group: by})
				if err != nil {
					return err
				}
				return report.WriteText(cmd.OutOrStdout(), false, s.Table())
			}
			o.MannWhitney = test == "rank"
			// A terminal, or git's pager.
			terminal := out == "" && (term.IsTerminal(int(os.Stdout.Fd())) || driver && os.Getenv("GIT_PAGER_IN_USE") == "1")
			plain := os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"
			colors := color == "always" || color == "auto" && terminal && !plain
			if driver {
				d, err := diff.ParseDriverArgs(args)
				if err != nil {
					return usagef("--git-driver: %w", err)
				}
				d.Prefix = os.Getenv("GIT_PREFIX")
				return diff.Driver(cmd.OutOrStdout(), d, o, colors, terminal)
			}
			if err := refuseInput(out, args...); err != nil {
				return err
			}
			a, err := diff.Open(args[0], o)
			if err != nil {
				return err
			}
			b, err := diff.Open(args[1], o)
			if err != nil {
				return err
			}
			r := diff.Compare(a, b, o)
			if err := writeDiff(cmd, r, format, out, colors, terminal); err != nil {
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
	f.StringVar(&out, "out", "", "`file` to write; figures of a Markdown file go beside it")
	choiceFlag(cmd, &color, "color", "auto", []string{"auto", "always", "never"}, "use colors")
	choiceFlag(cmd, &test, "test", "t", []string{"t", "rank"}, "test of seeds, by Welch or by Mann and Whitney")
	f.BoolVar(&o.SettingsOnly, "settings-only", false, "compare settings only")
	f.StringSliceVar(&by, "by", nil, "compare the trials of experiments by the values of these `KEYS`")
	f.BoolVar(&exitCode, "exit-code", false, "exit with status 1 if settings differ")
	f.BoolVar(&driver, "git-driver", false, "work as an external diff driver of git, with the arguments of git")
	for _, name := range []string{"format", "out", "color", "test", "settings-only", "exit-code", "git-driver"} {
		cmd.MarkFlagsMutuallyExclusive("by", name)
	}
	for _, name := range []string{"format", "out", "exit-code", "test"} {
		cmd.MarkFlagsMutuallyExclusive("git-driver", name)
	}
	resultsFlag(cmd, &o.Results)
	cmd.ValidArgsFunction = completeRuns(&o.Results, 2, cobra.ShellCompDirectiveDefault)
	return cmd
}

func writeDiff(cmd *cobra.Command, r *diff.Report, format, out string, colors, terminal bool) error {
	var text strings.Builder
	var data []byte
	var err error
	switch format {
	case "text":
		err = r.Text(&text, colors, terminal)
		data = []byte(text.String())
	case "json":
		err = writeJSON(&text, r)
		data = []byte(text.String())
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
