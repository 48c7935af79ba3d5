package report

import (
	"slices"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
	"alamos/plots"
)

func init() {
	register("multiples", kind{
		over:  theSweep,
		reads: func(f *experiment.Figure) source { return sourceOf(multiplesMetric(f)) },
		name:  func(f *experiment.Figure) string { return "multiples-" + multiplesMetric(f) },
		draw:  drawMultiples,
	})
}

func multiplesMetric(f *experiment.Figure) string {
	if f.Metric == "" {
		return "score"
	}
	return f.Metric
}

// drawMultiples shows the score or the loss of each setting in a panel of its own.
func drawMultiples(q *request) (*drawing, error) {
	c := plots.Multiples{Frame: q.frame, X: axis("samples"), Y: plots.Axis{Label: "score", FromZero: true}}
	points := func(t *store.Trial) ([]point, error) { return strengthPoints(t, "samples") }
	within, caption := shares, "Score in the tournament against samples trained on, a panel for each setting; the others stand behind it in gray."
	if multiplesMetric(q.Figure) == "loss" {
		c.X, c.Y = generationAxis, plots.Axis{Label: "loss"}
		points = perGeneration("generation", func(t *store.Trial, g int) (float64, error) {
			rows, err := t.Epochs(g)
			return float64(store.SelectedLoss(rows)), err
		})
		within, caption = counts, "Loss of the epoch that each generation kept, a panel for each setting; the others stand behind it in gray."
	}
	var err error
	if c.Panels, err = q.lines(within, points); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(c.Panels, func(s plots.Series) bool { return len(s.Points) > 0 }) {
		return nil, nothing("there are no numbers yet")
	}
	return &drawing{c, caption + q.seeds()}, nil
}
