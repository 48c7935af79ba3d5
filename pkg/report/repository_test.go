package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// unsafeReader renders Markdown as a reader does that lets all HTML through.
var unsafeReader = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))

func rendered(t testing.TB, md string) string {
	t.Helper()
	var out bytes.Buffer
	if err := unsafeReader.Convert([]byte(md), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var quoted = []string{
	"plain *text*", "<b>bold</b>", "<script>alert(1)</script>\n", "a <!-- b", "<div>\n\n# x\n", "```\nno end", "~~~~ go\n```\nno end",
	"- list\n\n  ```\n  no end in a list", "> ```\n> quoted", "`<b>` and <b>", "<details>\n<summary>x", "</details>", "a < b and c > d", "<https://example.org>",
	"| a |\n|---|\n| <i> |", "<![CDATA[", "<?php", "    indented <b>", "\\<b>", "&lt;b>", "<b<b<b <c>", "``` `", "# x\n===", "[a]: <b>", "",
}

func checkContained(t testing.TB, s string) {
	t.Helper()
	page := Page{Title: "x", Cells: []Cell{Text{s}, Note{Markdown: s}, Table{Caption: "c", Columns: []Column{{Name: "head"}}, Rows: [][]string{{"cell"}}}}}
	md, err := page.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(htmlStarts(string(md))); n > 0 {
		t.Errorf("%q: %d pieces of HTML come out:\n%s", s, n, md)
	}
	if out := rendered(t, string(md)); !strings.Contains(out, "<strong>Table 1.</strong> c") || !strings.Contains(out, "<td>cell</td>") {
		t.Errorf("%q reaches the table after it:\n%s\n%s", s, md, out)
	}
}

func TestMarkdownIsContained(t *testing.T) {
	for _, s := range append(quoted, hostile...) {
		checkContained(t, s)
	}
	for _, s := range []string{"plain *text*", "`<b>` of code", "a < b", "<https://example.org>", "```\n<b>\n```"} {
		if have := contained(s); have != s {
			t.Errorf("%q became %q", s, have)
		}
	}
	if have := contained("`<b>` <b>x</b>"); have != "`<b>` &lt;b>x&lt;/b>" {
		t.Errorf("have %q", have)
	}
}

func FuzzMarkdownIsContained(f *testing.F) {
	for _, s := range append(quoted, hostile...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkContained(t, s) })
}

// What is folded on the page is folded in the repository, and each fold ends.
func TestMarkdownFolds(t *testing.T) {
	for name, p := range map[string]Page{"full": fullPage(), "comparison": comparisonPage(), "sweep": sweepPage(listedTrials+1, drawingOf)} {
		md, err := p.Markdown()
		if err != nil {
			t.Fatal(err)
		}
		out := rendered(t, string(md))
		opens, ends, titles := strings.Count(out, "<details"), strings.Count(out, "</details>"), strings.Count(out, "<summary>")
		if opens == 0 || opens != ends || opens != titles {
			t.Errorf("%s: %d folds, %d ends, %d titles", name, opens, ends, titles)
		}
		for _, problem := range problems([]byte(out)) {
			if !strings.HasPrefix(problem, "<img> loads") { // the files beside it
				t.Errorf("%s: %s", name, problem)
			}
		}
	}
}
