package plots_test

import (
	"bytes"
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alamos/pkg/stats"
	"alamos/plots"
)

var (
	pathOf   = regexp.MustCompile(`<path d="([^"]*)" style="([^"]*)"`)
	numberOf = regexp.MustCompile(`-?[0-9.]+(e-?[0-9]+)?`)
)

// paths returns the corners of a picture's paths whose style has a text, in points from the
// lower left.
func paths(t *testing.T, c plots.Chart, style string) (all [][][2]float64) {
	t.Helper()
	svg, err := figure(t, c).Render(".svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range pathOf.FindAllStringSubmatch(string(svg), -1) {
		if !strings.Contains(m[2], style) {
			continue
		}
		var corners [][2]float64
		numbers := numberOf.FindAllString(m[1], -1)
		for i := 0; i+1 < len(numbers); i += 2 {
			x, err := strconv.ParseFloat(numbers[i], 64)
			y, err2 := strconv.ParseFloat(numbers[i+1], 64)
			if err != nil || err2 != nil {
				t.Fatalf("path %q", m[1])
			}
			corners = append(corners, [2]float64{x, y})
		}
		all = append(all, corners)
	}
	return all
}

// The rate of each epoch is as wide as the epoch: that of the last and of a lone one too.
func TestRateOfLastEpoch(t *testing.T) {
	for _, rates := range [][]float64{{0.1, 0.1, 0.05}, {nan, 0.1, nan}, {0.1}} {
		s := line("", epochs(len(rates)), rates)
		s.Step = true
		loss := line("", epochs(3), []float64{3, 2, 1})
		lines := paths(t, plots.Stack{Panels: []plots.Panel{{Series: []plots.Series{s}}, {Series: []plots.Series{loss}}}}, "stroke:#222222")
		if len(lines) != 2 {
			t.Fatalf("%v: %d lines, want the rate and the loss", rates, len(lines))
		}
		rate, loss3 := lines[0], lines[1]
		epoch, last := loss3[1][0]-loss3[0][0], len(rate)-1
		if width := rate[last][0] - rate[last-1][0]; rate[last][1] != rate[last-1][1] || width < 0.99*epoch {
			t.Errorf("%v: the last stroke is from %v to %v, an epoch %.2f wide", rates, rate[last-1], rate[last], epoch)
		}
	}
}

// A curve has one look in all figures, whether others are there or not.
func TestLookOfACurve(t *testing.T) {
	validation, training := line("", epochs(3), []float64{3, 2, 1}), line("", epochs(3), []float64{2.5, 1.5, 0.5})
	validation.Curve, training.Curve = "validation", "training"
	unknown := line("", epochs(3), []float64{nan, nan, nan})
	unknown.Curve = "validation"
	for name, series := range map[string][]plots.Series{"with validation": {validation, training}, "without": {unknown, training}} {
		c := plots.Stack{Panels: []plots.Panel{{Series: series}}}
		if n := len(paths(t, c, "stroke:#D55E00;stroke-width:1.4;stroke-dasharray:6,3")); n != 2 { // the line and its sample in the legend
			t.Errorf("%s: %d lines in the look of training, want 2", name, n)
		}
		svg, err := figure(t, c).Render(".svg")
		if err != nil {
			t.Fatal(err)
		}
		if has := slices.Contains(checkSVG(t, svg), "validation"); has != (name == "with validation") {
			t.Errorf("%s: the legend has validation: %v", name, has)
		}
	}
}

// Colors of a style are those of series; cells keep the colors of their numbers. In gray a higher
// score is darker.
func TestStylesOfCells(t *testing.T) {
	table := plots.Crosstable{Players: []string{"a", "b"}, Cells: [][]stats.Record{{{}, {Wins: 4}}, {{Losses: 4}, {}}}}
	for want, colors := range map[string][]string{"#0072B1": {"#ff0000", "#00ff00"}, "#383838": {"gray"}} {
		table.Style = plots.Style{Colors: colors}
		svg, err := figure(t, table).Render(".svg")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(svg, []byte("fill:"+want)) || bytes.Contains(svg, []byte("fill:#FF0000")) || bytes.Contains(svg, []byte("fill:#000000")) {
			t.Errorf("%v: no cell of 1 is %s", colors, want)
		}
	}
}

// Narrow figures have fewer panels beside one another.
func TestPanelsHaveRoom(t *testing.T) {
	heights := map[float64]float64{}
	for _, width := range []float64{8.6, 30} {
		m := plots.Multiples{Frame: plots.Frame{Style: plots.Style{Width: width}}}
		for range 12 {
			m.Panels = append(m.Panels, line("s", []float64{1, 2}, []float64{3, 4}))
		}
		svg, err := figure(t, m).InlineSVG()
		if err != nil {
			t.Fatal(err)
		}
		box := regexp.MustCompile(`viewBox="0 0 ([0-9.]+) ([0-9.]+)"`).FindSubmatch(svg)
		w, _ := strconv.ParseFloat(string(box[1]), 64)
		h, _ := strconv.ParseFloat(string(box[2]), 64)
		heights[width] = h / w
	}
	if heights[8.6] < 2*heights[30] {
		t.Errorf("heights per width: %v", heights)
	}
}

