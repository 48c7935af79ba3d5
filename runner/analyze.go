package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/match"
	"alamos/pkg/report"
	"alamos/pkg/search"
	"alamos/pkg/uci"
	"alamos/plots"
)

// analyzeOptions are the flags of alamos analyze.
type analyzeOptions struct {
	with         players
	variant      *chess.Variant
	fen, pgn     string
	game, ply    int
	visits       int
	seconds      float64
	most         int
	asJSON       bool
	tree, planes string
	board        string
}

func analyzeCommand() *cobra.Command {
	var o analyzeOptions
	cmd := &cobra.Command{
		Use:     "analyze [PLAYER]",
		Aliases: []string{"analyse"}, //nolint:misspell // as the British write it
		Short:   "Analyze a position with a network or an engine",
		Long: `analyze searches a position. For each move it prints the share of the visits, the
network's prior, the mean value Q for the side to move (-1 to 1; "!" is a proven result),
and the principal variation. --visits 0 evaluates the position with the network alone.
Without a PLAYER, the search knows only the rules. A PLAYER is a word with settings:

` + match.Usage + `

Alpha-beta and UCI engines give the value and line of their best moves alone. Random moves
have no analysis.

A network that predicts draws (network.value: wdl) also gives the probabilities of win,
draw and loss ("wdl" in JSON). Draws are the mean, over the visits, of the network's
probability in the positions reached, 1 or 0 where the result is known; win and loss
share the rest so that their difference is the value.

The position is the start, a --fen, or one of a --pgn: after --ply half-moves of game
--game, with the moves before it for repetitions.

Figures: --tree draws the search, --board the position with the best moves, and --planes
the network's policy, over all moves that it can express and over the legal moves.

` + aboutModels,
		Example: `  alamos analyze quickstart/2@last
  alamos analyze gen-0008.safetensors --fen '8/8/8/8/8/5k2/4q3/6K1 b - - 0 1' --visits 2000
  alamos analyze quickstart/2@8 --pgn games.pgn --game 3 --ply 20 --json
  alamos analyze quickstart/2@last --tree tree.svg --planes policy.png --board board.pdf
  alamos analyze stockfish,depth=12 --board board.svg`,
		RunE: func(cmd *cobra.Command, args []string) error {
			defer o.with.opener.Close()
			p, err := o.with.one(args)
			if err != nil {
				return err
			}
			if err := o.check(p, cmd.Flags().Changed); err != nil {
				return err
			}
			return o.run(cmd, p)
		},
	}
	f := cmd.Flags()
	o.with.flags(cmd, ", as PLAYER")
	variantFlag(cmd, &o.variant, "the rules without a network (default chess)")
	f.StringVar(&o.fen, "fen", "", "the position (default: the start)")
	f.StringVar(&o.pgn, "pgn", "", "`file` with the game of the position")
	numberFlag(cmd, &o.game, "game", 1, atLeast(1), "number of the game in the file, from 1")
	numberFlag(cmd, &o.ply, "ply", -1, atLeast(-1), "half-moves played before the position (default: all of the game)")
	cmd.Flag("ply").DefValue = ""
	numberFlag(cmd, &o.visits, "visits", 800, between(0, 100_000_000), "visits of the search; 0: the network alone, or as many as --time allows")
	numberFlag(cmd, &o.seconds, "time", 0, between(0, longestAnalysis), "time of the search, in `seconds`")
	numberFlag(cmd, &o.most, "multipv", 10, atLeast(0), "moves to print; 0: all")
	jsonFlag(cmd, &o.asJSON)
	fileFlag(cmd, &o.tree, "tree", "draw the search tree to this `file`: .svg, .png, .pdf or .dot", append(plots.Extensions[:], ".dot")...)
	fileFlag(cmd, &o.planes, "planes", "draw the policy to this `file`: .svg, .png or .pdf", plots.Extensions[:]...)
	fileFlag(cmd, &o.board, "board", "draw the position to this `file`: .svg, .png or .pdf", plots.Extensions[:]...)
	return cmd
}

const (
	longestAnalysis = 7 * 24 * 3600 // seconds
	treeMiB         = 2048          // memory, which ends a search too
)

// check finds faults between the flags and the kind of player. Without both limits the
// default is visits; --time alone has no other limit.
func (o *analyzeOptions) check(p *match.Opened, given func(flag string) bool) error {
	kind, visits := p.Kind(), given("visits")
	tree := kind == match.TreeKind
	if o.seconds > 0 && !visits || !tree && !visits {
		o.visits = 0
	}
	switch {
	case kind == match.RandomKind:
		return usagef("random moves have no analysis")
	case !tree && o.visits > 0:
		return usagef("--visits: only a tree search has visits")
	case o.fen != "" && o.pgn != "":
		return usagef("--fen and --pgn: want one position")
	case o.pgn == "" && (given("game") || given("ply")):
		return usagef("--game and --ply: want the file of the games: --pgn")
	case o.tree != "" && (!tree || o.visits == 0 && o.seconds == 0):
		return usagef("--tree: there is no search to draw: want a tree search, with --visits or --time")
	case o.planes != "" && (p.Network() == "" || !tree && kind != match.PolicyKind):
		return usagef("--planes: there is no network to draw the policy of: want MODEL or policy:MODEL")
	}
	return nil
}

