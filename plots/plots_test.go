package plots_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"alamos/pkg/stats"
	"alamos/plots"
)

var (
	inf   = math.Inf(1)
	kings = plots.Position{FEN: "4k3/8/8/8/8/8/8/4K3 w - - 0 1"}
)

func TestErrors(t *testing.T) {
	one := []plots.Series{line("", []float64{1}, []float64{0.5})}
	stack := func(y plots.Axis, values ...float64) plots.Stack {
		return plots.Stack{Panels: []plots.Panel{{Y: y, Series: []plots.Series{line("", epochs(len(values)), values)}}}}
	}
	series := func(x, y []float64) []plots.Series { return []plots.Series{line("s", x, y)} }
	r := stats.Record{Wins: 1}
	tick := plots.Axis{Names: []string{"a"}}
	heat := func(c stats.Interval) plots.Heatmap {
		return plots.Heatmap{X: tick, Y: tick, Cells: [][]stats.Interval{{c}}}
	}
	para := func(l plots.ParallelLine) plots.Parallel {
		return plots.Parallel{Axes: make([]plots.Axis, 1), Lines: []plots.ParallelLine{l}}
	}
	for name, c := range map[string]struct {
		chart plots.Chart
		want  error
	}{
		"lines: nothing":            {plots.Lines{}, plots.ErrNoData},
		"lines: empty series":       {plots.Lines{Series: series(nil, nil)}, plots.ErrNoData},
		"lines: only NaN":           {plots.Lines{Series: series([]float64{1, 2}, []float64{nan, nan})}, plots.ErrNoData},
		"lines: NaN never meet":     {plots.Lines{Series: series([]float64{nan, 2}, []float64{1, nan})}, plots.ErrNoData},
		"lines: infinite":           {plots.Lines{Series: series([]float64{1}, []float64{inf})}, plots.ErrInvalid},
		"lines: infinite x":         {plots.Lines{Series: series([]float64{-inf}, []float64{1})}, plots.ErrInvalid},
		"lines: huge":               {plots.Lines{Series: series([]float64{1}, []float64{1e301})}, plots.ErrInvalid},
		"lines: log of 0":           {plots.Lines{Y: plots.Axis{Log: true}, Series: series([]float64{1, 2}, []float64{0, 1})}, plots.ErrInvalid},
		"lines: log of x < 0":       {plots.Lines{X: plots.Axis{Log: true}, Series: series([]float64{-1, 2}, []float64{1, 1})}, plots.ErrInvalid},
		"lines: reference infinite": {plots.Lines{Series: one, References: []plots.Reference{{Y: inf}}}, plots.ErrInvalid},
		"lines: narrow":             {plots.Lines{Series: one, Frame: plots.Frame{Width: 1}}, plots.ErrSize},
		"lines: NaN wide":           {plots.Lines{Series: one, Frame: plots.Frame{Width: nan}}, plots.ErrSize},
		"score: above 1":            {plots.Lines{Y: plots.Axis{Most: 1}, Series: series([]float64{1}, []float64{1.01})}, plots.ErrInvalid},
		"score: below 0":            {plots.Lines{Y: plots.Axis{Most: 1}, Series: series([]float64{1}, []float64{-0.01})}, plots.ErrInvalid},
		"score: above games":        {plots.Lines{Y: plots.Axis{Most: 20}, Series: series([]float64{1}, []float64{20.5})}, plots.ErrInvalid},
		"score: reference":          {plots.Lines{Y: plots.Axis{Most: 1}, Series: one, References: []plots.Reference{{Y: 2}}}, plots.ErrInvalid},
		"stack: nothing":            {plots.Stack{}, plots.ErrNoData},
		"stack: empty":              {plots.Stack{Panels: make([]plots.Panel, 2)}, plots.ErrNoData},
		"stack: only NaN":           {stack(plots.Axis{}, nan), plots.ErrNoData},
		"stack: log of 0":           {stack(plots.Axis{Log: true}, 0.1, 0), plots.ErrInvalid},
		"stack: infinite":           {stack(plots.Axis{}, inf), plots.ErrInvalid},
		"stack: generations":        {plots.Stack{Generations: []float64{inf}}, plots.ErrInvalid},
		"lines: no such name":       {plots.Lines{X: plots.Axis{Names: []string{"a"}}, Series: series([]float64{1}, []float64{1})}, plots.ErrInvalid},
		"lines: between names":      {plots.Lines{X: plots.Axis{Names: []string{"a", "b"}}, Series: series([]float64{0.5}, []float64{1})}, plots.ErrInvalid},
		"lines: log of names":       {plots.Lines{X: plots.Axis{Log: true, Names: []string{"a", "b"}}, Series: one}, plots.ErrInvalid},
		"crosstable: nothing":       {plots.Crosstable{}, plots.ErrNoData},
		"crosstable: no games":      {plots.Crosstable{Players: []string{"a", "b"}, Cells: [][]stats.Record{{r, {}}, {{}, r}}}, plots.ErrNoData},
		"crosstable: rows":          {plots.Crosstable{Players: []string{"a", "b"}, Cells: [][]stats.Record{{r, r}}}, plots.ErrInvalid},
		"crosstable: cells":         {plots.Crosstable{Players: []string{"a", "b"}, Cells: [][]stats.Record{{r, r}, {r}}}, plots.ErrInvalid},
		"crosstable: negative":      {plots.Crosstable{Players: []string{"a", "b"}, Cells: [][]stats.Record{{r, r}, {{Draws: -1}, r}}}, plots.ErrInvalid},
		"crosstable: opponents":     {plots.Crosstable{Players: []string{"a", "b"}, Opponents: []string{"c"}, Cells: [][]stats.Record{{r, r}, {r, r}}}, plots.ErrInvalid},
		"crosstable: small":         {plots.Crosstable{Frame: plots.Frame{Width: 4}, Players: []string{"a", "b"}, Cells: [][]stats.Record{{r, r}, {r, r}}}, plots.ErrSize},
		"ladder: nothing":           {plots.Ladder{}, plots.ErrNoData},
		"ladder: only NaN":          {plots.Ladder{Rows: []plots.Rung{{Value: stats.Unknown()}}}, plots.ErrNoData},
		"ladder: infinite":          {plots.Ladder{Rows: []plots.Rung{{Value: stats.Exactly(inf)}}}, plots.ErrInvalid},
		"ladder: narrow":            {plots.Ladder{Frame: plots.Frame{Width: 5}, Rows: make([]plots.Rung, 3)}, plots.ErrSize},
		"histogram: nothing":        {plots.Histogram{}, plots.ErrNoData},
		"histogram: only NaN":       {plots.Histogram{Samples: []plots.Sample{{Values: []float64{nan}}}}, plots.ErrNoData},
		"histogram: infinite":       {plots.Histogram{Samples: []plots.Sample{{Values: []float64{inf}}}}, plots.ErrInvalid},
		"histogram: log":            {plots.Histogram{X: plots.Axis{Log: true}, Samples: []plots.Sample{{Values: []float64{1}}}}, plots.ErrInvalid},
		"results: nothing":          {plots.Results{}, plots.ErrNoData},
		"results: no games":         {plots.Results{Generations: make([]stats.Record, 1)}, plots.ErrNoData},
		"results: negative":         {plots.Results{Generations: []stats.Record{{Wins: 1, Draws: -1, Losses: 1}}}, plots.ErrInvalid},
		"heatmap: nothing":          {plots.Heatmap{}, plots.ErrNoData},
		"heatmap: only NaN":         {heat(stats.Interval{Value: nan}), plots.ErrNoData},
		"heatmap: infinite":         {heat(stats.Interval{Value: inf}), plots.ErrInvalid},
		"heatmap: log of 0":         {plots.Heatmap{Value: plots.Axis{Log: true}, X: tick, Y: tick, Cells: [][]stats.Interval{{{}}}}, plots.ErrInvalid},
		"heatmap: rows":             {plots.Heatmap{X: tick, Y: tick}, plots.ErrInvalid},
		"heatmap: cells":            {plots.Heatmap{X: tick, Y: tick, Cells: [][]stats.Interval{{}}}, plots.ErrInvalid},
		"heatmap: narrow":           {plots.Heatmap{Frame: plots.Frame{Width: 4}, X: plots.Axis{Names: make([]string, 90)}, Y: tick, Cells: [][]stats.Interval{make([]stats.Interval, 90)}}, plots.ErrSize},
		"parallel: nothing":         {plots.Parallel{}, plots.ErrNoData},
		"parallel: no lines":        {plots.Parallel{Axes: make([]plots.Axis, 2)}, plots.ErrNoData},
		"parallel: no axes":         {plots.Parallel{Lines: make([]plots.ParallelLine, 2)}, plots.ErrNoData},
		"parallel: no result":       {para(plots.ParallelLine{Values: []float64{1}, Metric: nan}), plots.ErrNoData},
		"parallel: no value":        {para(plots.ParallelLine{Values: []float64{nan}, Metric: 1}), plots.ErrNoData},
		"parallel: values":          {para(plots.ParallelLine{Values: []float64{1, 2}, Metric: 1}), plots.ErrInvalid},
		"parallel: infinite":        {para(plots.ParallelLine{Values: []float64{-inf}, Metric: 1}), plots.ErrInvalid},
		"parallel: no such tick":    {plots.Parallel{Axes: []plots.Axis{{Names: []string{"a"}}}, Lines: []plots.ParallelLine{{Values: []float64{1}}}}, plots.ErrInvalid},
		"parallel: half a tick":     {plots.Parallel{Axes: []plots.Axis{{Names: []string{"a", "b"}}}, Lines: []plots.ParallelLine{{Values: []float64{0.5}}}}, plots.ErrInvalid},
		"parallel: log of 0":        {plots.Parallel{Axes: []plots.Axis{{Log: true}}, Lines: []plots.ParallelLine{{Values: []float64{0}}}}, plots.ErrInvalid},
		"parallel: log of result":   {plots.Parallel{Metric: plots.Axis{Log: true}, Axes: make([]plots.Axis, 1), Lines: []plots.ParallelLine{{Values: []float64{0}}}}, plots.ErrInvalid},
		"parallel: narrow":          {plots.Parallel{Frame: plots.Frame{Width: 5}, Axes: make([]plots.Axis, 9), Lines: []plots.ParallelLine{{Values: make([]float64, 9)}}}, plots.ErrSize},
		"multiples: nothing":        {plots.Multiples{}, plots.ErrNoData},
		"multiples: empty panels":   {plots.Multiples{Panels: make([]plots.Series, 3)}, plots.ErrNoData},
		"multiples: log":            {plots.Multiples{Y: plots.Axis{Log: true}, Panels: series([]float64{1}, []float64{0})}, plots.ErrInvalid},
		"planes: nothing":           {plots.PolicyPlanes{}, plots.ErrNoData},
		"diagram: nothing":          {plots.Diagram{}, plots.ErrNoData},
		"planes: infinite":          {plots.PolicyPlanes{Planes: []plots.Plane{{Squares: [64]float64{5: inf}}}}, plots.ErrInvalid},
		"planes: position":          {plots.PolicyPlanes{Position: plots.Position{FEN: " "}, Planes: make([]plots.Plane, 1)}, plots.ErrInvalid},
		"planes: narrow":            {plots.PolicyPlanes{Frame: plots.Frame{Width: 2}, Columns: 8, Planes: make([]plots.Plane, 9)}, plots.ErrSize},
		"board: nothing":            {plots.Board{}, plots.ErrInvalid},
		"board: variant":            {plots.Board{Position: plots.Position{Variant: "go", FEN: kings.FEN}}, plots.ErrInvalid},
		"board: arrow":              {plots.Board{Position: kings, Arrows: []plots.Arrow{{From: "e2", To: "e"}}}, plots.ErrInvalid},
		"board: weight":             {plots.Board{Position: kings, Arrows: []plots.Arrow{{From: "e2", To: "e4", Weight: -1}}}, plots.ErrInvalid},
		"board: NaN":                {plots.Board{Position: kings, Arrows: []plots.Arrow{{From: "e2", To: "e4", Weight: nan}}}, plots.ErrInvalid},
		"tree: nothing":             {plots.Tree{}, plots.ErrNoData},
		"tree: parent":              {plots.Tree{Nodes: []plots.Node{{}, {Parent: 1}}}, plots.ErrInvalid},
		"tree: visits":              {plots.Tree{Nodes: []plots.Node{{Visits: -1}}}, plots.ErrInvalid},
		"tree: prior":               {plots.Tree{Nodes: []plots.Node{{Prior: 1.5}}}, plots.ErrInvalid},
		"tree: value":               {plots.Tree{Nodes: []plots.Node{{Q: -inf}}}, plots.ErrInvalid},
		"tree: narrow":              {plots.Tree{Frame: plots.Frame{Width: 4}, Nodes: searched}, plots.ErrSize},
	} {
		if f, err := c.chart.Figure(); !errors.Is(err, c.want) {
			t.Errorf("%s: have figure %v, error %v; want %v", name, f != nil, err, c.want)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	for _, extension := range []string{"", "svg", ".gif"} {
		if _, err := figure(t, lines()).Render(extension); !errors.Is(err, plots.ErrInvalid) {
			t.Errorf("%q: have error %v, want ErrInvalid", extension, err)
		}
	}
}

// checkSVG parses a document and returns the text that it shows.
func checkSVG(t interface{ Fatalf(string, ...any) }, doc []byte) []string {
	var shown []string
	dec := xml.NewDecoder(bytes.NewReader(doc))
	text := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return shown
		}
		if err != nil {
			t.Fatalf("SVG cannot be parsed: %v\n%s", err, doc)
		}
		switch e := token.(type) {
		case xml.StartElement:
			text = e.Name.Local == "text"
			for _, a := range e.Attr {
				if a.Name.Local == "id" {
					t.Fatalf("id %q would clash on a page", a.Value)
				}
				if a.Name.Local == "d" && (strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf")) {
					t.Fatalf("path %q", a.Value)
				}
			}
		case xml.EndElement:
			text = false
		case xml.CharData:
			if text {
				shown = append(shown, string(e))
			}
		}
	}
}