// More bands than can be told apart are not drawn; the pointer still shows their intervals.
func TestManyBands(t *testing.T) {
	for _, n := range []int{plots.MostBands, plots.MostBands + 1} {
		var l plots.Lines
		for range n {
			l.Series = append(l.Series, bars("s", []float64{1, 2}, []float64{3, 4}, []float64{2, 3}, []float64{4, 5}))
			l.Series[len(l.Series)-1].Band = true
		}
		f, err := l.Figure()
		if err != nil {
			t.Fatal(err)
		}
		svg, err := f.InlineSVG()
		if err != nil {
			t.Fatal(err)
		}
		if drawn := bytes.Contains(svg, []byte("fill-opacity")); drawn != (n <= plots.MostBands) {
			t.Errorf("%d bands: drawn: %v", n, drawn)
		}
		if have := bytes.Count(svg, []byte("3 (2 … 4)")); have != n {
			t.Errorf("%d bands: %d of them answer the pointer", n, have)
		}
	}
}

// Intervals at one place stand beside one another, nearer to their place than to the next.
func TestBarsBesideOneAnother(t *testing.T) {
	x := []float64{1, 2, 4}
	interval := func(values ...float64) plots.Series {
		return bars("s", x, values, []float64{0, 0, 0}, []float64{9, 9, 9})
	}
	apart := interval(2, 3, 4)
	for i := range apart.Points {
		apart.Points[i].X += 0.5
	}
	band := interval(2, 3, 4)
	band.Band = true
	for name, c := range map[string]struct {
		axis   plots.Axis
		series []plots.Series
		places int // of bars
		step   float64
	}{
		"two":              {plots.Axis{}, []plots.Series{interval(2, 3, 4), interval(3, 4, 5)}, 6, 5},
		"logarithmic":      {plots.Axis{Log: true}, []plots.Series{interval(2, 3, 4), interval(3, 4, 5), interval(2, 2, 2)}, 9, 5},
		"one":              {plots.Axis{}, []plots.Series{interval(2, 3, 4)}, 3, 5},
		"apart":            {plots.Axis{}, []plots.Series{interval(2, 3, 4), apart}, 6, 5},
		"bands":            {plots.Axis{}, []plots.Series{band, band}, 0, 0},
		"with a lone line": {plots.Axis{}, []plots.Series{interval(2, 3, 4), line("", x, x)}, 3, 5},
	} {
		var at []float64
		for _, p := range paths(t, plots.Lines{X: c.axis, Series: c.series}, "stroke-width:0.8") {
			if len(p) == 2 && p[0][0] == p[1][0] { // not a cap
				at = append(at, p[0][0])
			}
		}
		if slices.Sort(at); len(at) != c.places {
			t.Errorf("%s: %d bars, want %d", name, len(at), c.places)
		}
		for i := 1; i < len(at); i++ {
			if at[i]-at[i-1] < c.step-0.5 {
				t.Errorf("%s: bars at %v", name, at)
				break
			}
		}
	}
}

// Points are moved on the widest logarithmic axis too, whose ends have no ratio.
func TestFarBarsBesideOneAnother(t *testing.T) {
	far := bars("", []float64{1e-190, 1e190}, []float64{1, 2}, []float64{0, 1}, []float64{2, 3})
	c := plots.Lines{X: plots.Axis{Log: true}, Series: []plots.Series{far, far}}
	for _, p := range paths(t, c, "stroke:#D55E00") {
		for _, corner := range p {
			if !(corner[0] > 0 && corner[0] < 16*72/2.54) {
				t.Errorf("a corner at %v", corner)
			}
		}
	}
	if svg, err := figure(t, c).Render(".svg"); err != nil || strings.Contains(string(svg), "Inf") {
		t.Error("a point at infinity", err)
	}
}

// Samples of a histogram are told apart by their places, not by their colors: each has a panel
// of its own, with the same axes.
func TestHistogramPanels(t *testing.T) {
	bars := paths(t, plots.Histogram{Share: true, Samples: []plots.Sample{{Values: []float64{1, 1, 1, 2}}, {Values: []float64{2, 2}}}}, "stroke:#0072B2")
	if len(bars) != 3 {
		t.Fatalf("%d bars, want two of the first sample and one of the second", len(bars))
	}
	low, high := bars[1], bars[2] // a quarter of the one, all of the other
	if low[0][0] != high[0][0] || low[0][1] <= high[2][1] {
		t.Errorf("bars of the same lengths: %v is not above %v", low, high)
	}
	if ratio := (high[2][1] - high[0][1]) / (low[2][1] - low[0][1]); ratio < 3.9 || ratio > 4.1 {
		t.Errorf("a share of 1 is %.2f times as high as one of 1/4", ratio)
	}
}

// Arrows on one line stand beside one another, and each has a shaft, however near its square.
func TestArrows(t *testing.T) {
	b := boardLines().(plots.Board)
	for _, moves := range [][]plots.Arrow{b.Arrows[:2], b.Arrows[4:6], b.Arrows[8:11]} {
		b.Arrows = moves
		var last float64 // right end of the shaft at the left
		arrows := paths(t, b, "fill-opacity")
		arrows = arrows[len(arrows)/2:] // the others are in the legend
		slices.SortFunc(arrows, func(a, b [][2]float64) int { return cmp.Compare(a[0][0], b[0][0]) })
		for i, a := range arrows {
			if shaft, all := a[1][1]-a[0][1], a[3][1]-a[0][1]; shaft < 0.35*all {
				t.Errorf("%s%s: %.2f of %.2f is shaft", moves[i].From, moves[i].To, shaft, all)
			}
			if left, right := min(a[0][0], a[6][0]), max(a[0][0], a[6][0]); i > 0 && left < last {
				t.Errorf("%v: a shaft from %.2f covers one to %.2f", moves, left, last)
			} else {
				last = right
			}
		}
	}
	b.Arrows = boardLines().(plots.Board).Arrows[6:8]
	if rings := paths(t, b, "stroke-opacity"); len(rings) != 2 || math.Abs(rings[0][0][0]-rings[1][0][0]) < 4 { // radii
		t.Errorf("drops on one square: %v", rings)
	}
}
