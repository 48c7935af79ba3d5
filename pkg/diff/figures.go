package diff

import (
	"errors"
	"math"
	"slices"

	"alamos/pkg/report"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// picture is a chart of both sides.
type picture struct {
	name, caption string
	chart         plots.Chart
}

// pictures are the charts of a group, both sides in one: those that there is data
// for.
func (g *Group) pictures(nameA, nameB string) ([]picture, error) {
	sides := []struct {
		name string
		of   []*measured
	}{{nameA, g.a}, {nameB, g.b}}
	score := plots.Lines{X: plots.Axis{Label: "samples trained on", FromZero: true}, Y: plots.Axis{Label: "tournament score", Most: 1}}
	loss := plots.Loss{}
	for i, s := range sides {
		if x := scoreSeries(s.of); len(x.Points) > 0 {
			x.Name = s.name
			score.Series = append(score.Series, x)
		}
		l, marks, err := lossSeries(s.of)
		if err != nil {
			return nil, err
		}
		l.Name = s.name
		loss.Series = append(loss.Series, l)
		if i == 0 {
			loss.Generations = marks
		} else if !slices.Equal(loss.Generations, marks) {
			loss.Generations = nil // there is no common plan
		}
	}
	ofSeeds := ""
	if max(len(g.a), len(g.b)) > 1 {
		ofSeeds = ", the mean of seeds"
	}
	var out []picture
	if len(score.Series) == len(sides) {
		out = append(out, picture{"score", "Score of checkpoints, each in the tournament of its own run" + ofSeeds + ".", score})
	}
	return append(out, picture{"loss", "Learning rate and losses over epochs" + ofSeeds + ".", loss}), nil
}

// scoreSeries are the scores of checkpoints against the samples that they were
// trained on; of several seeds the mean with its interval.
func scoreSeries(all []*measured) (s plots.Series) {
	type point struct{ samples, score []float64 }
	at := map[int]*point{}
	var generations []int
	for _, m := range all {
		if m.played == nil {
			continue
		}
		for _, p := range m.played.Players {
			if p.Generation < 0 {
				continue
			}
			if at[p.Generation] == nil {
				at[p.Generation] = &point{}
				generations = append(generations, p.Generation)
			}
			x := at[p.Generation]
			x.samples, x.score = append(x.samples, float64(p.Samples)), append(x.score, store.Share(p.Standing))
		}
	}
	slices.Sort(generations)
	for _, g := range generations {
		score := stats.Mean(at[g].score)
		score.Low, score.High = math.Max(0, score.Low), math.Min(1, score.High)
		s.Points = append(s.Points, plots.Point{X: stats.Mean(at[g].samples).Value, Y: score})
	}
	return s
}

// lossSeries are learning rates and losses, the mean of seeds at each epoch that
// all of them have, and the epochs at which generations ended.
func lossSeries(all []*measured) (s plots.LossSeries, marks []float64, err error) {
	seeds := make([][]store.Epoch, len(all))
	for i, m := range all {
		for g := 1; g <= m.generations; g++ {
			rows, err := m.trial.Epochs(g)
			if err != nil {
				return s, nil, err
			}
			seeds[i] = append(seeds[i], rows...)
			if i == 0 {
				marks = append(marks, float64(len(seeds[0])))
			}
		}
	}
	n := len(seeds[0])
	for _, rows := range seeds {
		n = min(n, len(rows))
	}
	average := func(i int, of func(store.Epoch) stats.Float) float64 {
		sum := 0.0
		for _, rows := range seeds {
			sum += float64(of(rows[i]))
		}
		return sum / float64(len(seeds))
	}
	for i := range n {
		point := func(of func(store.Epoch) stats.Float) plots.Point {
			return plots.Point{X: float64(i + 1), Y: stats.Exactly(average(i, of))}
		}
		s.Rate = append(s.Rate, point(func(e store.Epoch) stats.Float { return e.Rate }))
		s.Training = append(s.Training, point(func(e store.Epoch) stats.Float { return e.Train.Total }))
		s.Validation = append(s.Validation, point(func(e store.Epoch) stats.Float { return e.Validation.Total }))
	}
	return s, marks[:max(0, len(marks)-1)], nil
}

// drawn are the pictures of a group as blocks; keep, if it is there, stores each and
// returns the links to it.
func (g *Group) drawn(nameA, nameB string, keep func(name string, f *plots.Figure) (links []string, err error)) (blocks []report.Block, err error) {
	all, err := g.pictures(nameA, nameB)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		f, err := p.chart.Figure()
		if errors.Is(err, plots.ErrNoData) {
			continue
		}
		if err != nil {
			return nil, err
		}
		block := report.Figure{Caption: p.caption, Alt: f.Description()}
		if block.SVG, err = f.InlineSVG(); err != nil {
			return nil, err
		}
		if keep != nil {
			if block.Files, err = keep(p.name, f); err != nil {
				return nil, err
			}
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}
