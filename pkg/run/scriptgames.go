package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/hook"
	"alamos/pkg/match"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
	"alamos/pkg/store"
)

// games reads the self-play games of generation g.
func (t *Trial) games(g int) ([]*match.Game, error) {
	return match.AllGames(t.Results.Path(store.GamesFile(g)))
}

// scriptGeneration returns the self-play games of generation g in the form that scripts receive.
func (t *Trial) scriptGeneration(g int) (hook.Generation, error) {
	games, err := t.games(g)
	all := hook.Generation{Number: g, Variant: t.Setup.Variant.Spec()}
	for _, game := range games {
		all.Games = append(all.Games, hookGame(game))
	}
	return all, err
}

// selfplayGame returns a self-play game of generation g in the form of a tournament's games.
func (t *Trial) selfplayGame(g int, r *selfplay.Record) (*match.Game, error) {
	return store.SelfPlayGame(t.Setup.Variant, store.CheckpointName(t.Settings.PlayedBy(g)), r)
}

// hookGame returns a game in the form that scripts receive. Only running games have scores:
// from White's view, NaN if a ply has none.
func hookGame(g *match.Game) hook.Game {
	out := hook.Game{Number: g.Number, Variant: g.Variant.Spec(), Start: g.Start.FEN(), Moves: uciMoves(g.Start, g.Moves)}
	if g.Outcome.Over() {
		out.Result, out.Reason = g.Outcome.Result.String(), g.Outcome.Reason.String()
		return out
	}
	white := g.Start.Turn() == chess.White
	for i := range g.Moves {
		score := math.NaN()
		if i < len(g.Infos) && g.Infos[i].Score != nil {
			score = *g.Infos[i].Score
		}
		if (i%2 == 0) != white {
			score = -score
		}
		out.Scores = append(out.Scores, score)
	}
	return out
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

// adjudicator returns a function that adjudicates games by a script.
func adjudicator(s *hook.Session) match.Adjudicator {
	return func(ctx context.Context, games []*match.Game) ([]chess.Result, error) {
		all := make([]hook.Game, len(games))
		for i, g := range games {
			all[i] = hookGame(g)
		}
		return s.Adjudicate(ctx, all)
	}
}

// adjudicateSelfPlay returns a function that adjudicates games of generation g by a script.
// It passes one game per call, so that the result does not depend on other games in
// progress.
func (t *Trial) adjudicateSelfPlay(ctx context.Context, g int, s *hook.Session) func(*selfplay.Record) (chess.Result, error) {
	adjudicate := adjudicator(s)
	return func(r *selfplay.Record) (chess.Result, error) {
		game, err := t.selfplayGame(g, r)
		if err != nil {
			return chess.Unfinished, err
		}
		results, err := adjudicate(ctx, []*match.Game{game})
		if err != nil {
			return chess.Unfinished, err
		}
		return results[0], nil
	}
}

// scriptValuer evaluates positions by a script's Evaluate function.
type scriptValuer struct {
	session   *hook.Session
	positions []chess.Position
}

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

// scriptCheckpoint returns the checkpoint of generation g, with its network, for scripts.
func (t *Trial) scriptCheckpoint(g int, net search.Net) hook.Checkpoint {
	n := &scriptNetwork{t.Setup.Variant, t.Settings.At(g).Search.WithoutExploration(), search.NewEvaluator(t.Setup.Codec, net)}
	return hook.Checkpoint{Generation: g, Variant: n.variant, Samples: t.Results.SamplesUntil(g), Network: n}
}

// treesAtOnce is the number of positions searched together. It is large enough for full
// batches and bounds the memory.
const treesAtOnce = 64

// each searches all positions, as games without history, and calls f with each of them in
// order.
func (n *scriptNetwork) each(ctx context.Context, positions []chess.Position, cfg search.Config, f func(*chess.Position, *search.Tree)) error {
	for i := range positions {
		if v := positions[i].Variant(); v != n.variant {
			return fmt.Errorf("position %d is of %s, this network plays %s", i, v, n.variant)
		}
	}
	for some := range slices.Chunk(positions, treesAtOnce) {
		trees := make([]*search.Tree, len(some))
		for i := range some {
			trees[i] = search.NewTree(cfg, 0)
			trees[i].SetRoot(chess.NewGame(some[i]))
		}
		if err := search.Run(ctx, trees, n.evaluator); err != nil {
			return err
		}
		for i, tree := range trees {
			f(&some[i], tree)
		}
	}
	return nil
}

// Evaluate evaluates positions by the network alone.
func (n *scriptNetwork) Evaluate(ctx context.Context, positions []chess.Position) (out []hook.Evaluation, err error) {
	err = n.each(ctx, positions, search.Config{}, func(p *chess.Position, tree *search.Tree) {
		e := hook.Evaluation{Value: tree.Value()}
		for _, m := range tree.Root() {
			if e.Policy == nil {
				e.Policy = map[string]float64{}
			}
			e.Policy[p.UCI(m.Move)] = m.Prior
		}
		out = append(out, e)
	})
	return out, err
}

func (n *scriptNetwork) Search(ctx context.Context, positions []chess.Position, visits int) (out []hook.SearchResult, err error) {
	cfg := n.search
	cfg.Visits = visits
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	err = n.each(ctx, positions, cfg, func(p *chess.Position, tree *search.Tree) {
		r := hook.SearchResult{Value: tree.Value(), PV: uciMoves(*p, tree.PV())}
		for _, e := range tree.Root() {
			r.Moves = append(r.Moves, hook.SearchMove{Move: p.UCI(e.Move), Visits: e.Visits, Prior: e.Prior, Value: e.Q})
		}
		slices.SortStableFunc(r.Moves, func(a, b hook.SearchMove) int { return cmp.Compare(b.Visits, a.Visits) })
		out = append(out, r)
	})
	return out, err
}