func TestInlineSVG(t *testing.T) {
	for _, g := range gallery {
		f := figure(t, g.chart())
		inline, err := f.InlineSVG()
		if err != nil {
			t.Fatal(err)
		}
		checkSVG(t, inline)
		s := string(inline)
		for _, want := range []string{`viewBox="0 0 `, `role="img"`, `width="100%"`, "<title>", "<desc>"} {
			if !strings.Contains(s, want) {
				t.Errorf("%s: no %s", g.name, want)
			}
		}
		if texts, fitted := strings.Count(s, "<text "), strings.Count(s, `<text textLength="`); texts != fitted+strings.Count(s, `></text>`) {
			t.Errorf("%s: %d of %d texts have a length", g.name, fitted, texts)
		}
		if !strings.HasPrefix(s, "<svg ") || strings.Contains(s, "<?xml") || strings.Contains(s, "<!--") {
			t.Errorf("%s: begins with %.40q", g.name, s)
		}
		if white, boards := strings.Contains(s, `class="shaded"`), strings.Contains(g.name, "board") || strings.Contains(g.name, "tree") || strings.Contains(g.name, "planes") || strings.Contains(g.name, "variant") || strings.Contains(g.name, "parallel") || strings.Contains(g.name, "gray") || g.name == "diagram"; white != boards {
			t.Errorf("%s: on white paper: %v", g.name, white)
		}
		if f.Description() == "" {
			t.Errorf("%s: no description", g.name)
		}
	}
}

