package hook

import (
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/traefik/yaegi/interp"
)

const mainPackage = "main" // the package that a script is in

// script is a script on its way through the child process: parsed, checked,
// fitted with marks of position, interpreted.
type script struct {
	path string
	log  io.Writer

	fset    *token.FileSet
	at      atomic.Pointer[reflect.Value] // the variable that holds the position, once there is one
	interp  *interp.Interpreter
	program *interp.Program
	have    map[string]reflect.Value // functions that can be called, by name
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

// recovered makes a fault of a panic of the script, or of the interpreter while it
// compiles. It is to be deferred.
func (s *script) recovered(fault **Error) {
	if r := recover(); r != nil {
		*fault = s.faultHere(panicText(r))
	}
}

// compile checks the source and sets its package variables.
func (s *script) compile(text []byte) (fault *Error) {
	defer s.recovered(&fault)
	i := interp.New(interp.Options{Stdin: strings.NewReader(""), Stdout: s.log, Stderr: io.Discard})
	s.fset = i.FileSet()
	f, err := parser.ParseFile(s.fset, s.path, text, parser.SkipObjectResolution)
	if err != nil {
		return s.compileFault(err)
	}
	names, fault := s.check(f)
	if fault != nil {
		return fault
	}
	if err := s.prepare(i); err != nil {
		return s.fault(f.Package, "the interpreter cannot be set up: %v", err)
	}
	mark(f)
	if s.program, err = i.CompileAST(f); err != nil {
		return s.compileFault(err)
	}
	s.interp = i
	if fault := s.execute(); fault != nil {
		return fault
	}
	s.have = make(map[string]reflect.Value, len(names))
	for _, name := range names {
		s.have[name] = i.Symbols(mainPackage)[mainPackage][name]
	}
	return nil
}

// initialize gives all package variables the values that they have at the start of
// a program, and calls the init functions: nothing of an earlier call is left.
func (s *script) initialize() *Error {
	for _, v := range s.interp.Globals() {
		if v.CanSet() {
			v.SetZero()
		}
	}
	return s.execute()
}

// execute sets package variables and calls init functions. It must come before
// initialize: only then have the variables a place.
func (s *script) execute() *Error {
	if _, err := s.interp.Execute(s.program); err != nil {
		if _, ok := err.(interp.Panic); !ok {
			return s.compileFault(err)
		}
		return s.faultHere(panicText(err))
	}
	return nil
}

// functions names the functions that the script has, in the order of [Functions].
func (s *script) functions() []string {
	var names []string
	for _, f := range functions {
		if _, ok := s.have[f.Name]; ok {
			names = append(names, f.Name)
		}
	}
	return names
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
