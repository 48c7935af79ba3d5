package main

import "github.com/spf13/cobra"

func pgnCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pgn",
		Short:   "Check files of games",
		Long:    `pgn works with files of games in Portable Game Notation.`,
		Example: `  alamos pgn check games.pgn`,
		RunE:    func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		Args:    cobra.NoArgs,
	}
	cmd.AddCommand(pgnCheckCommand())
	return cmd
}
