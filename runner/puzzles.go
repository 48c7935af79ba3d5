package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/puzzle"
	"alamos/pkg/uci"
)

func puzzlesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "puzzles",
		Short: "Solve, check and make puzzles: positions with best moves or mates",
		Long: `puzzles works with puzzle files in Extended Position Description, one puzzle per line: a
position, then bm with the best moves, or dm with the number of moves to mate. With dm,
any move after which the mate is still forced is right, which alamos proves by the rules.

experiments/puzzles has mates in 1 and 2 of chess and of atomic chess. With the key
evaluation.puzzles, an experiment solves such files.`,
		Example: `  alamos puzzles solve experiments/puzzles/mate-in-*.epd --random --depth 3
  alamos puzzles check experiments/puzzles/mate-in-1.epd`,
	}
	cmd.AddCommand(puzzlesSolveCommand(), puzzlesCheckCommand(), puzzlesMakeCommand())
	return cmd
}

// loadPuzzles reads sets of a variant, by default chess. Errors are usage errors.
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
		Short: "Prove that puzzle files are correct",
		Long: `check proves by the rules that each win takes exactly the number of moves in the file,
that the best moves are exactly the moves that win, and that no position occurs twice in
a file.`,
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
	variantFlag(cmd, &variant, "the variant of lines that do not name one (default chess)")
	return cmd
}

// describePuzzles is a summary of a set.
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

func puzzlesMakeCommand() *cobra.Command {
	r := puzzle.Recipe{Play: puzzle.PlayNodes, Judge: puzzle.JudgeNodes}
	var m engineFile
	cmd := &cobra.Command{
		Use:   "make",
		Short: "Make a file of mates from games of a UCI engine",
		Long: `make lets a UCI engine play itself from random openings, with blunders, and keeps
positions in which the side to move wins in exactly --mate moves: the engine must find
the win with --judge-nodes, and the rules must prove it. At most a quarter of the legal
moves are right. Half of the puzzles are White's and half are Black's. A game gives at
most one, and no two have the same pieces on the board, also with colors exchanged.

In most such positions any move wins in the end, so they ask how soon a player wins. With
--only the games are even, and the positions are those after a blunder in which the engine
sees at most two pawns for any other move: there a player wins by the mate or not at all.

The same flags and the same build of the engine make the same file.`,
		Example: `  alamos puzzles make --mate 2 --count 200 --seed 1 --out mate-in-2.epd
  alamos puzzles make --mate 2 --only --out only-mate-in-2.epd
  alamos puzzles make --variant atomic --mate 1 --out atomic-mate-in-1.epd`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Variant = orChess(m.variant)
			r.ID = strings.TrimSuffix(filepath.Base(m.out), filepath.Ext(m.out))
			return m.run(cmd.Context(), r.Judge, r.Count, r.ID, "puzzles", func(e *uci.Client, progress func(int)) ([]byte, error) {
				puzzles, err := puzzle.Make(cmd.Context(), e, r, progress)
				if err != nil {
					return nil, err
				}
				only := ""
				if r.Only {
					only = " --only"
				}
				var b bytes.Buffer
				err = puzzle.Write(&b, puzzles,
					fmt.Sprintf("%s: win in %d, found and judged by %s, proved by the rules. Made by", r.Variant, r.Mate, e.ID()),
					fmt.Sprintf("alamos puzzles make --variant %s --mate %d%s --count %d --seed %d --nodes %d --judge-nodes %d --uci %s",
						r.Variant, r.Mate, only, r.Count, r.Seed, r.Play, r.Judge, filepath.Base(m.engine)))
				return b.Bytes(), err
			})
		},
	}
	m.flags(cmd)
	numberFlag(cmd, &r.Mate, "mate", 1, between(1, puzzle.MaxMate), "moves in which the side to move wins")
	cmd.Flags().BoolVar(&r.Only, "only", false, "only positions in which no other move wins")
	numberFlag(cmd, &r.Count, "count", 200, between(1, 100_000), "puzzles to make")
	cmd.Flags().Uint64Var(&r.Seed, "seed", 1, "seed of the games")
	numberFlag(cmd, &r.Play, "nodes", r.Play, atLeast(1), "nodes of the engine for each move of the games")
	numberFlag(cmd, &r.Judge, "judge-nodes", r.Judge, atLeast(1), "nodes of the engine for each puzzle")
	return cmd
}

// engineFile has what the commands share that make a file with a UCI engine.
type engineFile struct {
	variant *chess.Variant
	engine  string
	out     string
	force   bool
}

func (m *engineFile) flags(cmd *cobra.Command) {
	variantFlag(cmd, &m.variant, "the rules (default chess)")
	f := cmd.Flags()
	f.StringVar(&m.engine, "uci", "", "the engine: stockfish, fairy-stockfish or a `program` (default: stockfish for chess, else fairy-stockfish)")
	f.StringVar(&m.out, "out", "", "`file` to write")
	f.BoolVar(&m.force, "force", false, "replace an existing file")
	requiredFlag(cmd, "out")
}

// run starts the engine, which judges positions with a number of nodes, and writes what
// content makes with it.
func (m *engineFile) run(ctx context.Context, nodes int64, count int, what, unit string, content func(e *uci.Client, progress func(done int)) ([]byte, error)) error {
	switch _, err := os.Stat(m.out); {
	case err == nil && !m.force:
		return usagef("--out: %s exists already: name another file, or use --force to replace it", m.out)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--out: %w", err)
	}
	v := orChess(m.variant)
	m.engine = cmp.Or(m.engine, uci.Usual(v))
	opponent := uci.Opponent{Program: m.engine, Limit: uci.Limit{Nodes: nodes}}
	found, err := opponent.Find(ctx, v, false)
	if err != nil {
		return err
	}
	e, err := found.Start(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	bar := newBar(os.Stderr, what, unit)
	text, err := content(e, func(done int) { bar.Set(done, count, "") })
	bar.End()
	if err != nil {
		return err
	}
	return disk.WriteBytes(m.out, text)
}
