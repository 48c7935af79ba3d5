package hook

import (
	"embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"text/template"
)

// apiSource is package alamos.
//
//go:embed alamos/game.go alamos/training.go
var apiSource embed.FS

// Reference returns the documentation of scripts in Markdown: templates/reference.md, filled
// with the functions that scripts define, their limits, and the API.
func Reference() (string, error) {
	api, err := readAPI()
	if err != nil {
		return "", fmt.Errorf("hook: reference: %w", err)
	}
	values := map[string]any{
		"Allowed": strings.Join(allowed, "`, `"), "Path": alamosPath, "Language": strings.TrimPrefix(language, "go"),
		"Time": DefaultTime.Seconds(), "Memory": DefaultMemory >> 20, "Stack": maxStack >> 20, "Evaluations": maxEvaluations / 1_000_000,
		"API": api,
	}
	for _, f := range functions {
		values[f.Name] = f
	}
	var page strings.Builder
	err = template.Must(template.ParseFS(templates, "templates/reference.md")).Execute(&page, values)
	return page.String(), err
}

// readAPI returns the exported declarations of package alamos with their comments.
func readAPI() (string, error) {
	var b strings.Builder
	files := token.NewFileSet()
	entries, err := apiSource.ReadDir("alamos")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		text, err := apiSource.ReadFile("alamos/" + e.Name())
		if err != nil {
			return "", err
		}
		f, err := parser.ParseFile(files, e.Name(), text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		ast.FileExports(f)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					continue
				}
			case *ast.FuncDecl:
				d.Body = nil
			}
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			if err := format.Node(&b, files, d); err != nil {
				return "", err
			}
			b.WriteString("\n")
		}
	}
	return b.String(), nil
}
