package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/encode"
)

func dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Inspect and import external positions",
		Long: `data works with files of positions to learn from: training records of Leela Chess Zero
(V6, gzip files or tars of them), sample files in Parquet (alamos' and ChessMarro's), and
games in PGN. With the key data, an experiment learns from them instead of self-play.`,
		Example: `  alamos data info training-*.tar games.pgn
  alamos data head games.pgn -n 3
  alamos data import experiment.yaml --out chunk-1.parquet`,
	}
	cmd.AddCommand(dataImportCommand(), dataInfoCommand(), dataHeadCommand())
	return cmd
}

var dataKinds = []string{data.LC0, data.Parquet, data.PGN}

// kindFlags give the kind of files whose names do not show it.
type kindFlags struct {
	kind    string
	variant *chess.Variant
}

func (k *kindFlags) add(cmd *cobra.Command) {
	choiceFlag(cmd, &k.kind, "kind", "", dataKinds, "kind of the files, if their names do not show it")
	variantFlag(cmd, &k.variant, "the rules of the games in PGN (default chess)")
}

// dataFiles are the extensions of files of positions, for shell completion.
var dataFiles = []string{"parquet", "pgn", "gz", "zst", "bz2", "tar", "tgz"}

func dataInfoCommand() *cobra.Command {
	var k kindFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE...",
		Short: "Summarize files of positions",
		Long: `info reads files of positions to their ends and prints what each holds: kind, size,
games, positions, known results, mean and variance of the values to learn, and the
encodings of encoded positions. The variance is the squared error of a network that always
says the mean. FILE may be a pattern with * and ?. A damaged file is read up to the
damage, and info prints where it is.

The exit status is 1 if a file is damaged.`,
		Example: `  alamos data info results/quickstart/*/samples/*.parquet
  alamos data info training-run1-test80-20220404-0417.tar
  alamos data info --variant atomic games.pgn.zst --json`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeFiles(dataFiles...),
		RunE: func(cmd *cobra.Command, files []string) error {
			files, err := matching(files)
			if err != nil {
				return err
			}
			var all []*data.Summary
			damaged := 0
			for _, file := range files {
				var p data.Progress
				done := showReading(filepath.Base(file), &p)
				s, err := data.Summarize(cmd.Context(), file, k.kind, orChess(k.variant), &p)
				done()
				if err != nil {
					return dataFault(cmd.Context(), err)
				}
				all = append(all, s)
				if s.Damage != "" {
					damaged++
				}
				if !asJSON {
					printSummary(cmd.OutOrStdout(), s)
				}
			}
			if asJSON {
				if err := writeJSON(cmd.OutOrStdout(), all); err != nil {
					return err
				}
			} else if len(all) > 1 {
				printSummaries(cmd.OutOrStdout(), all)
			}
			if damaged > 0 {
				return fmt.Errorf("%s of %d damaged", english.Plural(damaged, "file", ""), len(files))
			}
			return nil
		},
	}
	k.add(cmd)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// matching replaces patterns by the files that they match. The name of a file is never a
// pattern.
func matching(names []string) (files []string, err error) {
	for _, name := range names {
		found := []string{name}
		if _, err := os.Stat(name); err != nil && strings.ContainsAny(name, "*?[") {
			if found, err = filepath.Glob(name); err != nil {
				return nil, usagef("%s: %w", name, err)
			}
			if len(found) == 0 {
				return nil, usagef("%s: no such file", name)
			}
		}
		files = append(files, found...)
	}
	return files, nil
}

// printSummaries prints the sums over all files.
func printSummaries(w io.Writer, all []*data.Summary) {
	var sum data.Summary
	for _, s := range all {
		sum.Bytes += s.Bytes
		sum.Add(s.Counts)
	}
	fmt.Fprintf(w, "%s, %s bytes: %s games, %s positions", english.Plural(len(all), "file", ""), grouped(int(sum.Bytes)), grouped(sum.Games), grouped(sum.Positions))
	if left := data.LeftOut(sum.NoResult, sum.NoMoves); left != "" {
		fmt.Fprintf(w, "; games left out: %s", left)
	}
	fmt.Fprintln(w)
}

// dataFault is a fault of the command line unless the command was interrupted.
func dataFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return usageError{err}
}

// showReading shows the progress of reading files until the caller calls done.
func showReading(what string, p *data.Progress) (done func()) {
	bar := newBar(os.Stderr, what, "KiB")
	began := time.Now()
	end := p.Watch(func() {
		n := p.Positions.Load()
		speed := fmt.Sprintf("%s positions, %s/s", grouped(int(n)), grouped(int(float64(n)/time.Since(began).Seconds())))
		bar.Set(int(p.Bytes.Load()>>10), int(max(p.Size.Load(), p.Bytes.Load())>>10), speed)
	})
	return func() {
		end()
		bar.End()
	}
}

