package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"alamos/pkg/experiment"
	"alamos/pkg/hook"
)

func main() { os.Exit(execute()) }

func execute() int {
	// A hook script runs in a child process of this same binary.
	if hook.IsChild() {
		return hook.RunChild()
	}
	// A limit of the size of files (ulimit -f) is to be an error, not a crash.
	signal.Ignore(syscall.SIGXFSZ)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first Ctrl-C ends the run in good order, the second at once.
	context.AfterFunc(ctx, stop)
	return status(root().ExecuteContext(ctx))
}

// status prints an error and returns the exit status that goes with it.
func status(err error) int {
	if err == nil {
		return 0
	}
	var faults experiment.Errors
	var usage usageError
	switch {
	case errors.As(err, &faults):
		for _, e := range faults {
			fmt.Fprintln(os.Stderr, e)
		}
		return 2
	case errors.Is(err, errResumable):
		fmt.Fprintln(os.Stderr, "interrupted: what was finished is kept; the same command goes on from there")
		return 130
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "interrupted")
		return 130
	case errors.Is(err, errDiffer):
		return 1
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "alamos: %v\n", err)
		return 2
	}
	fmt.Fprintf(os.Stderr, "alamos: %v\n", err)
	return 1
}

// errResumable marks the interruption of a command that goes on where it was.
var errResumable = errors.New("interrupted")

// usageError is a fault of the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "alamos",
		Short: "A lab for self-trained chess-variant engines",
		Long: `alamos runs experiments on self-trained chess-variant engines. An experiment
is one YAML file; running it plays games, trains networks on them, holds a
tournament, and leaves figures and a notebook page under results/.`,
		Example: `  alamos check experiments/quickstart.yaml
  alamos run experiments/quickstart.yaml
  alamos perft --variant atomic --depth 4`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		// Without a command, show what there is.
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		Args: cobra.NoArgs,
	}
	cmd.SetFlagErrorFunc(flagError)
	cmd.AddCommand(runCommand(), planCommand(), checkCommand(), explainCommand(), referenceCommand(), diffCommand(), perftCommand(), pgnCommand(), uciCommand(), lichessCommand(), analyzeCommand(), playCommand(), matchCommand(), hooksCommand(), benchCommand())
	cmd.AddCommand(figuresCommand(), notebookCommand(), lsCommand(), showCommand(), puzzlesCommand(), networkCommand(), dataCommand(), machineCommand())
	machineFlag(cmd)
	asUsage(cmd)
	return cmd
}

// asUsage makes the faults that cobra finds in arguments usage errors.
func asUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usagef("%w (see %s --help)", err, c.CommandPath())
			}
			return nil
		}
	}
	for _, c := range cmd.Commands() {
		asUsage(c)
	}
}

// release is set by the Makefile from the version control system.
var release string

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "development"
}
