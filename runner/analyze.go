package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/report"
	"alamos/pkg/store"
	"alamos/pkg/uci"
	"alamos/plots"
)

// analyzeOptions are the flags of alamos analyze.
type analyzeOptions struct {
	model, results string
	variant        *chess.Variant
	fen, pgn       string
	game, ply      int
	visits         int
	seconds        float64
	most           int
	asJSON         bool
	tree, planes   string
	board          string
	hardware       uci.Hardware
}

func analyzeCommand() *cobra.Command {
	var o analyzeOptions
	cmd := &cobra.Command{
		Use:     "analyze",
		Aliases: []string{"analyse"}, //nolint:misspell // as the British write it
		Short:   "Analyze a position with a network and a search",
		Long: `analyze searches a position with a network. For each move it prints the share of the
visits, the network's prior, the mean value Q for the side to move (-1 to 1; "!" is a
proven result), and the principal variation. --visits 0 evaluates the position with the
network alone. Without a network, the search knows only the rules.

A network that predicts draws (network.value: wdl) also gives the probabilities of win,
draw and loss ("wdl" in JSON). Draws are the mean, over the visits, of the network's
probability in the positions reached, 1 or 0 where the result is known; win and loss
share the rest so that their difference is the value.

The position is the start, a --fen, or one of a --pgn: after --ply half-moves of game
--game, with the moves before it for repetitions.

Figures: --tree draws the search, --board the position with the best moves, and --planes
the network's policy, over all moves that it can express and over the legal moves.

` + aboutModels,
		Example: `  alamos analyze --model quickstart/2@last
  alamos analyze --model gen-0008.safetensors --fen '8/8/8/8/8/5k2/4q3/6K1 b - - 0 1' --visits 2000
  alamos analyze --model quickstart/2@8 --pgn games.pgn --game 3 --ply 20 --json
  alamos analyze --model quickstart/2@last --tree tree.svg --planes policy.png --board board.pdf`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			// Without both limits the default is visits; --time alone has no other limit.
			if o.seconds > 0 && !cmd.Flags().Changed("visits") {
				o.visits = 0
			}
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.model, "model", "", "checkpoint `file` or RUN@GENERATION (default: no network)")
	modelFlag(cmd, "model", &o.results)
	variantFlag(cmd, &o.variant, "the rules without a network (default chess)")
	f.StringVar(&o.fen, "fen", "", "the position (default: the start)")
	f.StringVar(&o.pgn, "pgn", "", "`file` with the game of the position")
	numberFlag(cmd, &o.game, "game", 1, atLeast(1), "number of the game in the file, from 1")
	numberFlag(cmd, &o.ply, "ply", -1, atLeast(-1), "half-moves played before the position (default: all of the game)")
	numberFlag(cmd, &o.visits, "visits", 800, between(0, 100_000_000), "visits of the search; 0: the network alone, or as many as --time allows")
	numberFlag(cmd, &o.seconds, "time", 0, between(0, longestAnalysis), "time of the search, in `seconds`")
	numberFlag(cmd, &o.most, "multipv", 10, atLeast(0), "moves to print; 0: all")
	jsonFlag(cmd, &o.asJSON)
	f.StringVar(&o.tree, "tree", "", "draw the search tree to this `file`: .svg, .png, .pdf or .dot")
	f.StringVar(&o.planes, "planes", "", "draw the policy to this `file`: .svg, .png or .pdf")
	f.StringVar(&o.board, "board", "", "draw the position to this `file`: .svg, .png or .pdf")
	threadsFlag(cmd, &o.hardware.Threads)
	deviceFlags(cmd, &o.hardware.Device, &o.hardware.Precision)
	return cmd
}

const (
	longestAnalysis = 7 * 24 * 3600 // seconds
	treeMiB         = 2048          // memory, which ends a search too
)

// check finds faults between the flags.
func (o *analyzeOptions) check() error {
	switch {
	case o.fen != "" && o.pgn != "":
		return usagef("--fen and --pgn: want one position")
	case o.tree != "" && o.visits == 0 && o.seconds == 0:
		return usagef("--tree: there is no search to draw: want --visits or --time")
	case o.planes != "" && o.model == "":
		return usagef("--planes: there is no network to draw the policy of: want --model")
	}
	for flag, file := range map[string]string{"tree": o.tree, "planes": o.planes, "board": o.board} {
		formats := slices.Clone(plots.Extensions[:])
		if flag == "tree" {
			formats = append(formats, ".dot")
		}
		if file != "" && !slices.Contains(formats, filepath.Ext(file)) {
			return usagef("--%s: %s: want a file that ends in %s", flag, file, strings.Join(formats, ", "))
		}
	}
	return nil
}

