package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// svgOf is a small drawing, as package plots makes them.
func svgOf(name string) []byte {
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 60" width="100%" role="img">` + "\n" +
		`<path d="M10,50L60,30L150,12" style="fill:none;stroke:#0072B2"/><text x="10" y="14">` + name + "</text>\n</svg>\n")
}

// fullPage has every kind of block. Its tournament is that of table 5.2 of the thesis on
// atomic chess; ratings and trials are made up.
func fullPage() *Page {
	crosstable := func(score string) Block {
		return Table{
			Caption: "Against the untrained network.",
			Columns: []Column{{Name: "player"}, number("score", "of 20")},
			Rows:    [][]Cell{Row("generation 12", score), Row("untrained", "0")},
		}
	}
	loss := Figure{Caption: "Learning rate and loss.", SVG: svgOf("loss"), Files: []string{"figures/loss.svg"}}
	return &Page{
		Title:    "Depth of the network in atomic chess",
		Subtitle: "experiments/sweeps/depth.yaml · 6 trials of 30 generations",
		About: "Does atomic chess need twenty residual blocks? The thesis asks this in its *section 6.2.5*. " +
			"Here the same training runs at depths **2**, **5** and **10**, with two values of `c_puct`.\n\n" +
			"- every trial plays 250 games a generation,\n- 800 searches a move,\n- and learns for 10 epochs.\n",
		Blocks: []Block{
			Changes("papers/oppenheimerzero/small.yaml", "sweeps/depth.yaml", [][]Cell{
				{{Text: "network.depth"}, {Text: "6", Class: Before}, {Text: "2, 5, 10", Class: After}, {Text: "depth.yaml:7", Class: Faint}},
				{{Text: "hooks"}, {Text: "–", Class: Before}, {Text: "hooks/king_safety.go", Class: After}},
			}),
			Text{"## Strength against training\n\nThe score in one round robin of all checkpoints; bars are 95 % intervals."},
			Figure{
				Caption: "Tournament score against samples trained on.",
				SVG:     svgOf("score"),
				Alt:     "Line chart: the score rises from 14.5 to 135 of 180 points and falls again.",
				Files:   []string{"figures/score.svg", "figures/score.png"},
			},
			Table{
				Caption: "Result of the tournament, in order of score.",
				Columns: []Column{{Name: "player"}, number("samples", "millions"), {Name: "W/D/L"}, {Name: "score", Unit: "of 180", Numeric: true, Descending: true}, number("Elo", "")},
				Rows: [][]Cell{
					{{Text: "8_5"}, {Text: "3.06"}, {Text: "133/4/43"}, {Text: "135", Mark: "★", Class: Best}, {Text: "+191 ± 60", Mark: "~"}},
					Row("8_8", "4.72", "113/16/51", "121", "+124 ± 54"),
					Row("random", "–", "7/3/170", "8.5", "−522 ± 118"),
				},
				Legend: legends[bestMark],
				Files:  []string{"tournament/ratings.csv", "tournament/a b.pgn"},
			},
			Heading{"Trials"},
			Table{Caption: "What was varied.", Columns: []Column{number("#", ""), {Name: "network.depth"}}, Rows: [][]Cell{
				{{Text: "1", Link: anchor(1)}, {Text: "2"}}, {{Text: "2", Link: anchor(2)}, {Text: "5"}}, {{Text: "3", Link: anchor(3)}, {Text: "10"}}}},
			SideBySide{{1, "#1 search.c_puct = 1", []Block{loss, crosstable("20")}}, {2, "#2 search.c_puct = 2", []Block{loss, crosstable("19.5")}}},
			Note{true, "Trial 5d2a91 was stopped after 22 of 30 generations.", []string{"out of time", "<b>"}},
			Text{"## Games\n\n### How they ended\n\n| result | share |\n|---|--:|\n| white | 0.57 |\n| draw | 0.09 |\n\n```\n1. Nf3 f6 2. Nd4 Nh6 3. Ne6\n```\n\n> A capture takes the neighbors along."},
			Note{Text: "Games over 150 moves are thrown away and played again."},
			Heading{"How this was made"},
			Fold{"Provenance", []Block{facts(Row("seed", "1"), []Cell{{Text: "experiment"}, {Text: "sha256:5b1c7a9e", Class: Code}})}},
		},
	}
}

