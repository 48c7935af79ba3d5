package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// download returns the directory of gotch in Go's module cache.
func download(version string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", gotchModule+"@"+version)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	text, err := output(cmd)
	var info struct{ Dir, Error string }
	if jsonErr := json.Unmarshal([]byte(text), &info); jsonErr == nil && info.Error != "" {
		return "", fmt.Errorf("gotch %s: %s", version, info.Error)
	}
	if err != nil {
		return "", err
	}
	if info.Dir == "" {
		return "", fmt.Errorf("gotch %s: go mod download names no directory", version)
	}
	return info.Dir, nil
}

// copyGotch copies gotch's packages without their tests and examples, and moves
// the C++ out of the Go package libtch into libtch/cpp, where Go ignores it.
func copyGotch(from, to string) error {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel == "example" || rel == "gen" {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		dir, base := filepath.Split(rel)
		switch ext := filepath.Ext(base); {
		case strings.HasSuffix(base, "_test.go"):
			return nil
		case dir == "libtch/" && base == "torch_api.h", dir == "libtch/" && base == "torch_api_generated.h":
			// What cgo reads stays.
		case dir == "libtch/" && (ext == ".cpp" || ext == ".h"):
			rel = filepath.Join("libtch/cpp", base)
		case ext != ".go" && base != "go.mod" && base != "go.sum" && base != "LICENSE":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
	if err != nil {
		return fmt.Errorf("copying gotch: %w", err)
	}
	return nil
}

// mendedCopy copies gotch of that version to dir, with its defects mended.
func mendedCopy(version, dir string) error {
	origin, err := download(version)
	if err != nil {
		return err
	}
	if err := copyGotch(origin, dir); err != nil {
		return err
	}
	if err := applyMends(dir); err != nil {
		return fmt.Errorf("mending gotch %s: %w", version, err)
	}
	return nil
}

// splitGenerated splits a file of cgo wrappers into n files of as many functions
// each. The cgo tool's time grows with the square of the names in a file: 37 s
// for gotch's one file of 2,500 functions, 13 s for ten files.
func splitGenerated(name string, n int) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	head, body, found := strings.Cut(string(text), "import \"unsafe\"\n")
	functions := strings.Split(body, "\nfunc ")
	if !found || len(functions) < n {
		return fmt.Errorf("%s: want imports and at least %d functions", name, n)
	}
	head += "import \"unsafe\"\n" + functions[0]
	functions = functions[1:]
	for i := range n {
		part := functions[i*len(functions)/n : (i+1)*len(functions)/n]
		text := head + "\nfunc " + strings.Join(part, "\nfunc ") + "\n"
		partName := fmt.Sprintf("%s-%02d.go", strings.TrimSuffix(name, ".go"), i)
		if err := os.WriteFile(partName, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return os.Remove(name)
}

// gotchPatch mends gotch's sources.
//
//go:embed gotch.patch
var gotchPatch string

// newFiles are files that the copy has instead of, or in addition to, those of gotch.
var newFiles = map[string]string{
	// All we link is libtch.so, which knows its libtorch. Undefined symbols are allowed in
	// the shared libraries below it because a machine without a GPU's driver can still
	// link to a libtorch that has CUDA.
	"libtch/lib.go": `package libtch

// #cgo CFLAGS: -O1 -w
// #cgo LDFLAGS: "-L${SRCDIR}" "-Wl,-rpath,${SRCDIR}" -Wl,--no-as-needed -ltch -Wl,--allow-shlib-undefined
import "C"
`,
	"ts/handle.go": `package ts

import lib "github.com/sugarme/gotch/libtch"

// setHandle replaces the C handle of a tensor by the one that an in-place operation
// returned, and frees the old one.
func (ts *Tensor) setHandle(handle lib.Ctensor) {
	old := ts.ctensor
	ts.ctensor = handle
	lib.AtFree(old)
}
`,
}

// applyMends mends the copy of gotch at dir.
func applyMends(dir string) error {
	for _, h := range parsePatch(gotchPatch) {
		if err := edit(dir, h.file, h.apply); err != nil {
			return err
		}
	}
	for file, want := range map[string]int{"ts/tensor-generated.go": 2447, "ts/patch.go": 4} {
		if err := edit(dir, file, func(text string) (string, error) { return outputHandles(text, want) }); err != nil {
			return err
		}
	}
	for file, text := range newFiles {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// edit changes a file of the copy.
func edit(dir, file string, change func(text string) (string, error)) error {
	name := filepath.Join(dir, file)
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	changed, err := change(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(name, []byte(changed), 0o644)
}

// hunk replaces lines of a file, which occur a given number of times.
type hunk struct {
	file     string
	times    int
	old, new string
}

// parsePatch reads a patch of "--- file", "@@" or "@@ 3 times", and lines that begin with a
// space, - or +, as in unified diffs.
func parsePatch(text string) []hunk {
	var hunks []hunk
	file := ""
	for line := range strings.Lines(text) {
		last := len(hunks) - 1
		rest, isFile := strings.CutPrefix(line, "--- ")
		switch {
		case isFile:
			file = strings.TrimSpace(rest)
		case line[0] == '@':
			h := hunk{file: file, times: 1}
			_, _ = fmt.Sscanf(line, "@@ %d times", &h.times) // without a number it stays 1
			hunks = append(hunks, h)
		case line[0] == ' ':
			hunks[last].old += line[1:]
			hunks[last].new += line[1:]
		case line[0] == '-':
			hunks[last].old += line[1:]
		case line[0] == '+':
			hunks[last].new += line[1:]
		}
	}
	return hunks
}

func (h hunk) apply(text string) (string, error) {
	if have := strings.Count(text, h.old); have != h.times {
		return "", fmt.Errorf("want %d times, found %d times: %q", h.times, have, h.old)
	}
	return strings.ReplaceAll(text, h.old, h.new), nil
}

var (
	firstHandle = regexp.MustCompile(`(\w+) := \(\*lib\.Ctensor\)\(unsafe\.Pointer\(C\.malloc\(0\)\)\)`)
	nextHandle  = regexp.MustCompile(`\w+ := \(\*lib\.Ctensor\)\(unsafe\.Pointer\(uintptr\(unsafe\.Pointer\(\w+\)\) \+ unsafe\.Sizeof\(\w+\)\)\)`)
)

// outputHandles gives the outputs of each function an array of as many handles as it reads:
// the first by its own name, the others by pointer arithmetic on the lines that follow.
// gotch takes the address from malloc(0), in a given number of functions, never frees it, and
// writes beyond it.
func outputHandles(text string, want int) (string, error) {
	lines := strings.Split(text, "\n")
	found := 0
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "//") || !firstHandle.MatchString(line) {
			continue
		}
		found++
		n := 1
		for i+n < len(lines) && nextHandle.MatchString(lines[i+n]) {
			n++
		}
		handle := "new(lib.Ctensor)"
		if n > 1 {
			handle = fmt.Sprintf("&new([%d]lib.Ctensor)[0]", n)
		}
		lines[i] = firstHandle.ReplaceAllString(line, "$1 := "+handle)
	}
	if found != want {
		return "", fmt.Errorf("want %d calls of malloc(0) for output handles, found %d", want, found)
	}
	return strings.Join(lines, "\n"), nil
}
