package report

import (
	"fmt"
	"maps"
	"slices"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
	"alamos/plots"
)

// kind is a kind of figure.
type kind struct {
	over  over
	reads func(*experiment.Figure) source
	// name is the name of its files, without what comes of a trial; nil: the kind's.
	name func(*experiment.Figure) string
	// draw makes the chart. It returns nothing where there is none to make.
	draw func(*request) (*drawing, error)
}

// over says what one picture of a kind shows.
type over int

const (
	eachTrial over = iota // a trial: a page of several has a picture of each
	allTrials             // all trials
	theSweep              // all trials, by what the sweep varies
)

// source is what a figure is made from, and so which settings can change it.
type source int

const (
	fromTraining   source = iota // self-play and training
	fromTournament               // these and the tournament
	fromHooks                    // these, scripts and evaluations
)

// always is for kinds whose every figure reads the same.
func always(s source) func(*experiment.Figure) source {
	return func(*experiment.Figure) source { return s }
}

// drawing is a chart with the line below it on the page.
type drawing struct {
	chart   plots.Chart
	caption string
}

// nothing is why a figure has nothing to show.
type nothing string

func (n nothing) Error() string { return string(n) }

var kinds = map[string]*kind{}

// register makes a kind known.
func register(word string, k kind) { kinds[word] = &k }

// kindOf is the kind of a figure.
func kindOf(f *experiment.Figure) (*kind, error) {
	if k := kinds[f.Kind]; k != nil {
		return k, nil
	}
	return nil, fmt.Errorf("no figure is called %q: there are %v", f.Kind, slices.Sorted(maps.Keys(kinds)))
}

// request is a figure that is to be drawn of some trials.
type request struct {
	*experiment.Figure
	frame  plots.Frame
	trials []*store.Trial    // at least one
	groups []store.Group     // the same, without their seeds
	axes   []experiment.Axis // what the sweep varies beside the seed; none where one trial is drawn
}

// only is the trial of a picture of each trial.
func (q *request) only() *store.Trial { return q.trials[0] }

// generation is the one that the figure names, or the trial's last.
func (q *request) generation(t *store.Trial) int {
	if q.Generation != nil {
		return *q.Generation
	}
	return t.Done()
}
