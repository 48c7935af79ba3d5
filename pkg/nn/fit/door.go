package main

import (
	"debug/elf"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// A program linked to libtorch spends a third of a second before its first line: a
// million relocations, and the registration of thousands of operators. Most commands
// never run a network. So what programs link to, libtch.so, has none of it: it is a
// door with the same functions, each of which jumps to the address in a table. At first
// the table says, for all of them: load what is behind the door (realName), put the
// true addresses into the table, and then go there.
//
// Elsewhere than on x86-64 libtch.so is the library itself.

// realName is the library with gotch's C++ and ours, linked to libtorch.
const realName = "libtch-real.so"

// hasDoor reports whether we know how to jump on this machine.
var hasDoor = runtime.GOARCH == "amd64"

// link makes libtch.so in the directory dir, and what is behind it.
func (c compiler) link(dir string, objects []string, lib libtorch) error {
	target := filepath.Join(dir, libraryName)
	if !hasDoor {
		return c.library(target, libraryName, objects, lib)
	}
	real := filepath.Join(dir, realName)
	if err := c.library(real, realName, objects, lib); err != nil {
		return err
	}
	names, err := functions(real)
	if err != nil {
		return err
	}
	return c.door(target, names, lib)
}

// functions lists the functions that a shared library offers to C.
func functions(path string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var names []string
	for _, s := range symbols {
		isFunction := elf.ST_TYPE(s.Info) == elf.STT_FUNC && elf.ST_BIND(s.Info) == elf.STB_GLOBAL && s.Section != elf.SHN_UNDEF
		if isFunction && !strings.HasPrefix(s.Name, "_") { // C++ names begin with _Z
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s offers no functions", path)
	}
	return names, nil
}

//go:embed door
var doorSources embed.FS

// door links a library that has the named functions, each a jump.
func (c compiler) door(target string, names []string, lib libtorch) error {
	dir, err := os.MkdirTemp(filepath.Dir(target), "door-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var list strings.Builder
	for i, name := range names {
		fmt.Fprintf(&list, "jump %s, %d\n", name, i)
	}
	err = errors.Join(os.CopyFS(dir, doorSources), os.WriteFile(filepath.Join(dir, "door/functions.inc"), []byte(list.String()), 0o644))
	if err != nil {
		return err
	}
	// NVIDIA's Python packages are beside Python's torch, if this is one.
	wheels := filepath.Join(filepath.Dir(filepath.Dir(lib.Lib)), "nvidia")
	return c.run([]string{
		"-shared", "-fPIC", "-O1", "-fvisibility=hidden", "-o", target, "-Wl,-soname," + libraryName, "-Wl,-z,noexecstack",
		fmt.Sprint("-DALAMOS_COUNT=", len(names)), "-DALAMOS_WHEELS=" + strconv.Quote(wheels), "-DALAMOS_REAL=" + strconv.Quote(realName),
		filepath.Join(dir, "door/jumps.S"), filepath.Join(dir, "door/loader.cpp"), "-ldl", "-lpthread",
	})
}
