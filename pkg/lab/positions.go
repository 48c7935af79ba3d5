package lab

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/search"
	"alamos/pkg/start"
	"alamos/pkg/store"
)

// positionCode is the version of the code that answers questions about positions,
// see untrainedCode.
const positionCode = "1"

// treeShare is the share of a search's visits below which a position is not kept:
// no figure is large enough to show it.
const treeShare = 500

// positions answers what the figures of the notebook ask of networks and searches,
// so that figures can be drawn again without either.
func (t *trial) positions(ctx context.Context) error {
	for i := range t.experiment.Notebook {
		f := t.experiment.Notebook[i].Figure
		if f == nil {
			continue
		}
		q, ok := t.Question(f)
		if !ok || q.Generation > t.Done() { // there may have been more generations in the plan
			continue
		}
		if err := t.position(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q.Stage(), err)
		}
	}
	return nil
}

// position answers one question.
func (t *trial) position(ctx context.Context, q store.Question) error {
	p, err := figurePosition(t.variant, &t.Settings, q.Position)
	if err != nil {
		return err
	}
	s := &t.Settings
	in := store.Inputs{
		"code": positionCode, "position": p.FEN(), "visits": strconv.Itoa(q.Visits), "network": t.CheckpointSum(q.Generation),
		"game.variant": s.Game.Variant, "network.input": s.Network.Input, "network.policy": s.Network.Policy,
	}
	cfg := searchConfig(&s.Tournament.Search)
	cfg.Visits, cfg.Noise = q.Visits, search.Noise{}
	if q.Visits > 0 {
		settings := s.Tournament.Search
		settings.Visits, settings.Noise = 0, experiment.Noise{}
		in.Settings("search", settings)
	}
	return t.do(ctx, stage{name: q.Stage(), in: in, files: []string{q.File()}, work: func(ctx context.Context) (any, error) {
		model, err := t.model(q.Generation)
		if err != nil {
			return nil, err
		}
		defer model.Close()
		session, err := model.NewSession()
		if err != nil {
			return nil, err
		}
		defer session.Close()
		tree := search.NewTree(cfg, 0) // there is no noise, so the seed decides nothing
		tree.Analyze(chess.NewGame(p))
		if err := search.Run(ctx, []*search.Tree{tree}, search.NewEvaluator(t.codec, session)); err != nil {
			return nil, err
		}
		return nil, answer(p, tree, q.Visits).Write(t.Path(q.File()))
	}})
}

// figurePosition is the position that a figure names; start is the first that the
// games of the experiment begin with.
func figurePosition(v chess.Variant, s *experiment.Settings, name string) (chess.Position, error) {
	switch {
	case name != "start":
		p, err := chess.ParseFEN(v, name)
		if err == nil {
			err = start.GoesOn(&p)
		}
		return p, err
	case len(s.Game.Start) == 0:
		return chess.StartPosition(v), nil
	case s.Game.Start[0] == start.Chess960:
		return chess.Chess960(v, 518) // the usual one, of 0 to 959
	}
	return chess.ParseFEN(v, s.Game.Start[0])
}

// answer is what a finished search, of no visits the network alone, thinks of p.
func answer(p chess.Position, tree *search.Tree, visits int) *store.Answer {
	unknown := store.Float(math.NaN())
	out := &store.Answer{FEN: p.FEN(), Value: store.Float(tree.Value()), Visits: visits}
	for _, e := range tree.Root() {
		m := store.MoveAnswer{UCI: p.UCI(e.Move), SAN: p.SAN(e.Move), Prior: store.Float(e.Prior), Visits: e.Visits, Q: store.Float(e.Q)}
		if e.Visits == 0 {
			m.Q = unknown
		}
		out.Moves = append(out.Moves, m)
	}
	slices.SortStableFunc(out.Moves, func(a, b store.MoveAnswer) int {
		if a.Visits != b.Visits {
			return b.Visits - a.Visits
		}
		switch {
		case a.Prior > b.Prior:
			return -1
		case a.Prior < b.Prior:
			return 1
		}
		return 0
	})
	if visits == 0 {
		return out
	}
	out.Tree = []store.TreeNode{{Parent: -1, Visits: visits, Prior: unknown, Q: store.Float(-tree.Value())}}
	at := map[string]int{"": 0}
	tree.Walk(func(path []chess.Move, e search.Edge) bool {
		if e.Visits*treeShare < visits {
			return false
		}
		here := p
		var key strings.Builder
		for _, m := range path[:len(path)-1] {
			key.WriteString(here.UCI(m) + " ")
			here.Play(m)
		}
		parent := at[key.String()]
		at[key.String()+here.UCI(e.Move)+" "] = len(out.Tree)
		out.Tree = append(out.Tree, store.TreeNode{Parent: parent, Move: here.SAN(e.Move), Visits: e.Visits, Prior: store.Float(e.Prior), Q: store.Float(e.Q)})
		return true
	})
	return out
}

// checkPositions reports positions of figures that are none.
func checkPositions(e *experiment.Experiment, v chess.Variant, s *experiment.Settings, fail func(key, hint string, err error)) {
	for i := range e.Notebook {
		if f := e.Notebook[i].Figure; f != nil && f.Position != "" {
			if _, err := figurePosition(v, s, f.Position); err != nil {
				fail("notebook", "write start, or a FEN", fmt.Errorf("cell %d: %w", i+1, err))
			}
		}
	}
}
