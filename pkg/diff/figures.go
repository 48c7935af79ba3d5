package diff

import (
	"errors"

	"alamos/pkg/report"
	"alamos/pkg/store"
	"alamos/plots"
)

// figures returns the charts of a group that have data, with both sides in each. keep, if
// not nil, stores each chart and returns the links to it.
func (g *Group) figures(nameA, nameB string, keep func(name string, f *plots.Figure) (links []string, err error)) (blocks []report.Block, err error) {
	all := []store.Group{{Name: nameA}, {Name: nameB}}
	played := []store.Group{{Name: nameA}, {Name: nameB}}
	for i, side := range [][]*measured{g.a, g.b} {
		for _, m := range side {
			all[i].Trials = append(all[i].Trials, m.trial)
			if m.played != nil {
				played[i].Trials = append(played[i].Trials, m.trial)
			}
		}
	}
	ofSeeds := ""
	if max(len(g.a), len(g.b)) > 1 {
		ofSeeds = ", the mean of seeds"
	}
	add := func(name, caption string, c plots.Chart, err error) error {
		if err != nil {
			return err
		}
		f, err := c.Figure()
		if errors.Is(err, plots.ErrNoData) {
			return nil
		}
		if err != nil {
			return err
		}
		block := report.Figure{Caption: caption + ofSeeds + ".", Alt: f.Description()}
		if block.SVG, err = f.InlineSVG(); err == nil && keep != nil {
			block.Files, err = keep(name, f)
		}
		blocks = append(blocks, block)
		return err
	}
	if len(played[0].Trials) > 0 && len(played[1].Trials) > 0 {
		c, err := report.ScoreChart(played)
		if err := add("score", "Score of checkpoints, each in the tournament of its own run", c, err); err != nil {
			return nil, err
		}
	}
	c, err := report.LossChart(all)
	err = add("loss", "Learning rate and losses over epochs", c, err)
	return blocks, err
}
