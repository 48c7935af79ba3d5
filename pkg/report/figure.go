package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	humanize "github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"golang.org/x/sync/errgroup"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// codeVersion is the version of the drawing code, here and in package plots. Raise it when
// a picture of the same data changes. TestCodeVersion fails until then.
const codeVersion = "25"

// kind is a kind of figure.
type kind struct {
	over  over
	reads store.Source // of figures without a metric of generations
	x     string       // the default horizontal axis of figures over training
	games bool         // it shows games of self-play, which trials that learn from data lack
	// draw makes the chart and its caption. The error is of type nothing if there is
	// nothing to draw.
	draw func(*picture) (plots.Chart, string, error)
}

// over is the scope of one picture of a kind.
type over int

const (
	eachTrial over = iota // one trial: a page of several trials has a picture of each
	allTrials             // all trials
	theSweep              // all trials, by the swept settings
)

// fromFile is the source of figures that show no results.
const fromFile store.Source = -1

// kinds are the kinds of figures by their names in the notebook.
var kinds = map[string]kind{
	"loss":             {over: eachTrial, reads: store.FromTraining, x: "epoch", draw: drawLoss},
	"loss-heads":       {over: eachTrial, reads: store.FromTraining, x: "epoch", draw: drawLossHeads},
	"learning-rate":    {over: allTrials, reads: store.FromTraining, x: "epoch", draw: drawRate},
	"lengths":          {over: allTrials, reads: store.FromTraining, games: true, x: "generation", draw: drawLengths},
	"length-histogram": {over: allTrials, reads: store.FromTraining, games: true, draw: drawLengthHistogram},
	"results":          {over: eachTrial, reads: store.FromTraining, games: true, draw: drawResults},
	"metric":           {over: allTrials, x: "generation", draw: drawMetric},
	"series":           {over: allTrials, reads: store.FromHooks, draw: drawSeries},
	"score":            {over: allTrials, reads: store.FromTournament, x: "samples", draw: drawScore},
	"crosstable":       {over: eachTrial, reads: store.FromTournament, draw: drawCrosstable},
	"final":            {over: allTrials, reads: store.FromTournament, draw: drawFinal},
	"elo":              {over: eachTrial, reads: store.FromTournament, draw: drawElo},
	"policy":           {over: eachTrial, reads: store.FromTournament, draw: ofPosition(drawPolicy)},
	"tree":             {over: eachTrial, reads: store.FromTournament, draw: ofPosition(drawTree)},
	"board":            {over: eachTrial, reads: store.FromTournament, draw: ofPosition(drawBoard)},
	"inputs":           {over: eachTrial, reads: store.FromTraining, draw: drawInputs},
	"network":          {over: eachTrial, reads: store.FromTraining, draw: drawNetwork},
	"sweep":            {over: theSweep, draw: drawSweep},
	"effects":          {over: theSweep, draw: drawEffects},
	"heatmap":          {over: theSweep, draw: drawHeatmap},
	"parallel":         {over: theSweep, draw: drawParallel},
	"multiples":        {over: theSweep, draw: drawMultiples},
	"csv":              {over: allTrials, reads: fromFile, draw: drawCSV},
}

// fileName returns the name of a figure's files without the part that identifies its trial.
func (k kind) fileName(f *experiment.Figure) string {
	parts := []string{f.Kind}
	if f.Metric != "" {
		parts = append(parts, f.Metric)
	}
	if k.reads == fromFile {
		parts = append(parts, f.CSV.Name)
	}
	if f.X != "" && f.X != k.x {
		parts = append(parts, f.X)
	}
	if f.Y != "" {
		parts = append(parts, string(f.Y))
	}
	if f.ShowsWays() {
		parts = append(parts, f.Boards)
	}
	if f.Generation != nil {
		parts = append(parts, store.CheckpointName(*f.Generation))
	}
	return strings.ReplaceAll(inFileName(strings.Join(parts, "-")), ".", "-")
}

// notInFileName matches the characters that some file system does not allow.
var notInFileName = regexp.MustCompile(`[^a-zA-Z0-9._-]+`)