func TestHostileNames(t *testing.T) {
	for _, name := range []string{
		`<script>alert("1")</script>`, `style="font-family:Liberation Sans;font-variant:normal;font-weight:bold;font-style:normal;`,
		"a\x00b\x1b[31m\nc\td\xff", "]]>", "&amp;", "名前", strings.Repeat("long ", 200), "\u202eturned",
	} {
		two := []float64{1, 2}
		charts := []plots.Chart{
			plots.Lines{Frame: plots.Frame{Title: name}, X: plots.Axis{Label: name, Unit: name}, Y: plots.Axis{Label: name},
				Series: []plots.Series{line(name, two, two)}, References: []plots.Reference{{Name: name}}},
			plots.Stack{X: name, Panels: []plots.Panel{{Y: plots.Axis{Label: name, Unit: name}, Series: []plots.Series{line(name, two, two), {Name: name, Curve: name, Points: plots.Points(two, two)}}}}},
			plots.Crosstable{Players: []string{name, name}, Cells: [][]stats.Record{{{}, {Wins: 1}}, {{Losses: 1}, {}}}},
			plots.Ladder{Rows: []plots.Rung{{Name: name, Value: stats.Exactly(1)}}},
			plots.Histogram{Samples: []plots.Sample{{Name: name, Values: []float64{1}}, {Name: name}}},
			plots.Results{Generations: []stats.Record{{Wins: 1, Draws: 1, Losses: 1}}},
			plots.Heatmap{Frame: plots.Frame{Note: name}, X: plots.Axis{Label: name, Names: []string{name, name}}, Y: plots.Axis{Label: name, Names: []string{name}}, Value: plots.Axis{Label: name, Unit: name}, Cells: [][]stats.Interval{{{}, {Value: 1}}}},
			plots.Parallel{Axes: []plots.Axis{{Label: name}, {Label: name, Names: []string{name}}}, Metric: plots.Axis{Label: name}, Lines: []plots.ParallelLine{{Name: name, Values: []float64{0, 0}}}, Best: stats.Higher},
			plots.Multiples{X: plots.Axis{Label: name}, Y: plots.Axis{Label: name}, Panels: []plots.Series{line(name, two, two), {Name: name}}},
			plots.PolicyPlanes{Planes: []plots.Plane{{Title: name}}},
			plots.Board{Position: kings, Weight: plots.Axis{Label: name}, Arrows: []plots.Arrow{{From: "e2", To: "e4", Label: name, Note: name}}},
			plots.Tree{Nodes: []plots.Node{{Move: name}, {Move: name}}},
		}
		for _, c := range charts {
			f := figure(t, c)
			svg, err := f.Render(".svg")
			if err != nil {
				t.Fatal(err)
			}
			checkSVG(t, svg)
			if _, err := f.Render(".pdf"); err != nil {
				t.Errorf("%T: %v", c, err)
			}
		}
		// A name that has the look of markup is shown as it is.
		svg, err := figure(t, charts[0]).Render(".svg")
		if err != nil {
			t.Fatal(err)
		}
		if name[0] == '<' && strings.Join(checkSVG(t, svg), "\n") == "" || strings.Contains(string(svg), "<script") {
			t.Errorf("%q is not escaped", name)
		}
		if strings.HasPrefix(name, "style=") && !strings.Contains(strings.Join(checkSVG(t, svg), "\n"), name) {
			t.Errorf("the name %q was taken for markup", name)
		}
	}
}

