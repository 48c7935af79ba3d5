package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
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
	return compiler{}, fmt.Errorf("no C++ compiler (looked for %s)", strings.Join(names, ", "))
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
	args := append([]string{"-c", "-fPIC", "-o", target, source}, flags...)
	cmd := exec.Command(c.Path, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	said, err := cmd.CombinedOutput()
	if err != nil {
		if _, ok := err.(*exec.ExitError); ok {
			return &compileError{source: source, said: string(said)}
		}
		return err
	}
	return nil
}

// diagnose returns what the compiler says against a C++ file, all of it,
// without generating code.
func (c compiler) diagnose(source string, flags []string) (string, error) {
	args := append([]string{"-fsyntax-only", "-fmax-errors=0", source}, flags...)
	if strings.Contains(c.Version, "clang") {
		args[1] = "-ferror-limit=0"
	}
	cmd := exec.Command(c.Path, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	said, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		return "", err
	}
	return string(said), nil
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

// objectStore keeps object files under a hash of all that went into them.
type objectStore struct{ dir string }

// get returns the path of the object file with this key, made by make (which
// is given the path to write) if it is not there yet.
func (o objectStore) get(key string, make func(target string) error) (string, error) {
	path := filepath.Join(o.dir, key+".o")
	now := time.Now()
	if os.Chtimes(path, now, now) == nil { // the time says when it was last used
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

// prune removes object files that no set-up used for a month.
func (o objectStore) prune(now time.Time) {
	files, _ := filepath.Glob(filepath.Join(o.dir, "*.o*"))
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) > 30*24*time.Hour {
			os.Remove(name)
		}
	}
}

// parallel runs the jobs, as many at a time as there are processors, and
// returns the errors joined.
func parallel(jobs []func() error) error {
	errs := make([]error, len(jobs))
	slots := make(chan struct{}, runtime.NumCPU())
	var wg sync.WaitGroup
	for i, job := range jobs {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = job()
		})
	}
	wg.Wait()
	var text bytes.Buffer
	for _, err := range errs {
		if err != nil {
			fmt.Fprintln(&text, err)
		}
	}
	if text.Len() > 0 {
		return fmt.Errorf("%s", strings.TrimSpace(text.String()))
	}
	return nil
}
