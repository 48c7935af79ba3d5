package run

import (
	"context"
)

// evaluateOnTheWay asks the checkpoint of generation g if the experiment wants to hear
// from every so many.
func (t *trial) evaluateOnTheWay(ctx context.Context, g int) error {
	if e := t.Settings.Evaluation; e == nil || e.Every == 0 || g%e.Every != 0 {
		return nil
	}
	return t.evaluate(ctx, g)
}

// evaluate asks the checkpoint of generation g what the experiment wants to know.
func (t *trial) evaluate(ctx context.Context, g int) error {
	if g == 0 {
		return nil
	}
	work := func(ctx context.Context, evaluations int) (Work, error) {
		return t.estimate(ctx, Load{Asked: evaluations})
	}
	if err := Puzzles(ctx, t.Trial, g, work); err != nil {
		return err
	}
	return Accuracy(ctx, t.Trial, g)
}
