package main

import (
	"strings"

	"github.com/spf13/cobra"

	"alamos/pkg/chess"
)

// variantNames lists the names of all variants.
func variantNames() []string {
	var names []string
	for _, v := range chess.Variants() {
		names = append(names, v.String())
	}
	return names
}

// variantFlag declares --variant, whose usage ends with the names.
func variantFlag(cmd *cobra.Command, variant *string, value, usage string) {
	names := variantNames()
	cmd.Flags().StringVar(variant, "variant", value, usage+": "+strings.Join(names, ", "))
	_ = cmd.RegisterFlagCompletionFunc("variant", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}
