package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads Markdown as GitHub does: with tables, strikethrough, lists of
// tasks and bare links. The parsers of HTML are left out, so that HTML is text
// like any other and comes out escaped.
var markdown = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)),
	goldmark.WithExtensions(extension.GFM),
)

// without returns the parsers that are not of the type of one.
func without(parsers []util.PrioritizedValue, one any) []util.PrioritizedValue {
	var kept []util.PrioritizedValue
	for _, p := range parsers {
		if fmt.Sprintf("%T", p.Value) != fmt.Sprintf("%T", one) {
			kept = append(kept, p)
		}
	}
	return kept
}

// section is a heading of the page.
type section struct {
	Level int
	Text  string
	ID    string
}

// sections collects the headings of a page in their order and gives each an
// id of its own.
type sections struct {
	list  []section
	used  map[string]bool
	depth int // above 0 within other cells, whose headings are not listed
}

// add opens a section and returns its id.
func (s *sections) add(level int, heading string) string {
	if s.used == nil {
		s.used = map[string]bool{}
	}
	id := unique(s.used, "sec-"+slug(heading))
	if s.depth == 0 {
		s.list = append(s.list, section{level, heading, id})
	}
	return id
}

// unique returns an id that is not used yet, and uses it.
func unique(used map[string]bool, base string) string {
	id := base
	for n := 2; used[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	used[id] = true
	return id
}

// slug keeps letters and digits and joins them by single hyphens.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, "-")
}

// markdownHTML renders Markdown, adding its headings to the page's sections.
// The page's title is the one heading of level 1, so headings start at 2.
func (s *sections) markdownHTML(source string) (string, error) {
	src := []byte(source)
	doc := markdown.Parser().Parse(text.NewReader(src))
	var images []*ast.Image
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = max(2, n.Level)
			n.SetAttributeString("id", []byte(s.add(n.Level, plain(n, src))))
		case *ast.Image:
			if !embedded.Match(n.Destination) {
				images = append(images, n)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", fmt.Errorf("notebook: read Markdown: %w", err)
	}
	for _, image := range images {
		linkInstead(image)
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, src, doc); err != nil {
		return "", fmt.Errorf("notebook: render Markdown: %w", err)
	}
	return b.String(), nil
}

// embedded are the addresses of pictures that are in the page.
var embedded = regexp.MustCompile(`^data:image/(png|gif|jpeg|webp);`)

// linkInstead replaces a picture that lies outside of the page by a link to
// it, or by its words within another link: the page must be whole on its own.
func linkInstead(image *ast.Image) {
	var instead ast.Node
	if withinLink(image) {
		instead = ast.NewEmphasis(1)
	} else {
		link := ast.NewLink()
		link.Destination, link.Title = image.Destination, image.Title
		instead = link
	}
	for c := image.FirstChild(); c != nil; {
		next := c.NextSibling()
		instead.AppendChild(instead, c)
		c = next
	}
	if !instead.HasChildren() {
		instead.AppendChild(instead, ast.NewString(image.Destination))
	}
	image.Parent().ReplaceChild(image.Parent(), image, instead)
}

func withinLink(n ast.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

// plain returns the text of a node without its markup.
func plain(n ast.Node, src []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(util.UnescapePunctuations(c.Segment.Value(src)))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		default:
			b.WriteString(plain(c, src))
		}
	}
	return b.String()
}
