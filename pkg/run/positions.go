package run

import (
	"context"
	"fmt"
	"strconv"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/report"
	"alamos/pkg/search"

	"alamos/pkg/store"
)

// positionCode is the version of the code that answers questions about positions,
// see [stage.Stage].
const positionCode = "1"

// positions answers what the figures of the notebook ask of networks and searches,
// so that figures can be drawn again without either.
func (t *trial) positions(ctx context.Context) error {
	for i := range t.run.experiment.Notebook {
		f := t.run.experiment.Notebook[i].Figure
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
	p, err := experiment.FigurePosition(t.Variant, &t.Settings, q.Position)
	if err != nil {
		return err
	}
	s := &t.Settings
	in := store.Inputs{
		"code": positionCode, "position": p.FEN(), "visits": strconv.Itoa(q.Visits), "network": t.CheckpointSum(q.Generation),
		"game.variant": s.Game.Variant, "network.input": s.Network.Input, "network.policy": s.Network.Policy,
	}
	cfg := s.Tournament.Search.WithoutExploration()
	cfg.Visits = q.Visits
	if q.Visits > 0 {
		settings := s.Tournament.Search
		settings.Visits, settings.Noise, settings.ForcedPlayouts, settings.Root.Noise = 0, search.Noise{}, 0, 0
		in.Settings("search", settings)
	}
	return t.Do(ctx, Stage{Name: q.Stage(), In: in, Files: []string{q.File()}, Run: func(ctx context.Context) (any, error) {
		model, err := t.Model(q.Generation)
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
		if err := search.Run(ctx, []*search.Tree{tree}, search.NewEvaluator(t.Codec, session)); err != nil {
			return nil, err
		}
		return nil, report.Answer(p, tree, q.Visits).Write(t.Path(q.File()))
	}})
}
