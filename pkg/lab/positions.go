package lab

import (
	"context"
	"fmt"
	"strconv"

	"alamos/pkg/analysis"
	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/search"
	"alamos/pkg/start"
	"alamos/pkg/store"
)

// positionCode is the version of the code that answers questions about positions,
// see untrainedCode.
const positionCode = "1"

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
		return nil, analysis.Answer(p, tree, q.Visits).Write(t.Path(q.File()))
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
