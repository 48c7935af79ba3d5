package report

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
	"alamos/plots"
)

// codeVersion is the version of the code that draws, here and in package plots:
// raise it when a picture of the same data changes. TestCodeVersion tells when.
const codeVersion = "2"

// picture is one figure of the notebook, of one trial or of all.
type picture struct {
	cell   *experiment.Figure
	number int // of the cell in the notebook
	kind   *kind
	name   string            // of its files, without what comes of the trial
	trial  *experiment.Trial // nil: of all trials
}

// drawn is a picture that has been drawn, or why it has not.
type drawn struct {
	*picture
	path    string // of its files, without extension
	stamp   plots.Stamp
	caption string
	chart   plots.Chart
	figure  *plots.Figure // nil: there is nothing to show, see err
	err     error
	mutex   sync.Mutex // a figure is rendered by one goroutine at a time
}

// pictures lists the figures of the experiment, in the order of its notebook,
// whether or not there are results.
func (r *Report) pictures() ([]*picture, error) {
	var all []*picture
	taken := map[string]bool{}
	for i := range r.Notebook {
		f := r.Notebook[i].Figure
		if f == nil {
			continue
		}
		k, err := kindOf(f)
		if err != nil {
			return nil, fmt.Errorf("notebook cell %d: %w", i+1, err)
		}
		name := f.Kind
		if k.name != nil {
			name = k.name(f)
		}
		for n, base := 2, name; taken[name]; n++ { // a notebook may show a kind twice
			name = base + "-" + strconv.Itoa(n)
		}
		taken[name] = true
		lone := len(r.Experiment.Trials) == 1 && k.over == allTrials // it has all its files in one folder
		if k.over != eachTrial && !lone {
			all = append(all, &picture{f, i, k, name, nil})
			continue
		}
		for t := range r.Experiment.Trials {
			all = append(all, &picture{f, i, k, name, &r.Experiment.Trials[t]})
		}
	}
	return all, nil
}

// request is what a picture asks its kind for; nil where no trial of it has begun.
func (r *Report) request(p *picture) *request {
	q := &request{Figure: p.cell, frame: plots.Frame{Title: p.cell.Title}}
	for _, t := range r.Trials {
		if p.trial == nil || p.trial.ID == t.ID {
			q.trials = append(q.trials, t)
		}
	}
	if len(q.trials) == 0 {
		return nil
	}
	q.groups = store.Groups(q.trials)
	if len(r.Axes) > 0 {
		short := shortKeys(r.Axes)
		for i := range q.groups {
			q.groups[i].Name = shortLabel(q.groups[i].Trials[0].Axis, short)
		}
	}
	if p.trial == nil {
		q.axes = withoutSeed(r.Axes)
	} else if len(r.Experiment.Trials) > 1 && p.cell.Kind != "tree" { // a tree is as wide as it is deep
		q.frame.Width = besideWidth
	}
	return q
}

// besideWidth is the width in cm of a figure that stands beside those of other
// trials, or its text would shrink with it on the page.
const besideWidth = 11

// draw draws a picture.
func (r *Report) draw(p *picture, l layout) *drawn {
	d := &drawn{picture: p, path: l.picture(p.name, p.trial)}
	d.stamp = plots.Stamp{Experiment: r.identity(p), Code: "alamos drawing " + codeVersion}
	q := r.request(p)
	switch {
	case q == nil:
		d.err = nothing("no trial has finished a generation")
		return d
	case p.kind.over == theSweep && len(q.axes) == 0:
		d.err = nothing("the experiment sweeps nothing")
		return d
	}
	x, err := p.kind.draw(q)
	if err == nil {
		d.caption, d.chart = x.caption, x.chart
		d.stamp.Data = dataHash(x.chart)
		d.figure, err = x.chart.Figure()
	}
	switch {
	case errors.Is(err, plots.ErrNoData): // a hook that found nothing in any game
		d.err = nothing("there are no numbers yet")
	case err != nil:
		d.err = fmt.Errorf("figure %s: %w", p.name, err)
	default:
		d.figure = d.figure.Stamp(d.stamp)
	}
	return d
}

// nothing reports whether there was nothing to draw, and why.
func (d *drawn) nothing() (why string, ok bool) {
	var n nothing
	ok = errors.As(d.err, &n)
	return string(n), ok
}

// identity is the hash of all settings that can change the picture: a tournament
// of more rounds changes no losses.
func (r *Report) identity(p *picture) string {
	parts := []any{p.cell}
	for i := range r.Experiment.Trials {
		t := &r.Experiment.Trials[i]
		if p.trial != nil && p.trial.ID != t.ID {
			continue
		}
		parts = append(parts, t.Label, store.Folder(t), t.Settings.Generations)
		switch p.kind.reads(p.cell) {
		case fromTournament:
			parts = append(parts, t.ID)
		case fromHooks:
			for _, h := range t.Settings.Hooks {
				parts = append(parts, h.Name(), h.SHA256)
			}
			if e := t.Settings.Evaluation; e != nil {
				parts = append(parts, e.Every, e.Search, e.Accuracy)
				for _, p := range e.Puzzles {
					parts = append(parts, p.Name(), p.SHA256)
				}
			}
		}
	}
	return experiment.Hash(parts...)
}

// dataHash is the hash of all numbers and words of a chart. Charts are plain
// values: structs, lists, numbers, NaN among them, and texts.
func dataHash(c plots.Chart) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%#v", c))
	return hex.EncodeToString(h[:])
}

// all draws the pictures that are asked for, once, as many at a time as there are
// processors.
func (r *Report) all(opt Options) ([]*drawn, error) {
	if have := r.drawn[opt]; have != nil {
		return have, nil
	}
	pictures, err := r.pictures()
	if err != nil {
		return nil, err
	}
	wanted := slices.DeleteFunc(slices.Clone(pictures), func(p *picture) bool { return !opt.match(p) })
	if len(wanted) == 0 && opt.Figure != "" {
		return nil, fmt.Errorf("the notebook of %s has no figure %q: %s", r.Name, opt.Figure, names(pictures))
	}
	l := r.layout(opt)
	out := make([]*drawn, len(wanted))
	eachAtOnce(len(wanted), func(i int) { out[i] = r.draw(wanted[i], l) })
	if r.drawn == nil {
		r.drawn = map[Options][]*drawn{}
	}
	r.drawn[opt] = out
	return out, nil
}

// eachAtOnce calls do with 0 to n-1, as many at a time as there are processors.
func eachAtOnce(n int, do func(i int)) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	wait.Wait()
}
