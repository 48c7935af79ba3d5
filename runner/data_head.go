package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/encode"
)

func dataHeadCommand() *cobra.Command {
	var k kindFlags
	var n, moves int
	cmd := &cobra.Command{
		Use:   "head FILE",
		Short: "Print the first positions of a file with what is learned from them",
		Long: `head prints the first positions of a file: the game and the ply, the position as FEN,
and the targets: the value for the side to move, the probability of a draw, the plies
that are left, and the moves with the most weight of the policy.

Where a file has its positions encoded only, the board is as the network sees it: pieces
in upper case are White's, or those of the side to move where the encoding turns the
board, and moves are told in the same view.`,
		Example: `  alamos data head games.pgn
  alamos data head training.12345.gz -n 20 --moves 3
  alamos data head results/quickstart/24b417e7af/samples/gen-0003.parquet`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := data.OpenFile(args[0], k.kind, orChess(k.variant), 0)
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
				return fmt.Errorf("%s: no position is in it", args[0])
			}
			return nil
		},
	}
	k.add(cmd)
	n = 5
	cmd.Flags().VarP(numberValue[int]{&n, atLeast(1)}, "number", "n", "positions to print")
	numberFlag(cmd, &moves, "moves", 5, atLeast(1), "moves to print of each")
	return cmd
}

// weighed is a move with its weight in a policy.
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

// targetText is what the heads beside the policy learn, as far as it is known.
func targetText(p *data.Position) string {
	if p.NoResult {
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

// positionText is a position and its moves for people.
func positionText(p *data.Position) (board string, moves []weighed, err error) {
	if p.At != nil {
		at := p.At.Position()
		for i, m := range p.Moves {
			moves = append(moves, weighed{at.SAN(m), p.Policy[i]})
		}
		return at.FEN(), moves, nil
	}
	planes, err := encode.PlanesByName(p.Coded.Encoder)
	if err != nil {
		return "", nil, err
	}
	policy, err := encode.PolicyByName(p.Coded.Policy)
	if err != nil {
		return "", nil, err
	}
	white := chess.StartPosition(chess.Standard) // whose view is the one of the file
	list, err := encode.MovesOf(policy, &white)
	if err != nil {
		return "", nil, err
	}
	s := &p.Coded.Sample
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
