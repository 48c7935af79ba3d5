package main

import "github.com/spf13/cobra"

func pgnCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pgn",
		Short:   "Look after files of games",
		Long:    `pgn looks after files of games in portable game notation.`,
		Example: `  alamos pgn check games.pgn`,
		RunE:    func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		Args:    cobra.NoArgs,
	}
	cmd.AddCommand(pgnCheckCommand())
	return cmd
}
