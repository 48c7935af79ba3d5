package hook

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"
)

//go:embed alamos/*.go
var apiSource embed.FS

// Reference returns the page of documentation of scripts, in Markdown: the functions
// that they define and the package alamos that they see, as its source documents it.
func Reference() (string, error) {
	api, fset, err := readAPI()
	if err != nil {
		return "", fmt.Errorf("hook: reference: %w", err)
	}
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, f := range functions {
		fmt.Fprintf(&b, "\n### %s\n\n```go\n%s\n```\n\n%s Example: [%s](%[4]s).\n\n```yaml\n%[5]s\n```\n", f.Name, f.Signature, oneParagraph(f.Doc), f.Example, f.Setting)
	}
	fmt.Fprintf(&b, referenceRules, strings.Join(allowed, "`, `"), alamosPath, strings.TrimPrefix(language, "go"),
		DefaultTime.Seconds(), DefaultMemory>>20, maxStack>>20, maxAsked/1_000_000)
	fmt.Fprintf(&b, "\n## Package alamos\n\n```go\nimport %q\n```\n\n%s\n", alamosPath, markdown(api, api.Doc))
	r := referee{&b, api, fset}
	for _, f := range api.Funcs {
		r.function(f, "###")
	}
	for _, t := range api.Types {
		fmt.Fprintf(&b, "\n### %s\n", t.Name)
		r.declaration(t.Decl)
		b.WriteString("\n" + markdown(api, t.Doc) + "\n")
		for _, f := range append(t.Funcs, t.Methods...) {
			r.function(f, "####")
		}
	}
	return b.String(), nil
}

const referenceHead = `# Hooks

A hook is a Go file of your own in an experiment. It is interpreted: there is
nothing to build. An experiment file names it by its path, relative to its own
folder. This page is written by ` + "`alamos hooks doc`" + `; scripts beside it are examples.

` + "```" + `
alamos hooks new metric hooks/mine.go    # a script to begin with
alamos hooks check hooks/mine.go         # does it compile, and what is it for?
` + "```" + `

The first line of a script, ` + "`//go:build ignore`" + `, keeps the go command from taking the
scripts of a folder for one program; with ` + "`package main`" + `, editors still complete and
check what you write.

## Functions

A script defines one of these functions, or several.
`

// referenceRules is a format for what scripts may not do.
const referenceRules = `
## Rules

- A script may import ` + "`%s`" + ` and
  ` + "`%s`" + `. Any other import is an error at its line: a script sees
  no files, no network, no clock and no random numbers, and starts no goroutines.
- It remembers nothing. Each call finds the package variables as the file sets them, so
  that a result does not depend on which calls came before, on which process made them, or
  on an interruption.
- The order in which a ` + "`range`" + ` visits a map is another one each time, and with it the last
  digit of a sum of floats. Sort the keys, or keep a slice of them.
- The language is Go %s, that of the interpreter: no ` + "`min`, `max` and `clear`" + `, no range over
  numbers and functions, and the loop variable of a loop is one variable. About 15 million
  simple steps run in a second, a call of a method takes about a microsecond.
- A call may take %.0f seconds (alamos run --hook-time sets another limit), %d MiB of memory,
  %d MiB of stack and %d million evaluations of a network, whose time is not counted. A script
  that loops or recurses without end, allocates without end, or panics is stopped, and the
  error points to the line at which it was.
- What Measure, MeasureCheckpoint and Stop print is shown with the run, twenty lines of a
  call; what others print, which may be called a million times, is thrown away.
- The content of a script is part of what its results depend on: after a change of the
  file what it decided or measured is computed again, and nothing else.

After a fault the run stops, except for scripts that only measure: with
` + "`on_error: empty`" + `, the default, the run tells of the fault and goes on without the metrics
of that generation; with ` + "`on_error: stop`" + ` it stops too.
`

// readAPI reads the documentation of the package that scripts see. What they cannot
// use is left out.
func readAPI() (*doc.Package, *token.FileSet, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	names, err := fs.Glob(apiSource, "alamos/*.go")
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := apiSource.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		f, err := parser.ParseFile(fset, path.Base(name), text, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, alamosPath)
	return p, fset, err
}

// referee writes declarations to a page.
type referee struct {
	to   *strings.Builder
	api  *doc.Package
	fset *token.FileSet
}

func (r referee) function(f *doc.Func, heading string) {
	name := f.Name
	if f.Recv != "" {
		name = f.Recv + "." + name
	}
	fmt.Fprintf(r.to, "\n%s %s\n", heading, name)
	r.declaration(f.Decl)
	r.to.WriteString("\n" + markdown(r.api, f.Doc) + "\n")
}

func (r referee) declaration(d ast.Node) {
	var b bytes.Buffer
	if err := format.Node(&b, r.fset, d); err != nil {
		fmt.Fprintf(&b, "// %v", err)
	}
	fmt.Fprintf(r.to, "\n```go\n%s\n```\n", b.String())
}

// markdown is a doc comment as Markdown, without links and with one line a
// paragraph.
func markdown(p *doc.Package, text string) string {
	printer := p.Printer()
	printer.DocLinkURL = nil
	var out []string
	for _, paragraph := range strings.Split(strings.TrimSpace(string(printer.Text(p.Parser().Parse(text)))), "\n\n") {
		out = append(out, oneParagraph(paragraph))
	}
	return strings.Join(out, "\n\n")
}

// oneParagraph joins the lines of a paragraph.
func oneParagraph(s string) string { return strings.Join(strings.Fields(s), " ") }