// inFileName replaces characters that some file system does not allow.
func inFileName(s string) string { return notInFileName.ReplaceAllString(s, "-") }

// source returns the source of a figure of the kind.
func (k kind) source(f *experiment.Figure) store.Source {
	if f.Metric != "" && k.reads != store.FromHooks {
		return store.MetricOf(f.Metric).Source
	}
	return k.reads
}

// nothing is the reason why a figure has nothing to show.
type nothing string

func (n nothing) Error() string { return string(n) }

const (
	noTournament nothing = "no tournament has been played"
	noNumbers    nothing = "there are no numbers yet"
)

// picture is a figure of the notebook, of one trial or of all.
type picture struct {
	*experiment.Figure
	cell  int // index of the figure in the notebook
	kind  kind
	name  string            // of its files, without the part that identifies its trial
	trial *experiment.Trial // nil means all trials

	// The data to draw.
	frame  plots.Frame
	trials []*store.Trial
	groups []store.Group     // the same trials, grouped without their seeds
	left   int               // number of groups that are left out, see mostLines
	axes   []experiment.Axis // swept settings except the seed; empty if one trial is drawn

	// The result, once it is drawn.
	once    sync.Once
	stamp   plots.Stamp
	caption string
	chart   plots.Chart
	figure  *plots.Figure
	nothing nothing // the reason why there is nothing to show; empty if there is something
	err     error
}

// only returns the trial of a picture of one trial.
func (p *picture) only() *store.Trial { return p.trials[0] }

// repeated reports whether a group has several seeds.
func (p *picture) repeated() bool {
	return slices.ContainsFunc(p.groups, func(g store.Group) bool { return len(g.Trials) > 1 })
}

// pictures returns the figures of the experiment in the order of its notebook, with and
// without results.
func (r *Report) pictures() ([]*picture, error) {
	if r.listed != nil {
		return r.listed, nil
	}
	var listed []*picture
	taken := map[string]bool{}
	for i := range r.Notebook {
		f := r.Notebook[i].Figure
		if f == nil {
			continue
		}
		trials, err := r.trialsOf(f)
		shown := func(t *experiment.Trial) bool {
			return slices.ContainsFunc(trials, func(of experiment.Trial) bool { return of.ID == t.ID })
		}
		k, ok := kinds[f.Kind]
		if !ok {
			return nil, fmt.Errorf("notebook cell %d: no figure is called %q: there are %v", i+1, f.Kind, slices.Sorted(maps.Keys(kinds)))
		}
		name := k.fileName(f)
		for n, base := 2, name; taken[name]; n++ { // a notebook may show a kind twice
			name = base + "-" + strconv.Itoa(n)
		}
		taken[name] = true
		lone := len(r.Experiment.Trials) == 1 && k.over == allTrials // a single trial has all its files in one folder
		switch {
		case err != nil:
			listed = append(listed, &picture{Figure: f, cell: i, kind: k, name: name, err: fmt.Errorf("notebook cell %d: only: %w", i+1, err)})
		case r.only != nil && (k.over == theSweep || !shown(r.only)):
		case k.over != eachTrial && !lone:
			listed = append(listed, r.picture(&picture{Figure: f, cell: i, kind: k, name: name}, shown))
		default:
			for t := range r.Experiment.Trials {
				if trial := &r.Experiment.Trials[t]; shown(trial) {
					listed = append(listed, r.picture(&picture{Figure: f, cell: i, kind: k, name: name, trial: trial}, func(of *experiment.Trial) bool { return of.ID == trial.ID }))
				}
			}
		}
	}
	r.listed = listed
	return listed, nil
}

// trialsOf returns the trials that a figure shows.
func (r *Report) trialsOf(f *experiment.Figure) (trials []experiment.Trial, err error) {
	declared := r.Experiment.Trials
	if r.only != nil && len(f.Only) > 0 {
		declared = r.whole // which the names are of
	}
	return store.TrialsOf(declared, f)
}

// mostLines is the maximum number of groups in a figure with a line or a panel for each.
const mostLines = 50

// besideWidth is the width in cm of a figure beside those of other trials. A wider figure
// would be scaled down on the page, including its text.
const besideWidth = 11