func (o *analyzeOptions) run(cmd *cobra.Command) error {
	variant := orChess(o.variant)
	mind := uci.Blank(variant)
	if o.model != "" {
		file, err := store.FindModel(o.results, o.model)
		if err != nil {
			return err
		}
		if mind, err = uci.Load(file, o.hardware); err != nil {
			return err
		}
		defer mind.Close()
		if o.variant != nil && variant != mind.Variants[0] {
			return usagef("--variant %s: the network of %s plays %s", variant, o.model, mind.Variants[0])
		}
		variant = mind.Variants[0]
	}
	g, err := o.position(variant, cmd.InOrStdin())
	if err != nil {
		return err
	}
	var legal chess.MoveList
	p := *g.Position()
	p.LegalMoves(&legal)
	if end := p.Ended(&legal); end.Over() {
		return fmt.Errorf("the game is over in %s: %v", p.FEN(), end)
	}
	e := uci.New(mind)
	e.MultiPV = 500
	e.Config.Leaves, e.Hash, e.Overhead = o.leaves(mind.Batch), treeMiB, 0
	var task uci.Task
	task.Nodes, task.MoveTime = int64(o.visits), time.Duration(o.seconds*float64(time.Second))
	e.PolicyOnly = o.visits == 0 && o.seconds == 0
	var last *uci.Report
	if _, _, err := e.Think(cmd.Context(), g, task, func(r *uci.Report) { last = r }); errors.Join(err, cmd.Context().Err()) != nil {
		return errors.Join(err, cmd.Context().Err())
	}
	r := report.Analyze(p, last, e.Tree())
	r.Network = mind.Name
	if mind.Policy != nil {
		if r.Policy, err = report.FullPolicy(g, mind.Eval, mind.Policy); err != nil {
			return err
		}
	}
	if err := o.draw(r); err != nil {
		return err
	}
	if o.asJSON {
		return r.JSON(cmd.OutOrStdout(), o.most)
	}
	return r.Text(cmd.OutOrStdout(), o.most)
}

// leaves is the number of positions evaluated at once. A search of few visits is weaker
// the more leaves it selects before their values are known.
func (o *analyzeOptions) leaves(fastest int) int {
	if o.visits == 0 {
		return fastest
	}
	return max(1, min(fastest, o.visits/100))
}

// position is the game up to the position to analyze.
func (o *analyzeOptions) position(v chess.Variant, stdin io.Reader) (*chess.Game, error) {
	switch {
	case o.pgn != "":
		return o.fromPGN(v, stdin)
	case o.fen != "":
		p, err := chess.ParseFEN(v, o.fen)
		if err != nil {
			return nil, usagef("--fen: %w", err)
		}
		return chess.NewGame(p), nil
	}
	return chess.NewGame(chess.StartPosition(v)), nil
}

func (o *analyzeOptions) fromPGN(v chess.Variant, stdin io.Reader) (*chess.Game, error) {
	in, err := openPGN(o.pgn, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r := chess.NewPGNReader(in)
	if o.variant != nil {
		r.SetVariant(v)
	}
	var game *chess.PGN
	for n := 0; n < o.game; n++ {
		next, err := r.Next()
		var bad *chess.PGNError
		switch {
		case err == io.EOF:
			return nil, fmt.Errorf("%s has %s, no game %d", o.pgn, english.Plural(n, "game", ""), o.game)
		case errors.As(err, &bad) && n+1 < o.game: // the fault of another game
			continue
		case err != nil:
			return nil, fmt.Errorf("%s: %w", o.pgn, err)
		}
		game = next
	}
	if o.model != "" && game.Variant != v {
		return nil, fmt.Errorf("%s: game %d is of %s: the network of %s plays %s", o.pgn, o.game, game.Variant, o.model, v)
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
	a := &r.Answer
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
	if o.planes == "" {
		return nil
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
	var b []byte
	switch filepath.Ext(file) {
	case ".svg":
		b, err = f.SVG()
	case ".png":
		b, err = f.PNG()
	case ".pdf":
		b, err = f.PDF()
	case ".dot":
		if d, ok := c.(interface{ DOT() ([]byte, error) }); ok {
			b, err = d.DOT()
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return disk.WriteBytes(file, b)
}