func (o *analyzeOptions) run(cmd *cobra.Command, player *match.Opened) error {
	variant, err := variantOf(player, o.variant)
	if err != nil {
		return err
	}
	g, err := o.position(variant, string(player.Network()), cmd.InOrStdin())
	if err != nil {
		return err
	}
	var legal chess.MoveList
	p := *g.Position()
	p.LegalMoves(&legal)
	if end := p.Ended(&legal); end.Over() {
		return fmt.Errorf("the game is over in %s: %v", p.FEN(), end)
	}
	s, limit, err := player.Searcher(cmd.Context(), p.Variant())
	if err != nil {
		return err
	}
	defer s.Close()
	task := uci.Task{Limit: limit.Within(uci.Limit{MoveTime: time.Duration(o.seconds * float64(time.Second))}), WDL: true}
	var tree *search.Tree
	e, isTree := s.(*uci.Engine)
	if isTree {
		isAsked := cmd.Flags().Changed("visits")
		if isAsked || task.Depth == 0 && task.Nodes == 0 && limit.MoveTime == 0 {
			task.Limit = task.Limit.Within(uci.Limit{Nodes: int64(o.visits)})
		}
		if isAsked && o.visits == 0 && limit != (uci.Limit{}) {
			return usagef("--visits 0 is the network alone, and %s searches: leave out its limit", player.Name())
		}
		e.MultiPV, e.Hash, e.Overhead = 500, treeMiB, 0
		if task.Nodes > 0 { // a search of few visits is weaker the more leaves it selects before their values are known
			e.Config.Leaves = max(1, min(e.Config.Leaves, int(task.Nodes)/100))
		}
		e.PolicyOnly = e.PolicyOnly || task.Limit == uci.Limit{}
	}
	var last *uci.Report
	_, _, err = s.Think(cmd.Context(), g, task, func(r *uci.Report) { last = r })
	if err := errors.Join(err, cmd.Context().Err()); err != nil {
		return err
	}
	if last == nil {
		return fmt.Errorf("%s reports no analysis", player.Name())
	}
	name := player.Name()
	if isTree {
		tree, name = e.Tree(), player.Model.Name
	}
	r := report.Analyze(p, last, tree)
	r.Network = name
	if isTree && player.Model.Policy != nil && player.Model.Policy.Size() > 0 { // there is a network, and it has one
		if r.Policy, err = report.FullPolicy(g, player.Model.Eval, player.Model.Policy); err != nil {
			return err
		}
	}
	if err := o.draw(r); err != nil {
		return err
	}
	return writeResult(cmd.OutOrStdout(), o.asJSON, r.First(o.most), func(w io.Writer) error { return r.Text(w, o.most) })
}

// position is the game up to the position to analyze.
func (o *analyzeOptions) position(v chess.Variant, network string, stdin io.Reader) (*chess.Game, error) {
	switch {
	case o.pgn != "":
		return o.fromPGN(v, network, stdin)
	case o.fen != "":
		p, err := chess.ParseFEN(v, o.fen)
		if err != nil {
			return nil, usagef("--fen: %w", err)
		}
		return chess.NewGame(p), nil
	}
	return chess.NewGame(chess.StartPosition(v)), nil
}

func (o *analyzeOptions) fromPGN(v chess.Variant, network string, stdin io.Reader) (*chess.Game, error) {
	in, end, err := openPGN(o.pgn, stdin)
	if err != nil {
		return nil, err
	}
	defer end()
	r := chess.NewPGNReader(in)
	if o.variant != nil {
		r.SetVariant(v)
	}
	var game *chess.PGN
	for n := 0; n < o.game; n++ {
		next, err := r.Next()
		switch {
		case err == io.EOF:
			return nil, fmt.Errorf("%s has %s, no game %d", o.pgn, english.Plural(n, "game", ""), o.game)
		case errors.As(err, new(*chess.PGNError)) && n+1 < o.game: // the fault of another game
			continue
		case err != nil:
			return nil, fmt.Errorf("%s: %w", o.pgn, err)
		}
		game = next
	}
	if network != "" && game.Variant != v {
		return nil, fmt.Errorf("%s: game %d is of %s: the network of %s plays %s", o.pgn, o.game, game.Variant, network, v)
	}
	plies := o.ply
	if plies < 0 {
		plies = len(game.Moves)
	}
	if plies > len(game.Moves) {
		return nil, fmt.Errorf("%s: game %d has %d plies, no ply %d", o.pgn, o.game, len(game.Moves), plies)
	}
	g := chess.NewGame(game.Start)
	for _, m := range game.Moves[:plies] {
		g.Play(m)
	}
	return g, nil
}

// draw writes the figures that the flags name.
func (o *analyzeOptions) draw(r *report.Analysis) error {
	a := &r.PositionResult
	if o.tree != "" {
		if err := drawTo(o.tree, report.TreeChart(a, plots.Frame{Title: "Search of " + english.Plural(r.Visits, "visit", "")})); err != nil {
			return err
		}
	}
	if o.board != "" {
		most := report.MostArrows
		if o.most > 0 {
			most = min(most, o.most)
		}
		if err := drawTo(o.board, report.BoardChart(a, plots.Frame{}, most)); err != nil {
			return err
		}
	}
	switch {
	case o.planes == "":
		return nil
	case r.Policy == nil:
		return fmt.Errorf("--planes: the network %s has no policy", r.Network)
	}
	frame := plots.Frame{Title: "Policy before and after the mask of legal moves", Note: fmt.Sprintf("legal moves have %.1f %% of the probability of %s", 100*r.Policy.Legal, r.Network)}
	return drawTo(o.planes, report.PlanesChart(r.Policy, a, frame))
}

// drawTo writes a chart to a file in the format that its name says.
func drawTo(file string, c plots.Chart) error {
	f, err := c.Figure()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	b, err := f.Render(filepath.Ext(file))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return disk.WriteBytes(file, b)
}
