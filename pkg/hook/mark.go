package hook

import (
	"go/ast"
	"go/token"
	"strconv"
)

// The interpreter does not tell where a script is when it panics or when its
// time is over. So before each statement we insert an assignment of the
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
