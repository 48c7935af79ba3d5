package report

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// fullMarkdown reads Markdown as a reader does that lets HTML through.
var fullMarkdown = goldmark.New(goldmark.WithExtensions(extension.GFM))

// contained returns Markdown that ends where it ends: HTML in it is text, as
// it is on the page, and a block of code that lacks its end is closed, so that
// nothing reaches what follows. Nor does it continue what stands before.
func contained(source string) string {
	source = strings.ToValidUTF8(strings.ReplaceAll(source, "\x00", "\uFFFD"), "\uFFFD")
	source = strings.TrimRight(blankLines.ReplaceAllString(source, ""), " \t\r\n")
	if strings.HasPrefix(source, " ") || strings.HasPrefix(source, "\t") {
		source = "[_]: #\n\n" + source // shows nothing, and ends a list
	}
	return closed(withoutHTML(source))
}

// blankLines are those that a text begins with.
var blankLines = regexp.MustCompile(`^(?:[ \t]*\r?\n)+`)

// withoutHTML escapes the first angle bracket of each piece of HTML until
// there is none. A piece may hide others, hence the rounds; what is left after
// them, which nobody writes, loses all its angle brackets.
func withoutHTML(source string) string {
	const rounds = 8
	for range rounds {
		starts := htmlStarts(source)
		if len(starts) == 0 {
			return source
		}
		var b strings.Builder
		at := 0
		for _, start := range starts {
			b.WriteString(source[at:start] + "&lt;")
			at = start + 1
		}
		source = b.String() + source[at:]
	}
	if len(htmlStarts(source)) > 0 {
		source = strings.ReplaceAll(source, "<", "&lt;")
	}
	return source
}

// htmlStarts returns where pieces of HTML begin, in order.
func htmlStarts(source string) []int {
	src := []byte(source)
	var starts []int
	add := func(segments *text.Segments) {
		for i := range segments.Len() {
			s := segments.At(i)
			if at := strings.IndexByte(source[s.Start:s.Stop], '<'); at >= 0 && (len(starts) == 0 || s.Start+at > starts[len(starts)-1]) {
				starts = append(starts, s.Start+at)
				return
			}
		}
	}
	// A walk over a tree does not fail unless its function does.
	_ = ast.Walk(fullMarkdown.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML:
			add(n.Segments)
		case *ast.HTMLBlock:
			add(n.Lines())
		}
		return ast.WalkContinue, nil
	})
	return starts
}

// closed ends a block of code that has no end.
func closed(source string) string {
	fence := max(3, longestRun(source, '`'), longestRun(source, '~'))
	for _, end := range []string{"", "\n" + strings.Repeat("`", fence), "\n" + strings.Repeat("~", fence)} {
		if ends(source + end) {
			return source + end
		}
	}
	return source
}

// ends reports whether a paragraph that follows is one of its own.
func ends(source string) bool {
	const after = "after"
	src := []byte(source + "\n\n" + after + "\n")
	last := fullMarkdown.Parser().Parse(text.NewReader(src)).LastChild()
	if last == nil || last.Kind() != ast.KindParagraph || last.Lines().Len() != 1 {
		return false
	}
	line := last.Lines().At(0)
	return line.Stop >= len(src)-1 && strings.TrimSpace(string(line.Value(src))) == after
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		run++
		if s[i] != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
