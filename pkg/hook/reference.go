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

// Reference returns the documentation of scripts in Markdown: the functions that they
// define, and package alamos as its source documents it.
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
		DefaultTime.Seconds(), DefaultMemory>>20, maxStack>>20, maxEvaluations/1_000_000)
	fmt.Fprintf(&b, "\n## Package alamos\n\n```go\nimport %q\n```\n\n%s\n", alamosPath, markdown(api, api.Doc))
	r := apiWriter{&b, api, fset}
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

A hook is your own Go file in an experiment. It is interpreted: you build
nothing. An experiment file names it by its path, relative to its own
folder. This page is written by ` + "`alamos hooks doc`" + `; scripts beside it are examples.

` + "```" + `
alamos hooks new metric hooks/mine.go    # a template
alamos hooks check hooks/mine.go         # does it compile, and which functions has it?
` + "```" + `

The first line of a script, ` + "`//go:build ignore`" + `, keeps the go command from taking the
scripts of a folder for one program; with ` + "`package main`" + `, editors still complete and
check what you write.

## Functions

A script defines one of these functions, or several.
`

// referenceRules is a format for the rules of scripts.
const referenceRules = `
## Rules

- A script may import ` + "`%s`" + ` and
  ` + "`%s`" + `. Any other import is an error at its line: a script sees
  no files, no network, no clock and no random numbers, and starts no goroutines.
- It remembers nothing. Each call finds the package variables as the file sets them, so
  that a result does not depend on earlier calls, on the process that makes it, or on an
  interruption.
- A ` + "`range`" + ` visits a map in a different order each time, which changes the last digit of a
  sum of floats. Sort the keys, or keep a slice of them.
- The language is Go %s, that of the interpreter: no ` + "`min`, `max` and `clear`" + `, no range over
  numbers and functions, and the loop variable of a loop is one variable. About 15 million
  simple steps run in a second, a call of a method takes about a microsecond.
- A call may take %.0f seconds (alamos run --hook-time sets another limit), %d MiB of memory,
  %d MiB of stack and %d million evaluations of a network, whose time is not counted. A script
  that loops, recurses or allocates without end, or panics, is stopped, and the error points
  to its current line.
- The run shows what Measure, MeasureCheckpoint and Stop print, up to twenty lines of a
  call. The output of the others, which may be called a million times, is discarded.
- Results depend on the content of a script: after a change of the file, alamos computes
  again what the script decided or measured, and nothing else.

After a fault the run stops, except for scripts that only measure: with
` + "`on_error: empty`" + `, the default, the run reports the fault and continues without the
metrics of that generation; with ` + "`on_error: stop`" + ` it stops, too.
`

// readAPI reads the documentation of package alamos, without what scripts cannot use.
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

// apiWriter writes declarations to a page.
type apiWriter struct {
	to   *strings.Builder
	api  *doc.Package
	fset *token.FileSet
}

func (r apiWriter) function(f *doc.Func, heading string) {
	name := f.Name
	if f.Recv != "" {
		name = f.Recv + "." + name
	}
	fmt.Fprintf(r.to, "\n%s %s\n", heading, name)
	r.declaration(f.Decl)
	r.to.WriteString("\n" + markdown(r.api, f.Doc) + "\n")
}

func (r apiWriter) declaration(d ast.Node) {
	var b bytes.Buffer
	if err := format.Node(&b, r.fset, d); err != nil {
		fmt.Fprintf(&b, "// %v", err)
	}
	fmt.Fprintf(r.to, "\n```go\n%s\n```\n", b.String())
}

// markdown returns a doc comment as Markdown, without links and with one line for each
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
