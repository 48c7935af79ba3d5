package report

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
	"alamos/plots"
)

// figure is a chart of the page under the name of its files.
type figure struct {
	name, caption string
	chart         plots.Chart
}

// shared are the kinds of figure that show all trials in one picture; of the
// others each trial has its own.
var shared = map[string]bool{"score": true, "hook": true, "lengths": true, "learning-rate": true}

// besideWidth is the width in cm of a figure that stands beside those of other
// trials.
const besideWidth = 11

// figure makes a figure of the notebook for one or several trials. It is nil
// where there is nothing to show: no tournament, no hook.
func (r *report) figure(f *experiment.Figure, trials []*store.Trial) (*figure, error) {
	title := plots.Frame{Title: f.Title}
	if len(r.experiment.Trials) > 1 && !shared[f.Kind] && f.Kind != "crosstable" { // whose cells need their room
		title.Width = besideWidth // or its text shrinks with it on the page
	}
	switch f.Kind {
	case "score":
		return scoreFigure(title, f.X, trials)
	case "loss":
		return lossFigure(title, trials, true)
	case "learning-rate":
		return lossFigure(title, trials, false)
	case "lengths":
		return lengthFigure(title, f.X, trials)
	case "hook":
		return hookFigure(title, f, trials)
	case "crosstable":
		return crosstableFigure(title, trials[0])
	case "elo":
		return eloFigure(title, trials[0])
	}
	return nil, fmt.Errorf("no figure is called %q", f.Kind)
}

// generations is the axis of all figures over generations.
var generationAxis = plots.Axis{Label: "generation", FromZero: true}

func scoreFigure(frame plots.Frame, x string, trials []*store.Trial) (*figure, error) {
	c := plots.Score{Frame: frame}
	name, against := "score", "samples trained on"
	if x == "generation" {
		c.X = generationAxis
		name, against = "score-generation", "generations" // a page may show both
	}
	for _, t := range trials {
		res, err := t.Tournament()
		if err != nil || res == nil {
			return nil, err
		}
		s := plots.Series{Name: t.Name()}
		for _, p := range res.Players {
			if p.Generation < 0 { // no network of this trial
				if p.Name == store.RandomName && len(trials) == 1 {
					c.References = append(c.References, plots.Reference{Name: p.Name, Y: store.Share(p.Standing)})
				}
				continue
			}
			at := float64(p.Samples)
			if x == "generation" {
				at = float64(p.Generation)
			}
			s.X = append(s.X, at)
			s.Y = append(s.Y, store.Share(p.Standing))
		}
		sortSeries(&s)
		c.Series = append(c.Series, s)
	}
	return &figure{name, "Score in the tournament against " + against + "; the untrained network is at 0.", c}, nil
}

// sortSeries puts points in the order of x.
func sortSeries(s *plots.Series) {
	order := make([]int, len(s.X))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, s.X[a]-s.X[b])) })
	x, y := slices.Clone(s.X), slices.Clone(s.Y)
	for i, o := range order {
		s.X[i], s.Y[i] = x[o], y[o]
	}
}

func lossFigure(frame plots.Frame, trials []*store.Trial, losses bool) (*figure, error) {
	c := plots.Loss{Frame: frame}
	for _, t := range trials {
		s := plots.LossSeries{}
		if len(trials) > 1 {
			s.Name = t.Name()
		}
		var marks []float64
		for g := 1; g <= t.Last(); g++ {
			rows, err := t.Epochs(g)
			if err != nil {
				return nil, err
			}
			for _, e := range rows {
				s.Epoch = append(s.Epoch, float64(e.Epoch))
				s.Rate = append(s.Rate, float64(e.Rate))
				if losses {
					s.Training = append(s.Training, float64(e.Train.Total))
					s.Validation = append(s.Validation, float64(e.Validation.Total))
				}
			}
			marks = append(marks, s.Epoch[len(s.Epoch)-1])
		}
		if allNaN(s.Validation) {
			s.Validation = nil
		}
		c.Generations = marks[:len(marks)-1]
		c.Series = append(c.Series, s)
	}
	if !losses {
		return &figure{"learning-rate", "Learning rate over epochs; lines mark the ends of generations.", c}, nil
	}
	return &figure{"loss", "Learning rate and losses over epochs; lines mark the ends of generations, after which the data is new.", c}, nil
}

func allNaN(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return !math.IsNaN(v) })
}

// axis is the horizontal axis of a figure over generations, and what the names
// of its files end in: a page may show both axes.
func axis(x string) (a plots.Axis, suffix string) {
	if x == "samples" {
		return plots.Axis{Label: "samples trained on", FromZero: true}, "-samples"
	}
	return generationAxis, ""
}

