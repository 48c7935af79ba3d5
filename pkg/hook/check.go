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

// check looks at a script before it runs. The interpreter checks little and
// some faults make it panic, so that Go's own type checker comes first.
func (s *script) check(f *ast.File) *Error {
	if f.Name.Name != mainPackage {
		return s.fault(f.Name.Pos(), "package %s: a hook is of package %s", f.Name.Name, mainPackage)
	}
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil || !mayImport(p) {
			return s.fault(i.Path.Pos(), "a hook cannot import %s: it may use %s and %s",
				i.Path.Value, strings.Join(allowed, ", "), alamosPath)
		}
		if i.Name != nil && i.Name.Name == "." {
			return s.fault(i.Name.Pos(), "a hook cannot import with a dot: give the package its name")
		}
	}
	if fault := s.checkGo(f); fault != nil {
		return fault
	}

	var first *types.Error
	f.GoVersion = "" // a build constraint cannot teach the interpreter a newer language
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
		return s.fault(first.Pos, "%s", msg)
	}
	return s.checkEntry(f, p, library)
}

// checkGo refuses goroutines: what a hook returns must not depend on timing.
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

// checkEntry wants the function that is called, with its signature.
func (s *script) checkEntry(f *ast.File, p *types.Package, l *library) *Error {
	const want = "func " + entry + "(g alamos.Generation) alamos.Metrics"
	object := p.Scope().Lookup(entry)
	if object == nil {
		return s.fault(f.Package, "no function %s: a hook has %s", entry, want)
	}
	function, ok := object.(*types.Func)
	if !ok {
		return s.fault(object.Pos(), "%s is not a function: a hook has %s", entry, want)
	}
	signature := function.Signature()
	api, err := l.Import(alamosPath)
	if err != nil {
		return s.fault(object.Pos(), "%v", err)
	}
	named := func(name string) types.Type { return api.Scope().Lookup(name).Type() }
	value := func(name string) *types.Tuple { return types.NewTuple(types.NewVar(token.NoPos, nil, "", named(name))) }
	if !types.Identical(signature, types.NewSignatureType(nil, nil, nil, value("Generation"), value("Metrics"), false)) {
		have := types.TypeString(signature, func(p *types.Package) string { return path.Base(p.Path()) })
		return s.fault(object.Pos(), "%s is %s: want %s", entry, have, want)
	}
	return nil
}
