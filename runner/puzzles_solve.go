package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/match"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/puzzle"
	"alamos/pkg/search"
	"alamos/pkg/store"
	"alamos/pkg/uci"
)

// puzzleOptions are the flags of alamos puzzles solve.
type puzzleOptions struct {
	variant *chess.Variant
	models  []string
	results string
	visits  int
	search  map[string]string
	uci     []string
	nodes   int64
	depth   int
	random  bool
	seed    uint64
	format  string
	failed  bool

	hardware uci.Hardware
}

var puzzleFormats = []string{"text", "json", "csv"}

func puzzlesSolveCommand() *cobra.Command {
	var o puzzleOptions
	cmd := &cobra.Command{
		Use:   "solve FILE...",
		Short: "Let networks and engines solve puzzles",
		Long: `solve asks players for their move in each puzzle and counts those that are right. A
--model answers twice: by its network alone, where that has a policy, and by a search of
--visits with the settings of "alamos analyze", unless --search says otherwise. These prove
wins by force and look for wins in one by the rules: --search solver=false leaves mates to
the network. Beside, or without a model: --uci for an engine with
--nodes a move, --depth for alpha-beta on material, --random for random moves, which
say what the puzzles are worth.

The players must know the variant of the puzzles. --failed lists the puzzles that each
player does not solve.

` + aboutModels,
		Example: `  alamos puzzles solve experiments/puzzles/mate-in-*.epd --random --depth 3
  alamos puzzles solve experiments/puzzles/atomic-mate-in-2.epd --model atomic-best@last --visits 800
  alamos puzzles solve experiments/puzzles/mate-in-2.epd --model chesssl@last --search solver=false,leaves=32,c_puct=1.1
  alamos puzzles solve tactics.epd --uci stockfish --nodes 10000 --format csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := o.check(); err != nil {
				return err
			}
			sets, err := loadPuzzles(files, o.variant)
			if err != nil {
				return err
			}
			return o.run(cmd, sets)
		},
	}
	f := cmd.Flags()
	variantFlag(cmd, &o.variant, "the rules of lines that do not name theirs (default chess)")
	f.StringArrayVar(&o.models, "model", nil, "checkpoint `file` or RUN@GENERATION; several may be given")
	modelFlag(cmd, "model", &o.results)
	numberFlag(cmd, &o.visits, "visits", 800, between(0, 1_000_000), "of the search; 0: the network alone")
	f.StringToStringVar(&o.search, "search", nil, "`SETTING=VALUE` of the search: "+strings.Join(search.Settable(), ", "))
	f.StringArrayVar(&o.uci, "uci", nil, "an engine: stockfish, fairy-stockfish or a `program`; several may be given")
	numberFlag(cmd, &o.nodes, "nodes", 10_000, atLeast(int64(1)), "of each engine for a move")
	numberFlag(cmd, &o.depth, "depth", 0, between(0, deepestPuzzle), "plies of alpha-beta on material; 0: none")
	f.BoolVar(&o.random, "random", false, "play random moves")
	f.Uint64Var(&o.seed, "seed", 1, "of moves that are drawn by lot")
	choiceFlag(cmd, &o.format, "format", "text", puzzleFormats, "format of the scores")
	f.BoolVar(&o.failed, "failed", false, "list the puzzles that are not solved, before the table")
	threadsFlag(cmd, &o.hardware.Threads)
	deviceFlags(cmd, &o.hardware.Device, &o.hardware.Precision)
	return cmd
}

const deepestPuzzle = 8 // plies of alpha-beta

func (o *puzzleOptions) check() error {
	switch {
	case len(o.models) == 0 && len(o.uci) == 0 && o.depth == 0 && !o.random:
		return usagef("nobody to solve: want --model, --uci, --depth or --random")
	case len(o.search) > 0 && (len(o.models) == 0 || o.visits == 0):
		return usagef("--search: want a --model that searches")
	case o.failed && o.format != "text":
		return usagef("--failed: want --format text")
	}
	_, _, err := o.searchConfig()
	return err
}

// searchConfig is the search of models, and what its name tells of it.
func (o *puzzleOptions) searchConfig() (cfg search.Config, name string, err error) {
	cfg = uci.SearchConfig(1) // many puzzles at once make the batches
	cfg.Visits, name = o.visits, english.Plural(o.visits, "visit", "")
	for _, key := range slices.Sorted(maps.Keys(o.search)) {
		if err := cfg.Set(key, o.search[key]); err != nil {
			return cfg, "", usagef("--search %s: %w", key, err)
		}
		name += fmt.Sprintf(", %s %s", key, o.search[key])
	}
	return cfg, name, nil
}

// puzzleScore is how a player did in a set.
type puzzleScore struct {
	Player string `json:"player"`
	Set    string `json:"set"`
	Solved int    `json:"solved"`
	Of     int    `json:"puzzles"`
}

func (o *puzzleOptions) run(cmd *cobra.Command, sets []*puzzle.Set) error {
	variant, err := onlyVariant(sets)
	if err != nil {
		return err
	}
	players, end, err := o.players(cmd.Context(), variant)
	defer end()
	if err != nil {
		return err
	}
	var scores []puzzleScore
	for _, p := range players {
		for _, s := range sets {
			bar := newBar(os.Stderr, p.Name()+", "+s.Name(), "puzzles")
			answers, err := puzzle.Solve(cmd.Context(), s.Puzzles, p, o.seed, func(done int) { bar.Set(done, len(s.Puzzles), "") })
			bar.End()
			if err != nil {
				return err
			}
			scores = append(scores, puzzleScore{p.Name(), s.Name(), puzzle.Solved(answers), len(answers)})
			if o.failed {
				writeFailed(cmd.OutOrStdout(), p.Name(), s, answers)
			}
		}
	}
	switch o.format {
	case "json":
		return writeJSON(cmd.OutOrStdout(), scores)
	case "csv":
		return writeScoresCSV(cmd.OutOrStdout(), scores)
	}
	return writeScores(cmd.OutOrStdout(), scores, len(sets))
}

// onlyVariant is the variant of all puzzles.
func onlyVariant(sets []*puzzle.Set) (chess.Variant, error) {
	first := &sets[0].Puzzles[0]
	for _, s := range sets {
		for i := range s.Puzzles {
			p := &s.Puzzles[i]
			if p.Position.Variant() != first.Position.Variant() {
				return 0, usagef("%s:%d: the puzzle is of %s, and %s:%d of %s: want one variant at a time",
					s.File, p.Line, p.Position.Variant(), sets[0].File, first.Line, first.Position.Variant())
			}
		}
	}
	return first.Position.Variant(), nil
}

// players are those that the flags ask for. end closes them, and is never nil.
func (o *puzzleOptions) players(ctx context.Context, v chess.Variant) (players []match.Player, end func(), err error) {
	var ends []func()
	end = func() {
		for _, f := range slices.Backward(ends) {
			f()
		}
	}
	if o.random {
		players = append(players, match.NewRandom("random"))
	}
	if o.depth > 0 {
		p, err := match.NewAlphaBeta(fmt.Sprintf("material alpha-beta depth %d", o.depth), o.depth, &match.Material{})
		if err != nil {
			return nil, end, err
		}
		players = append(players, p)
	}
	for _, name := range o.models {
		file, err := store.FindModel(o.results, name)
		if err != nil {
			return nil, end, err
		}
		h := o.hardware
		h.Batch = puzzle.AtOnce
		mind, err := uci.Load(file, h)
		if err != nil {
			return nil, end, err
		}
		ends = append(ends, mind.Close)
		if mind.Variants[0] != v {
			return nil, end, usagef("--model %s: it plays %s, and the puzzles are of %s", name, mind.Variants[0], v)
		}
		add := func(name string, cfg search.Config) error {
			p, err := match.NewMCTS(name, cfg, math.Inf(1), match.Limit{}, mind.Eval)
			players = append(players, p)
			return err
		}
		if mind.Policy.Size() > 0 {
			if err := add(name+", network alone", search.Config{}); err != nil {
				return nil, end, err
			}
		}
		if o.visits > 0 {
			cfg, title, err := o.searchConfig()
			if err != nil {
				return nil, end, err
			}
			if err := add(name+", "+title, cfg); err != nil {
				return nil, end, err
			}
		}
	}
	for _, name := range o.uci {
		c, err := engineCommand(ctx, name, v)
		if err != nil {
			return nil, end, err
		}
		p, err := match.NewUCI(ctx, fmt.Sprintf("%s, %s", name, english.Plural(int(o.nodes), "node", "")), match.UCI{Command: c, Variant: v, Limit: uci.Limit{Nodes: o.nodes}})
		if err != nil {
			return nil, end, err
		}
		ends = append(ends, func() { _ = p.Close() }) // what an engine has left to say means nothing
		players = append(players, p)
	}
	return players, end, nil
}

// writeFailed lists puzzles that were not solved.
func writeFailed(w io.Writer, player string, s *puzzle.Set, answers []puzzle.Answer) {
	for i, a := range answers {
		if a.Solved {
			continue
		}
		p := &s.Puzzles[i]
		played := "none"
		if a.Err != nil {
			played = a.Err.Error()
		} else if a.Move != 0 {
			played = p.Position.SAN(a.Move)
		}
		fmt.Fprintf(w, "%s:%d: %s plays %s: %s\n", s.File, p.Line, player, played, p.String())
	}
}

// writeScores writes a line a player, a column a set.
func writeScores(w io.Writer, scores []puzzleScore, sets int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := "player"
	for _, s := range scores[:sets] {
		line += "\t" + s.Set
	}
	fmt.Fprintln(t, line)
	for row := range slices.Chunk(scores, sets) {
		line = row[0].Player
		for _, s := range row {
			line += fmt.Sprintf("\t%d/%d (%.1f %%)", s.Solved, s.Of, 100*float64(s.Solved)/float64(s.Of))
		}
		fmt.Fprintln(t, line)
	}
	return t.Flush()
}

func writeScoresCSV(w io.Writer, scores []puzzleScore) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"player", "set", "solved", "puzzles"}) // its error is kept for Error
	for _, s := range scores {
		_ = out.Write([]string{s.Player, s.Set, strconv.Itoa(s.Solved), strconv.Itoa(s.Of)})
	}
	out.Flush()
	return out.Error()
}
