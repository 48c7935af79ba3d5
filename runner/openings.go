package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"alamos/pkg/match"
	"alamos/pkg/uci"
)

func openingsCommand() *cobra.Command {
	var r match.BookRecipe
	var m engineFile
	cmd := &cobra.Command{
		Use:   "openings",
		Short: "Make a book of balanced openings with a UCI engine",
		Long: `openings makes a book of positions for tournaments and matches. It plays --plies random
legal moves from the start, lets a UCI engine judge the position, and keeps it if its score
is at most --within centipawns for either side.

In sharp variants many random openings are decided. Both players then win one game of the
pair, and the match does not show which of them is stronger.

The key tournament.openings and the flag --openings of alamos match read the book. The same
flags and the same build of the engine make the same file.`,
		Example: `  alamos openings --variant atomic --out atomic.epd
  alamos openings --plies 8 --within 30 --nodes 1000000 --count 500 --out chess.epd`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Variant = orChess(m.variant)
			return m.run(cmd.Context(), r.Nodes, r.Count, "openings", "openings", func(e *uci.Client, progress func(int)) ([]byte, error) {
				book, err := match.MakeBook(cmd.Context(), e, r, progress)
				var b bytes.Buffer
				fmt.Fprintf(&b, "# %s: positions that %s calls even; ce is its score for the side to move. Made by\n", r.Variant, e.ID())
				fmt.Fprintf(&b, "# alamos openings --variant %s --plies %d --count %d --within %d --nodes %d --seed %d --uci %s\n",
					r.Variant, r.Plies, r.Count, r.Within, r.Nodes, r.Seed, filepath.Base(m.engine))
				for _, o := range book {
					fmt.Fprintf(&b, "%s ce %d;\n", o.Position.FEN(), o.Score)
				}
				return b.Bytes(), err
			})
		},
	}
	m.flags(cmd)
	numberFlag(cmd, &r.Plies, "plies", 4, between(1, 100), "random moves from the start")
	numberFlag(cmd, &r.Count, "count", 200, between(1, 100_000), "openings to make")
	numberFlag(cmd, &r.Within, "within", 50, between(0, 10_000), "greatest score for either side, in `centipawns` of the engine")
	numberFlag(cmd, &r.Nodes, "nodes", 100_000, atLeast(1), "nodes of the engine for each position")
	cmd.Flags().Uint64Var(&r.Seed, "seed", 1, "seed of the random moves")
	return cmd
}
