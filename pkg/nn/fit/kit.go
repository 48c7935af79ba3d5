package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A kit takes alamos to a machine that has a C++ compiler and a libtorch, and
// neither Go nor this checkout: programs that are linked to a libtch.so of any
// libtorch, and the C++ to make one there. The folder of a kit holds
//
//	gotch/     gotch, mended, as a fitted copy has it before compilation
//	cpp/       ours
//	version    of gotch
//	lib/       what compile makes: libtch.so and what is behind it

const (
	kitGotch   = "gotch"
	kitCPP     = "cpp"
	kitVersion = "version"
	kitLib     = "lib"
)

// pack writes the sources of a kit into dir.
func pack(r *reporter, root, dir string) error {
	version, _, err := requirements(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	gotch, cpp := filepath.Join(dir, kitGotch), filepath.Join(dir, kitCPP)
	err = errors.Join(
		os.RemoveAll(gotch),
		os.RemoveAll(cpp),
		mendedCopy(version, gotch),
		os.CopyFS(cpp, os.DirFS(filepath.Join(root, cppDir))),
		os.WriteFile(filepath.Join(dir, kitVersion), []byte(version+"\n"), 0o644),
	)
	if err != nil {
		return err
	}
	r.step("packed the sources of a kit: gotch %s", version)
	return nil
}

// compileKit compiles the libraries of the kit in dir for this machine's libtorch, unless they
// are current. It installs nothing.
func compileKit(r *reporter, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	version, err := os.ReadFile(filepath.Join(dir, kitVersion))
	if err != nil {
		return fmt.Errorf("no kit: %w", err)
	}
	cxx, err := findCompiler()
	if err != nil {
		return err
	}
	lib, err := findLibtorch()
	if err != nil {
		return fmt.Errorf("%w: set LIBTORCH to the folder of one, or install Python's torch", err)
	}
	if !lib.CUDA {
		r.warn("the libtorch in %s is for the processor only: nothing will run on a graphics card", lib.Root)
	}
	f, err := newFitting(r, filepath.Join(dir, kitLib), strings.TrimSpace(string(version)), filepath.Join(dir, kitCPP), lib, cxx)
	if err != nil {
		return err
	}
	copyDir, err := f.copyDir()
	if err != nil {
		return err
	}
	stamp, want := filepath.Join(dir, kitLib, "fitted"), filepath.Base(copyDir)
	if have, err := os.ReadFile(stamp); err == nil && string(have) == want {
		r.close("the kit is compiled")
		return nil
	}
	r.step("libtorch %s: %s, %s", lib.Version, lib.Origin, lib.Root)

	// A copy: what this libtorch lacks is cut out of it.
	part := filepath.Join(dir, kitLib, "part")
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := os.CopyFS(part, os.DirFS(filepath.Join(dir, kitGotch))); err != nil {
		return err
	}
	if err := f.build(part); err != nil {
		return err
	}
	for _, name := range libraries() {
		if err := os.Rename(filepath.Join(part, name), filepath.Join(dir, kitLib, filepath.Base(name))); err != nil {
			return err
		}
	}
	if err := os.WriteFile(stamp, []byte(want), 0o644); err != nil {
		return err
	}
	r.close(fmt.Sprintf("compiled for libtorch %s (%s)", lib.Version, lib.Origin))
	return nil
}