// sweepPage is the page of a sweep of n trials.
func sweepPage(n int, svg []byte) *Page {
	t := Table{Caption: "What was varied, and what came of it.", Columns: []Column{number("#", ""), {Name: "network.depth"}, {Name: "score", Numeric: true, Descending: true}}}
	var all SideBySide
	for i := 1; i <= n; i++ {
		t.Rows = append(t.Rows, []Cell{{Text: fmt.Sprint(i), Link: anchor(i)}, {Text: fmt.Sprint(2 + i%10)}, {Text: fmt.Sprintf("%d ± 2", 50+7*i%40)}})
		all = append(all, Trial{i, fmt.Sprintf("#%d depth=%d", i, 2+i%10), []Block{Figure{Caption: "Losses.", SVG: svg, Files: []string{"figures/loss.svg"}}}})
	}
	return &Page{Title: "Sweep", Blocks: []Block{t, all, Fold{"Provenance of all trials", []Block{Fold{"Provenance of the first", []Block{facts(Row("seed", "1"))}}}}}}
}

// golden compares with a file of testdata.
func golden(t *testing.T, name string, have []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, have, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("%s differs from what is written now; go test ./pkg/report -update accepts it", path)
	}
}

func htmlOf(t testing.TB, p *Page) []byte {
	t.Helper()
	out, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Pages in HTML, without style and script, in Markdown and as text.
func TestGolden(t *testing.T) {
	for name, page := range map[string]*Page{"full": fullPage(), "sweep": sweepPage(shownTrials+1, svgOf("loss"))} {
		html := htmlOf(t, page)
		if !bytes.Equal(html, htmlOf(t, page)) {
			t.Errorf("%s: the same page written twice differs", name)
		}
		golden(t, name+".html", html[bytes.Index(html, []byte("</style>")):bytes.Index(html, []byte("<script>"))])
		golden(t, name+".md", page.Markdown())
		var text bytes.Buffer
		if err := WriteText(&text, true, page.Blocks...); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", text.Bytes())
	}
}

// hostile are strings that would do something if one place forgot to escape.
var hostile = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`'"--></style></title></svg><iframe src=evil>`,
	`{{template "page"}} ${alert(1)} <!-- <![CDATA[`,
	"tab\tline\nbreak\x00nul\xff\xfe not UTF-8 \u202e turned",
	`| a | b |`, `[x](javascript:alert(1))`, "`code` **bold** <b>", `\`, ``,
}

// hostilePage puts one string into every field that is plain text.
func hostilePage(s string) *Page {
	figure := Figure{Caption: s, SVG: svgOf("x"), Alt: s, Files: []string{s + ".svg"}}
	table := Table{Caption: s, Legend: s, Columns: []Column{{Name: s, Unit: s}, number(s, "")}, Rows: [][]Cell{{{Text: s, Mark: s, Class: Best}, {Text: s, Class: Code}}}}
	return &Page{
		Title: s, Subtitle: s,
		Blocks: []Block{
			Heading{s}, Note{true, s, []string{s}}, table, figure,
			SideBySide{{1, s, []Block{Heading{s}, figure}}}, Fold{s, []Block{Heading{s}, Changes(s, s, [][]Cell{Row(s, s, s, s)})}},
		},
	}
}

// tagsOf returns the names and attribute names of all tags of a page.
func tagsOf(page []byte) string {
	// Text of a page never has a raw "<", so tags can be cut out as they stand.
	tag := regexp.MustCompile(`<(/?[a-zA-Z!][a-zA-Z0-9]*)((?:\s+[a-zA-Z:-]+(?:="[^"]*")?)*)\s*>`)
	name := regexp.MustCompile(`\s+([a-zA-Z:-]+)(?:="[^"]*")?`)
	var b strings.Builder
	for _, m := range tag.FindAllSubmatch(page, -1) {
		b.Write(m[1])
		for _, a := range name.FindAllSubmatch(m[2], -1) {
			b.WriteString(" " + string(a[1]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A hostile string must not change which tags a page consists of, in HTML or in what a
// reader makes of the Markdown who lets HTML through.
func TestHostileText(t *testing.T) {
	forms := map[string]func(*Page) []byte{
		"HTML": func(p *Page) []byte { return htmlOf(t, p) },
		"Markdown": func(p *Page) []byte {
			var out bytes.Buffer
			unsafe := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
			if err := unsafe.Convert(p.Markdown(), &out); err != nil {
				t.Fatal(err)
			}
			return out.Bytes()
		},
	}
	for form, write := range forms {
		tame := write(hostilePage("tame"))
		for _, s := range hostile {
			if s == "" {
				continue // an empty caption has no element
			}
			page := write(hostilePage(s))
			if have, want := tagsOf(page), tagsOf(tame); have != want {
				t.Errorf("%s: %q changes the tags of the page:\n%s", form, s, page)
			}
		}
	}
}

// The Markdown of the experiment's author runs no script and loads nothing.
func TestHostileMarkdown(t *testing.T) {
	for _, s := range append(hostile, "<b>bold</b>\n\n<div onclick=x>\n\n![x](https://evil/x.png)\n\n[![y](https://evil/y.png)](z) [x](javascript:alert(1)) <javascript:alert(1)>\n\n# <script>") {
		page := htmlOf(t, &Page{Title: "x", About: s, Blocks: []Block{Text{s}}})
		body := page[bytes.Index(page, []byte("<main")):]
		for _, bad := range []string{"<script>a", "<img", "<b>", "<div onclick", "<iframe", "href=\"javascript", "onclick=x>"} {
			if bytes.Contains(body, []byte(bad)) {
				t.Errorf("%q lets %q through", s, bad)
			}
		}
	}
}

// Every heading has an id of its own, and the table of contents leads to it.
func TestSections(t *testing.T) {
	out := htmlOf(t, &Page{Blocks: []Block{
		Heading{"Games"}, Text{"# Games\n\n## Games 2\n\n### Inner"}, Heading{"Games"}, Heading{"§"}, Heading{"棋"}, Fold{"x", []Block{Heading{"not listed"}}},
	}})
	seen := map[string]bool{}
	headings := regexp.MustCompile(`<h[2-6] id="([^"]*)"`).FindAllSubmatch(out, -1)
	for _, m := range headings {
		seen[string(m[1])] = true
	}
	if len(headings) != 8 || len(seen) != 8 {
		t.Errorf("8 headings have %d ids, %d of them different", len(headings), len(seen))
	}
	if n := bytes.Count(out, []byte(`<li class="level`)); n != 7 {
		t.Errorf("the table of contents has %d entries, want 7", n)
	}
}

// Pictures of folded trials that have no more room are links to their files.
func TestFoldedPicturesHaveTheirRoom(t *testing.T) {
	big := append(bytes.Repeat([]byte(" "), 200_000), svgOf("x")...)
	n := foldedRoom/len(big)*2 + 10
	html := htmlOf(t, sweepPage(n, big))
	if len(html) > foldedRoom+n*2000+60<<10 {
		t.Errorf("the page has %d bytes", len(html))
	}
	drawn, left := bytes.Count(html, []byte("<svg")), bytes.Count(html, []byte("in its files only"))
	if drawn == 0 || left == 0 || drawn+left != n {
		t.Errorf("of %d pictures %d are drawn and %d left to their files", n, drawn, left)
	}
	// A picture that has no file is always drawn.
	p := sweepPage(n, big)
	trials := p.Blocks[1].(SideBySide)
	for i := range trials {
		trials[i].Blocks = []Block{Figure{SVG: big}}
	}
	if drawn := bytes.Count(htmlOf(t, p), []byte("<svg")); drawn != n {
		t.Errorf("of %d pictures without files %d are drawn", n, drawn)
	}
}