// picture adds the data of the trials that are shown, and its stamp.
func (r *Report) picture(p *picture, shown func(*experiment.Trial) bool) *picture {
	p.frame.Title = p.Title
	if r.Style != nil {
		p.frame.Style = *r.Style
	}
	p.stamp = plots.Stamp{Experiment: r.identity(p), Code: "alamos drawing " + codeVersion}
	for _, t := range r.Trials {
		if shown(&t.Declared) {
			p.trials = append(p.trials, t)
		}
	}
	p.groups = store.Groups(p.trials)
	if n := len(p.groups) - mostLines; n > 0 && (p.kind.over == allTrials || p.Kind == "multiples") {
		p.groups, p.left = p.groups[:mostLines], n
	}
	if len(r.Axes) > 0 {
		for i, g := range p.groups {
			p.groups[i].Name = "#" + numbersOf(g) + " " + settingOf(&g.Trials[0].Declared, r.Axes)
			if n := len(g.Trials); n > 1 && len(experiment.WithoutSeed(r.Axes)) == 0 {
				p.groups[i].Name = english.Plural(n, "seed", "")
			}
		}
	}
	if p.trial == nil {
		p.axes = experiment.WithoutSeed(r.Axes)
	} else if len(r.slugs) > 1 && p.Kind != "tree" { // a tree is as wide as it is deep
		p.frame.Width = besideWidth
	}
	return p
}

// draw draws the picture.
func (p *picture) draw() {
	switch {
	case p.err != nil:
		return
	case len(p.trials) == 0 && p.kind.reads != fromFile:
		p.nothing = "no trial has finished a generation"
		return
	case p.kind.over == theSweep && len(p.axes) == 0:
		p.nothing = "the experiment sweeps nothing"
		return
	case p.kind.games && !slices.ContainsFunc(p.trials, func(t *store.Trial) bool { return t.Declared.Settings.Data == nil }):
		p.nothing = "positions come from data: there are no games of self-play"
		return
	}
	var err error
	if p.chart, p.caption, err = p.kind.draw(p); err == nil {
		if p.left > 0 {
			p.caption += fmt.Sprintf(" It shows the first %d settings; %s are left out.", mostLines, humanize.Comma(int64(p.left)))
		}
		if p.CSV != nil && p.kind.reads != fromFile {
			if p.chart, err = beside(p.chart, p.CSV); err != nil {
				p.err = fmt.Errorf("figure %s: %w", p.name, err)
				return
			}
		}
		p.chart = withAxes(p.chart, p.XAxis, p.YAxis)
		p.caption = cmp.Or(p.Caption, p.caption)
		p.stamp.Data = dataHash(p.chart)
		p.figure, err = p.chart.Figure()
	}
	switch {
	case errors.As(err, &p.nothing):
	case errors.Is(err, plots.ErrNoData): // a hook that found nothing in any game
		p.nothing = noNumbers
	case err != nil:
		p.err = fmt.Errorf("figure %s: %w", p.name, err)
	default:
		p.figure = p.figure.Stamp(p.stamp)
	}
}

// withAxes changes the axes of a chart as its figure says. What has no place on a logarithmic
// axis is left out.
func withAxes(c plots.Chart, x, y *experiment.FigureAxis) plots.Chart {
	change := func(a *plots.Axis, by *experiment.FigureAxis) {
		if by == nil {
			return
		}
		if by.Label != "" {
			a.Label, a.Unit = by.Label, ""
		}
		if by.From != nil {
			a.From = plots.End{Fixed: true, At: *by.From}
		}
		if by.To != nil {
			a.To = plots.End{Fixed: true, At: *by.To}
		}
		if by.Scale != "" {
			a.Log = by.Scale == "log"
		}
		if len(by.Ticks) > 0 {
			a.Ticks, a.Labels = nil, map[float64]string{}
		}
		for place, label := range by.Ticks {
			at, _ := strconv.ParseFloat(place, 64) // it was checked
			a.Ticks, a.Labels[at] = append(a.Ticks, at), label
		}
		slices.Sort(a.Ticks)
	}
	switch c := c.(type) {
	case plots.Lines:
		change(&c.X, x)
		change(&c.Y, y)
		c.Series = placed(c.Series, c.X.Log, c.Y.Log)
		c.References = slices.DeleteFunc(slices.Clone(c.References), func(r plots.Reference) bool { return c.Y.Log && r.Y <= 0 })
		return c
	case plots.Multiples:
		change(&c.X, x)
		change(&c.Y, y)
		c.Panels = placed(c.Panels, c.X.Log, c.Y.Log)
		return c
	case plots.Stack:
		for i := range c.Panels {
			if !c.Panels[i].Y.Log { // the learning rate is no loss
				change(&c.Panels[i].Y, y)
				c.Panels[i].Series = placed(c.Panels[i].Series, false, c.Panels[i].Y.Log)
			}
		}
		return c
	}
	return c
}