func printSummary(w io.Writer, s *data.Summary) {
	fmt.Fprintf(w, "%s: %s of %s, %s bytes\n", s.File, s.Kind, s.Variant, grouped(int(s.Bytes)))
	fmt.Fprintf(w, "  games       %s\n", grouped(s.Games))
	if left := data.LeftOut(s.NoResult, s.NoMoves); left != "" {
		fmt.Fprintf(w, "  left out    %s\n", left)
	}
	if known := s.White + s.Draws + s.Black; known > 0 {
		fmt.Fprintf(w, "  results     White won %s, drawn %s, Black won %s", grouped(s.White), grouped(s.Draws), grouped(s.Black))
		if s.Unknown > 0 {
			fmt.Fprintf(w, ", unknown %s", grouped(s.Unknown))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "  positions   %s\n", grouped(s.Positions))
	if s.ValueVariance > 0 {
		fmt.Fprintf(w, "  values      mean %.3f, variance %.3f\n", s.ValueMean, s.ValueVariance)
	}
	if s.Positions == 0 && s.Damage == "" {
		fmt.Fprintln(w, "  empty       no positions")
	}
	if s.Encoder != "" {
		fmt.Fprintf(w, "  encoded as  %s, moves as %s\n", s.Encoder, s.Policy)
	}
	if s.Damage != "" {
		fmt.Fprintf(w, "  damaged     %s\n", s.Damage)
	}
}

func dataHeadCommand() *cobra.Command {
	var k kindFlags
	var n, moves int
	cmd := &cobra.Command{
		Use:   "head FILE",
		Short: "Print the first positions of a file with their targets",
		Long: `head prints the first positions of a file: game and ply, the position as FEN, and the
targets: the value for the side to move, the probability of a draw, the plies left, and
the moves with the largest policy weights.

If a file has only encoded positions, board and moves are in the view of the encoding:
upper-case pieces are White's, or those of the side to move if the encoding flips the
board.`,
		Example: `  alamos data head games.pgn
  alamos data head training.12345.gz -n 20 --moves 3
  alamos data head samples/gen-0003.parquet`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeFiles(dataFiles...),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := data.OpenFile(args[0], k.kind, orChess(k.variant))
			if err != nil {
				return dataFault(cmd.Context(), err)
			}
			defer set.Close()
			shown := 0
			for p, err := range set.All(cmd.Context()) {
				if err == nil {
					err = printPosition(cmd.OutOrStdout(), p, moves)
				}
				if err != nil {
					return err
				}
				if shown++; shown == n {
					break
				}
			}
			if shown == 0 {
				return fmt.Errorf("%s: no positions", args[0])
			}
			return nil
		},
	}
	k.add(cmd)
	numberFlag(cmd, &n, "number,n", 5, atLeast(1), "positions to print")
	numberFlag(cmd, &moves, "moves", 5, atLeast(1), "moves to print of each")
	return cmd
}

// weighed is a move with its policy weight.
type weighed struct {
	move   string
	weight float32
}

func printPosition(w io.Writer, p *data.Position, most int) error {
	board, moves, err := positionText(p)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "game %d, ply %d: %s\n", p.Game, p.Ply, board)
	fmt.Fprintf(w, "  %s\n", targetText(p))
	slices.SortStableFunc(moves, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	var parts []string
	rest := 0
	for _, m := range moves {
		switch {
		case m.weight <= 0:
		case len(parts) < most:
			parts = append(parts, fmt.Sprintf("%s %.3f", m.move, m.weight))
		default:
			rest++
		}
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", rest))
	}
	if len(moves) == 0 {
		fmt.Fprintln(w, "  no policy")
		return nil
	}
	fmt.Fprintf(w, "  policy %s, of %s\n", strings.Join(parts, ", "), english.Plural(len(moves), "move", ""))
	return nil
}

// targetText is the targets of the heads other than the policy, as far as they are known.
func targetText(p *data.Position) string {
	if !data.HasResult(&p.Sample) {
		return "no result"
	}
	text := fmt.Sprintf("value %+.3f", math.Round(1000*float64(p.Value))/1000+0) // + 0: no -0
	if p.Draw >= 0 {
		text += fmt.Sprintf(", draw %.3f", p.Draw)
	}
	switch left := math.Round(float64(p.MovesLeft)); {
	case left == 1:
		text += ", 1 ply left"
	case left > 1:
		text += fmt.Sprintf(", %.0f plies left", left)
	}
	return text
}

// positionText is a position and its moves as text.
func positionText(p *data.Position) (board string, moves []weighed, err error) {
	if p.At != nil {
		at := p.At.Position()
		for i, m := range p.Moves {
			moves = append(moves, weighed{at.SAN(m), p.Policy[i]})
		}
		return at.FEN(), moves, nil
	}
	planes, err := encode.PlanesByName(p.Encoding.Encoder)
	if err != nil {
		return "", nil, err
	}
	policy, err := encode.PolicyByName(p.Encoding.Policy)
	if err != nil {
		return "", nil, err
	}
	white := chess.StartPosition(chess.Standard) // the file has its view
	list := encode.MovesOf(policy, &white)
	s := &p.Sample
	if board, err = encode.Board(planes, s.Planes); err != nil {
		return "", nil, err
	}
	for i, index := range s.Indices {
		if int(index) >= len(list) {
			return "", nil, fmt.Errorf("game %d, ply %d: %s has no move %d", p.Game, p.Ply, policy.Name(), index)
		}
		moves = append(moves, weighed{list[index], s.Policy[i]})
	}
	return board, moves, nil
}
