package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"alamos/pkg/bench"
	"alamos/pkg/nn"
)

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure parts of alamos beside what bounds their speed",
		Long: `bench measures parts of alamos (rules, search, network, self-play, training) on this
machine, each in turns with what it is compared with: other engines, or what bounds
its speed. The figure that counts is the ratio of the two speeds: speeds alone depend
on the machine and on what else it does.`,
		Example: `  alamos bench rules
  alamos bench rules --variant atomic --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(benchRulesCommand())
	cmd.AddCommand(benchSelfplayCommand())
	cmd.AddCommand(benchNetworkCommand())
	cmd.AddCommand(benchSearchCommand())
	cmd.AddCommand(benchTrainCommand())
	return cmd
}

// benchFlags are the flags that all benchmarks have.
type benchFlags struct {
	seconds float64
	json    bool
}

// add declares the flags; what says what --time is spent on.
func (b *benchFlags) add(cmd *cobra.Command, seconds float64, what string) {
	f := cmd.Flags()
	f.Float64Var(&b.seconds, "time", seconds, "seconds for which "+what+", about")
	f.BoolVar(&b.json, "json", false, "write a JSON object a line instead of a table")
}

// time is --time.
func (b *benchFlags) time() (time.Duration, error) {
	if !(b.seconds > 0 && b.seconds <= 3600) {
		return 0, usagef("--time: want seconds, more than 0 and at most 3600, have %v", b.seconds)
	}
	return time.Duration(b.seconds * float64(time.Second)), nil
}

// networkFlags choose the networks that are measured.
type networkFlags struct {
	shapes []string
	head   string
}

// add declares the flags; shapes are the networks measured by default.
func (n *networkFlags) add(cmd *cobra.Command, shapes ...string) {
	f := cmd.Flags()
	f.StringSliceVar(&n.shapes, "network", shapes, "residual networks, blocks x channels (repeatable)")
	f.StringVar(&n.head, "policy-head", nn.PolicyConv73, "the networks' policy head: "+nn.PolicyConv73+" or "+nn.PolicyConv)
	_ = cmd.RegisterFlagCompletionFunc("policy-head", cobra.FixedCompletions([]string{nn.PolicyConv73, nn.PolicyConv}, cobra.ShellCompDirectiveNoFileComp))
}

// choice is what the flags ask for.
func (n *networkFlags) choice() (shapes []bench.Shape, policyHead string, err error) {
	for _, s := range n.shapes {
		x, err := bench.ParseShape(s)
		if err != nil {
			return nil, "", usagef("--network: %w", err)
		}
		shapes = append(shapes, x)
	}
	if heads := []string{nn.PolicyConv73, nn.PolicyConv}; !slices.Contains(heads, n.head) {
		return nil, "", usagef("--policy-head: %q: want one of %v", n.head, heads)
	}
	return shapes, n.head, nil
}

// benchmark is how a benchmark reports to its command while it runs.
type benchmark[R any] struct {
	begin  func(done, all int, next string) // of what is measured next
	result func(R)
	note   func(format string, args ...any) // to be printed at the end: a bar on the terminal would be torn by it
}

// runBench runs a benchmark and prints its results: as JSON one by one, otherwise
// as a table at the end. What was measured before an interruption is printed too.
// task and unit are what the progress says.
func runBench[R any](cmd *cobra.Command, asJSON bool, task, unit string, table func(io.Writer, []R) error, run func(context.Context, benchmark[R]) error) error {
	out := cmd.OutOrStdout()
	progress := newBar(os.Stderr, task, unit)
	var results []R
	var notes []string
	var written error
	err := run(cmd.Context(), benchmark[R]{
		begin: func(done, all int, next string) { progress.Set(done, all, next) },
		result: func(r R) {
			results = append(results, r)
			if asJSON && written == nil {
				written = json.NewEncoder(out).Encode(r)
			}
		},
		note: func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) },
	})
	progress.End()
	for _, note := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), note)
	}
	if !asJSON && len(results) > 0 {
		written = table(out, results)
	}
	return errors.Join(err, written)
}
