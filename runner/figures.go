package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"alamos/pkg/report"
	"alamos/pkg/store"
)

func figuresCommand() *cobra.Command {
	var set []string
	var opt report.Options
	var results, style string
	var check bool
	cmd := &cobra.Command{
		Use:   "figures WHAT",
		Short: "Draw the figures and tables of an experiment again, or check existing ones",
		Long: `figures draws every figure of an experiment's notebook as SVG, PNG and PDF, and writes
its tables as CSV, from the results alone. The same results give the same bytes. An
unfinished experiment is drawn as far as it has run.

WHAT is an experiment file, or the name or folder of its results; then the settings are
those of the latest run. WHAT may also be a trial of a sweep: figures then draws the
figures of this trial and the figures over all trials with this trial alone.
` + aboutTrials + `

Without --out, each file goes to its place in the results. With --out, all files go into
one folder and are named after their trials, as in loss-depth-2.pdf; figures.tex there has
them with captions and labels, and the tables, for \input in a LaTeX document that loads
graphicx and booktabs. A document in another folder says where they are:
\newcommand{\alamosdir}{figures/}.

Every figure has a stamp: hashes of the settings and numbers that it shows, and the
version of the drawing code. --style FILE draws as this file says, instead of the
experiment's style: it has keys of style (REFERENCE.md), such as preset: column and
font: serif. --check draws in memory, compares, and prints each file that
is stale, changed or missing; the exit status is then 1. Without results it compares the
stamps.`,
		Example: `  alamos figures experiments/quickstart.yaml
  alamos figures quickstart --figure score --out thesis/figures --style thesis/column.yaml
  alamos figures lab/width=16,seed=8
  alamos figures quickstart --out thesis/figures --check`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.Out == "" && store.IsPack(args[0]) {
				return usagef("%s is a pack, which stays as it is: --out names a folder for the figures", args[0])
			}
			opt.LaTeX = opt.Out != "" && opt.Figure == ""
			r, err := openReport(args[0], results, set, style, cmd.ErrOrStderr())
			if check && (err == nil || errors.Is(err, errNoResults)) { // stamps can be checked without results
				return checkFigures(cmd.OutOrStdout(), r, opt)
			}
			if err != nil {
				return err
			}
			paths, err := r.Redraw(opt)
			for _, p := range paths {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			if err == nil && len(paths) == 0 {
				err = errors.New("nothing was drawn: the notebook page says of each figure why it has nothing to show")
			}
			return err
		},
	}
	cmd.ValidArgsFunction = completeRuns(&results, 1, cobra.ShellCompDirectiveDefault)
	f := cmd.Flags()
	f.StringVar(&opt.Out, "out", "", "folder for all figures and tables (default: their places in the results)")
	f.StringVar(&opt.Figure, "figure", "", "draw only the figures of this name or kind, such as score")
	completeFlagBy(cmd, "figure", func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		x, _, _, err := findExperiment(args[0], results, set)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var kinds []string
		for _, c := range x.Notebook {
			if c.Figure != nil && !slices.Contains(kinds, c.Figure.Kind) {
				kinds = append(kinds, c.Figure.Kind)
			}
		}
		return kinds, cobra.ShellCompDirectiveNoFileComp
	})
	styleFlag(cmd, &style)
	f.BoolVar(&check, "check", false, "write nothing; print which files are stale, changed or missing")
	resultsFlag(cmd, &results)
	setFlag(cmd, &set)
	return cmd
}

// styleFlag adds --style.
func styleFlag(cmd *cobra.Command, style *string) {
	cmd.Flags().StringVar(style, "style", "", "YAML `file` with the style of the figures (default: that of the experiment)")
}

// checkFigures prints the files that differ from what would be drawn now.
func checkFigures(w io.Writer, r *report.Report, opt report.Options) error {
	findings, err := r.Check(opt)
	if err != nil {
		return err
	}
	bad, unchecked, why := 0, 0, ""
	for _, f := range findings {
		switch {
		case f.State == report.Unchecked:
			unchecked, why = unchecked+1, f.Why
		case !f.State.OK():
			bad++
			line := fmt.Sprintf("%s: %s", f.Path, f.State)
			if f.Why != "" {
				line += ": " + f.Why
			}
			fmt.Fprintln(w, line)
		}
	}
	if unchecked > 0 {
		fmt.Fprintf(w, "%s by their stamps only, not with results: %s\n", english.Plural(unchecked, "file", ""), why)
	}
	switch {
	case len(findings) == 0:
		return errors.New("nothing to check: there are neither results nor figures")
	case bad > 0:
		return fmt.Errorf("%d of %s are not current (alamos figures draws them again)", bad, english.Plural(len(findings), "file", ""))
	case unchecked > 0:
		fmt.Fprintf(w, "%s: no stale file found\n", english.Plural(len(findings), "file", ""))
		return nil
	}
	fmt.Fprintf(w, "%s: all are current\n", english.Plural(len(findings), "file", ""))
	return nil
}

func notebookCommand() *cobra.Command {
	var set []string
	var results, markdown, latex, style string
	cmd := &cobra.Command{
		Use:   "notebook WHAT",
		Short: "Write an experiment's notebook page again, or as Markdown for a repository",
		Long: `notebook draws the figures of an experiment again and writes its page from the results.
WHAT is as for alamos figures: an experiment, or one trial such as lab/3; the page of a
trial is in the trial's folder. With --markdown it writes the page as Markdown, with
figures and tables in a folder beside it that has the file's name without its extension.
--latex writes the figures and tables alone, for \input in a document that loads graphicx
and booktabs; a document in another folder says where: \newcommand{\alamosdir}{figures/}.`,
		Example: `  alamos notebook experiments/quickstart.yaml
  alamos notebook lab/3
  alamos notebook quickstart --markdown docs/quickstart.md
  alamos notebook quickstart --latex thesis/quickstart.tex --style thesis/column.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if markdown == "" && latex == "" && store.IsPack(args[0]) {
				return usagef("%s is a pack, which stays as it is: --markdown or --latex names the file to write", args[0])
			}
			r, err := openReport(args[0], results, set, style, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			path := cmp.Or(markdown, latex, r.PagePath())
			switch {
			case markdown != "":
				err = r.WriteMarkdown(path)
			case latex != "":
				err = r.WriteLaTeX(path)
			default:
				if _, err = r.Redraw(report.Options{}); err == nil {
					err = r.WritePage()
				}
			}
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), path)
			}
			return err
		},
	}
	cmd.ValidArgsFunction = completeRuns(&results, 1, cobra.ShellCompDirectiveDefault)
	styleFlag(cmd, &style)
	fileFlag(cmd, &markdown, "markdown", "write this Markdown `file` (.md) instead of the page", ".md")
	fileFlag(cmd, &latex, "latex", "write this LaTeX `file` (.tex) instead of the page: figures and tables with captions and labels", ".tex")
	cmd.MarkFlagsMutuallyExclusive("markdown", "latex")
	resultsFlag(cmd, &results)
	setFlag(cmd, &set)
	return cmd
}
