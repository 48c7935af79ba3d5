package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/hook"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
	"alamos/pkg/store"
)

// games reads the games of generation g.
func (t *Trial) games(g int) ([]*chess.PGN, error) {
	f, err := os.Open(t.Results.Path(store.GamesFile(g)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []*chess.PGN
	for r := chess.NewPGNReader(f); ; {
		p, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		all = append(all, p)
	}
}

// hookGames returns the games of generation g in the form that scripts receive.
func (t *Trial) hookGames(g int) (hook.Generation, error) {
	out := hook.Generation{Number: g, Variant: t.Setup.Variant.String()}
	games, err := t.games(g)
	if err != nil {
		return out, err
	}
	for i, p := range games {
		out.Games = append(out.Games, hook.Game{
			Number: i, Variant: out.Variant, Start: p.Start.FEN(), Moves: uciMoves(p.Start, p.Moves),
			Result: p.Result.String(), Reason: p.Tag("Termination"),
		})
	}
	return out, nil
}

// judgeSelfPlay returns a function that adjudicates self-play games by a script. It passes
// one game per call, so that the result does not depend on other games in progress.
func judgeSelfPlay(ctx context.Context, v chess.Variant, s *hook.Session) func(*selfplay.Record) (chess.Result, error) {
	return func(r *selfplay.Record) (chess.Result, error) {
		start, err := chess.ParseFEN(v, r.Start)
		if err != nil {
			return chess.Unfinished, err
		}
		g := hook.Game{Number: r.Number, Variant: v.String(), Start: r.Start, Moves: uciMoves(start, r.Moves)}
		g.Scores = scored(len(r.Moves), start.Turn() == chess.White, func(i int) (float64, bool) {
			return float64(r.RootValues[i]), true
		})
		results, err := s.Adjudicate(ctx, []hook.Game{g})
		if err != nil {
			return chess.Unfinished, err
		}
		return results[0], nil
	}
}

// judgeTournament returns a function that adjudicates tournament games by a script.
func judgeTournament(s *hook.Session) func(context.Context, []*match.Game) ([]chess.Result, error) {
	return func(ctx context.Context, games []*match.Game) ([]chess.Result, error) {
		all := make([]hook.Game, len(games))
		for i, r := range games {
			g := hook.Game{Number: r.Number, Variant: r.Variant.String(), Start: r.Start.FEN(), Moves: uciMoves(r.Start, r.Moves)}
			g.Scores = scored(len(r.Moves), r.Start.Turn() == chess.White, func(i int) (float64, bool) {
				if i >= len(r.Infos) || r.Infos[i].Score == nil {
					return 0, false
				}
				return *r.Infos[i].Score, true
			})
			all[i] = g
		}
		return s.Adjudicate(ctx, all)
	}
}

// uciMoves returns moves in UCI notation.
func uciMoves(at chess.Position, moves []chess.Move) []string {
	out := make([]string, len(moves))
	for i, m := range moves {
		out[i] = at.UCI(m)
		at.Play(m)
	}
	return out
}

// scored returns the scores of a game in the form that scripts receive: from White's view,
// NaN if a ply has none.
func scored(plies int, whiteFirst bool, score func(ply int) (float64, bool)) []float64 {
	out := make([]float64, plies)
	for i := range out {
		x, ok := score(i)
		switch {
		case !ok:
			x = math.NaN()
		case (i%2 == 0) != whiteFirst:
			x = -x
		}
		out[i] = x
	}
	return out
}

// scriptValuer evaluates positions by a script's Evaluate function.
type scriptValuer struct {
	session   *hook.Session
	positions []chess.Position
}

// newScriptValuer returns a valuer that uses a session. The caller closes the session.
func newScriptValuer(s *hook.Session) *scriptValuer { return &scriptValuer{session: s} }

func (v *scriptValuer) Add(g *chess.Game, _ []chess.Move) {
	v.positions = append(v.positions, *g.Position())
}

func (v *scriptValuer) Values(ctx context.Context) ([]float64, error) {
	positions := v.positions
	v.positions = v.positions[:0]
	return v.session.Evaluate(ctx, positions)
}

// scriptNetwork evaluates and searches positions for scripts with a checkpoint. It is not
// safe for concurrent use.
type scriptNetwork struct {
	variant   chess.Variant
	search    search.Config
	evaluator search.Evaluator
}

// newScriptNetwork uses a session of one of the trial's models. The caller closes the
// session.
func newScriptNetwork(t *Trial, s *nn.Session) *scriptNetwork {
	cfg := t.Settings.Search.WithoutExploration()
	return &scriptNetwork{t.Setup.Variant, cfg, search.NewEvaluator(t.Setup.Codec, s)}
}

// games returns the positions as games without history, and their legal moves.
func (n *scriptNetwork) games(positions []chess.Position) (games []*chess.Game, legal [][]chess.Move, err error) {
	for i := range positions {
		if v := positions[i].Variant(); v != n.variant {
			return nil, nil, fmt.Errorf("position %d is of %s, this network plays %s", i, v, n.variant)
		}
		var l chess.MoveList
		positions[i].LegalMoves(&l)
		games = append(games, chess.NewGame(positions[i]))
		legal = append(legal, slices.Clone(l.Slice()))
	}
	return games, legal, nil
}

func (n *scriptNetwork) Evaluate(ctx context.Context, positions []chess.Position) ([]hook.Evaluation, error) {
	games, legal, err := n.games(positions)
	if err != nil {
		return nil, err
	}
	out := make([]hook.Evaluation, len(positions))
	var leaves []*encode.Leaf
	var evaluated []int
	for i, g := range games {
		if value, over := ended(g); over {
			out[i] = hook.Evaluation{Value: value}
			continue
		}
		l := new(encode.Leaf)
		n.evaluator.Prepare(l, g, legal[i])
		leaves, evaluated = append(leaves, l), append(evaluated, i)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := n.evaluator.Evaluate(leaves); err != nil {
		return nil, err
	}
	for k, i := range evaluated {
		e := hook.Evaluation{Value: float64(leaves[k].Value), Policy: make(map[string]float64, len(legal[i]))}
		for j, m := range legal[i] {
			e.Policy[positions[i].UCI(m)] = float64(leaves[k].Priors[j])
		}
		out[i] = e
	}
	return out, nil
}

func (n *scriptNetwork) Search(ctx context.Context, positions []chess.Position, visits int) ([]hook.SearchResult, error) {
	games, _, err := n.games(positions)
	if err != nil {
		return nil, err
	}
	cfg := n.search
	cfg.Visits = visits
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	out := make([]hook.SearchResult, 0, len(positions))
	for some := range slices.Chunk(games, treesAtOnce) {
		trees := make([]*search.Tree, len(some))
		for i, g := range some {
			trees[i] = search.NewTree(cfg, 0)
			trees[i].SetRoot(g)
		}
		if err := search.Run(ctx, trees, n.evaluator); err != nil {
			return nil, err
		}
		for i, tree := range trees {
			out = append(out, searched(some[i].Position(), tree))
		}
	}
	return out, nil
}

// treesAtOnce is the number of positions searched together. It is large enough for full
// batches and bounds the memory.
const treesAtOnce = 64

// searched converts a finished search to the form that scripts receive.
func searched(p *chess.Position, tree *search.Tree) hook.SearchResult {
	r := hook.SearchResult{Value: tree.Value(), PV: uciMoves(*p, tree.PV())}
	for _, e := range tree.Root() {
		r.Moves = append(r.Moves, hook.SearchMove{Move: p.UCI(e.Move), Visits: e.Visits, Prior: e.Prior, Value: e.Q})
	}
	slices.SortStableFunc(r.Moves, func(a, b hook.SearchMove) int { return cmp.Compare(b.Visits, a.Visits) })
	return r
}

// ended returns the result of a finished game for the side to move.
func ended(g *chess.Game) (value float64, over bool) {
	var l chess.MoveList
	g.Position().LegalMoves(&l)
	o := g.Outcome(&l)
	if !o.Over() {
		return 0, false
	}
	value = float64(o.Result)
	if g.Position().Turn() == chess.Black {
		value = -value
	}
	return value, true
}
