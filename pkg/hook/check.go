package hook

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
)

// language is the version of Go that the interpreter speaks.
const language = "go1.20"

// check checks a script before it runs and returns the names of the functions that can
// be called. The interpreter checks little and some errors make it panic, so Go's own
// type checker runs first.
func (s *script) check(f *ast.File) ([]string, *Error) {
	if f.Name.Name != mainPackage {
		return nil, s.fault(f.Name.Pos(), "package %s: a hook is of package %s", f.Name.Name, mainPackage)
	}
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil || !mayImport(p) {
			return nil, s.fault(i.Path.Pos(), "a hook cannot import %s: it may use %s and %s",
				i.Path.Value, strings.Join(allowed, ", "), alamosPath)
		}
		if i.Name != nil && i.Name.Name == "." {
			return nil, s.fault(i.Name.Pos(), "a hook cannot import with a dot: give the package its name")
		}
	}
	if fault := s.checkGo(f); fault != nil {
		return nil, fault
	}

	var first *types.Error
	f.GoVersion = "" // a build constraint must not ask for a newer language than the interpreter has
	library := newLibrary()
	config := types.Config{
		GoVersion: language,
		Importer:  library,
		Error: func(err error) {
			// Soft errors, such as unused variables, come out of order.
			if e, ok := err.(types.Error); ok && (first == nil || e.Pos < first.Pos) {
				first = &e
			}
		},
	}
	p, _ := config.Check(mainPackage, s.fset, []*ast.File{f}, nil)
	if first != nil {
		msg := first.Msg
		if strings.Contains(msg, "requires go1.") {
			msg += " (hooks are written in Go " + strings.TrimPrefix(language, "go") + ")"
		}
		return nil, s.fault(first.Pos, "%s", msg)
	}
	return s.checkFunctions(f, p, library)
}

// checkGo refuses goroutines: the results of a hook must not depend on timing.
func (s *script) checkGo(f *ast.File) (fault *Error) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.GoStmt:
			fault = s.fault(n.Pos(), "a hook cannot start goroutines: it does one thing after the other")
		case *ast.SelectStmt:
			fault = s.fault(n.Pos(), "a hook cannot select: it has no goroutines to wait for")
		}
		return fault == nil
	})
	return fault
}

// checkFunctions makes sure that the script has at least one of the functions that can
// be called, and each of them with its signature.
func (s *script) checkFunctions(f *ast.File, p *types.Package, l *library) ([]string, *Error) {
	var names []string
	for _, want := range functions {
		object := p.Scope().Lookup(want.Name)
		if object == nil {
			continue
		}
		have, ok := object.(*types.Func)
		if !ok {
			return nil, s.fault(object.Pos(), "%s is not a function: want %s", want.Name, want.Signature)
		}
		if !types.Identical(have.Signature(), l.typ(want.typ)) {
			is := types.TypeString(have.Signature(), func(p *types.Package) string { return path.Base(p.Path()) })
			return nil, s.fault(object.Pos(), "%s is %s: want %s", want.Name, is, want.Signature)
		}
		names = append(names, want.Name)
	}
	if names == nil {
		var all []string
		for _, f := range functions {
			all = append(all, f.Signature)
		}
		return nil, s.fault(f.Package, "nothing here that can be called: want %s", strings.Join(all, ", or "))
	}
	return names, nil
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
