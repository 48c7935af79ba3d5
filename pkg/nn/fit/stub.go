package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// gotch's C++ calls every function of the libtorch that it was generated for.
// Each of its functions that another libtorch cannot compile is given a body
// that throws, which gotch hands to the caller as an error. The compiler says
// which they are.

// stubMissing makes the C++ file compile against lib by stubbing what does not,
// in the file itself and in the files beside it that it includes. It returns
// the names of the functions that it stubbed, sorted.
func stubMissing(c compiler, source string, flags []string) ([]string, error) {
	var stubbed []string
	const rounds = 4 // one suffices, unless an error hides another
	for range rounds {
		said, err := c.diagnose(source, flags)
		if err != nil {
			return nil, err
		}
		bad := errorLines(said)
		if len(bad) == 0 {
			if strings.Contains(said, "error:") {
				return nil, &compileError{source: source, said: said}
			}
			slices.Sort(stubbed)
			return stubbed, nil
		}
		for file, lines := range bad {
			path := filepath.Join(filepath.Dir(source), file)
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, &compileError{source: source, said: said}
			}
			mended, names, err := stubFunctions(string(text), lines)
			if err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", path, err, lastLines(said, 20))
			}
			if err := os.WriteFile(path, []byte(mended), 0o644); err != nil {
				return nil, err
			}
			stubbed = append(stubbed, names...)
		}
	}
	return nil, fmt.Errorf("%s still does not compile after %d rounds of stubbing", source, rounds)
}

var (
	diagnosticAt = regexp.MustCompile(`^(?:.*/)?(torch_api\w*(?:\.cpp|\.h|\.cpp\.h)):(\d+):\d+: +(error:|fatal error:|required from here)`)
	anyError     = regexp.MustCompile(`^.+:\d+:\d+: (?:fatal )?error:`)
)

// errorLines returns, by base name, the lines of gotch's own files at which the
// compiler found an error. An error inside a template of another file counts at
// the line that instantiated it.
func errorLines(said string) map[string][]int {
	bad := map[string][]int{}
	from := []string(nil) // the last "required from here"
	for line := range strings.SplitSeq(said, "\n") {
		m := diagnosticAt.FindStringSubmatch(line)
		switch {
		case m != nil && m[3] == "required from here":
			from = m
			continue
		case m == nil && anyError.MatchString(line):
			m = from
		}
		if m != nil {
			n, _ := strconv.Atoi(m[2])
			bad[m[1]] = append(bad[m[1]], n)
			from = nil
		}
	}
	return bad
}

// A function of gotch's C++ files starts at the margin, where its name is
// followed by a parenthesis, and ends with a brace at the margin.
var functionStart = regexp.MustCompile(`^[A-Za-z_][\w:<>, *&]*?[ *&](\w+)\(`)

// stubFunctions replaces the body of each function that one of the lines
// (counted from 1) is in, and returns the functions' names. A line outside all
// functions is an error.
func stubFunctions(text string, lines []int) (string, []string, error) {
	source := strings.Split(text, "\n")
	var names []string
	done := map[int]bool{}
	for _, n := range lines {
		if n < 1 || n > len(source) {
			return "", nil, fmt.Errorf("no line %d", n)
		}
		start := n - 1
		for start >= 0 && !functionStart.MatchString(source[start]) {
			if strings.HasPrefix(source[start], "}") {
				return "", nil, fmt.Errorf("line %d is in no function", n)
			}
			start--
		}
		if start < 0 {
			return "", nil, fmt.Errorf("line %d is in no function", n)
		}
		if done[start] {
			continue
		}
		done[start] = true
		open := start
		for !strings.HasSuffix(source[open], "{") {
			if open++; open == len(source) || strings.Contains(source[open-1], "{") {
				return "", nil, fmt.Errorf("the function at line %d has no body of its own lines", start+1)
			}
		}
		end := open
		for !strings.HasPrefix(source[end], "}") {
			if end++; end == len(source) {
				return "", nil, fmt.Errorf("the function at line %d does not end", start+1)
			}
		}
		name := functionStart.FindStringSubmatch(source[start])[1]
		names = append(names, name)
		// Blank the lines instead of removing them: line numbers must stay.
		for i := open + 1; i < end; i++ {
			source[i] = ""
		}
		result := " return {};"
		if strings.HasPrefix(source[start], "void ") {
			result = ""
		}
		source[open] += fmt.Sprintf(" PROTECT(throw std::runtime_error(\"%s: not in this libtorch\");)%s", name, result)
	}
	return strings.Join(source, "\n"), names, nil
}
