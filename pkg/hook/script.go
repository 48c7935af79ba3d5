package hook

import (
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/traefik/yaegi/interp"

	"alamos/pkg/hook/alamos"
)

const (
	entry       = "Measure" // the function of a script that is called
	mainPackage = "main"    // the package that it is in
)

// script is a script on its way through the child process: parsed, checked,
// fitted with marks of position, interpreted.
type script struct {
	path string
	log  io.Writer

	fset *token.FileSet
	at   atomic.Pointer[reflect.Value] // the variable that holds the position, once there is one
}

// fault makes an Error of a position and a message.
func (s *script) fault(pos token.Pos, format string, args ...any) *Error {
	e := &Error{File: s.path, Msg: oneLine(fmt.Sprintf(format, args...))}
	if s.fset != nil && pos.IsValid() {
		p := s.fset.Position(pos)
		e.Line, e.Col = p.Line, p.Column
	}
	return e
}

// oneLine joins the lines of a message.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// faultHere makes an Error of the statement that is being run. It may be called
// while the script runs: reading the position is then a race without harm, as
// the answer is the one or the other statement.
func (s *script) faultHere(msg string) *Error {
	at := s.at.Load()
	if at == nil {
		return &Error{File: s.path, Msg: msg}
	}
	return s.fault(token.Pos(at.Int()), "%s", msg)
}

// run checks the source and, when g is not nil, calls its Measure.
func (s *script) run(source []byte, g *Generation) (m Metrics, fault *Error) {
	defer func() {
		// Of the interpreter while it compiles, or of the script.
		if r := recover(); r != nil {
			m, fault = nil, s.faultHere(panicText(r))
		}
	}()
	i := interp.New(interp.Options{Stdin: strings.NewReader(""), Stdout: s.log, Stderr: io.Discard})
	s.fset = i.FileSet()
	f, err := parser.ParseFile(s.fset, s.path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, s.compileFault(err)
	}
	if fault := s.check(f); fault != nil {
		return nil, fault
	}
	if err := s.prepare(i); err != nil {
		return nil, s.fault(f.Package, "the interpreter cannot be set up: %v", err)
	}
	mark(f)
	program, err := i.CompileAST(f)
	if err != nil {
		return nil, s.compileFault(err)
	}
	if _, err := i.Execute(program); err != nil { // package variables and init functions
		return nil, s.faultHere(panicText(err))
	}
	if g == nil {
		return nil, nil
	}
	measure, ok := i.Symbols(mainPackage)[mainPackage][entry].Interface().(func(alamos.Generation) alamos.Metrics)
	if !ok {
		return nil, s.fault(f.Package, "the interpreter has no %s", entry)
	}
	m = measure(*g)
	return m, s.checkMetrics(m)
}

// prepare gives the interpreter its libraries and the variable of positions.
func (s *script) prepare(i *interp.Interpreter) error {
	if err := i.Use(symbols); err != nil {
		return err
	}
	if _, err := i.Eval("package " + mainPackage + "; var " + markName + " int"); err != nil {
		return err
	}
	at := i.Symbols(mainPackage)[mainPackage][markName]
	s.at.Store(&at)
	return nil
}

// compileFault makes an Error of what parser and interpreter return.
func (s *script) compileFault(err error) *Error {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return &Error{s.path, list[0].Pos.Line, list[0].Pos.Column, oneLine(list[0].Msg)}
	}
	// The interpreter's own errors begin with "path:line:col: ".
	if rest, ok := strings.CutPrefix(err.Error(), s.path+":"); ok {
		if part := strings.SplitN(rest, ":", 3); len(part) == 3 {
			line, err1 := strconv.Atoi(part[0])
			col, err2 := strconv.Atoi(part[1])
			if err1 == nil && err2 == nil {
				return &Error{s.path, line, col, oneLine(part[2])}
			}
		}
	}
	return s.fault(token.NoPos, "the interpreter cannot run this: %v", err)
}

// panicText is the message of a panic, or of the interpreter's error with one.
func panicText(r any) string {
	if p, ok := r.(interp.Panic); ok {
		r = p.Value
	}
	return oneLine(fmt.Sprintf("panic: %v", r))
}

// metricName is what the name of a metric looks like.
var metricName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// checkMetrics looks at what Measure has returned.
func (s *script) checkMetrics(m Metrics) *Error {
	if len(m) == 0 {
		return s.faultHere(entry + " returned no metrics")
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !metricName.MatchString(name) {
			return s.faultHere(fmt.Sprintf("%q is not a name of a metric: want lowercase letters, digits and underscores, beginning with a letter", name))
		}
		if math.IsInf(m[name], 0) {
			return s.faultHere(fmt.Sprintf("metric %s is infinite; NaN stands for a metric that the games do not have", name))
		}
	}
	return nil
}
