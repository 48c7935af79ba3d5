package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/chess"
	"alamos/pkg/puzzle"
)

func puzzlesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "puzzles",
		Short: "Solve, check and make puzzles: positions with a best move or a mate to find",
		Long: `puzzles works with files of puzzles, a line each in Extended Position Description: a
position, then bm with the best moves, or dm with the number of moves to mate. With dm
any move that keeps the mate solves it: the rules judge, by trying everything.

experiments/puzzles has sets of mate in 1 and 2, of chess and of atomic chess; the key
evaluation.puzzles has an experiment solve such files.`,
		Example: `  alamos puzzles solve experiments/puzzles/mate-in-*.epd --random --depth 3
  alamos puzzles check experiments/puzzles/mate-in-1.epd`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(puzzlesSolveCommand(), puzzlesCheckCommand(), puzzlesMakeCommand())
	return cmd
}

// loadPuzzles reads sets of a variant, by default of chess. What is wrong with them is
// a fault of the input.
func loadPuzzles(files []string, variant *chess.Variant) ([]*puzzle.Set, error) {
	sets := make([]*puzzle.Set, len(files))
	for i, f := range files {
		var err error
		if sets[i], err = puzzle.Load(f, orChess(variant)); err != nil {
			return nil, usageError{err}
		}
	}
	return sets, nil
}

func puzzlesCheckCommand() *cobra.Command {
	var variant *chess.Variant
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Prove that files of puzzles are right",
		Long: `check proves by the rules that each win takes as many moves as the file says, and no
fewer, that the best moves beside it are exactly those that win, and that no position
stands in a file twice.`,
		Example: `  alamos puzzles check experiments/puzzles/*.epd`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			sets, err := loadPuzzles(files, variant)
			if err != nil {
				return err
			}
			wrong := 0
			for _, s := range sets {
				faults, err := puzzle.Check(cmd.Context(), s)
				if err != nil {
					return err
				}
				for _, f := range faults {
					fmt.Fprintln(cmd.OutOrStdout(), f)
				}
				wrong += len(faults)
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", s.File, describePuzzles(s))
			}
			if wrong > 0 {
				return errors.New(english.Plural(wrong, "fault", ""))
			}
			return nil
		},
	}
	variantFlag(cmd, &variant, "the rules of lines that do not name theirs (default chess)")
	return cmd
}

// describePuzzles says how many there are of what.
func describePuzzles(s *puzzle.Set) string {
	white, legal, right := 0, 0, 0
	var l chess.MoveList
	for i := range s.Puzzles {
		p := &s.Puzzles[i]
		if p.Position.Turn() == chess.White {
			white++
		}
		if len(p.Best) > 0 {
			p.Position.LegalMoves(&l)
			legal += l.Len()
			right += len(p.Best)
		}
	}
	text := fmt.Sprintf("%s, %d of them White's", english.Plural(len(s.Puzzles), "puzzle", ""), white)
	if legal > 0 {
		text += fmt.Sprintf("; %.1f %% of the legal moves are right", 100*float64(right)/float64(legal))
	}
	return text
}
