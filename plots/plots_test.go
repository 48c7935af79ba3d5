package plots_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"alamos/plots"
	"pgregory.net/rapid"
)

var inf = math.Inf(1)

func TestErrors(t *testing.T) {
	one := []plots.Series{{X: []float64{1}, Y: []float64{0.5}}}
	series := func(x, y []float64) []plots.Series { return []plots.Series{{Name: "s", X: x, Y: y}} }
	r := plots.Record{Wins: 1}
	for name, c := range map[string]struct {
		chart plots.Chart
		want  error
	}{
		"lines: nothing":            {plots.Lines{}, plots.ErrNoData},
		"lines: empty series":       {plots.Lines{Series: series(nil, nil)}, plots.ErrNoData},
		"lines: only NaN":           {plots.Lines{Series: series([]float64{1, 2}, []float64{nan, nan})}, plots.ErrNoData},
		"lines: NaN never meet":     {plots.Lines{Series: series([]float64{nan, 2}, []float64{1, nan})}, plots.ErrNoData},
		"lines: length":             {plots.Lines{Series: series([]float64{1, 2}, []float64{1})}, plots.ErrLength},
		"lines: length of bars":     {plots.Lines{Series: []plots.Series{{X: []float64{1, 2}, Y: []float64{1, 2}, Low: []float64{1}}}}, plots.ErrLength},
		"lines: infinite":           {plots.Lines{Series: series([]float64{1}, []float64{inf})}, plots.ErrInfinite},
		"lines: infinite x":         {plots.Lines{Series: series([]float64{-inf}, []float64{1})}, plots.ErrInfinite},
		"lines: huge":               {plots.Lines{Series: series([]float64{1}, []float64{1e301})}, plots.ErrRange},
		"lines: log of 0":           {plots.Lines{Y: plots.Axis{Log: true}, Series: series([]float64{1, 2}, []float64{0, 1})}, plots.ErrRange},
		"lines: log of x < 0":       {plots.Lines{X: plots.Axis{Log: true}, Series: series([]float64{-1, 2}, []float64{1, 1})}, plots.ErrRange},
		"lines: reference NaN":      {plots.Lines{Series: one, References: []plots.Reference{{Y: nan}}}, plots.ErrNoData},
		"lines: reference infinite": {plots.Lines{Series: one, References: []plots.Reference{{Y: inf}}}, plots.ErrInfinite},
		"lines: narrow":             {plots.Lines{Series: one, Frame: plots.Frame{Width: 1}}, plots.ErrSize},
		"lines: NaN wide":           {plots.Lines{Series: one, Frame: plots.Frame{Width: nan}}, plots.ErrSize},
		"lines: low":                {plots.Lines{Series: one, Frame: plots.Frame{Height: 2}}, plots.ErrSize},
		"lines: negative":           {plots.Lines{Series: one, Frame: plots.Frame{Height: -5}}, plots.ErrSize},
		"lines: tower":              {plots.Lines{Series: one, Frame: plots.Frame{Height: 1e6}}, plots.ErrSize},
		"score: above 1":            {plots.Score{Series: series([]float64{1}, []float64{1.01})}, plots.ErrRange},
		"score: below 0":            {plots.Score{Series: series([]float64{1}, []float64{-0.01})}, plots.ErrRange},
		"score: above games":        {plots.Score{Games: 20, Series: series([]float64{1}, []float64{20.5})}, plots.ErrRange},
		"score: negative games":     {plots.Score{Games: -1, Series: one}, plots.ErrRange},
		"score: reference":          {plots.Score{Series: one, References: []plots.Reference{{Y: 2}}}, plots.ErrRange},
		"score: nothing":            {plots.Score{}, plots.ErrNoData},
		"loss: nothing":             {plots.Loss{}, plots.ErrNoData},
		"loss: empty":               {plots.Loss{Series: []plots.LossSeries{{Name: "a"}}}, plots.ErrNoData},
		"loss: only NaN":            {plots.Loss{Series: []plots.LossSeries{{Rate: []float64{nan}}}}, plots.ErrNoData},
		"loss: length":              {plots.Loss{Series: []plots.LossSeries{{Rate: []float64{1, 1}, Training: []float64{1}}}}, plots.ErrLength},
		"loss: length of head":      {plots.Loss{Series: []plots.LossSeries{{Rate: []float64{1, 1}, Heads: []plots.Head{{Loss: []float64{1}}}}}}, plots.ErrLength},
		"loss: rate of 0":           {plots.Loss{Series: []plots.LossSeries{{Rate: []float64{0.1, 0}}}}, plots.ErrRange},
		"loss: infinite":            {plots.Loss{Series: []plots.LossSeries{{Training: []float64{inf}}}}, plots.ErrInfinite},
		"loss: infinite generation": {plots.Loss{Series: []plots.LossSeries{{Training: []float64{1}}}, Generations: []float64{inf}}, plots.ErrInfinite},
		"loss: low":                 {plots.Loss{Frame: plots.Frame{Height: 5}, Series: []plots.LossSeries{{Rate: []float64{1}, Training: []float64{1}}}}, plots.ErrSize},
		"crosstable: nothing":       {plots.Crosstable{}, plots.ErrNoData},
		"crosstable: no games":      {plots.Crosstable{Players: []string{"a", "b"}, Cells: [][]plots.Record{{r, {}}, {{}, r}}}, plots.ErrNoData},
		"crosstable: rows":          {plots.Crosstable{Players: []string{"a", "b"}, Cells: [][]plots.Record{{r, r}}}, plots.ErrLength},
		"crosstable: cells":         {plots.Crosstable{Players: []string{"a", "b"}, Cells: [][]plots.Record{{r, r}, {r}}}, plots.ErrLength},
		"crosstable: negative":      {plots.Crosstable{Players: []string{"a", "b"}, Cells: [][]plots.Record{{r, r}, {{Draws: -1}, r}}}, plots.ErrRange},
		"crosstable: small":         {plots.Crosstable{Frame: plots.Frame{Width: 4}, Players: []string{"a", "b"}, Cells: [][]plots.Record{{r, r}, {r, r}}}, plots.ErrSize},
		"crosstable: crowd":         {plots.Crosstable{Players: make([]string, 101)}, plots.ErrSize},
		"ladder: nothing":           {plots.Ladder{}, plots.ErrNoData},
		"ladder: only NaN":          {plots.Ladder{Players: []plots.Rating{{Elo: nan}}}, plots.ErrNoData},
		"ladder: infinite":          {plots.Ladder{Players: []plots.Rating{{Elo: inf, Low: 1, High: inf}}}, plots.ErrInfinite},
		"ladder: interval":          {plots.Ladder{Players: []plots.Rating{{Elo: 1, Low: 2, High: 3}}}, plots.ErrRange},
		"ladder: low":               {plots.Ladder{Frame: plots.Frame{Height: 4}, Players: make([]plots.Rating, 30)}, plots.ErrSize},
		"ladder: narrow":            {plots.Ladder{Frame: plots.Frame{Width: 5}, Players: make([]plots.Rating, 3)}, plots.ErrSize},
		"ladder: log":               {plots.Ladder{X: plots.Axis{Log: true}, Players: make([]plots.Rating, 3)}, plots.ErrRange},
		"histogram: nothing":        {plots.Histogram{}, plots.ErrNoData},
		"histogram: only NaN":       {plots.Histogram{Samples: []plots.Sample{{Values: []float64{nan}}}}, plots.ErrNoData},
		"histogram: infinite":       {plots.Histogram{Samples: []plots.Sample{{Values: []float64{inf}}}}, plots.ErrInfinite},
		"histogram: bins":           {plots.Histogram{Bins: -1, Samples: []plots.Sample{{Values: []float64{1}}}}, plots.ErrRange},
		"histogram: log":            {plots.Histogram{X: plots.Axis{Log: true}, Samples: []plots.Sample{{Values: []float64{1}}}}, plots.ErrRange},
		"results: nothing":          {plots.Results{}, plots.ErrNoData},
		"results: no games":         {plots.Results{White: []float64{0}, Draws: []float64{0}, Black: []float64{0}}, plots.ErrNoData},
		"results: length":           {plots.Results{White: []float64{1}, Draws: []float64{1}}, plots.ErrLength},
		"results: labels":           {plots.Results{White: []float64{1}, Draws: []float64{1}, Black: []float64{1}, Labels: []string{"a", "b"}}, plots.ErrLength},
		"results: negative":         {plots.Results{White: []float64{1}, Draws: []float64{-1}, Black: []float64{1}}, plots.ErrRange},
		"results: crowd":            {plots.Results{White: make([]float64, 3000), Draws: make([]float64, 3000), Black: make([]float64, 3000)}, plots.ErrSize},
	} {
		if f, err := c.chart.Figure(); !errors.Is(err, c.want) {
			t.Errorf("%s: have figure %v, error %v; want %v", name, f != nil, err, c.want)
		}
	}
}