// Any data gives a picture or an error of the package, and the picture has no
// NaN in it.
func TestAnyData(t *testing.T) {
	number := rapid.OneOf(
		rapid.Float64(), rapid.Float64Range(0, 1), rapid.Float64Range(-5, 5),
		rapid.SampledFrom([]float64{0, 1, 1, 2, nan, inf, -inf, 5e-324, 1e-300, 1e300, 1e15, 1e15 + 1, math.MaxFloat64}),
		rapid.Map(rapid.IntRange(-10, 10), func(i int) float64 { return float64(i) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		list := func(n int) []float64 { return rapid.SliceOfN(number, n, n).Draw(t, "list") }
		n := rapid.IntRange(0, 6).Draw(t, "n")
		axis := func() plots.Axis {
			return plots.Axis{Log: rapid.Bool().Draw(t, "log"), FromZero: rapid.Bool().Draw(t, "zero")}
		}
		points := func() []plots.Point { return plots.Points(list(n), list(n)) }
		series := []plots.Series{{Points: points()}, bars("", list(n), list(n), list(n), list(n))}
		series[1].Band = rapid.Bool().Draw(t, "band")
		charts := []plots.Chart{
			plots.Lines{X: axis(), Y: axis(), Series: series},
			plots.Lines{X: plots.Axis{Names: make([]string, n)}, Y: axis(), Series: series},
			plots.Lines{Y: plots.Axis{Most: 1}, Series: series},
			plots.Stack{Panels: []plots.Panel{{Y: axis(), Series: series}, {Y: axis(), Series: series[:1]}}, Generations: list(n)},
			plots.Ladder{Rows: []plots.Rung{{Value: cells(list(1), list(1), list(1))[0]}, {Value: stats.Exactly(list(1)[0])}}},
			plots.Histogram{Samples: []plots.Sample{{Values: list(n)}, {Values: list(n)}}},
			plots.Results{Generations: []stats.Record{{Wins: n, Draws: 2, Losses: 1}, {}}},
			plots.Heatmap{Value: axis(), X: plots.Axis{Names: make([]string, n)}, Y: plots.Axis{Names: make([]string, 1)}, Cells: [][]stats.Interval{cells(list(n), list(n), list(n))}, Best: rapid.SampledFrom([]stats.Better{stats.Neither, stats.Higher, stats.Lower}).Draw(t, "best")},
			plots.Parallel{Metric: axis(), Axes: []plots.Axis{axis(), axis(), {Names: []string{"a", "b"}}}, Best: rapid.SampledFrom([]stats.Better{stats.Neither, stats.Higher, stats.Lower}).Draw(t, "best"), Lines: []plots.ParallelLine{
				{Values: append(list(2), rapid.SampledFrom([]float64{0, 1, nan}).Draw(t, "tick")), Metric: list(1)[0]}, {Values: append(list(2), 0), Metric: list(1)[0]}}},
			plots.Multiples{X: axis(), Y: axis(), Panels: append(series, plots.Series{})},
			plots.PolicyPlanes{Planes: []plots.Plane{{Squares: [64]float64(append(list(2), make([]float64, 62)...))}}},
			plots.Board{Position: kings, Arrows: []plots.Arrow{{From: "a1", To: "h8", Weight: list(1)[0]}, {To: "e4", Weight: list(1)[0]}}},
			plots.Tree{Nodes: []plots.Node{{Visits: n, Prior: list(1)[0], Q: list(1)[0]}, {Visits: 2 * n, Prior: nan, Q: list(1)[0]}}},
		}
		for _, c := range charts {
			f, err := c.Figure()
			if err != nil {
				for _, known := range []error{plots.ErrNoData, plots.ErrInvalid, plots.ErrSize} {
					if errors.Is(err, known) {
						err = nil
						break
					}
				}
				if err != nil {
					t.Fatalf("%T: %v", c, err)
				}
				continue
			}
			svg, err := f.Render(".svg")
			if err != nil {
				t.Fatalf("%T %+v: %v", c, c, err)
			}
			if strings.Contains(f.Description(), "NaN") {
				t.Fatalf("%T %+v describes NaN: %s", c, c, f.Description())
			}
			if _, err := f.Render(".pdf"); err != nil {
				t.Fatalf("%T %+v: %v", c, c, err)
			}
			if shown := checkSVG(t, svg); strings.Contains(strings.Join(shown, " "), "NaN") {
				t.Fatalf("%T %+v shows NaN: %q", c, c, shown)
			}
		}
	})
}

func cells(values, low, high []float64) (row []stats.Interval) {
	for i := range values {
		row = append(row, stats.Interval{Value: values[i], Low: low[i], High: high[i]})
	}
	return row
}

// Much data takes neither long nor much room.
func TestMuchData(t *testing.T) {
	var s plots.Series
	for i := range 20000 {
		s.Points = append(s.Points, plots.Point{X: float64(i), Y: stats.Around(1+math.Sin(float64(i)/100), 0.1)})
	}
	s.Band = true
	p := plots.Parallel{Axes: []plots.Axis{{Names: []string{"a", "b"}}, {}}}
	var nodes []plots.Node
	for i := range 5000 {
		p.Lines = append(p.Lines, plots.ParallelLine{Values: []float64{float64(i % 2), float64(i)}, Metric: float64(i)})
	}
	for i := range 200000 {
		nodes = append(nodes, plots.Node{Parent: i / 3, Visits: 200000 - i, Prior: nan, Q: nan})
	}
	var panels []plots.Series
	for range 100 {
		panels = append(panels, plots.Series{Name: "trial", Points: s.Points[:50]})
	}
	for _, c := range []plots.Chart{
		plots.Lines{Series: []plots.Series{s}}, p, plots.Tree{Nodes: nodes}, plots.Multiples{Panels: panels},
		plots.PolicyPlanes{Planes: make([]plots.Plane, 73)},
	} {
		f := figure(t, c)
		for _, extension := range []string{".svg", ".pdf"} {
			if file, err := f.Render(extension); err != nil || len(file) > 4<<20 {
				t.Errorf("%T: %d bytes, %v", c, len(file), err)
			}
		}
	}
}

func TestSize(t *testing.T) {
	l := lines().(plots.Lines)
	l.Width = 12.7 // 5 inches
	raw, err := figure(t, l).Render(".png")
	if err != nil {
		t.Fatal(err)
	}
	config, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if config.Width != 800 {
		t.Errorf("have %d pixels of width, want 800 at 160 dots an inch", config.Width)
	}
}

// A long legend takes no room from the data: the figure grows with it.
func TestLegendHasRoomOfItsOwn(t *testing.T) {
	few, many := linesMany().(plots.Lines), linesMany().(plots.Lines)
	few.Series = few.Series[:2]
	height := func(c plots.Chart) int {
		raw, err := figure(t, c).Render(".png")
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		return config.Height
	}
	// 9 names take 3 rows where 2 take 1, and a row is 14 points.
	if have, want := height(many)-height(few), 2*14*160/72.0; math.Abs(float64(have)-want) > 1 {
		t.Errorf("two more rows of legend add %d pixels, want %.1f", have, want)
	}
}

// Parallel coordinates whose axes need more room than other pictures have take it.
func TestParallelTakesRoom(t *testing.T) {
	c := plots.Parallel{Axes: make([]plots.Axis, 14), Lines: []plots.ParallelLine{{Values: make([]float64, 14)}}}
	for i := range c.Axes {
		c.Axes[i] = plots.Axis{Label: "a long name", Names: []string{"{full: 0.25, visits: 16}"}}
	}
	f, err := c.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Render(".svg"); err != nil {
		t.Fatal(err)
	}
	c.Frame.Width = 16
	if _, err := c.Figure(); !errors.Is(err, plots.ErrSize) {
		t.Errorf("in 16 cm: %v", err)
	}
}

// The pieces of pages are those of figures, with y from above.
func TestPieceSymbols(t *testing.T) {
	text := plots.PieceSymbols()
	var doc struct {
		Symbols []struct {
			ID     string     `xml:"id,attr"`
			Shapes []struct{} `xml:",any"`
		} `xml:"symbol"`
	}
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	ids := ""
	for _, s := range doc.Symbols {
		if len(s.Shapes) < 2 {
			t.Errorf("%s has %d shapes", s.ID, len(s.Shapes))
		}
		ids += s.ID + " "
	}
	if ids != "p n b r q k a c d e f g h i j l m s t u v w x y z archbishop chancellor amazon mann " {
		t.Errorf("the symbols are %s", ids)
	}
	for _, want := range []string{
		`<path d="M 36 80 C 42 74 42 72 42 68 L 58 68 C 58 72 58 74 64 80 Z"/>`, `<circle cx="50" cy="16" r="4.5"/>`,
		`<path class="detail" d="M 50 54 L 50 36"/>`, `<circle class="dot" cx="34.5" cy="35.5" r="1.3"/>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the pieces lack %s:\n%s", want, text)
		}
	}
}
