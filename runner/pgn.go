package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/data"
)

func pgnCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pgn",
		Short:   "Check files of games",
		Long:    `pgn works with files of games in Portable Game Notation.`,
		Example: `  alamos pgn check games.pgn`,
	}
	cmd.AddCommand(pgnCheckCommand())
	return cmd
}

func pgnCheckCommand() *cobra.Command {
	var rules *chess.Variant
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Read PGN files and report their faults",
		Long: `check reads files of games (- is standard input; gzip, zstd and bzip2 are unpacked) and plays
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
					Errors: []pgnFault{}, Warnings: []pgnFault{}, // an empty list is [] in JSON, not null
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

// pgnCheck is the report on a file.
type pgnCheck struct {
	File       string                    `json:"file"`
	Games      int                       `json:"games"` // without an error
	Plies      int                       `json:"plies"` // of their main lines
	Bytes      int64                     `json:"bytes"` // unpacked
	Seconds    float64                   `json:"seconds"`
	MBPerS     float64                   `json:"mb_per_s"`
	Variants   map[string]int            `json:"variants"`
	Results    map[string]map[string]int `json:"results"` // games by result and by what ended them
	Errors     []pgnFault                `json:"errors"`
	Warnings   []pgnFault                `json:"warnings"`
	Unreadable string                    `json:"unreadable,omitempty"` // why reading stopped

	out io.Writer // where faults are printed as they are found; nil: nowhere
}

// pgnFault is an error or a warning about a game.
type pgnFault struct {
	Game int    `json:"game"` // from 1
	Line int    `json:"line"` // from 1
	Move string `json:"move,omitempty"`
	Text string `json:"text"`
}

// run reads a file to its end. It returns an error if the file cannot be read.
func (c *pgnCheck) run(ctx context.Context, stdin io.Reader, rules *chess.Variant) error {
	in, end, err := openPGN(c.File, stdin)
	if err != nil {
		return err
	}
	defer end()
	began := time.Now()
	counted := data.CountingReader{In: in}
	r := chess.NewPGNReader(&counted)
	if rules != nil {
		r.SetVariant(*rules)
	}
	var g chess.PGN
	var moves chess.MoveList
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := r.NextInto(&g)
		c.Bytes = counted.Bytes
		c.Seconds = time.Since(began).Seconds()
		c.MBPerS = float64(c.Bytes) / 1e6 / max(c.Seconds, 1e-9)
		bad := new(chess.PGNError)
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			c.fault(&c.Errors, pgnFault{bad.Game, bad.Line, bad.Move, bad.Err.Error()})
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", c.File, err)
		}
		c.Games++
		c.Plies += len(g.Moves)
		c.Variants[g.Variant.String()]++
		c.result(r, &g, &moves)
	}
}

// result compares a game's result with its tag and with the rules.
func (c *pgnCheck) result(r *chess.PGNReader, g *chess.PGN, moves *chess.MoveList) {
	game, line := r.Place()
	end := r.End()
	end.LegalMoves(moves)
	rules := end.Ended(moves)
	if !rules.Over() && end.InsufficientMaterial() {
		rules = chess.Outcome{Result: chess.Draw, Reason: chess.InsufficientMaterial}
	}
	reasons := c.Results[g.Result.String()]
	if reasons == nil {
		reasons = map[string]int{}
		c.Results[g.Result.String()] = reasons
	}
	reasons[rules.Reason.String()]++
	if rules.Over() && rules.Result != g.Result {
		c.fault(&c.Warnings, pgnFault{game, line, "", fmt.Sprintf("the result is %v, but the final position is %v", g.Result, rules)})
	}
	if tag := g.Tag("Result"); tag != "" && tag != g.Result.String() {
		c.fault(&c.Warnings, pgnFault{game, line, "", fmt.Sprintf("the Result tag is %q, but the moves end with %v", tag, g.Result)})
	}
}

func (c *pgnCheck) fault(list *[]pgnFault, f pgnFault) {
	*list = append(*list, f)
	if c.out == nil {
		return
	}
	place := fmt.Sprintf("%s: game %d, line %d", c.File, f.Game, f.Line)
	if f.Move != "" {
		place += ", move " + f.Move
	}
	if list == &c.Warnings {
		place += ": warning"
	}
	fmt.Fprintf(c.out, "%s: %s\n", place, f.Text)
}

// summary prints the counts.
func (c *pgnCheck) summary() {
	if c.Unreadable != "" && c.Bytes == 0 {
		return // nothing was read
	}
	fmt.Fprintf(c.out, "%s: %s, %s, %s, %s, %.0f MB/s\n", c.File, english.Plural(c.Games, "game", ""), english.Plural(c.Plies, "ply", "plies"),
		english.Plural(len(c.Errors), "error", ""), english.Plural(len(c.Warnings), "warning", ""), c.MBPerS)
	for _, result := range []chess.Result{chess.WhiteWins, chess.BlackWins, chess.Draw, chess.Unfinished} {
		reasons := c.Results[result.String()]
		total := 0
		for _, n := range reasons {
			total += n
		}
		if total > 0 {
			fmt.Fprintf(c.out, "  %-8v %d: %s\n", result, total, byCount(reasons))
		}
	}
	if len(c.Variants) > 1 {
		fmt.Fprintf(c.out, "  variants: %s\n", byCount(c.Variants))
	}
}

// byCount lists names with their counts, the largest first.
func byCount(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}

// openPGN opens a file of games, or standard input for "-", and unpacks it. The caller
// calls end after use.
func openPGN(path string, stdin io.Reader) (in io.Reader, end func(), err error) {
	file := io.NopCloser(stdin)
	if path != "-" {
		if file, err = os.Open(path); err != nil {
			return nil, nil, err
		}
	}
	plain, err := data.Decompress(file)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return plain, func() { plain.Close(); file.Close() }, nil
}
