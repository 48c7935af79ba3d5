package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"alamos/pkg/chess"
)

func perftCommand() *cobra.Command {
	var variant, fen, epd string
	var depth int
	var divide bool
	cmd := &cobra.Command{
		Use:   "perft",
		Short: "Count the move sequences of a position, or check a suite of counts",
		Long: `perft counts how many sequences of legal moves there are from a position: the
field's check of a move generator. With --epd it checks every count of a suite,
one position a line: FEN ;D1 20 ;D2 400. The exit status is 1 when one is wrong.`,
		Example: `  alamos perft --variant atomic --depth 5
  alamos perft --variant chess --fen "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1" --depth 4 --divide
  alamos perft --variant atomic --epd suite.epd`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := chess.ParseVariant(variant)
			if err != nil {
				return usagef("--variant: %w", err)
			}
			if epd != "" {
				return perftSuite(cmd, v, epd)
			}
			if depth < 0 {
				return usagef("--depth: want 0 or more, have %d", depth)
			}
			p := chess.StartPosition(v)
			if fen != "" {
				if p, err = chess.ParseFEN(v, fen); err != nil {
					return usagef("--fen: %w", err)
				}
			}
			if divide && depth > 0 {
				for _, m := range chess.PerftDivide(&p, depth) {
					fmt.Fprintf(cmd.OutOrStdout(), "%s %d\n", p.UCI(m.Move), m.Nodes)
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "nodes %d\n", chess.Perft(&p, depth))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&variant, "variant", "chess", "the rules: chess or atomic")
	f.StringVar(&fen, "fen", "", "the position (default: the variant's start)")
	f.IntVar(&depth, "depth", 4, "plies to look ahead")
	f.BoolVar(&divide, "divide", false, "also print the count behind each move")
	f.StringVar(&epd, "epd", "", "check the suite in this file instead")
	cmd.MarkFlagsMutuallyExclusive("epd", "fen")
	cmd.MarkFlagsMutuallyExclusive("epd", "depth")
	_ = cmd.RegisterFlagCompletionFunc("variant", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, v := range chess.Variants() {
			names = append(names, v.String())
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// perftSuite checks a suite on all cores, and reports in the suite's order.
func perftSuite(cmd *cobra.Command, v chess.Variant, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return usagef("--epd: %w", err)
	}
	defer f.Close()
	suite, err := chess.ReadSuite(f, v)
	if err != nil {
		return usagef("%s: %w", path, err)
	}
	got := make([][]uint64, len(suite))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for i := range next {
				for _, c := range suite[i].Counts {
					got[i] = append(got[i], chess.Perft(&suite[i].Position, c.Depth))
				}
			}
		})
	}
	for i := range suite {
		if cmd.Context().Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	counts, wrong := 0, 0
	for i, e := range suite {
		for j, c := range e.Counts {
			counts++
			if got[i][j] != c.Nodes {
				wrong++
				fmt.Fprintf(cmd.OutOrStdout(), "%s:%d: depth %d: counted %d, the suite says %d: %s\n",
					path, e.Line, c.Depth, got[i][j], c.Nodes, e.Position.FEN())
			}
		}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d positions, %d counts, %d wrong\n", len(suite), counts, wrong)
	if wrong > 0 {
		return fmt.Errorf("%d of %d counts are wrong", wrong, counts)
	}
	return nil
}
