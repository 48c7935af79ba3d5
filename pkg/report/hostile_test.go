package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// hostile are strings that would do something if one place forgot to escape.
var hostile = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`'"--></style></title></svg><iframe src=evil>`,
	`{{template "page"}} ${alert(1)} <!-- <![CDATA[`,
	"tab\tline\nbreak\x00nul\xff\xfe not UTF-8 \u202e turned",
	`| a | b |`, `[x](javascript:alert(1))`, "`code` **bold** <b>", `\`, ``,
}

// hostilePage puts one string into every field that is text.
func hostilePage(s string) Page {
	drawing := []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0,0"/></svg>`)
	return Page{
		Title: s, Subtitle: s, About: s,
		Cells: []Cell{
			Heading{Text: s}, Heading{Level: 9, Text: s}, Text{Markdown: s}, Note{Kind: Warning, Markdown: s},
			Table{Caption: s, Columns: []Column{{Name: s, Unit: s, Setting: true}, {Name: s, Numeric: true}}, Rows: [][]string{{s, s}, {s, s}}},
			Figure{Caption: s, SVG: drawing, Alt: s},
			SideBySide{Caption: s, Trials: []Trial{{Label: s, Cells: []Cell{Heading{Text: s}, Figure{Caption: s, SVG: drawing}}}}},
			Settings{Title: s, Items: []Setting{{s, s, s}, {s + "." + s, s, ""}}},
			Diff{Base: s, This: s, Items: []Change{{s, s, s, s, s}, {s, s, "", s, s}}},
			Provenance{Title: s, Facts: []Fact{{s, s, true}, {s, s, false}}},
			Overview{Caption: s, Settings: []string{s}, Metrics: []Metric{{s, s, Higher}}, Rows: []OverviewRow{
				{s, s, []string{s}, []Measure{{Value: 1, Text: s}}}, {s, s, []string{s}, []Measure{{Value: 2, Text: s}}}}},
			Comparison{Caption: s, A: s, B: s, Rows: []Compared{{Name: s, Unit: s, A: Measure{Text: s}, B: Measure{Text: s}, Delta: &Measure{Value: 1, Text: s}, How: s}}},
			Pair{Caption: s, A: s, B: s, Overlaid: &Figure{Caption: s, SVG: drawing, Alt: s}, FigureA: &Figure{Caption: s, SVG: drawing, Alt: s}},
			Fold{Title: s, Cells: []Cell{Heading{Text: s}}},
			SideBySide{Caption: s, Trials: slices.Repeat([]Trial{{Label: s, Cells: []Cell{Heading{Text: s}}}}, listedTrials+1)},
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

// A hostile string must not change which tags a page consists of.
func TestHostileText(t *testing.T) {
	strip := func(p Page) Page { // Markdown makes tags of its own; it has a test of its own
		p.About = ""
		p.Cells[2], p.Cells[3] = Text{Markdown: "x"}, Note{Kind: Warning, Markdown: "x"}
		return p
	}
	tame, err := strip(hostilePage("tame")).HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range hostile {
		if s == "" {
			continue // an empty title or unit has no element
		}
		page, err := strip(hostilePage(s)).HTML()
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if have, want := tagsOf(page), tagsOf(tame); have != want {
			t.Errorf("%q changes the tags of the page", s)
		}
		if n := bytes.Count(page, []byte("<")); n != bytes.Count(tame, []byte("<")) {
			t.Errorf("%q: page has %d raw <, want %d", s, n, bytes.Count(tame, []byte("<")))
		}
	}
}

func TestHostileMarkdownInPage(t *testing.T) {
	for _, s := range append(hostile, "<b>bold</b>\n\n<div onclick=x>\n\n![x](https://evil/x.png)\n\n[x](javascript:alert(1)) <javascript:alert(1)>\n\n# <script>") {
		page, err := (Page{Title: "x", About: s, Cells: []Cell{Text{s}, Note{Markdown: s}}}).HTML()
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		body := page[bytes.Index(page, []byte("<main")):]
		for _, bad := range []string{"<script>a", "<img", "<b>", "<div onclick", "<iframe", "href=\"javascript", "onclick=x>"} {
			if bytes.Contains(body, []byte(bad)) {
				t.Errorf("%q lets %q through", s, bad)
			}
		}
	}
}

// What the Markdown of a hostile page says must be plain text to a renderer
// that lets HTML through.
func TestHostileMarkdownOutput(t *testing.T) {
	for _, s := range hostile {
		p := hostilePage(s)
		p.About, p.Cells[2], p.Cells[3] = "", Text{}, Note{} // their Markdown is meant: see TestMarkdownIsContained
		md, err := p.Markdown()
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		out := rendered(t, string(md))
		for _, bad := range []string{"<script", "<img", "<iframe", "<b>", "<code>", "href=\"javascript", "<!--"} {
			if strings.Contains(out, bad) {
				t.Errorf("%q: rendered Markdown has %q:\n%s", s, bad, out)
			}
		}
		if s != "" && strings.Count(out, "<table>") != 7 {
			t.Errorf("%q breaks a table:\n%s", s, md)
		}
	}
}

func TestDrawingsThatAreRefused(t *testing.T) {
	svg := func(inner string) string {
		return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">` + inner + `</svg>`
	}
	for name, doc := range map[string]string{
		"empty":             "",
		"text":              "hello",
		"cut off":           `<svg><path d="M0`,
		"no end":            `<svg><g>`,
		"crossed ends":      `<svg><g></svg></g>`,
		"two roots":         svg("") + svg(""),
		"other root":        `<g></g>`,
		"script":            svg(`<script>alert(1)</script>`),
		"script, prefixed":  svg(`<svg:script>alert(1)</svg:script>`),
		"style sheet":       svg(`<style>body{display:none}</style>`),
		"foreign":           svg(`<foreignObject><p/></foreignObject>`),
		"animation":         svg(`<animate attributeName="href"/>`),
		"handler":           svg(`<path onclick="alert(1)"/>`),
		"handler, capital":  svg(`<path OnLoad="alert(1)"/>`),
		"script link":       svg(`<a href="javascript:alert(1)"><path/></a>`),
		"script link, x":    svg(`<a xlink:href="javascript:alert(1)"><path/></a>`),
		"image from afar":   svg(`<image href="https://evil/x.png"/>`),
		"svg in image":      svg(`<image href="data:image/svg+xml;base64,AAAA"/>`),
		"use from afar":     svg(`<use href="other.svg#a"/>`),
		"fill from afar":    svg(`<path fill="url(https://evil/#a)"/>`),
		"style from afar":   svg(`<path style="fill:URL(//evil)"/>`),
		"attribute twice":   svg(`<path id="a" id="b"/>`),
		"unknown entity":    svg(`<text>&evil;</text>`),
		"control character": svg("<text>\x01</text>"),
	} {
		page := Page{Cells: []Cell{Figure{Caption: "the figure", SVG: []byte(doc)}}}
		_, err := page.HTML()
		if !errors.Is(err, ErrPicture) {
			t.Errorf("%s: have error %v, want ErrPicture", name, err)
		} else if !strings.Contains(err.Error(), "the figure") {
			t.Errorf("%s: error %q does not name the figure", name, err)
		}
	}
}

// A drawing by Graphviz has a prolog, a document type, comments, ids and links.
const graphviz = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<!-- Generated by graphviz -->
<svg width="62pt" height="116pt" viewBox="0.00 0.00 62.00 116.00" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<g id="graph0" class="graph"><title>G &amp; H</title>
<defs><linearGradient id="shade"><stop offset="0"/></linearGradient></defs>
<g id="node1"><a xlink:href="https://lichess.org/abc"><ellipse fill="url(#shade)" style="stroke:url(#shade)" cx="27" cy="-90" rx="27" ry="18"/></a></g>
<use href="#node1"/></g></svg>`

func TestDrawingWithIDs(t *testing.T) {
	page := Page{Cells: []Cell{
		Figure{Caption: "one", SVG: []byte(graphviz)},
		Figure{Caption: `two "quoted"`, SVG: []byte(graphviz)},
	}}
	out, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	body := string(out[bytes.Index(out, []byte("<main")):])
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if seen[m[1]] {
			t.Errorf("id %q is there twice", m[1])
		}
		seen[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`(?:url\(|href=")#([^")]*)`).FindAllStringSubmatch(body, -1) {
		if !seen[m[1]] {
			t.Errorf("reference to %q, which is not there", m[1])
		}
	}
	for _, want := range []string{`f1-node1`, `f2-shade`, `max-width:62pt`, `aria-label="two &#34;quoted&#34;"`, `G &amp; H`} {
		if !strings.Contains(body, want) {
			t.Errorf("page lacks %s", want)
		}
	}
	for _, bad := range []string{"<?xml", "<!DOCTYPE", "<!--", `width="62pt"`} {
		if strings.Contains(body, bad) {
			t.Errorf("page has %s", bad)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	inner := SideBySide{Trials: []Trial{{Label: "a"}}}
	for name, c := range map[string]struct {
		cell Cell
		want error
	}{
		"short row":         {Table{Columns: []Column{{}, {}}, Rows: [][]string{{"a", "b"}, {"a"}}}, ErrShape},
		"row, no columns":   {Table{Rows: [][]string{{"a"}}}, ErrShape},
		"nil cell":          {nil, ErrShape},
		"nil in trial":      {SideBySide{Trials: []Trial{{Cells: []Cell{nil}}}}, ErrShape},
		"nested":            {SideBySide{Trials: []Trial{{Cells: []Cell{inner}}}}, ErrShape},
		"nested by pointer": {SideBySide{Trials: []Trial{{Cells: []Cell{&inner}}}}, ErrShape},
		"folds too deep":    {deep(maxDepth + 1), ErrShape},
		"nil pointer":       {(*Fold)(nil), ErrShape},
		"trials in a fold":  {SideBySide{Trials: []Trial{{Cells: []Cell{Fold{Cells: []Cell{inner}}}}}}, ErrShape},
		"overview, values":  {Overview{Metrics: []Metric{{}}, Rows: []OverviewRow{{}}}, ErrShape},
		"overview, link":    {Overview{Files: []string{"/x"}}, ErrLink},
		"comparison, link":  {Comparison{Files: []string{"/x"}}, ErrLink},
		"pair, link":        {Pair{Overlaid: &Figure{SVG: notebookDrawing("x"), Files: []string{"/x"}}}, ErrLink},
		"absolute link":     {Table{Files: []string{"/etc/passwd"}}, ErrLink},
		"empty link":        {Table{Files: []string{""}}, ErrLink},
		"link, backslash":   {Table{Files: []string{`\\host\x`}}, ErrLink},
	} {
		page := Page{Cells: []Cell{c.cell}}
		if _, err := page.HTML(); !errors.Is(err, c.want) {
			t.Errorf("%s: HTML: have error %v, want %v", name, err, c.want)
		}
		if _, err := page.Markdown(); !errors.Is(err, c.want) {
			t.Errorf("%s: Markdown: have error %v, want %v", name, err, c.want)
		}
	}
}

// deep is folds within folds.
func deep(n int) Cell {
	if n == 0 {
		return Heading{Text: "bottom"}
	}
	return Fold{Cells: []Cell{deep(n - 1)}}
}

func TestFoldsWithinFolds(t *testing.T) {
	if _, err := (Page{Cells: []Cell{deep(maxDepth)}}).HTML(); err != nil {
		t.Error(err)
	}
}

// Metadata is left out with all that is in it, wherever it stands.
func TestDrawingWithMetadata(t *testing.T) {
	doc := `<svg viewBox="0 0 1 1"><metadata><rdf:RDF xmlns:rdf="x"><script>alert(1)</script> words <svg/></rdf:RDF></metadata><path d="M0,0"/></svg>`
	var s styles
	out, err := inlineSVG([]byte(doc), "f1-", "", &s)
	if err != nil {
		t.Fatal(err)
	}
	if want := `<svg viewBox="0 0 1 1" role="img"><path d="M0,0"/></svg>`; out != want {
		t.Errorf("have %s, want %s", out, want)
	}
}

// A style that could end its rule, or load something, stays an attribute or is
// refused; the drawing's own classes do not meet the page's.
func TestHostileStyles(t *testing.T) {
	for _, style := range []string{"fill:red}body{display:none", "fill:red;</style><script>", "fill:/*", "fill:'x", "fill:\\75rl(x)", "x"} {
		var s styles
		if class := s.add(style); class != "" {
			t.Errorf("%q becomes the class %s: %s", style, class, s.rules.String())
		}
	}
	var s styles
	out, err := inlineSVG([]byte(`<svg><path class="note trial" style="fill:none;stroke:#0072B2"/></svg>`), "", "", &s)
	if err != nil || !strings.Contains(out, `<path class="d0"/>`) || s.rules.String() != ".d0 { fill:none;stroke:#0072B2 }\n" {
		t.Errorf("have %s, %q, %v", out, s.rules.String(), err)
	}
}

func TestLinksStayBesideThePage(t *testing.T) {
	have, err := links([]string{"javascript:alert(1)", "a b/ü>.csv", "games.pgn", "noext"})
	if err != nil {
		t.Fatal(err)
	}
	want := []link{{"", ""}, {"csv", "a%20b/%C3%BC%3E.csv"}, {"pgn", "games.pgn"}, {"noext", "noext"}}
	for i, l := range have {
		if i > 0 && l != want[i] {
			t.Errorf("link %d: have %v, want %v", i, l, want[i])
		}
	}
	if !strings.HasPrefix(have[0].URL, "./") {
		t.Errorf("a colon makes a scheme of %q", have[0].URL)
	}
}

func TestSectionIDsAreUnique(t *testing.T) {
	p := Page{Cells: []Cell{
		Heading{Text: "Games"}, Text{"## Games\n\n## Games 2\n"}, Heading{Text: "Games"}, Heading{Text: "§"}, Heading{Text: "棋"},
	}}
	out, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	targets := regexp.MustCompile(`<h\d id="([^"]*)"`).FindAllSubmatch(out, -1)
	seen := map[string]bool{}
	for _, m := range targets {
		seen[string(m[1])] = true
	}
	if len(targets) != 6 || len(seen) != 6 {
		t.Errorf("6 headings have %d ids, %d of them different", len(targets), len(seen))
	}
	if n := bytes.Count(out, []byte(`<li><a href="#sec-`)); n != 6 {
		t.Errorf("the table of contents has %d entries, want 6", n)
	}
}

// FuzzDrawing: whatever is let through is well formed and has no script.
func FuzzDrawing(f *testing.F) {
	f.Add([]byte(graphviz))
	f.Add([]byte(`<svg><path style="fill:url(#a)" d="M0,0"/><text>&lt;</text></svg>`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		out, err := inlineSVG(doc, "f1-", "alt", new(styles))
		if err != nil {
			return
		}
		dec := xml.NewDecoder(strings.NewReader(out))
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%q became %q: %v", doc, out, err)
			}
			if start, ok := token.(xml.StartElement); ok && !drawingElements[start.Name.Local] {
				t.Fatalf("%q lets <%s> through", doc, start.Name.Local)
			}
		}
	})
}
