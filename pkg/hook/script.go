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

	"alamos/pkg/config"
	"alamos/pkg/hook/alamos"
)

const mainPackage = "main" // the package that a script is in

// script is a script in the child process: parsed, checked, marked with positions,
// and interpreted.
type script struct {
	path string
	log  io.Writer

	fset    *token.FileSet
	at      atomic.Pointer[reflect.Value] // the variable with the current position; nil before prepare
	interp  *interp.Interpreter
	program *interp.Program
	names   []string                 // functions that can be called, in the order of [Functions]
	have    map[string]reflect.Value // their values, and that of the labels; nil before the first call
	labels  token.Pos                // of the variable; none: the script has no labels
}

// fault makes a fault of a position and a message. Without a position, it is of the file.
func (s *script) fault(pos token.Pos, format string, args ...any) *config.Error {
	at := wholeFile(s.path)
	if s.fset != nil && pos.IsValid() {
		p := s.fset.Position(pos)
		at.Line, at.Col = p.Line, p.Column
	}
	return at.Errorf("", "%s", oneLine(fmt.Sprintf(format, args...)))
}

// wholeFile returns the position of faults without a line.
func wholeFile(path string) config.Position { return config.Position{File: path, Line: 1, Col: 1} }

// oneLine joins the lines of a message.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// faultHere makes a fault of the current statement. It may be called while the script
// runs: reading the position is then a harmless race between two statements.
func (s *script) faultHere(msg string) *config.Error {
	pos := token.NoPos
	if at := s.at.Load(); at != nil {
		pos = token.Pos(at.Int())
	}
	return s.fault(pos, "%s", msg)
}

// recovered turns a panic of the script, or of the interpreter while it compiles, into
// a fault. Defer it.
func (s *script) recovered(fail func(*config.Error)) {
	if r := recover(); r != nil {
		fail(s.faultHere(panicText(r)))
	}
}

// compile checks and compiles the source. No code of the script runs before the first call.
func (s *script) compile(text []byte) (faults config.Errors) {
	defer s.recovered(func(fault *config.Error) { faults = config.Errors{fault} })
	i := interp.New(interp.Options{Stdin: strings.NewReader(""), Stdout: s.log, Stderr: io.Discard})
	s.fset = i.FileSet()
	f, err := parser.ParseFile(s.fset, s.path, text, parser.SkipObjectResolution)
	if err != nil {
		return s.syntaxFaults(err)
	}
	if faults = s.check(f); len(faults) > 0 {
		return faults
	}
	if err := s.prepare(i); err != nil {
		return config.Errors{s.fault(f.Package, "the interpreter cannot be set up: %v", err)}
	}
	mark(f)
	if s.program, err = i.CompileAST(f); err != nil {
		return config.Errors{s.interpreterFault(err)}
	}
	s.interp = i
	return nil
}

// initialize sets all package variables to their initial values and calls the init
// functions, so that nothing of an earlier call is left.
func (s *script) initialize() *config.Error {
	if s.have != nil { // otherwise the variables are not allocated yet
		for _, v := range s.interp.Globals() {
			if v.CanSet() {
				v.SetZero()
			}
		}
	}
	if _, err := s.interp.Execute(s.program); err != nil {
		if _, ok := err.(interp.Panic); !ok {
			return s.interpreterFault(err)
		}
		return s.faultHere(panicText(err))
	}
	if s.have == nil {
		s.have = make(map[string]reflect.Value, len(s.names))
		for _, name := range append([]string{labelsName}, s.names...) {
			s.have[name] = s.interp.Symbols(mainPackage)[mainPackage][name]
		}
	}
	return nil
}

// prepare gives the interpreter its libraries and the variable for positions.
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

// syntaxFaults turns an error of the parser into faults.
func (s *script) syntaxFaults(err error) (faults config.Errors) {
	list, ok := errors.AsType[scanner.ErrorList](err)
	if !ok {
		return config.Errors{s.fault(token.NoPos, "%v", err)}
	}
	for _, e := range list {
		at := config.Position{File: s.path, Line: e.Pos.Line, Col: e.Pos.Column}
		faults = append(faults, at.Errorf("", "%s", oneLine(e.Msg)))
	}
	return faults
}

// interpreterFault turns an error of the interpreter into a fault. Most of its errors begin
// with "path:line:col: ".
func (s *script) interpreterFault(err error) *config.Error {
	if rest, ok := strings.CutPrefix(err.Error(), s.path+":"); ok {
		if part := strings.SplitN(rest, ":", 3); len(part) == 3 {
			line, err1 := strconv.Atoi(part[0])
			col, err2 := strconv.Atoi(part[1])
			if err1 == nil && err2 == nil {
				return config.Position{File: s.path, Line: line, Col: col}.Errorf("", "%s", oneLine(part[2]))
			}
		}
	}
	return s.fault(token.NoPos, "the interpreter cannot run this: %v", err)
}

// panicText returns the message of a panic, or of the interpreter's error with one.
func panicText(r any) string {
	if p, ok := r.(interp.Panic); ok {
		r = p.Value
	}
	return oneLine(fmt.Sprintf("panic: %v", r))
}

// call calls a function of the script, with package variables as the file sets them, and
// checks the result. A call without a function only sets the variables, and returns the
// labels. The function may evaluate positions with a.
func (s *script) call(c *call, a ask) (r report) {
	defer s.recovered(func(fault *config.Error) { r.Fault = fault })
	if fault := s.initialize(); fault != nil {
		return report{Fault: fault}
	}
	if c.Function == "" {
		if s.labels == token.NoPos {
			return report{}
		}
		labels := s.have[labelsName].Interface().(Labels)
		if err := checkLabels(labels); err != nil {
			return report{Fault: s.fault(s.labels, "%v", err)}
		}
		return report{Labels: labels}
	}
	result, err := function(c.Function).run(s.have[c.Function], c.Argument, a)
	if err != nil {
		return report{Fault: s.faultHere(err.Error())}
	}
	return report{Result: result}
}

// maxEvaluations is how many evaluations of the network a call may request; a visit of
// a search counts as one. The network's time is not the script's, so a script that
// requests evaluations endlessly needs this bound.
const maxEvaluations = 10_000_000

// newCheckpoint returns the checkpoint that a script gets.
func newCheckpoint(c checkpoint, a ask) alamos.Checkpoint {
	evaluations := 0
	evaluate := func(name string, positions []alamos.Position, q request) reply {
		if more := max(1, q.Visits); more > (maxEvaluations-evaluations)/len(positions) {
			panic(fmt.Sprintf("%s: more than %d million evaluations in a call: stopped here (an endless loop?)", name, maxEvaluations/1_000_000))
		}
		evaluations += max(1, q.Visits) * len(positions)
		for _, p := range positions {
			q.Positions = append(q.Positions, position{p.Variant(), p.FEN()})
		}
		r := a(q)
		if r.Refusal != "" {
			panic(name + ": " + r.Refusal)
		}
		return r
	}
	return alamos.Checkpoint{
		Generation: c.Generation, Variant: c.Variant, Samples: c.Samples,
		Evaluate: func(positions []alamos.Position) []alamos.Evaluation {
			if len(positions) == 0 {
				return nil
			}
			return evaluate("Evaluate", positions, request{}).Evaluations
		},
		Search: func(positions []alamos.Position, visits int) []alamos.SearchResult {
			if visits < 1 {
				panic(fmt.Sprintf("Search with %d visits: want at least 1", visits))
			}
			if len(positions) == 0 {
				return nil
			}
			return evaluate("Search", positions, request{Visits: visits}).Searches
		},
	}
}
