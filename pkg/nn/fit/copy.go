package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
