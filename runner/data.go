package main

import (
	"slices"
	"strings"

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
type kindFlags struct{ kind, variant string }

func (k *kindFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.kind, "kind", "", "what the files hold: "+strings.Join(dataKinds, ", ")+" (default: as their names say)")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(dataKinds, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	variantFlag(cmd, &k.variant, "chess", "the rules of the games in PGN")
	cmd.ValidArgsFunction = dataFiles
}

func dataFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"parquet", "pgn", "gz", "zst", "bz2", "tar", "tgz"}, cobra.ShellCompDirectiveFilterFileExt
}

// check returns the variant.
func (k *kindFlags) check() (chess.Variant, error) {
	if k.kind != "" && !slices.Contains(dataKinds, k.kind) {
		return 0, usagef("--kind: want %s, have %q", strings.Join(dataKinds, ", "), k.kind)
	}
	v, err := chess.ParseVariant(k.variant)
	if err != nil {
		return 0, usagef("--variant: %w", err)
	}
	return v, nil
}
