package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/chess"
)

func pgnCheckCommand() *cobra.Command {
	var rules *chess.Variant
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Read PGN files and report their faults",
		Long: `check reads files of games (- is standard input; gzip and zstd are unpacked) and plays
every move by the rules of the Variant tag. A game that cannot be read is an error, and
check continues with the next. A result that contradicts the final position or the Result
tag is a warning.

A summary for each file counts the games without errors, their plies, and the reasons for
each result by the rules. "ongoing" means that the players agreed, resigned, ran out of
time, or claimed a draw.

The exit status is 1 if a game has an error, and 2 if a file cannot be read.`,
		Example: `  alamos pgn check games.pgn
  alamos pgn check --variant atomic results/*/*/games/*.pgn
  curl https://example.org/games.pgn.zst | alamos pgn check --json -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			faults := 0
			var unreadable []string
			for _, file := range files {
				c := pgnCheck{
					File: file, Variants: map[string]int{}, Results: map[string]map[string]int{},
					Errors: []pgnFault{}, Warnings: []pgnFault{}, // in JSON none is [], not null
				}
				if !asJSON {
					c.out = cmd.OutOrStdout()
				}
				if err := c.run(cmd.Context(), cmd.InOrStdin(), rules); errors.Is(err, context.Canceled) {
					return err
				} else if err != nil {
					c.Unreadable = err.Error()
					unreadable = append(unreadable, c.Unreadable)
				}
				faults += len(c.Errors)
				if !asJSON {
					c.summary()
				} else if err := json.NewEncoder(cmd.OutOrStdout()).Encode(&c); err != nil {
					return err
				}
			}
			switch {
			case len(unreadable) > 0:
				return usagef("%s", strings.Join(unreadable, "\nalamos: "))
			case faults > 0:
				return fmt.Errorf("%s could not be read", english.Plural(faults, "game", ""))
			}
			return nil
		},
	}
	variantFlag(cmd, &rules, "the rules of all games instead of those of their Variant tags")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each file, one per line")
	return cmd
}
