package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"alamos/pkg/bench"
	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

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
			return benchRules(cmd, &r, flags.json)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&variants, "variant", nil, "only these rules (repeatable; default: all)")
	f.StringSliceVar(&names, "position", nil, "only positions of this name, as start (repeatable; default: all)")
	f.StringVar(&engine, "engine", "", "compare with the UCI engine in this file (default: the one that is found)")
	f.BoolVar(&alone, "no-engine", false, "measure alamos alone")
	flags.add(cmd, 2, "each side is measured in a position")
	cmd.MarkFlagsMutuallyExclusive("engine", "no-engine")
	complete := func(flag string, values func() []string) {
		_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return values(), cobra.ShellCompDirectiveNoFileComp
		})
	}
	complete("variant", func() []string {
		var all []string
		for _, v := range chess.Variants() {
			all = append(all, v.String())
		}
		return all
	})
	complete("position", func() []string {
		chosen, err := choosePositions(variants, nil)
		if err != nil {
			return nil
		}
		return positionNames(chosen)
	})
	return cmd
}

// choosePositions takes from the speed set what the flags ask for; empty lists
// ask for everything.
func choosePositions(variants, names []string) ([]bench.Position, error) {
	var asked []chess.Variant
	for _, name := range variants {
		v, err := chess.ParseVariant(name)
		if err != nil {
			return nil, usagef("--variant: %w", err)
		}
		asked = append(asked, v)
	}
	ofVariants := slices.DeleteFunc(bench.SpeedSet(), func(p bench.Position) bool {
		return len(asked) > 0 && !slices.Contains(asked, p.Variant)
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

// benchRules runs the measurement and prints it.
func benchRules(cmd *cobra.Command, r *bench.Rules, asJSON bool) error {
	return runBench(cmd, asJSON, "perft", "positions", bench.RulesTable, func(ctx context.Context, b benchmark[bench.RulesResult]) error {
		r.Begin = func(done int, next bench.Position) {
			b.begin(done, len(r.Positions), next.Variant.String()+" "+next.Name)
		}
		r.Result = b.result
		r.Alone = func(v chess.Variant, why error) { b.note("%s is measured alone: %v", v, why) }
		return r.Run(ctx)
	})
}
