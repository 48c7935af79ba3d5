package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"alamos/pkg/disk"
)

// compiler is a C++ compiler that understands g++'s options.
type compiler struct {
	Path    string
	Version string
}

// findCompiler returns $CXX or the first of g++, c++ and clang++.
func findCompiler() (compiler, error) {
	names := []string{"g++", "c++", "clang++"}
	if cxx := os.Getenv("CXX"); cxx != "" {
		names = []string{cxx}
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		text, err := output(exec.Command(path, "--version"))
		if err != nil {
			return compiler{}, err
		}
		version, _, _ := strings.Cut(text, "\n")
		return compiler{Path: path, Version: version}, nil
	}
	return compiler{}, fmt.Errorf("%w: no C++ compiler (looked for %s)", errMissing, strings.Join(names, ", "))
}

// compileError carries what the compiler said.
type compileError struct {
	source string
	said   string
}

func (e *compileError) Error() string {
	return fmt.Sprintf("%s does not compile:\n%s", e.source, lastLines(e.said, 40))
}

// object compiles one C++ file to an object file.
func (c compiler) object(source, target string, flags []string) error {
	said, failed, err := c.compile(append([]string{"-c", "-fPIC", "-o", target, source}, flags...))
	if failed {
		return &compileError{source: source, said: said}
	}
	return err
}

// diagnose returns what the compiler says against a C++ file, all of it,
// without generating code.
func (c compiler) diagnose(source string, flags []string) (string, error) {
	all := "-fmax-errors=0"
	if strings.Contains(c.Version, "clang") {
		all = "-ferror-limit=0"
	}
	said, _, err := c.compile(append([]string{"-fsyntax-only", all, source}, flags...))
	return said, err
}

// compile runs the compiler and returns what it said, and whether it found errors.
func (c compiler) compile(args []string) (said string, failed bool, err error) {
	cmd := exec.Command(c.Path, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if _, failed = err.(*exec.ExitError); failed {
		err = nil
	}
	return string(out), failed, err
}

// library links object files to a shared library that calls itself name.
func (c compiler) library(target, name string, objects []string, lib libtorch) error {
	args := []string{"-shared", "-o", target, "-Wl,-soname," + name, "-Wl,-Bsymbolic-functions"}
	args = append(args, objects...)
	return c.run(append(args, lib.linkFlags()...))
}

// run runs the compiler.
func (c compiler) run(args []string) error {
	_, err := output(exec.Command(c.Path, args...))
	return err
}

// objectStore caches object files by a hash of everything that determines them.
type objectStore struct{ dir string }

// get returns the path of the object file with this key. If it is missing, make writes it to
// a temporary path.
func (o objectStore) get(key string, make func(target string) error) (string, error) {
	path := filepath.Join(o.dir, key+".o")
	if touch(path) {
		return path, nil
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return "", err
	}
	whole := path + ".part"
	if err := make(whole); err != nil {
		os.Remove(whole)
		return "", err
	}
	return path, os.Rename(whole, path)
}

// touch marks a file or directory of the cache as used now, and reports whether it exists.
func touch(path string) bool {
	now := time.Now()
	return os.Chtimes(path, now, now) == nil
}

// prune removes the files and directories of a pattern that no set-up used for a month and no
// checkout names.
func prune(pattern string, now time.Time) {
	found, _ := filepath.Glob(pattern)
	for _, name := range found {
		if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) > 30*24*time.Hour && !inUse(name) {
			os.RemoveAll(name)
		}
	}
}

// sources are the C++ files of a folder.
type sources struct {
	names   []string // *.cpp, sorted
	text    map[string]string
	headers string // digest of every other file: a changed header recompiles all
	digest  string // of all files, as package nn computes it
}

func readSources(dir string) (sources, error) {
	s := sources{text: make(map[string]string)}
	var err error
	if s.digest, err = disk.SumFS(os.DirFS(dir)); err != nil {
		return s, err
	}
	files, err := os.ReadDir(dir)
	var headers []string
	for _, f := range files {
		text, readErr := os.ReadFile(filepath.Join(dir, f.Name()))
		err = errors.Join(err, readErr)
		if filepath.Ext(f.Name()) == ".cpp" {
			s.names, s.text[f.Name()] = append(s.names, f.Name()), string(text)
		} else {
			headers = append(headers, f.Name(), string(text))
		}
	}
	s.headers = digest(headers...)
	return s, err
}

// digest returns a short hash of its arguments, each with its length, so that
// moving bytes from one to the next changes it.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
