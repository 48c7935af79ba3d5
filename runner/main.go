package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"alamos/pkg/config"
	"alamos/pkg/hook"
	"alamos/pkg/report"
	"alamos/pkg/store"
)

func main() { os.Exit(execute()) }

func execute() int {
	// A hook script runs in a child process of this same binary.
	if hook.IsChild() {
		return hook.RunChild()
	}
	// A limit on file sizes (ulimit -f) is an error, not a crash.
	signal.Ignore(syscall.SIGXFSZ)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first Ctrl-C ends the run in an orderly way, the second at once.
	context.AfterFunc(ctx, stop)
	out := &output{Writer: os.Stdout}
	cmd := root()
	cmd.SetOut(out)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		err = out.err
	}
	return status(errors.Join(err, store.ClosePacks()))
}

// output keeps the first error of its writer: what is printed may be lost, on a full disk for
// example, and most commands go on.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// status prints an error and returns the exit status that goes with it.
func status(err error) int {
	if err == nil {
		return 0
	}
	var faults config.Errors
	switch {
	case errors.As(err, &faults):
		for _, e := range faults {
			fmt.Fprintln(os.Stderr, report.Visible(e.Error()))
		}
		return 2
	case errors.Is(err, errResumable):
		fmt.Fprintln(os.Stderr, "interrupted: finished work is kept; the same command continues from there")
		return 130
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "interrupted")
		return 130
	case errors.Is(err, errDiffer), errors.Is(err, errUnusual): // they are printed
		return 1
	}
	fmt.Fprintf(os.Stderr, "alamos: %s\n", report.Visible(err.Error()))
	if errors.As(err, new(usageError)) {
		return 2
	}
	return 1
}

// errResumable marks the interruption of a command that continues where it was.
var errResumable = errors.New("interrupted")

// usageError is a fault of the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "alamos",
		Short: "A lab for self-trained chess-variant engines",
		Long: `alamos runs experiments on self-trained chess-variant engines. An experiment
is one YAML file. alamos plays the games, trains the networks, holds the tournament,
and writes figures and a notebook page below results/.`,
		Example: `  alamos check experiments/quickstart.yaml
  alamos run experiments/quickstart.yaml
  alamos perft --variant atomic --depth 4`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	cmd.SetFlagErrorFunc(flagError)
	cobra.EnableCommandSorting = false // the groups have the order of their use
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Experiments:", []*cobra.Command{checkCommand(), planCommand(), runCommand(), explainCommand(), referenceCommand(), hooksCommand(), variantsCommand()}},
		{"Results:", []*cobra.Command{showCommand(), doctorCommand(), serveCommand(), tableCommand(), diffCommand(), figuresCommand(), notebookCommand(), lsCommand(), gcCommand(), packCommand(), unpackCommand()}},
		{"Playing:", []*cobra.Command{playCommand(), matchCommand(), analyzeCommand(), tuneCommand(), uciCommand(), lichessCommand()}},
		{"Networks, positions and games:", []*cobra.Command{networkCommand(), dataCommand(), openingsCommand(), puzzlesCommand(), pgnCommand(), perftCommand()}},
		{"Machines:", []*cobra.Command{machineCommand(), benchCommand(), hubCommand(), workCommand()}},
	} {
		cmd.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			cmd.AddCommand(c)
		}
	}
	cmd.InitDefaultHelpCmd()
	help, _, _ := cmd.Find([]string{"help"})
	help.Example = "  alamos help run\n  alamos help data import"
	help.Run, help.RunE = nil, func(_ *cobra.Command, args []string) error { // cobra's prints the help of the root for what it does not know
		found, rest, err := cmd.Find(args)
		if err == nil && len(found.Commands()) > 0 {
			err = knownCommand(found, rest)
		}
		if err != nil {
			return usagef("%w", err)
		}
		return found.Help()
	}
	machineFlag(cmd)
	prepareArgs(cmd)
	return cmd
}

// prepareArgs makes a command that has only subcommands print its help, and turns the faults that
// cobra finds in arguments into usage errors.
func prepareArgs(cmd *cobra.Command) {
	if cmd.RunE == nil {
		cmd.Args, cmd.RunE = knownCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usagef("%w (see %s --help)", err, c.CommandPath())
			}
			return nil
		}
	}
	for _, c := range cmd.Commands() {
		prepareArgs(c)
	}
}

// knownCommand refuses what is not the name of a subcommand.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	fault := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	if hint := config.DidYouMean(args[0], names); hint != "" {
		fault += ": " + hint
	}
	return errors.New(fault)
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
