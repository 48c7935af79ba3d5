package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LossHeads shows the loss of each head of a network in a panel of its own,
// above one another: heads differ in unit and size, and on a common axis the
// small one would be flat.
type LossHeads struct {
	Frame
	X     Axis // its zero value is "epoch"
	Heads []HeadLoss

	// Generations are the places on X at which a generation ended, marked by
	// vertical lines.
	Generations []float64

	Log bool // logarithmic loss axes
}

// HeadLoss is the loss of one head. Series of the same name look the same in
// all panels: training and validation, or the trials of a sweep.
type HeadLoss struct {
	Name   string // policy, value, moves left
	Unit   string // nats, squared error
	Series []Series
}

const mostHeads = 12

// Figure implements [Chart].
func (l LossHeads) Figure() (*Figure, error) {
	if l.X == (Axis{}) {
		l.X = Axis{Label: "epoch"}
	}
	if len(l.Heads) > mostHeads {
		return nil, fmt.Errorf("plots: losses of %d heads: want at most %d: %w", len(l.Heads), mostHeads, ErrSize)
	}
	var heads []HeadLoss
	var lists [][]Series
	var all []Series
	for _, h := range l.Heads {
		for i, s := range h.Series {
			if err := s.check(fmt.Sprintf("head %q: series", h.Name), i); err != nil {
				return nil, err
			}
		}
		if x, _ := spans(h.Series); x.empty() {
			continue
		}
		heads = append(heads, h)
		lists = append(lists, h.Series)
		all = append(all, h.Series...)
	}
	if len(heads) == 0 {
		return nil, fmt.Errorf("plots: losses of %d heads without a number: %w", len(l.Heads), ErrNoData)
	}
	x, _ := spans(all)
	if err := checkLog(l.X, x, "x"); err != nil {
		return nil, err
	}
	marks, every, err := marksWithin(l.Generations, x)
	if err != nil {
		return nil, err
	}
	looks := newLooks(lists...)
	legend := append(looks.legend(), generationEntries(marks, every)...)
	var panels []strip
	var told []string
	for i, h := range heads {
		axis := Axis{Label: clean(h.Name) + " loss", Unit: h.Unit, Log: l.Log}
		_, y := spans(h.Series)
		if err := checkLog(axis, y, axis.Label); err != nil {
			return nil, err
		}
		p := newPlot("", axis.text())
		setRange(&p.X, l.X, x, 0, 8)
		setRange(&p.Y, axis, y, 0.06, 4)
		p.Add(grid{y: true}, generationMarks(marks))
		looks.add(p, h.Series)
		if i < len(heads)-1 {
			p.X.Tick.Marker = unlabeled{p.X.Tick.Marker}
		} else {
			p.x = l.X.text()
		}
		panels = append(panels, strip{plot: p, share: 1 / float64(len(heads))})
		told = append(told, axis.Label+" "+several(tellSeries(h.Series), ", "))
	}
	lay, err := newLayout(l.Frame, legend, defaultWidth, 4.2*float64(len(heads))+1)
	if err != nil {
		return nil, err
	}
	if lay.height-lay.headHeight() < vg.Length(len(panels))*leastData*vg.Centimeter {
		return nil, fmt.Errorf("plots: height of %.4g cm for %d panels: %w", lay.height/vg.Centimeter, len(panels), ErrSize)
	}
	description := describe(l.Description, "Panels above one another", l.X.text(), "the loss of each head", []string{several(told, "; ")})
	return lay.figure(description, func(c draw.Canvas) { paintPanels(c, panels) }), nil
}
