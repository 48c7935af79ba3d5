package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// errNoApt says that packages cannot be installed from here.
var errNoApt = errors.New("cannot install packages: this needs apt-get, and root or a sudo that asks no password")

// aptInstall installs Debian packages. It returns errNoApt where it has no way
// to, and apt-get's own last lines where that fails (no network, say).
func aptInstall(r *reporter, packages ...string) error {
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return errNoApt
	}
	prefix := []string{apt}
	if os.Geteuid() != 0 {
		sudo, err := exec.LookPath("sudo")
		if err != nil || exec.Command(sudo, "-n", "true").Run() != nil {
			return errNoApt
		}
		prefix = []string{sudo, "-n", apt}
	}
	run := func(args ...string) error {
		args = append(append([]string{}, prefix...), args...)
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		_, err := output(cmd)
		return err
	}
	install := append([]string{"install", "-y", "--no-install-recommends"}, packages...)

	defer r.long("apt-get install %s", strings.Join(packages, " "))()
	if aptListsPresent("/var/lib/apt/lists") && run(install...) == nil {
		return nil
	}
	// No package lists, or stale ones that name files which are gone.
	if err := run("update"); err != nil {
		return err
	}
	return run(install...)
}

// aptListsPresent reports whether apt has package lists in dir.
func aptListsPresent(dir string) bool {
	lists, err := filepath.Glob(filepath.Join(dir, "*_Packages*"))
	return err == nil && len(lists) > 0
}

// needCompiler returns the C++ compiler, installing g++ when there is none.
func needCompiler(r *reporter) (compiler, error) {
	c, err := findCompiler()
	if err == nil {
		return c, nil
	}
	if aptErr := aptInstall(r, "g++"); aptErr != nil {
		return compiler{}, fmt.Errorf("%w; %w\ninstall one (Debian: apt-get install g++) or name it: CXX=/path/to/g++", err, aptErr)
	}
	return findCompiler()
}

// needLibtorch returns the libtorch to fit to, installing Debian's when the
// machine has none.
func needLibtorch(r *reporter) (libtorch, error) {
	lib, err := findLibtorch()
	if errors.Is(err, errNoLibtorch) {
		if aptErr := aptInstall(r, "libtorch-dev", "libopenblas0-pthread", "libdnnl-dev"); aptErr != nil {
			return lib, fmt.Errorf("%w; %w\ninstall one of these, then run this again:\n"+
				"  apt-get install libtorch-dev libopenblas0-pthread libdnnl-dev     (Debian, as root)\n"+
				"  python3 -m pip install torch\n"+
				"  or unpack libtorch anywhere and set LIBTORCH=/that/directory", err, aptErr)
		}
		lib, err = findLibtorch()
	}
	if err != nil {
		return lib, err
	}
	if lib.Origin == originDebian {
		needOpenBLAS(r, lib)
		needOneDNN(r, lib)
	}
	return lib, nil
}

// needOpenBLAS makes sure that Debian's libtorch finds OpenBLAS: with the
// reference BLAS a network's linear layers are 25 times slower at batch 1.
func needOpenBLAS(r *reporter, lib libtorch) {
	if usesOpenBLAS(lib.Lib) {
		return
	}
	if err := aptInstall(r, "libopenblas0-pthread"); err != nil {
		r.warn("libopenblas0-pthread is missing, networks will run many times slower: %v", err)
		return
	}
	if !usesOpenBLAS(lib.Lib) {
		r.warn("libblas.so.3 in %s is not OpenBLAS, networks will run many times slower: choose it with update-alternatives", lib.Lib)
	}
}

// needOneDNN makes sure that our evaluator can be compiled against the oneDNN of
// Debian's libtorch. Without it libtorch stands between them.
func needOneDNN(r *reporter, lib libtorch) {
	if direct, _ := lib.oneDNN(); direct != nil {
		return
	}
	if err := aptInstall(r, "libdnnl-dev"); err != nil {
		r.warn("libdnnl-dev is missing, small networks will be evaluated a third slower: %v", err)
	}
}

// usesOpenBLAS reports whether the libblas.so.3 beside libtorch is OpenBLAS.
func usesOpenBLAS(libDir string) bool {
	blas, err := filepath.EvalSymlinks(filepath.Join(libDir, "libblas.so.3"))
	return err == nil && strings.Contains(blas, "openblas")
}
