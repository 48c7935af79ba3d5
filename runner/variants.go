package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/report"
	"alamos/plots"
)

func variantsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "variants",
		Short: "List and show variants, check files of rules, and start one",
		Long: `variants lists the built-in variants. A variant is also a file of rules, which
game.variant of an experiment and the flag --variant of commands name.`,
		Example: `  alamos variants
  alamos variants show experiments/variants/amazon.yaml
  alamos variants check experiments/variants/*.yaml
  alamos variants new mine --base atomic`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			var table report.Table
			for _, v := range chess.Variants() {
				p := chess.StartPosition(v)
				table.Rows = append(table.Rows, report.Row(v, v.Tag(), p.FEN()))
			}
			return report.WriteText(cmd.OutOrStdout(), false, table)
		},
	}
	cmd.AddCommand(showVariantCommand(), &cobra.Command{
		Use:     "check FILE...",
		Short:   "Check files of rules",
		Example: "  alamos variants check experiments/variants/*.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return faultsOf(args, func(file string) error {
				rules, err := experiment.ReadRules(file)
				if err != nil {
					return err
				}
				if _, err := chess.Define(rules); err != nil {
					return config.Position{File: file, Line: 1, Col: 1}.Errorf("", "%v", err)
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: ok, %s\n", file, rules.Name)
				return err
			})
		},
	}, newVariantCommand())
	return cmd
}

func showVariantCommand() *cobra.Command {
	var figure string
	cmd := &cobra.Command{
		Use:   "show VARIANT",
		Short: "Show the start position and the moves of the pieces",
		Example: `  alamos variants show racingkings
  alamos variants show experiments/variants/chigorin.yaml --figure chigorin.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := parseVariant(args[0])
			if err != nil {
				return err
			}
			if figure != "" {
				return drawTo(figure, plots.VariantMoves{Frame: plots.Frame{Title: v.String()}, Variant: v})
			}
			showVariant(cmd.OutOrStdout(), v)
			return nil
		},
	}
	fileFlag(cmd, &figure, "figure", "draw it to this `file` instead: .svg, .png or .pdf", plots.Extensions[:]...)
	return cmd
}

// showVariant draws the board of the start position and the moves of every kind, in text.
func showVariant(w io.Writer, v chess.Variant) {
	p := chess.StartPosition(v)
	files, ranks := v.Size()
	draw := func(square func(chess.Square) byte) {
		for rank := ranks - 1; rank >= 0; rank-- {
			fmt.Fprintf(w, "  %d ", rank+1)
			for file := range files {
				fmt.Fprintf(w, " %c", square(chess.NewSquare(file, rank)))
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "     %s\n", strings.Join(strings.Split("abcdefgh"[:files], ""), " "))
	}
	board := p.Board()
	fmt.Fprintf(w, "%s\n\n", v)
	draw(func(s chess.Square) byte { return board[8*(7-s.Rank())+s.File()] })
	fmt.Fprintf(w, "\n%s\n\nMoves of the pieces: * with and without capture, m without, x with capture only.\n", p.FEN())
	for i, piece := range chess.RulesOf(v).Pieces {
		t := v.Kinds()[i]
		at := plots.MiddleOf(v, t)
		moves, captures := v.Reach(t, at)
		fmt.Fprintf(w, "\n%s (%s): %s\n\n", piece.Name, piece.Letter, piece.Moves)
		draw(func(s chess.Square) byte {
			switch {
			case s == at:
				return t.Letter(chess.White)
			case moves.Has(s) && captures.Has(s):
				return '*'
			case moves.Has(s):
				return 'm'
			case captures.Has(s):
				return 'x'
			case !v.Squares().Has(s):
				return ' '
			}
			return '.'
		})
	}
}

func newVariantCommand() *cobra.Command {
	base := chess.Standard
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a file of rules with every key",
		Long: `new writes NAME.yaml with the rules of a variant: every key, with its meaning. Change
what is different in your game, and delete the rest if you like: what is left out is as in the
base.`,
		Example: "  alamos variants new mine --base atomic",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := args[0] + ".yaml"
			if _, err := os.Stat(file); err == nil {
				return usagef("%s exists", file)
			}
			text, err := experiment.RulesTemplate(args[0], base)
			if err != nil {
				return usagef("%w", err)
			}
			if err := disk.WriteBytes(file, text); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "wrote %s: name it in game.variant of an experiment\n", config.Printable(file))
			return nil
		},
	}
	cmd.Flags().Var(value[chess.Variant]{&base, "string", chess.ParseVariant}, "base", "the variant to begin with: "+strings.Join(variantNames(), ", "))
	completeFlag(cmd, "base", variantNames()...)
	return cmd
}