// places are the trial's generations on that axis.
func places(t *store.Trial, x string) ([]float64, error) {
	out := make([]float64, t.Last())
	for g := 1; g <= len(out); g++ {
		out[g-1] = float64(g)
		if x == "samples" {
			n, err := t.SamplesUntil(g)
			if err != nil {
				return nil, err
			}
			out[g-1] = float64(n)
		}
	}
	return out, nil
}

func lengthFigure(frame plots.Frame, x string, trials []*store.Trial) (*figure, error) {
	c := plots.Lines{Frame: frame, Y: plots.Axis{Label: "mean length of a self-play game", Unit: "plies", FromZero: true}}
	var suffix string
	c.X, suffix = axis(x)
	for _, t := range trials {
		s := plots.Series{Name: t.Name()}
		var err error
		if s.X, err = places(t, x); err != nil {
			return nil, err
		}
		for g := 1; g <= t.Last(); g++ {
			row, err := t.Generation(g)
			if err != nil {
				return nil, err
			}
			s.Y = append(s.Y, row.MeanPlies())
		}
		c.Series = append(c.Series, s)
	}
	return &figure{"lengths" + suffix, "Mean length of the games of self-play.", c}, nil
}

// hookFigure shows one metric of one hook. The metric of the figure is
// "hook.metric", or a hook's only metric by the name of the hook.
func hookFigure(frame plots.Frame, f *experiment.Figure, trials []*store.Trial) (*figure, error) {
	c := plots.Lines{Frame: frame}
	var suffix string
	c.X, suffix = axis(f.X)
	name := ""
	for _, t := range trials {
		i, metric, err := t.FindMetric(f.Metric)
		if err != nil {
			return nil, err
		}
		var table hookTable
		for g := 1; g <= t.Last(); g++ {
			m, err := t.Metrics(g, i)
			if err != nil {
				return nil, err
			}
			table.add(g, m)
		}
		s := plots.Series{Name: t.Name(), Y: table.column(metric)}
		if s.X, err = places(t, f.X); err != nil {
			return nil, err
		}
		c.Series = append(c.Series, s)
		c.Y.Label = words(metric)
		name = metric
	}
	file := "hook-" + strings.ReplaceAll(f.Metric, ".", "-") + suffix
	return &figure{file, "A hook's metric over " + c.X.Label + ": " + words(name) + ".", c}, nil
}

func crosstableFigure(frame plots.Frame, t *store.Trial) (*figure, error) {
	res, err := t.Tournament()
	if err != nil || res == nil {
		return nil, err
	}
	c := plots.Crosstable{Frame: frame}
	order := res.Ranking()
	for _, i := range order {
		c.Players = append(c.Players, res.Players[i].Name)
		row := make([]plots.Record, len(order))
		for k, j := range order {
			row[k] = plots.Record(res.Cross[i][j])
		}
		c.Cells = append(c.Cells, row)
	}
	return &figure{"crosstable", "Score of each player against each other, as a share of the points, with wins, draws and losses.", c}, nil
}

func eloFigure(frame plots.Frame, t *store.Trial) (*figure, error) {
	res, err := t.Tournament()
	if err != nil || res == nil {
		return nil, err
	}
	c := plots.Ladder{Frame: frame}
	for _, i := range res.Ranking() {
		p := res.Players[i]
		c.Players = append(c.Players, plots.Rating{Name: p.Name, Elo: float64(p.Elo), Low: float64(p.EloLow), High: float64(p.EloHigh)})
	}
	return &figure{"elo", "Ratings by maximum likelihood over all games, with 95 % intervals.", c}, nil
}

// draw renders a figure into the folder of figures below dir and returns it
// for the page, with links that start at base.
func (f *figure) draw(base, dir string) (svg []byte, alt string, links []string, err error) {
	p, err := f.chart.Figure()
	if err != nil {
		return nil, "", nil, fmt.Errorf("figure %s: %w", f.name, err)
	}
	folder := filepath.Join(dir, "figures")
	if err := p.WriteFiles(folder, f.name); err != nil {
		return nil, "", nil, err
	}
	for _, ext := range []string{".svg", ".png"} {
		link, err := filepath.Rel(base, filepath.Join(folder, f.name+ext))
		if err != nil {
			return nil, "", nil, err
		}
		links = append(links, filepath.ToSlash(link))
	}
	svg, err = p.InlineSVG()
	return svg, p.Description(), links, err
}
