package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
)

// phrasing are the elements that may stand within a paragraph, a heading, a
// caption's line or a summary.
var phrasing = words("a abbr b br button code del em i img input label s small span strong sub sup svg")

// pageElements are all elements of HTML that a page may have.
var pageElements = words("html head meta title style body header main nav div p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre hr " +
	"table thead tbody tr th td figure figcaption details summary aside script " +
	"a abbr b br button code del em i img input label s small span strong sub sup svg")

// inline are elements that hold nothing but phrasing.
var inline = words("p h1 h2 h3 h4 h5 h6 summary a b code em strong span small label button title dt del")

// drawingElements are the elements of package plots' drawings.
var drawingElements = words("svg g title desc path rect circle line polyline polygon text tspan image defs clipPath use metadata")

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// problems checks a page as a strict reader of HTML would, as far as pages of
// this package go: tags nest, elements stand where they may, ids are there
// once, and what refers to an id finds it. Nothing is loaded and no attribute
// runs a script.
func problems(page []byte) []string {
	var out []string
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	dec := xml.NewDecoder(bytes.NewReader(scripts.ReplaceAll(page, []byte("<$1></$1>"))))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []string
	ids, wanted := map[string]bool{}, map[string]bool{}
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			bad("%v", err)
			break
		}
		switch t := token.(type) {
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != t.Name.Local {
				bad("</%s> closes %v", t.Name.Local, open)
				return out
			}
			open = open[:len(open)-1]
		case xml.StartElement:
			name, within := t.Name.Local, strings.Contains(" "+strings.Join(open, " ")+" ", " svg ")
			switch {
			case within && !drawingElements[name], !within && !pageElements[name]:
				bad("element <%s> within %v", name, open)
			case within:
			case len(open) > 0 && inline[open[len(open)-1]] && !phrasing[name]:
				bad("<%s> within <%s>", name, open[len(open)-1])
			case name == "a" && strings.Contains(" "+strings.Join(open, " ")+" ", " a "):
				bad("a link within a link")
			case name == "summary" && open[len(open)-1] != "details",
				name == "tr" && open[len(open)-1] != "tbody" && open[len(open)-1] != "thead",
				(name == "td" || name == "th") && open[len(open)-1] != "tr",
				name == "li" && open[len(open)-1] != "ul" && open[len(open)-1] != "ol":
				bad("<%s> within <%s>", name, open[len(open)-1])
			}
			seen := map[string]bool{}
			for _, a := range t.Attr {
				key := strings.ToLower(a.Name.Local)
				if a.Name.Space != "xmlns" && a.Name.Space == "" && seen[key] {
					bad("<%s> has %s twice", name, key)
				}
				seen[key] = true
				switch {
				case strings.HasPrefix(key, "on"), key == "srcdoc", key == "formaction":
					bad("<%s> has the attribute %s", name, key)
				case key == "src" && !strings.HasPrefix(a.Value, "data:image/"):
					bad("<%s> loads %q", name, a.Value)
				case key == "href" && regexp.MustCompile(`(?i)^[\s\x00-\x20]*(javascript|vbscript|data|file):`).MatchString(a.Value) && !within:
					bad("<%s> leads to %q", name, a.Value)
				case key == "href" && strings.HasPrefix(a.Value, "#") && len(a.Value) > 1:
					wanted[a.Value[1:]] = true
				case key == "for", key == "aria-labelledby":
					wanted[a.Value] = true
				case key == "id" && ids[a.Value]:
					bad("id %q is there twice", a.Value)
				case key == "id" && (a.Value == "" || strings.ContainsAny(a.Value, " \t\n")):
					bad("id %q", a.Value)
				case key == "id":
					ids[a.Value] = true
				}
			}
			open = append(open, name)
		}
	}
	for id := range wanted {
		if !ids[id] {
			bad("something refers to %q, which is not there", id)
		}
	}
	return out
}

// scripts are elements whose text is not HTML.
var scripts = regexp.MustCompile(`(?s)<(script|style)(?: type="module")?>.*?</(?:script|style)>`)

func TestPagesAreValid(t *testing.T) {
	pages := map[string]*Page{
		"full": fullPage(), "empty": {},
		"sweep, shown": sweepPage(shownTrials, svgOf("loss")), "sweep, folded": sweepPage(listedTrials, svgOf("loss")), "sweep, more": sweepPage(listedTrials+1, svgOf("loss")),
		"made": madePage(t),
	}
	for i, s := range hostile {
		pages[fmt.Sprintf("hostile %d", i)] = hostilePage(s)
	}
	for name, p := range pages {
		html := htmlOf(t, p)
		for _, problem := range problems(html) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// The checker finds what it is for.
func TestProblems(t *testing.T) {
	for _, page := range []string{
		`<p><div></div></p>`, `<p>x`, `<b><i></b></i>`, `<p id="a"></p><p id="a"></p>`, `<a href="#b"></a>`, `<a href="javascript:x">y</a>`,
		`<img src="https://x/y.png">`, `<p onclick="x"></p>`, `<script src="x"></script>`, `<iframe></iframe>`, `<svg><script></script></svg>`,
		`<table><tr><td></td></tr></table>`, `<p class="a" class="b"></p>`, `<a href="#"><a href="#"></a></a>`,
	} {
		if len(problems([]byte(page))) == 0 {
			t.Errorf("%s has no problem", page)
		}
	}
}

// madePage is the page of an experiment with every kind of figure.
func madePage(t *testing.T) *Page {
	r := made(t, load(t, sweepFile), 3)
	page, err := r.Page(Options{}, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// FuzzMarkdownPage: no Markdown, wherever it stands, makes a page that is not
// valid, loads something or runs a script.
func FuzzMarkdownPage(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	for _, s := range []string{
		"[x](javascript:alert(1)) <javascript:alert(1)> [y](\"onclick=x) ![z](data:text/html,x) ![s](data:image/svg+xml,x)",
		"| a |\n|---|\n| <b> |\n\n- [x] task\n- [ ] other\n\n~~s~~ www.example.org https://example.org/\"onload=x",
		"# a\n\n###### b\n\n```x\"onclick\n<script>\n", "[a]: javascript:x\n\n[a] [![i](x)](y)", "- <details>\n\n> # <h1>\n",
		"[a]( java\tscript:x) [b](&#106;avascript:x) [c](JAVASCRIPT:x)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		html := htmlOf(t, &Page{Title: "x", About: s, Blocks: []Block{Text{s}, Note{Text: s}, SideBySide{{1, s, []Block{Text{s}}}}}})
		// XML has no form feeds and the like; HTML reads them as spaces.
		for _, problem := range problems(controls.ReplaceAll(html, []byte(" "))) {
			if !strings.Contains(problem, "refers to") { // the writer may link to nowhere
				t.Errorf("%q: %s", s, problem)
			}
		}
	})
}

var controls = regexp.MustCompile(`[\x00-\x08\x0b\x0c\x0e-\x1f\x{fffe}\x{ffff}]`)
