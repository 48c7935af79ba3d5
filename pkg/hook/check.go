package hook

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/config"
)

// language is the version of Go that the interpreter speaks.
const language = "go1.20"

// check checks a script before it runs, and finds the functions that can be called. It
// returns all faults. The interpreter checks little and some errors make it panic, so Go's
// own type checker runs first.
func (s *script) check(f *ast.File) config.Errors {
	var faults config.Errors
	fail := func(pos token.Pos, format string, args ...any) {
		faults = append(faults, s.fault(pos, format, args...))
	}
	if f.Name.Name != mainPackage {
		fail(f.Name.Pos(), "package %s: a hook is of package %s", f.Name.Name, mainPackage)
	}
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil || !mayImport(p) {
			fail(i.Path.Pos(), "a hook cannot import %s: it may use %s and %s", i.Path.Value, strings.Join(allowed, ", "), alamosPath)
		}
		if i.Name != nil && i.Name.Name == "." {
			fail(i.Name.Pos(), "a hook cannot import with a dot: give the package its name")
		}
	}
	ast.Inspect(f, func(n ast.Node) bool { // the results of a hook must not depend on timing
		switch n.(type) {
		case *ast.GoStmt:
			fail(n.Pos(), "a hook cannot start goroutines: it does one thing after the other")
		case *ast.SelectStmt:
			fail(n.Pos(), "a hook cannot select: it has no goroutines to wait for")
		}
		return true
	})

	f.GoVersion = "" // a build constraint must not ask for a newer language than the interpreter has
	library := newLibrary()
	checker := types.Config{
		GoVersion: language,
		Importer:  library,
		Error: func(err error) {
			e, ok := err.(types.Error)
			if !ok || strings.HasPrefix(e.Msg, "\t") { // a tab continues the error before
				return
			}
			if strings.Contains(e.Msg, "requires go1.") {
				e.Msg += " (hooks are written in Go " + strings.TrimPrefix(language, "go") + ")"
			}
			fail(e.Pos, "%s", e.Msg)
		},
	}
	p, _ := checker.Check(mainPackage, s.fset, []*ast.File{f}, nil)
	s.checkFunctions(f, p, library, fail)
	// The type checker also reports the imports that are reported above.
	return slices.CompactFunc(faults.Sorted(), func(a, b *config.Error) bool {
		return a.Position == b.Position
	})
}

// labelsName is the name of the variable with the labels of metrics.
const labelsName = "Labels"

// checkFunctions makes sure that the script has at least one of the functions that can
// be called, and each of them with its signature, and labels of their type.
func (s *script) checkFunctions(f *ast.File, p *types.Package, l *library, fail func(pos token.Pos, format string, args ...any)) {
	if object := p.Scope().Lookup(labelsName); object != nil {
		_, isVariable := object.(*types.Var)
		if !isVariable || !types.Identical(object.Type(), l.typ(reflect.TypeFor[Labels]())) {
			fail(object.Pos(), "%s names the metrics: want var %[1]s = alamos.Labels{...}", labelsName)
		}
		s.labels = object.Pos()
	}
	found := false
	for _, want := range functions {
		object := p.Scope().Lookup(want.Name)
		if object == nil {
			continue
		}
		found = true
		have, ok := object.(*types.Func)
		if !ok {
			fail(object.Pos(), "%s is not a function: want %s", want.Name, want.want())
			continue
		}
		s.names = append(s.names, want.Name)
		is := types.TypeString(have.Signature(), func(p *types.Package) string { return path.Base(p.Path()) })
		if unknown := strings.Contains(is, "invalid type"); !unknown && !slices.ContainsFunc(want.types, func(t reflect.Type) bool { return types.Identical(have.Signature(), l.typ(t)) }) {
			fail(object.Pos(), "%s is %s: want %s", want.Name, is, want.want())
		}
	}
	if !found {
		var all []string
		for _, f := range functions {
			all = append(all, f.Signature)
		}
		fail(f.Package, "nothing here that can be called: want %s", strings.Join(all, ", or "))
	}
}

// The interpreter does not report where a script is when it panics or runs out of
// time. So before each statement we insert an assignment of the
// statement's position to a variable; it costs less than a tenth of a
// microsecond.

// markName is the variable's name. It must be exported to be readable from
// outside.
const markName = "AlamosAt"

// mark inserts the assignments into all functions of a file that has passed
// the type checker.
func mark(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			// The blocks of switch and select hold cases, not statements.
			if len(n.List) == 0 || !isCase(n.List[0]) {
				n.List = marked(n.List)
			}
		case *ast.CaseClause:
			n.Body = marked(n.Body)
		}
		return true
	})
}

func isCase(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// marked returns the statements with an assignment before each.
func marked(list []ast.Stmt) []ast.Stmt {
	out := make([]ast.Stmt, 0, 2*len(list))
	for _, s := range list {
		at := s.Pos()
		out = append(out, &ast.AssignStmt{
			Lhs:    []ast.Expr{&ast.Ident{Name: markName, NamePos: at}},
			TokPos: at,
			Tok:    token.ASSIGN,
			Rhs:    []ast.Expr{&ast.BasicLit{ValuePos: at, Kind: token.INT, Value: strconv.Itoa(int(at))}},
		}, s)
	}
	return out
}
