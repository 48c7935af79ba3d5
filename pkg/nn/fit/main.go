package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	opponents := flag.Bool("opponents", true, "install the engines that tournaments play against")
	packInto := flag.String("pack", "", "write the C++ sources of a kit into this `folder`, and do nothing else")
	kit := flag.String("kit", "", "compile the kit in this `folder` for this machine, and do nothing else")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: go run ./pkg/nn/fit [-opponents=false] [-pack folder] [-kit folder]\n\nPrepares this checkout: fits gotch to the installed libtorch, installs opponents.\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := do(newReporter(os.Stdout), *opponents, *packInto, *kit); err != nil {
		fmt.Fprintf(os.Stderr, "setup: %v\n", err)
		os.Exit(1)
	}
}

// do runs the action that the flags choose.
func do(r *reporter, opponents bool, packInto, kit string) error {
	switch {
	case kit != "":
		return compileKit(r, kit)
	case packInto != "":
		root, err := moduleRoot()
		if err != nil {
			return err
		}
		return pack(r, root, packInto)
	}
	return setUp(r, opponents)
}

// setUp runs the steps that are not done yet, in the order of their dependencies.
func setUp(r *reporter, opponents bool) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("alamos is built for Linux; this is %s", runtime.GOOS)
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	userCache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("no cache directory: %w (set XDG_CACHE_HOME)", err)
	}
	cxx, err := needCompiler(r)
	if err != nil {
		return err
	}
	lib, err := needLibtorch(r)
	if err != nil {
		return err
	}
	version, goVersion, err := requirements(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	f, err := newFitting(r, filepath.Join(userCache, "alamos"), version, filepath.Join(root, cppDir), lib, cxx)
	if err != nil {
		return err
	}
	if err := f.run(root, goVersion); err != nil {
		return err
	}
	if opponents {
		installOpponents(r, root)
	}
	r.close(fmt.Sprintf("set up: libtorch %s (%s)", lib.Version, lib.Origin))
	return nil
}

// moduleRoot returns the directory of alamos' go.mod, in or above the working directory.
func moduleRoot() (string, error) {
	file, err := output(exec.Command("go", "env", "GOMOD"))
	if file = strings.TrimSpace(file); err == nil && filepath.Base(file) != "go.mod" {
		err = errors.New("no go.mod here or above: run this inside the alamos checkout")
	}
	return filepath.Dir(file), err
}
