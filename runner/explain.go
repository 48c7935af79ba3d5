package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"alamos/pkg/lab"
)

func explainCommand() *cobra.Command {
	var set []string
	cmd := &cobra.Command{
		Use:   "explain FILE",
		Short: "Print the resolved experiment and where each value was set",
		Long: `explain prints every setting of an experiment after the files it extends are
merged and defaults filled in, each with the file and line that set it.`,
		Example: `  alamos explain experiments/quickstart.yaml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := lab.Load(args[0], set)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, x := range e.Explain() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", x.Path, x.Value, x.Origin)
			}
			return w.Flush()
		},
	}
	setFlag(cmd, &set)
	return cmd
}
