package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"alamos/pkg/config"
	"alamos/pkg/hook"
	"alamos/pkg/report"
	"alamos/pkg/run"
	"alamos/pkg/store"
)

func hooksCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "Document, start, check and try scripts",
		Long: `Hooks are your own Go scripts in an experiment: they measure games or networks, evaluate
positions, set the learning rate, adjudicate games or stop training. alamos interprets
them: there is nothing to build.`,
		Example: `  alamos hooks new metric mine.go
  alamos hooks check mine.go
  alamos hooks run mine.go quickstart/2`,
	}
	cmd.AddCommand(hooksDocCommand(), hooksNewCommand(), hooksCheckCommand(), hooksRunCommand())
	return cmd
}

func hooksDocCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "doc",
		Short:   "Print the documentation of scripts, in Markdown",
		Long:    "doc prints which functions scripts may define, what they receive, and what is forbidden.",
		Example: "  alamos hooks doc > experiments/hooks/README.md",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			page, err := hook.Reference()
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), page)
			return err
		},
	}
}

// anyScript is a script in an example of settings.
var anyScript = regexp.MustCompile(`hooks/\w+\.go`)

func hooksNewCommand() *cobra.Command {
	var long strings.Builder
	long.WriteString("new writes a small working script. The kinds are\n\n")
	for _, f := range hook.Functions() {
		fmt.Fprintf(&long, "  %-14s%s\n", f.Kind, f.Signature)
	}
	return &cobra.Command{
		Use:       "new KIND FILE",
		Short:     "Write a new script",
		Long:      long.String(),
		Example:   "  alamos hooks new metric experiments/hooks/mine.go",
		Args:      cobra.ExactArgs(2),
		ValidArgs: hook.Kinds(),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, file := args[0], args[1]
			f, source, err := hook.Start(kind)
			if err != nil {
				return usageError{err}
			}
			if filepath.Ext(file) != ".go" {
				return usagef("%s: want a name that ends in .go", file)
			}
			out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s exists already: want another name", file)
			}
			if err != nil {
				return err
			}
			_, err = out.Write(source)
			if err = errors.Join(err, out.Close()); err != nil {
				return err
			}
			setting := anyScript.ReplaceAllLiteralString(f.Setting, filepath.ToSlash(file))
			fmt.Fprintf(cmd.OutOrStdout(), "%s: to use it, write in an experiment, with its path from there\n\n%s\n", file, setting)
			return nil
		},
	}
}

func hooksCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Compile scripts and list their functions",
		Long: `check compiles scripts as a run does and initializes their package variables. It does
not call their functions. It prints every fault on its own line, as file:line:column. The
exit status is 2 if there is a fault.`,
		Example: "  alamos hooks check experiments/hooks/*.go",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			return faultsOf(files, func(file string) error {
				script, err := hook.Read(file)
				switch {
				case errors.As(err, new(*fs.PathError)):
					return &config.Error{Position: config.Position{File: file, Line: 1, Col: 1}, Msg: "cannot read the file: " + config.Reason(err), Err: err}
				case err != nil:
					return err
				}
				names, err := script.Functions(cmd.Context(), hook.Limits{})
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", file, strings.Join(names, ", "))
				}
				return err
			})
		},
	}
}

func hooksRunCommand() *cobra.Command {
	var results string
	cmd := &cobra.Command{
		Use:   "run FILE RUN",
		Short: "Try a script on results that are there",
		Long: `run calls the functions of a script on the games, networks and training of a run, as the
run would, and prints what they return. It changes nothing: the experiment need not name
the script.

  Measure            metrics of the games of each generation
  MeasureCheckpoint  metrics of the network of each generation
  Evaluate           values of the positions of the games, against their results
  Rate               the learning rate of each epoch, beside that of the run
  Adjudicate         which games of self-play and of the tournament it would have ended;
                     only those of the tournament have scores
  Stop               whether training would have ended after each generation

RUN is the name of an experiment, a trial of it, or the folder of one.
` + aboutTrials,
		Example: `  alamos hooks run experiments/hooks/openings.go quickstart
  alamos hooks run mine.go quickstart/2`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			script, err := hook.Read(args[0])
			if err != nil {
				return err
			}
			found, trial, err := store.Resolve(results, args[1])
			if err != nil {
				return err
			}
			trials, err := found.Chosen(trial)
			if err != nil {
				return err
			}
			for i, t := range trials {
				blocks, err := run.TryScript(cmd.Context(), script, t, hook.Limits{Log: cmd.ErrOrStderr()})
				if err != nil {
					return err
				}
				if len(trials) > 1 {
					blocks = append([]report.Block{report.Heading{Text: t.Name()}}, blocks...)
				}
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				if err := report.WriteText(cmd.OutOrStdout(), false, blocks...); err != nil {
					return err
				}
			}
			return nil
		},
	}
	resultsFlag(cmd, &results)
	cmd.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return []cobra.Completion{"go"}, cobra.ShellCompDirectiveFilterFileExt
		}
		return completeRuns(&results, 2, cobra.ShellCompDirectiveNoFileComp)(c, args, typed)
	}
	return cmd
}
