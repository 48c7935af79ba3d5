package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/match"
)

func matchCommand() *cobra.Command {
	var (
		games  gameFlags
		cfg    match.Config
		sprt   string
		elo    string
		format string
	)
	cmd := &cobra.Command{
		Use:   "match PLAYER PLAYER",
		Short: "Play two players against each other: which is stronger, and is that sure?",
		Long: `match plays games of two players and prints the score, Elo with its error, normalized
Elo, and the likelihood that the first player is stronger. Games come in pairs with the same
opening and swapped colors. With --sprt the match ends as soon as the games decide the test.
A player is a word with settings:

` + match.Usage + `

` + aboutModels + `

With --pgn FILE the games are kept, with the players' evaluations as [%eval]. Until the
match ends they are in FILE.journal. An interrupted match continues from there, and a
finished one with more --games. Other load on the machine does not change the games, unless
a player is limited by time (movetime, level). Such a player plays differently each time,
and weaker if several games share the machine. An engine that crashes is started again and
gets the same position; at the third crash there it loses the game. One that hangs, writes
nonsense or plays an illegal move loses at once. A log beside FILE has the last 200 lines
exchanged with it.

Two UCI engines with limits of nodes and random first moves make games to learn from.`,
		Example: `  alamos match quickstart/2@8 quickstart/2@2 --games 200 --visits 100
  alamos match quickstart/2@last fairy-stockfish,level=2 --games 40 --pgn level2.pgn
  alamos match new.safetensors old.safetensors --games 20000 --sprt 0,5 --pgn sprt.pgn
  alamos match material:2 random --variant horde
  alamos match stockfish,nodes=200 stockfish,nodes=200 --games 1000 --random-plies 8 --pgn data.pgn`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if cfg.SPRT, err = sprtFlags(sprt, elo); err != nil {
				return err
			}
			if cfg.SPRT == nil && cmd.Flags().Changed("elo-model") {
				return usagef("--elo-model: want --sprt, the test that it is for")
			}
			defer games.with.opener.Close()
			players, err := games.open(args)
			if err != nil {
				return err
			}
			cfg.Tournament, cfg.Players = games.tournament, [2]*match.Opened(players)
			show := &matchConsole{soloBar: newBar(os.Stderr, "match", "games"), total: games.tournament.Rounds}
			cfg.Watch = show
			s, err := match.Run(cmd.Context(), cfg)
			show.End()
			switch {
			case err != nil && cmd.Context().Err() != nil && cfg.File != "":
				return errors.Join(errResumable, err)
			case err != nil:
				return err
			case format == "json":
				return writeJSON(cmd.OutOrStdout(), s)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(s.Table(), "\n"))
			return err
		},
	}
	f := cmd.Flags()
	numberFlag(cmd, &games.tournament.Rounds, "games", 100, atLeast(1), "games; with --sprt at most")
	f.StringVar(&sprt, "sprt", "", "play until it is clear which of two differences is true, as `ELO0,ELO1[,ALPHA,BETA]` (ALPHA and BETA: 0.05)")
	choiceFlag(cmd, &elo, "elo-model", match.Normalized, []string{match.Logistic, match.Normalized}, "Elo of --sprt")
	f.StringVar(&cfg.File, "pgn", "", "`file` for the games; an interrupted match continues from it")
	choiceFlag(cmd, &format, "format", "text", []string{"text", "json"}, "format of the result")
	games.flags(cmd)
	return cmd
}

// gameFlags are the flags of match and tune that say which games are played, and where
// their networks are.
type gameFlags struct {
	with       players
	tournament match.Tournament
	variant    *chess.Variant
	book       string
	plies      int // of a game of the book
	visits     int
	random     int
	resign     string
	draw       string
}

func (g *gameFlags) flags(cmd *cobra.Command) {
	f, t := cmd.Flags(), &g.tournament
	variantFlag(cmd, &g.variant, "the game (default: that of the networks, else chess)")
	f.StringArrayVar(&t.Start, "start", nil, "start position of games: chess960 or a `FEN`; of several, each game draws one")
	f.StringVar(&g.book, "openings", "", "`file` of openings: games in PGN, or positions in EPD or FEN")
	numberFlag(cmd, &g.plies, "opening-plies", 0, atLeast(0), "plies of a game of --openings that are played; 0: all")
	numberFlag(cmd, &g.random, "random-plies", -1, atLeast(-1), fmt.Sprintf("random moves at the start of each game (default: %d, with --openings 0)", defaultPlies))
	cmd.Flag("random-plies").DefValue = ""
	f.Uint64Var(&t.Seed, "seed", 1, "seed of openings and random choices")
	numberFlag(cmd, &g.visits, "visits", 800, between(1, 10_000_000), "visits of a network's search that has no limit of its own")
	numberFlag(cmd, &t.MaxMoves, "max-moves", 0, atLeast(0), "a game of this many moves is a draw; 0: no limit")
	f.StringVar(&g.resign, "resign", "", "resignation, as `SCORE,MOVES`: a game is lost when both players see a score of SCORE or less for MOVES moves, as in -0.9,3")
	f.StringVar(&g.draw, "draw", "", "draw, as `SCORE,MOVES,FROM`: a game is drawn when both players see a score within SCORE of 0 for MOVES moves, from move FROM on, as in 0.02,8,40")
	numberFlag(cmd, &t.Workers, "concurrency", 0, atLeast(0), "games at once (default: one a core; 32 with networks, unless a movetime limits one)")
	g.with.networkFlags(cmd)
	cmd.ValidArgsFunction = completeModels(&g.with.results)
}

