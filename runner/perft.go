package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
)

func perftCommand() *cobra.Command {
	var variant *chess.Variant
	var fen, epd string
	var depth, chess960 int
	var divide bool
	cmd := &cobra.Command{
		Use:   "perft",
		Short: "Count the move sequences of a position, or check a suite of counts",
		Long: `perft counts the sequences of legal moves from a position: the standard test of a move
generator. With --epd it checks every count of a suite with lines such as
FEN ;D1 20 ;D2 400. The exit status is 1 if a count is wrong.`,
		Example: `  alamos perft --variant atomic --depth 5
  alamos perft --variant chess --fen "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1" --depth 4 --divide
  alamos perft --variant crazyhouse --chess960 0
  alamos perft --variant atomic --epd suite.epd`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			v := orChess(variant)
			if epd != "" {
				return perftSuite(cmd, v, epd)
			}
			p, err := chess.StartPosition(v), error(nil)
			switch {
			case cmd.Flags().Changed("chess960"):
				if p, err = chess.Chess960(v, chess960); err != nil {
					return usagef("--chess960: %w", err)
				}
			case fen != "":
				if p, err = chess.ParseFEN(v, fen); err != nil {
					return usagef("--fen: %w", err)
				}
			}
			return perftPosition(cmd, &p, depth, divide)
		},
	}
	f := cmd.Flags()
	variantFlag(cmd, &variant, "the rules (default chess)")
	f.StringVar(&fen, "fen", "", "the position (default: the variant's start)")
	f.IntVar(&chess960, "chess960", 0, "the start position of chess960 with this `number`, 0 to 959")
	numberFlag(cmd, &depth, "depth", 4, between(0, 30), "plies to look ahead")
	f.BoolVar(&divide, "divide", false, "also print the count behind each move")
	f.StringVar(&epd, "epd", "", "check the suite in this file instead")
	cmd.MarkFlagsMutuallyExclusive("epd", "fen", "chess960")
	cmd.MarkFlagsMutuallyExclusive("epd", "depth")
	cmd.MarkFlagsMutuallyExclusive("epd", "divide")
	return cmd
}

// onAllCores calls f with the numbers from 0 to n-1, in parallel. When ctx ends, it makes no
// new calls.
func onAllCores(ctx context.Context, n int, f func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(ctx, i)
		})
	}
	return group.Wait()
}

// perftPosition counts one position, the subtrees after two moves in parallel.
func perftPosition(cmd *cobra.Command, p *chess.Position, depth int, divide bool) error {
	if depth == 0 {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "nodes 1")
		return err
	}
	var l chess.MoveList
	p.LegalMoves(&l)
	type subtree struct {
		first int // index of the first move
		at    chess.Position
	}
	var subtrees []subtree
	nodes := make([]uint64, l.Len())
	for i, m := range l.Slice() {
		q := *p
		q.Play(m)
		if depth == 1 {
			nodes[i] = 1
			continue
		}
		var replies chess.MoveList
		q.LegalMoves(&replies)
		for _, m := range replies.Slice() {
			s := subtree{i, q}
			s.at.Play(m)
			subtrees = append(subtrees, s)
		}
	}
	err := onAllCores(cmd.Context(), len(subtrees), func(ctx context.Context, i int) error {
		s := &subtrees[i]
		n, err := chess.PerftUntil(ctx, &s.at, depth-2)
		atomic.AddUint64(&nodes[s.first], n)
		return err
	})
	if err != nil {
		return err
	}
	total := uint64(0)
	for i, m := range l.Slice() {
		if divide {
			fmt.Fprintf(cmd.OutOrStdout(), "%s %d\n", p.UCI(m), nodes[i])
		}
		total += nodes[i]
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "nodes %d\n", total)
	return err
}

// perftSuite checks the positions of a suite in parallel, and reports in their order.
func perftSuite(cmd *cobra.Command, v chess.Variant, path string) error {
	f, err := disk.Open(path)
	if err != nil {
		return usagef("--epd: %w", err)
	}
	defer f.Close()
	suite, err := chess.ReadSuite(f, path, v)
	if err != nil {
		return usageError{err}
	}
	if len(suite) == 0 {
		return usagef("%s: no positions: want lines such as %q", path, "FEN ;D1 20 ;D2 400")
	}
	reports := make([]strings.Builder, len(suite))
	var counts, wrong atomic.Int64
	err = onAllCores(cmd.Context(), len(suite), func(ctx context.Context, i int) error {
		e := &suite[i]
		for _, c := range e.Counts {
			nodes, err := chess.PerftUntil(ctx, &e.Position, c.Depth)
			if err != nil {
				return err
			}
			if counts.Add(1); nodes != c.Nodes {
				wrong.Add(1)
				fmt.Fprintf(&reports[i], "%s:%d: depth %d: counted %d, the suite says %d: %s\n", path, e.Line, c.Depth, nodes, c.Nodes, e.Position.FEN())
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range reports {
		fmt.Fprint(cmd.OutOrStdout(), reports[i].String())
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d positions, %d counts, %d wrong\n", len(suite), counts.Load(), wrong.Load())
	if wrong.Load() > 0 {
		return fmt.Errorf("%d of %d counts are wrong", wrong.Load(), counts.Load())
	}
	return nil
}
