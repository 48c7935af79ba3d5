package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"alamos/pkg/bench"
	"alamos/pkg/chess"
	"alamos/pkg/nn"
	"alamos/pkg/uci"
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
	cmd.Flags().StringSliceVar(&n.shapes, "network", shapes, "residual networks, blocks x channels (repeatable)")
	choiceFlag(cmd, &n.head, "policy-head", nn.PolicyConv73, []string{nn.PolicyConv73, nn.PolicyConv}, "the networks' policy head")
}

// choice returns what the flags choose.
func (n *networkFlags) choice() (shapes []bench.Shape, policyHead string, err error) {
	for _, s := range n.shapes {
		x, err := bench.ParseShape(s)
		if err != nil {
			return nil, "", usagef("--network: %w", err)
		}
		shapes = append(shapes, x)
	}
	return shapes, n.head, nil
}

// runBench runs a benchmark and prints its results: as JSON one by one, otherwise
// as a table at the end. What was measured before an interruption is printed too.
// task and unit are what the progress says.
func runBench[R interface{ How() string }](cmd *cobra.Command, asJSON bool, task, unit string, r *bench.Reporter[R], run func(context.Context) error) error {
	out := cmd.OutOrStdout()
	progress := newBar(os.Stderr, task, unit)
	var results []R
	var notes []string // printed at the end: a bar on the terminal would be torn by them
	var written error
	r.Begin = progress.Set
	r.Result = func(result R) {
		results = append(results, result)
		if asJSON && written == nil {
			written = bench.WriteJSON(out, result)
		}
	}
	r.Note = func(text string) { notes = append(notes, text) }
	err := run(cmd.Context())
	progress.End()
	for _, note := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), note)
	}
	if !asJSON {
		written = bench.WriteTable(out, results)
	}
	return errors.Join(err, written)
}

func benchRulesCommand() *cobra.Command {
	var variants, names []string
	var engine string
	var alone bool
	var flags benchFlags
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Count move sequences (perft) and compare the speed with Stockfish's",
		Long: `rules counts the move sequences of a fixed set of positions in one thread and
says how many million it counts in a second. Every count is checked: a wrong one
is an error, not a speed, and the exit status is then 1.

Beside it the same positions are counted by an engine where there is one:
Stockfish for chess, Fairy-Stockfish for the variants. The Fairy-Stockfish that
` + "`make setup`" + ` installs is compiled to WebAssembly and slower than a native build;
--engine takes another, which must prove that it knows the variant. No side makes
the moves of the last ply; alamos does not list them either, engines mostly do.

--json writes a line a position, as it is measured. Without an engine the fields
engine, engine_nodes_per_second and ratio are null.`,
		Example: `  alamos bench rules
  alamos bench rules --variant chess --variant atomic --time 5
  alamos bench rules --variant atomic --engine ~/bin/fairy-stockfish
  alamos bench rules --variant chess --position kiwipete --no-engine --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			positions, err := choosePositions(variants, names)
			if err != nil {
				return err
			}
			r := bench.Rules{Positions: positions}
			if r.Time, err = flags.time(); err != nil {
				return err
			}
			switch {
			case engine != "":
				r.Peer = func(ctx context.Context, v chess.Variant) (*bench.Peer, error) {
					return bench.StartPeer(ctx, engine, v)
				}
				if err := provePeer(cmd.Context(), r.Peer, positions); err != nil {
					return err
				}
			case !alone:
				r.Peer = bench.FindPeer
			}
			return runBench(cmd, flags.json, "perft", "positions", &r.Reporter, r.Run)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&variants, "variant", nil, "only these rules (repeatable; default: all)")
	f.StringSliceVar(&names, "position", nil, "only positions of this name, as start (repeatable; default: all)")
	f.StringVar(&engine, "engine", "", "compare with the UCI engine in this file (default: the one that is found)")
	f.BoolVar(&alone, "no-engine", false, "measure alamos alone")
	flags.add(cmd, 2, "each side is measured in a position")
	cmd.MarkFlagsMutuallyExclusive("engine", "no-engine")
	completeFlag(cmd, "variant", variantNames()...)
	completeFlagBy(cmd, "position", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		chosen, _ := choosePositions(variants, nil) // a fault is reported when the command runs
		return positionNames(chosen), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// choosePositions returns the positions of the speed set that the flags choose; empty
// lists choose everything.
func choosePositions(variants, names []string) ([]bench.Position, error) {
	var chosen []chess.Variant
	for _, name := range variants {
		v, err := chess.ParseVariant(name)
		if err != nil {
			return nil, usagef("--variant: %w", err)
		}
		chosen = append(chosen, v)
	}
	ofVariants := slices.DeleteFunc(bench.SpeedSet(), func(p bench.Position) bool {
		return len(chosen) > 0 && !slices.Contains(chosen, p.Variant)
	})
	known := positionNames(ofVariants)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, usagef("--position: %q: want one of %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(ofVariants, func(p bench.Position) bool {
		return len(names) > 0 && !slices.Contains(names, p.Name)
	}), nil
}

// positionNames lists the names of positions, each once.
func positionNames(positions []bench.Position) []string {
	var names []string
	for _, p := range positions {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// provePeer refuses an engine before anything is measured: it must know all the
// variants.
func provePeer(ctx context.Context, start func(context.Context, chess.Variant) (*bench.Peer, error), positions []bench.Position) error {
	for i, p := range positions {
		if i > 0 && p.Variant == positions[i-1].Variant {
			continue
		}
		peer, err := start(ctx, p.Variant)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if errors.Is(err, uci.ErrVariant) {
			return usagef("--engine: %w (choose variants that it knows with --variant)", err)
		} else if err != nil {
			return usagef("--engine: %w", err)
		}
		peer.Close()
	}
	return nil
}
