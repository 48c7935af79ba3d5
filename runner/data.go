package main

import (
	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/data"
)

func dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Look into positions that others have made, and import them",
		Long: `data works with files of positions to learn from: training records of Leela Chess Zero
(V6, gzip files or tars of them), sample files in Parquet, those of alamos and those of
ChessMarro, and games in PGN. The key data of an experiment has it learn from them in
the place of games of its own.`,
		Example: `  alamos data info training-*.tar games.pgn
  alamos data head games.pgn -n 3
  alamos data import experiment.yaml --out chunk-1.parquet`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(dataImportCommand(), dataInfoCommand(), dataHeadCommand())
	return cmd
}

var dataKinds = []string{data.LC0, data.Parquet, data.PGN}

// kindFlags says what files hold where they do not say it themselves.
type kindFlags struct {
	kind    string
	variant *chess.Variant
}

func (k *kindFlags) add(cmd *cobra.Command) {
	choiceFlag(cmd, &k.kind, "kind", "", dataKinds, "what the files hold, if their names do not say it")
	variantFlag(cmd, &k.variant, "the rules of the games in PGN (default chess)")
	cmd.ValidArgsFunction = dataFiles
}

func dataFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"parquet", "pgn", "gz", "zst", "bz2", "tar", "tgz"}, cobra.ShellCompDirectiveFilterFileExt
}
