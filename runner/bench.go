package main

import "github.com/spf13/cobra"

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure alamos beside other engines",
		Long: `bench measures rooms of alamos beside the engines that people compare it with, on
this machine and in turns with them. The figure that counts is the ratio of the
two speeds: speeds alone depend on the machine and on what else it does.`,
		Example: `  alamos bench rules
  alamos bench rules --variant atomic --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(benchRulesCommand())
	return cmd
}