// placed leaves out the points of series that have no place on logarithmic axes, and the
// intervals that reach 0 there.
func placed(all []plots.Series, logX, logY bool) []plots.Series {
	for i := range all {
		for j := range all[i].Points {
			switch p := &all[i].Points[j]; {
			case logX && p.X <= 0, logY && p.Y.Value <= 0:
				p.Y = stats.Unknown()
			case logY && p.Y.Low <= 0:
				p.Y = stats.Exactly(p.Y.Value)
			}
		}
	}
	return all
}

// render returns the picture as a file.
func (p *picture) render(ext string) (b []byte, err error) {
	if b, err = p.figure.Render(ext); err != nil {
		err = fmt.Errorf("figure %s: %w", p.name, err)
	}
	return b, err
}

// identity returns the hash of all settings that can change the picture. For example, the
// number of tournament rounds does not affect losses.
func (r *Report) identity(p *picture) string {
	parts := []any{p.Figure, r.Style}
	if p.kind.reads == fromFile {
		return experiment.Hash(parts...)
	}
	source := p.kind.source(p.Figure)
	if r.Final != nil && source != store.FromTraining && source != store.FromAll {
		parts = append(parts, r.Final)
	}
	for i := range r.Experiment.Trials {
		t := &r.Experiment.Trials[i]
		if p.trial != nil && p.trial.ID != t.ID {
			continue
		}
		parts = append(parts, t.Label, t.Folder, t.Settings.Generations)
		switch source {
		case store.FromTournament:
			parts = append(parts, t.ID)
		case store.FromEvaluation, store.FromHooks:
			for _, h := range t.Settings.Hooks {
				parts = append(parts, h.Name(), h.File.SHA256)
			}
			if e := t.Settings.Evaluation; e != nil {
				parts = append(parts, e.Every, e.Search, e.Accuracy)
				for _, p := range e.Puzzles {
					parts = append(parts, p.Name(), p.File.SHA256)
				}
			}
		}
	}
	return experiment.Hash(parts...)
}

// dataHash returns the hash of all numbers and words of a chart. Charts are plain values:
// structs, lists, numbers (including NaN) and texts.
func dataHash(c plots.Chart) string {
	return disk.SumOf(fmt.Appendf(nil, "%#v", c))
}

// drawn draws the pictures of this name or kind, or all, once and in parallel.
func (r *Report) drawn(figure string) ([]*picture, error) {
	pictures, err := r.pictures()
	if err != nil {
		return nil, err
	}
	wanted := slices.DeleteFunc(slices.Clone(pictures), func(p *picture) bool {
		return figure != "" && figure != p.name && figure != p.Kind
	})
	if len(wanted) == 0 && figure != "" {
		names := "its notebook has no figures"
		if len(pictures) > 0 {
			var all []string
			for _, p := range pictures {
				all = append(all, p.name)
			}
			names = "there are " + strings.Join(slices.Compact(all), ", ") // names of one cell are adjacent
		}
		return nil, fmt.Errorf("the notebook of %s has no figure %q: %s", r.Name, figure, names)
	}
	inParallel(len(wanted), func(i int) { wanted[i].once.Do(wanted[i].draw) })
	return wanted, nil
}

// inParallel calls do with 0 to n-1, in parallel on all processors.
func inParallel(n int, do func(i int)) {
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		all.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = all.Wait() // there is no error
}