// open opens the players and completes the tournament, except for its number of games.
func (g *gameFlags) open(words []string) (players []*match.Opened, err error) {
	specs, err := parsePlayers(words)
	if err != nil {
		return nil, err
	}
	match.LimitVisits(specs, g.visits)
	t := &g.tournament
	if g.book != "" && len(t.Start) > 0 {
		return nil, usagef("--openings and --start: want one of the two")
	}
	if g.book == "" && g.plies > 0 {
		return nil, usagef("--opening-plies: want --openings, a file of games")
	}
	if t.RandomPlies = g.random; g.random < 0 {
		if t.RandomPlies = 0; g.book == "" {
			t.RandomPlies = defaultPlies
		}
	}
	if err := judgeFlags(&t.Judge, g.resign, g.draw); err != nil {
		return nil, err
	}
	switch {
	case t.Workers != 0:
	case slices.ContainsFunc(specs, func(s *match.Spec) bool { return s.Network() != "" }) && !slices.ContainsFunc(specs, (*match.Spec).Timed):
		t.Workers = 32 // positions of many games cost a network little more than one; but trees with a time are searched one after another
	default:
		t.Workers = runtime.GOMAXPROCS(0)
	}
	g.with.opener.Hardware.Together = t.Workers
	if players, t.Variant, err = g.with.opener.OpenAll(specs, g.variant); err != nil {
		return nil, err
	}
	if g.book == "" {
		return players, nil
	}
	f, err := disk.Open(g.book)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t.Book, err = match.ReadBook(f, g.book, t.Variant, g.plies)
	return players, err
}

// defaultPlies is the number of random moves that makes the games of deterministic players differ.
const defaultPlies = 4

// numbersOf parses the numbers of a flag, two to most.
func numbersOf(flag, value string, most int) ([]float64, error) {
	words := strings.Split(value, ",")
	if len(words) < 2 || len(words) > most {
		want := "2"
		if most > 2 {
			want = fmt.Sprintf("2 to %d", most)
		}
		return nil, usagef("--%s: want %s numbers with commas between them, have %q", flag, want, value)
	}
	var list []float64
	for _, w := range words {
		x, err := strconv.ParseFloat(strings.TrimSpace(w), 64)
		if err != nil {
			return nil, usagef("--%s: %q is not a number", flag, w)
		}
		list = append(list, x)
	}
	return list, nil
}

// wholeNumbers returns an error if a number of moves is a fraction.
func wholeNumbers(flag string, numbers []float64) error {
	for _, x := range numbers {
		if x != math.Trunc(x) {
			return usagef("--%s: want a whole number of moves, not %v", flag, x)
		}
	}
	return nil
}

// judgeFlags parses the flags of adjudication.
func judgeFlags(j *match.Judge, resign, draw string) error {
	if resign != "" {
		x, err := numbersOf("resign", resign, 2)
		if err != nil {
			return err
		}
		if err := wholeNumbers("resign", x[1:]); err != nil {
			return err
		}
		j.Resign.Score, j.Resign.Moves = x[0], int(x[1])
		if x[0] == 0 {
			return usagef("--resign: want a score below 0, as -0.9,3")
		}
	}
	if draw != "" {
		x, err := numbersOf("draw", draw, 3)
		if err != nil {
			return err
		}
		if err := wholeNumbers("draw", x[1:]); err != nil {
			return err
		}
		j.Draw.Score, j.Draw.Moves = x[0], int(x[1])
		if len(x) == 3 {
			j.Draw.From = int(x[2])
		}
		if j.Draw.Moves < 1 {
			return usagef("--draw: want 1 move or more, as 0.02,8,40")
		}
	}
	if err := j.Validate(); err != nil {
		return usageError{err}
	}
	return nil
}

// sprtFlags parses a sequential test. It returns nil without one.
func sprtFlags(bounds, elo string) (*match.SPRT, error) {
	if bounds == "" {
		return nil, nil
	}
	x, err := numbersOf("sprt", bounds, 4)
	if err != nil {
		return nil, err
	}
	s := &match.SPRT{Elo0: x[0], Elo1: x[1], Model: elo, Alpha: 0.05, Beta: 0.05}
	if len(x) > 2 {
		s.Alpha, s.Beta = x[2], x[len(x)-1]
	}
	if err := s.Validate(); err != nil {
		return nil, usageError{err}
	}
	return s, nil
}

// matchConsole shows a match to a person, maybe as a part of a task.
type matchConsole struct {
	soloBar
	before int // games of the task that another match played
	total  int
}

func (c *matchConsole) Resume(games int)             { c.soloBar.Resume(c.before + games) }
func (c *matchConsole) Set(games, _ int, how string) { c.soloBar.Set(c.before+games, c.total, how) }
