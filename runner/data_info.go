package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/data"
)

func dataInfoCommand() *cobra.Command {
	var k kindFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE...",
		Short: "Say what files of positions hold",
		Long: `info reads files of positions to their ends and says what each holds: its kind and
size, games, positions, results as far as the file tells them, and of encoded positions
the encodings. FILE may be a pattern with * and ?. A damaged file is read up to its damage, which is told with its place.

The exit status is 1 when a file is damaged.`,
		Example: `  alamos data info results/quickstart/*/samples/*.parquet
  alamos data info training-run1-test80-20220404-0417.tar
  alamos data info --variant atomic games.pgn.zst --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			files, err := matching(files)
			if err != nil {
				return err
			}
			var all []*data.Summary
			damaged := 0
			for _, file := range files {
				var p data.Progress
				done := tellData(filepath.Base(file), &p)
				s, err := data.Summarize(cmd.Context(), file, k.kind, orChess(k.variant), &p)
				done()
				if err != nil {
					return dataFault(cmd.Context(), err)
				}
				all = append(all, s)
				if s.Damage != "" {
					damaged++
				}
				if !asJSON {
					printSummary(cmd.OutOrStdout(), s)
				}
			}
			if asJSON {
				if err := writeJSON(cmd.OutOrStdout(), all); err != nil {
					return err
				}
			}
			if !asJSON && len(all) > 1 {
				printSummaries(cmd.OutOrStdout(), all)
			}
			if damaged > 0 {
				return fmt.Errorf("%s of %d damaged", english.Plural(damaged, "file", ""), len(files))
			}
			return nil
		},
	}
	k.add(cmd)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// matching replaces patterns by the files that they match; what is a file is none.
func matching(names []string) (files []string, err error) {
	for _, name := range names {
		found := []string{name}
		if _, err := os.Stat(name); err != nil && strings.ContainsAny(name, "*?[") {
			if found, err = filepath.Glob(name); err != nil {
				return nil, usagef("%s: %w", name, err)
			}
			if len(found) == 0 {
				return nil, usagef("%s: there is no such file", name)
			}
		}
		files = append(files, found...)
	}
	return files, nil
}

// printSummaries prints what files hold together.
func printSummaries(w io.Writer, all []*data.Summary) {
	var sum data.Summary
	for _, s := range all {
		sum.Bytes += s.Bytes
		sum.Games += s.Games
		sum.Positions += s.Positions
		sum.NoResult += s.NoResult
		sum.NoMoves += s.NoMoves
	}
	fmt.Fprintf(w, "%s, %s bytes: %s games, %s positions", english.Plural(len(all), "file", ""), grouped(int(sum.Bytes)), grouped(sum.Games), grouped(sum.Positions))
	if left := data.LeftOut(sum.NoResult, sum.NoMoves); left != "" {
		fmt.Fprintf(w, "; games left out: %s", left)
	}
	fmt.Fprintln(w)
}

// dataFault is a fault of the command line unless the command was interrupted.
func dataFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return usageError{err}
}

// tellData shows how far the files of a source are read, until the function that it
// returns is called.
func tellData(what string, p *data.Progress) (done func()) {
	bar := newBar(os.Stderr, what, "KiB")
	end, ended := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				n := p.Positions.Load()
				how := fmt.Sprintf("%s positions, %s/s", grouped(int(n)), grouped(int(float64(n)/time.Since(began).Seconds())))
				bar.Set(int(p.Bytes.Load()>>10), int(max(p.Size.Load(), p.Bytes.Load())>>10), how)
			}
		}
	}()
	return func() {
		close(end)
		<-ended
		bar.End()
	}
}

func printSummary(w io.Writer, s *data.Summary) {
	fmt.Fprintf(w, "%s: %s of %s, %s bytes\n", s.File, s.Kind, s.Variant, grouped(int(s.Bytes)))
	fmt.Fprintf(w, "  games       %s\n", grouped(s.Games))
	if left := data.LeftOut(s.NoResult, s.NoMoves); left != "" {
		fmt.Fprintf(w, "  left out    %s\n", left)
	}
	if known := s.White + s.Draws + s.Black; known > 0 {
		fmt.Fprintf(w, "  results     White won %s, drawn %s, Black won %s", grouped(s.White), grouped(s.Draws), grouped(s.Black))
		if s.Unknown > 0 {
			fmt.Fprintf(w, ", unknown %s", grouped(s.Unknown))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "  positions   %s\n", grouped(s.Positions))
	if s.Positions == 0 && s.Damage == "" {
		fmt.Fprintln(w, "  empty       there is nothing to learn from in it")
	}
	if s.Encoder != "" {
		fmt.Fprintf(w, "  encoded as  %s, moves as %s\n", s.Encoder, s.Policy)
	}
	if s.Damage != "" {
		fmt.Fprintf(w, "  damaged     %s\n", s.Damage)
	}
}
