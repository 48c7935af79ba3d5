package plots

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"alamos/pkg/stats"
)

func spanOf(values ...float64) span {
	s := emptySpan()
	s.add(values...)
	return s
}

// Points keep a distance from the frame. An axis begins at 0, or ends at its greatest value,
// only where no point is near.
func TestRange(t *testing.T) {
	for name, c := range map[string]struct {
		axis     Axis
		values   span
		min, max float64
	}{
		"plain":          {Axis{}, spanOf(10, 20), 9, 21},
		"one value":      {Axis{}, spanOf(5), 4, 6},
		"logarithmic":    {Axis{Log: true}, spanOf(1, 1e10), 0.1, 1e11},
		"from 0, at 0":   {Axis{FromZero: true}, spanOf(0, 10), -1, 11},
		"from 0, near 0": {Axis{FromZero: true}, spanOf(0.5, 10), -0.5, 11},
		"from 0, far":    {Axis{FromZero: true}, spanOf(6, 10), 0, 11},
		"from 0, below":  {Axis{FromZero: true}, spanOf(-10, -6), -11, 0},
		"from 0, only 0": {Axis{FromZero: true}, spanOf(0), -0.1, 1},
		"score at ends":  {Axis{Most: 1}, spanOf(0, 1), -0.1, 1.1},
		"score inside":   {Axis{Most: 1}, spanOf(0.3, 0.75), 0, 1},
		"log score":      {Axis{Most: 1, Log: true}, spanOf(0.01, 1), 0.01 / math.Pow(10, 0.2), math.Pow(10, 0.2)},
		"score from":     {Axis{Most: 1, From: End{true, 0.5}}, spanOf(0.1, 0.4), 0.5, 1},
		"only 0, from 0": {Axis{From: End{true, 0}}, spanOf(0), 0, 1},
		"beyond from":    {Axis{From: End{true, 10}}, spanOf(1, 2), 10, 11},
		"beyond to":      {Axis{To: End{true, 1}}, spanOf(5, 7), 0, 1},
	} {
		if err := c.axis.check(c.values); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		axis := plot.Axis{Scale: plot.LinearScale{}}
		setRange(&axis, c.axis, c.values, 0.1, 5)
		if d := (c.max - c.min) * 1e-9; axis.Min < c.min-d || axis.Min > c.min+d || axis.Max < c.max-d || axis.Max > c.max+d {
			t.Errorf("%s: the axis shows %g to %g, want %g to %g", name, axis.Min, axis.Max, c.min, c.max)
		}
	}
	for name, axis := range map[string]Axis{
		"reversed": {From: End{true, 2}, To: End{true, 1}}, "empty": {From: End{true, 2}, To: End{true, 2}}, "0 on a logarithmic axis": {Log: true, From: End{true, 0}},
	} {
		if axis.check(spanOf(1, 3)) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Ticks of a swept setting stand at its values. Labels never overlap, and many values have the
// usual ticks.
func TestOwnTicks(t *testing.T) {
	many := make([]float64, 40)
	for i := range many {
		many[i] = float64(i)
	}
	for name, c := range map[string]struct {
		axis Axis
		s    span
		want string
	}{
		"linear":          {Axis{Ticks: []float64{20, 50, 100}}, spanOf(0, 100), "20 50 100"},
		"geometric":       {Axis{Log: true, Ticks: []float64{0.05, 0.01, 0.02, 0.01}}, spanOf(0.01, 0.05), "0.01 0.02 0.05"},
		"without room":    {Axis{Ticks: []float64{1, 2, 3, 100}}, spanOf(0, 100), "1   100"},
		"not on the axis": {Axis{Ticks: []float64{-20, 50, 400, math.NaN()}}, spanOf(0, 100), "50"},
		"none":            {Axis{}, spanOf(0, 100), "0 50 100"},
		"many":            {Axis{Ticks: many}, spanOf(0, 100), "0 50 100"},
	} {
		axis := newPlot().X
		setRange(&axis, c.axis, c.s, 0, 2)
		c.axis.ownTicks(&axis, 300, true)
		var labels []string
		for _, tick := range axis.Tick.Marker.Ticks(axis.Min, axis.Max) {
			labels = append(labels, tick.Label)
		}
		if have := strings.Join(labels, " "); have != c.want {
			t.Errorf("%s: ticks %q, want %q", name, have, c.want)
		}
	}
}

func TestBrief(t *testing.T) {
	for v, want := range map[float64]string{9999: "9999", 9999.67: "10k", 12345: "12.35k", -0.25: "−0.25", 999960: "1000k", 0.00012: "0.00012"} {
		if have := brief(v); have != want {
			t.Errorf("%v becomes %s, want %s", v, have, want)
		}
	}
}

// The half of an interval that is small beside the step of an axis is not 0.
func TestErrorOf(t *testing.T) {
	write := labeler(5, 0.05)
	for _, c := range []struct {
		half float64
		want string
	}{{0.25, "± 0.25"}, {0.02, "± 0.02"}, {0, "± 0"}} {
		if have := errorOf(stats.Interval{Value: 1, Low: 1 - c.half, High: 1 + c.half}, write); have != c.want {
			t.Errorf("%v becomes %s, want %s", c.half, have, c.want)
		}
	}
}

// A tree in gray tells good moves from bad ones.
func TestGrayTree(t *testing.T) {
	gray := Tree{Frame: Frame{Style: Style{Colors: []string{"gray"}}}}
	good, bad := (&treeBox{Node: Node{Q: 0.5}}).color(gray.scores()), (&treeBox{Node: Node{Q: -0.6}}).color(gray.scores())
	if int(bad.R)-int(good.R) < 50 {
		t.Errorf("Q of 0.5 has %v, Q of -0.6 %v", good, bad)
	}
}

// Titles of small boards are whole where two small lines are enough, all with equally many lines.
func TestTitlesOfBoards(t *testing.T) {
	for _, c := range []struct {
		titles []string
		width  vg.Length
		want   [][]string
	}{
		{[]string{"from", "to"}, 2 * cm, [][]string{{"from"}, {"to"}}},
		{[]string{"white knights", "to"}, 2 * cm, [][]string{{"white knights"}, {"to"}}},
		{[]string{"own knights, 3 before", "to"}, 2 * cm, [][]string{{"own knights, 3", "before"}, {"", "to"}}},
		{[]string{"occurred twice before, 7 before"}, 2 * cm, [][]string{{"occurred twice", "before, 7 before"}}},
		{[]string{"neverendingstoryofawhiteknight b"}, 2 * cm, [][]string{{"neveren…knight", "b"}}},
	} {
		p := PolicyPlanes{}
		for _, title := range c.titles {
			p.Planes = append(p.Planes, Plane{Title: title})
		}
		if _, have := p.titles(c.width); !reflect.DeepEqual(have, c.want) {
			t.Errorf("%q: %q, want %q", c.titles, have, c.want)
		}
	}
}