func TestFileNames(t *testing.T) {
	f := figure(t, lines())
	for _, name := range []string{"", ".", "..", "a/b", `a\b`, "../x", "a\x00"} {
		if err := f.WriteFiles(t.TempDir(), name); !errors.Is(err, plots.ErrName) {
			t.Errorf("%q: have error %v, want ErrName", name, err)
		}
	}
	dir := t.TempDir() + "/made/on/demand"
	if err := f.WriteFiles(dir, "x"); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteFiles(dir, "x"); err != nil { // over the first
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 3 || entries[0].Name() != "x.pdf" || entries[1].Name() != "x.png" || entries[2].Name() != "x.svg" {
		t.Errorf("have %v, want x.pdf, x.png and x.svg alone", entries)
	}
	if err := f.WriteFiles(dir+"/x.svg", "y"); err == nil {
		t.Error("a file taken for a directory gives no error")
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
		if !strings.HasPrefix(s, "<svg ") || strings.Contains(s, "<?xml") || strings.Contains(s, "<!--") {
			t.Errorf("%s: begins with %.40q", g.name, s)
		}
		if f.Title() == "" || f.Description() == "" {
			t.Errorf("%s: title %q, description %q", g.name, f.Title(), f.Description())
		}
	}
}

func TestHostileNames(t *testing.T) {
	for _, name := range []string{
		`<script>alert("1")</script>`, `style="font-family:Liberation Sans;font-variant:normal;font-weight:bold;font-style:normal;`,
		"a\x00b\x1b[31m\nc\td\xff", "]]>", "&amp;", "名前", strings.Repeat("long ", 200), "\u202eturned",
	} {
		charts := []plots.Chart{
			plots.Lines{Frame: plots.Frame{Title: name, Description: name}, X: plots.Axis{Label: name, Unit: name}, Y: plots.Axis{Label: name},
				Series: []plots.Series{{Name: name, X: []float64{1, 2}, Y: []float64{1, 2}}}, References: []plots.Reference{{Name: name}}},
			plots.Loss{Series: []plots.LossSeries{{Name: name, Training: []float64{1, 2}, Heads: []plots.Head{{Name: name, Loss: []float64{1, 2}}}}, {Name: name}}},
			plots.Crosstable{Players: []string{name, name}, Cells: [][]plots.Record{{{}, {Wins: 1}}, {{Losses: 1}, {}}}},
			plots.Ladder{Players: []plots.Rating{{Name: name, Elo: 1, Low: nan, High: nan}}},
			plots.Histogram{Samples: []plots.Sample{{Name: name, Values: []float64{1}}, {Name: name}}},
			plots.Results{White: []float64{1}, Draws: []float64{1}, Black: []float64{1}, Labels: []string{name}},
		}
		for _, c := range charts {
			f := figure(t, c)
			svg, err := f.SVG()
			if err != nil {
				t.Fatal(err)
			}
			checkSVG(t, svg)
		}
		// A name that has the look of markup is shown as it is.
		svg, err := figure(t, charts[0]).SVG()
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
		series := []plots.Series{{X: list(n), Y: list(n)}, {X: list(n), Y: list(n), Low: list(n), High: list(n)}}
		charts := []plots.Chart{
			plots.Lines{X: axis(), Y: axis(), Series: series},
			plots.Score{Series: series, Games: rapid.IntRange(0, 3).Draw(t, "games")},
			plots.Loss{Series: []plots.LossSeries{{Epoch: list(n), Rate: list(n), Training: list(n)}, {Validation: list(n)}}, Generations: list(n), LogLoss: rapid.Bool().Draw(t, "log")},
			plots.Ladder{X: plots.Axis{FromZero: rapid.Bool().Draw(t, "zero")}, Players: []plots.Rating{{Elo: list(1)[0], Low: list(1)[0], High: list(1)[0]}, {Elo: list(1)[0], Low: nan, High: nan}}},
			plots.Histogram{Samples: []plots.Sample{{Values: list(n)}, {Values: list(n)}}, Bins: rapid.IntRange(0, 200).Draw(t, "bins")},
			plots.Results{White: list(n), Draws: list(n), Black: list(n), Share: rapid.Bool().Draw(t, "share")},
		}
		for _, c := range charts {
			f, err := c.Figure()
			if err != nil {
				for _, known := range []error{plots.ErrNoData, plots.ErrLength, plots.ErrInfinite, plots.ErrRange, plots.ErrSize} {
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
			svg, err := f.SVG()
			if err != nil {
				t.Fatalf("%T %+v: %v", c, c, err)
			}
			if shown := checkSVG(t, svg); strings.Contains(strings.Join(shown, " "), "NaN") {
				t.Fatalf("%T %+v shows NaN: %q", c, c, shown)
			}
		}
	})
}

func TestSize(t *testing.T) {
	l := lines().(plots.Lines)
	l.Width, l.Height = 12.7, 10.16 // 5 by 4 inches
	raw, err := figure(t, l).PNG()
	if err != nil {
		t.Fatal(err)
	}
	config, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if config.Width != 800 || config.Height != 640 {
		t.Errorf("have %d x %d pixels, want 800 x 640 at 160 dots an inch", config.Width, config.Height)
	}
}

// A long legend takes no room from the data: the figure grows with it.
func TestLegendHasRoomOfItsOwn(t *testing.T) {
	few, many := linesMany().(plots.Lines), linesMany().(plots.Lines)
	few.Series = few.Series[:2]
	height := func(c plots.Chart) int {
		raw, err := figure(t, c).PNG()
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
