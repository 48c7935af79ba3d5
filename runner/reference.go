package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"alamos/pkg/experiment"
)

func referenceCommand() *cobra.Command {
	var key string
	var schema bool
	cmd := &cobra.Command{
		Use:   "reference",
		Short: "Print the reference of the language of experiments",
		Long: `reference prints every key of experiment files in Markdown: its range, default and
meaning, and the values that the papers published. --key prints one key or one section;
--json-schema prints the JSON Schema with which editors complete files.`,
		Example: `  alamos reference --key search.c_puct
  alamos reference --key sweep
  alamos reference > experiments/REFERENCE.md
  alamos reference --json-schema > experiments/schema.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			switch {
			case schema:
				_, err := out.Write(experiment.JSONSchema())
				return err
			case cmd.Flags().Changed("key"):
				keys, err := experiment.FindKey(key)
				if err != nil {
					return usageError{err}
				}
				for i, k := range keys {
					if i > 0 {
						fmt.Fprintln(out)
					}
					printKey(out, k)
				}
				return nil
			}
			_, err := io.WriteString(out, experiment.Reference())
			return err
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "show one key, such as search.c_puct, or one section")
	cmd.Flags().BoolVar(&schema, "json-schema", false, "print the JSON Schema (draft 7)")
	cmd.MarkFlagsMutuallyExclusive("key", "json-schema")
	completeFlag(cmd, "key", keyPaths()...)
	return cmd
}

// keyPaths are the paths of all keys, of those of lists without the [].
func keyPaths() []string {
	var paths []string
	for _, k := range experiment.Keys() {
		if path := strings.ReplaceAll(k.Path, "[]", ""); !slices.Contains(paths, path) { // a key may have a kind for each use
			paths = append(paths, path)
		}
	}
	return paths
}

// printKey prints a key for the terminal.
func printKey(out io.Writer, k experiment.Key) {
	fmt.Fprintf(out, "%s\n  %s\n", k.Path, k.Doc)
	row := func(label, text string) {
		if text != "" {
			fmt.Fprintf(out, "  %-9s%s\n", label, text)
		}
	}
	row("want", k.Type)
	row("unit", k.Unit)
	row("default", k.Default)
	if k.Required {
		row("default", "none: it is required")
	}
	row("only", k.When)
	for i, p := range k.Published {
		label := ""
		if i == 0 {
			label = "papers"
		}
		row(label, p.System+": "+p.Value)
	}
}
