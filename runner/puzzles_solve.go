package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/match"
	"alamos/pkg/report"

	"alamos/pkg/puzzle"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// puzzleOptions are the flags of alamos puzzles solve.
type puzzleOptions struct {
	variant *chess.Variant
	words   []string // of players
	with    players
	visits  int
	search  map[string]string
	uci     []string
	nodes   int64
	depth   int
	random  bool
	seed    uint64
	format  string
	failed  bool
}

var puzzleFormats = []string{"text", "json", "csv"}

func puzzlesSolveCommand() *cobra.Command {
	var o puzzleOptions
	cmd := &cobra.Command{
		Use:   "solve FILE...",
		Short: "Let networks and engines solve puzzles",
		Long: `solve lets players choose a move in each puzzle and counts the right ones. A --model plays
twice: with its network alone, if it has a policy, and with a search of --visits that uses
the settings of "alamos analyze" unless --search changes them. These settings prove forced
wins and find mates in one by the rules. --search solver=false leaves mates to the network.
Other players are --uci, an engine with --nodes per move, --depth, alpha-beta on material,
and --random, whose score shows how hard the puzzles are.

The players must know the variant of the puzzles. --failed lists the puzzles that each
player does not solve.

` + aboutModels,
		Example: `  alamos puzzles solve experiments/puzzles/mate-in-*.epd --random --depth 3
  alamos puzzles solve experiments/puzzles/atomic-mate-in-2.epd --model atomic-best/1@last --visits 800
  alamos puzzles solve experiments/puzzles/mate-in-2.epd --model chesssl@last --search solver=false,leaves=32,c_puct=1.1
  alamos puzzles solve tactics.epd --uci stockfish --nodes 10000 --format csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			specs, err := o.specs()
			if err != nil {
				return err
			}
			sets, err := loadPuzzles(files, o.variant)
			if err != nil {
				return err
			}
			return o.run(cmd, sets, specs)
		},
	}
	f := cmd.Flags()
	variantFlag(cmd, &o.variant, "the variant of lines that do not name one (default chess)")
	f.StringArrayVar(&o.words, "player", nil, "a `player` in the words of alamos match; several may be given")
	o.with.modelFlags(cmd, "; several may be given")
	numberFlag(cmd, &o.visits, "visits", usualVisits, between(0, 1_000_000), "of the search; 0: the network alone")
	f.StringToStringVar(&o.search, "search", nil, "settings of the search, as `SETTING=VALUE`: "+strings.Join(search.Settable(), ", "))
	f.StringArrayVar(&o.uci, "uci", nil, "an engine: stockfish, fairy-stockfish or a `program`; several may be given")
	numberFlag(cmd, &o.nodes, "nodes", usualNodes, atLeast(1), "nodes of each engine for a move")
	numberFlag(cmd, &o.depth, "depth", 0, between(0, deepestPuzzle), "plies of alpha-beta on material; 0: none")
	f.BoolVar(&o.random, "random", false, "play random moves")
	f.Uint64Var(&o.seed, "seed", 1, "seed of random moves")
	choiceFlag(cmd, &o.format, "format", "text", puzzleFormats, "output format")
	f.BoolVar(&o.failed, "failed", false, "list unsolved puzzles before the table")
	return cmd
}

const (
	deepestPuzzle = 8 // plies of alpha-beta
	usualNodes    = 10_000
	usualVisits   = 800
)

// specs lists the players that the flags name. It returns an error for flags that contradict
// each other.
func (o *puzzleOptions) specs() (specs []*match.Spec, err error) {
	switch {
	case len(o.words) == 0 && len(o.with.models) == 0 && len(o.uci) == 0 && o.depth == 0 && !o.random:
		return nil, usagef("no player: want --player, --model, --uci, --depth or --random")
	case len(o.search) > 0 && (len(o.with.models) == 0 || o.visits == 0):
		return nil, usagef("--search: want a --model that searches")
	case o.visits != usualVisits && len(o.with.models) == 0 && len(o.words) == 0:
		return nil, usagef("--visits: want a --model or a --player that searches")
	case o.nodes != usualNodes && len(o.uci) == 0:
		return nil, usagef("--nodes: want an engine, --uci")
	case o.failed && o.format != "text":
		return nil, usagef("--failed: want --format text")
	}
	if specs, err = parsePlayers(o.words); err != nil {
		return nil, err
	}
	match.LimitVisits(specs, max(1, o.visits))
	if o.random {
		specs = append(specs, &match.Spec{Player: match.Random})
	}
	if o.depth > 0 {
		specs = append(specs, &match.Spec{Material: o.depth})
	}
	var settings []uci.Setting
	for _, key := range slices.Sorted(maps.Keys(o.search)) {
		if err := new(search.Config).Set(key, o.search[key]); err != nil {
			return nil, usagef("--search %s: %w", key, err)
		}
		settings = append(settings, uci.Setting{Name: key, Value: o.search[key]})
	}
	for _, name := range o.with.models {
		specs = append(specs, &match.Spec{Policy: match.Checkpoint(name)})
		if o.visits > 0 {
			searching := &match.Spec{Model: match.Checkpoint(name), Visits: o.visits, Search: settings}
			if err := searching.Check(); err != nil {
				return nil, usagef("--search: %w", err)
			}
			specs = append(specs, searching)
		}
	}
	for _, name := range o.uci {
		specs = append(specs, &match.Spec{UCI: name, Nodes: int(o.nodes)})
	}
	return specs, nil
}

// puzzleScore is the result of a player in a set.
type puzzleScore struct {
	Player string `json:"player"`
	Set    string `json:"set"`
	Solved int    `json:"solved"`
	Of     int    `json:"puzzles"`
}

func (o *puzzleOptions) run(cmd *cobra.Command, sets []*puzzle.Set, specs []*match.Spec) error {
	variant, err := onlyVariant(sets)
	if err != nil {
		return err
	}
	players, err := o.players(cmd.Context(), specs, variant)
	defer func() {
		for _, p := range players {
			p.Close()
		}
		o.with.opener.Close()
	}()
	if err != nil {
		return err
	}
	var scores []puzzleScore
	for _, p := range players {
		for _, s := range sets {
			bar := newBar(os.Stderr, p.Name()+", "+s.Name(), "puzzles")
			answers, err := puzzle.Solve(cmd.Context(), s.Puzzles, p.atOnce, p.Player, o.seed, func(done int) { bar.Set(done, len(s.Puzzles), "") })
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

// solver is a player that solves so many puzzles at once.
type solver struct {
	match.Player
	atOnce int
}

// players makes players. After an error it returns those that it has made.
func (o *puzzleOptions) players(ctx context.Context, specs []*match.Spec, v chess.Variant) (players []solver, err error) {
	o.with.opener.Hardware.Together = puzzle.AtOnce
	var opened []*match.Opened
	var noPolicy error
	for _, s := range specs {
		p, err := o.with.opener.Open(s)
		switch {
		case errors.Is(err, match.ErrNoPolicy) && slices.Contains(o.with.models, string(s.Policy)): // --model plays with its search alone
			noPolicy = err
			continue
		case err != nil:
			return nil, err
		case !p.Plays(v):
			return nil, fmt.Errorf("%s plays %s, want %s", s.Network(), p.Variants()[0], v)
		}
		opened = append(opened, p)
	}
	if len(opened) == 0 {
		return nil, noPolicy
	}
	entries, err := match.Entries(ctx, opened, v, false, 1)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		p, err := e.New()
		if err != nil {
			return players, err
		}
		s := solver{p, puzzle.AtOnce}
		if opened[i].Timed() {
			s.atOnce = 1
		}
		players = append(players, s)
	}
	return players, nil
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

// writeScores writes one line for each player and one column for each set.
func writeScores(w io.Writer, scores []puzzleScore, sets int) error {
	table := report.Table{Columns: []report.Column{{Name: "player"}}}
	for _, s := range scores[:sets] {
		table.Columns = append(table.Columns, report.Column{Name: s.Set})
	}
	for row := range slices.Chunk(scores, sets) {
		line := report.Row(row[0].Player)
		for _, s := range row {
			line = append(line, report.Row(fmt.Sprintf("%d/%d (%.1f %%)", s.Solved, s.Of, 100*float64(s.Solved)/float64(s.Of)))...)
		}
		table.Rows = append(table.Rows, line)
	}
	return report.WriteText(w, false, table)
}

func writeScoresCSV(w io.Writer, scores []puzzleScore) error {
	rows := [][]string{{"player", "set", "solved", "puzzles"}}
	for _, s := range scores {
		rows = append(rows, []string{s.Player, s.Set, strconv.Itoa(s.Solved), strconv.Itoa(s.Of)})
	}
	return csv.NewWriter(w).WriteAll(rows)
}
