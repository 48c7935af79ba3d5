package main

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Where a libtorch comes from.
const (
	originEnv    = "LIBTORCH"
	originPython = "Python's torch"
	originDebian = "Debian's libtorch-dev"
)

// libtorch is an installed libtorch.
type libtorch struct {
	Origin  string
	Root    string // as given: holds include/ and lib/
	Include string // holds torch/csrc/api/include
	Lib     string // holds libtorch.so
	Version string // "1.13.0"; "unknown" when the headers do not say
	CUDA    bool   // libtorch_cuda.so is there
}

var errNoLibtorch = errors.New("no libtorch found")

// findLibtorch looks for libtorch in the order: LIBTORCH, an installed Python
// torch, Debian's package. A LIBTORCH that holds none is an error, not a reason
// to take another one silently.
func findLibtorch() (libtorch, error) {
	if dir := os.Getenv("LIBTORCH"); dir != "" {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return libtorch{}, err
		}
		lib, err := libtorchAt(dir, originEnv)
		if err != nil {
			return lib, fmt.Errorf("LIBTORCH=%s: %w", dir, err)
		}
		return lib, nil
	}
	if dir := pythonTorch(); dir != "" {
		if lib, err := libtorchAt(dir, originPython); err == nil {
			return lib, nil
		}
	}
	if lib, err := libtorchAt("/usr", originDebian); err == nil {
		return lib, nil
	}
	return libtorch{}, errNoLibtorch
}

// libtorchAt describes the libtorch under dir, which has the layout of the
// downloadable archive, of a Python package, or of a Debian multiarch system.
func libtorchAt(dir, origin string) (libtorch, error) {
	l := libtorch{Origin: origin, Root: dir, Include: filepath.Join(dir, "include")}
	api := filepath.Join(l.Include, "torch/csrc/api/include/torch")
	if _, err := os.Stat(filepath.Join(api, "torch.h")); err != nil {
		return l, fmt.Errorf("no C++ headers of libtorch: %w", err)
	}
	libDirs := []string{filepath.Join(dir, "lib"), filepath.Join(dir, "lib64")}
	multiarch, _ := filepath.Glob(filepath.Join(dir, "lib", "*-linux-gnu*"))
	for _, d := range append(libDirs, multiarch...) {
		if _, err := os.Stat(filepath.Join(d, "libtorch_cpu.so")); err == nil {
			l.Lib = d
			break
		}
	}
	if l.Lib == "" {
		return l, fmt.Errorf("no libtorch_cpu.so in %s", strings.Join(libDirs, " or "))
	}
	_, err := os.Stat(filepath.Join(l.Lib, "libtorch_cuda.so"))
	l.CUDA = err == nil
	l.Version = headerVersion(filepath.Join(api, "version.h"), filepath.Join(l.Include, "torch/headeronly/version.h"))
	return l, nil
}

var versionMacro = regexp.MustCompile(`#define\s+TORCH_VERSION_(MAJOR|MINOR|PATCH)\s+(\d+)`)

// headerVersion reads the version macros of the first header that has them.
func headerVersion(headers ...string) string {
	for _, name := range headers {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		part := map[string]string{}
		for _, m := range versionMacro.FindAllStringSubmatch(string(text), -1) {
			part[m[1]] = m[2]
		}
		if len(part) == 3 {
			return part["MAJOR"] + "." + part["MINOR"] + "." + part["PATCH"]
		}
	}
	return "unknown"
}

// pythonTorch returns the directory of an installed Python package torch, or
// "". It asks Python where the package is and does not import it: the import
// takes seconds, and fails for reasons that do not concern its libraries.
func pythonTorch() string {
	python, err := exec.LookPath("python3")
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-c", `import importlib.util as u
s = u.find_spec("torch")
print(s.origin or "" if s else "")`)
	cmd.WaitDelay = time.Second
	text, err := output(cmd)
	origin := strings.TrimSpace(text)
	if err != nil || filepath.Base(origin) != "__init__.py" {
		return ""
	}
	return filepath.Dir(origin)
}

// fingerprint changes when the library is moved, upgraded or rebuilt.
func (l libtorch) fingerprint() (string, error) {
	name, err := filepath.EvalSymlinks(filepath.Join(l.Lib, "libtorch_cpu.so"))
	if err != nil {
		return "", err
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s %s %d %d cuda=%t", l.Root, name, l.Version, info.Size(), info.ModTime().UnixNano(), l.CUDA), nil
}

// oldABI reports whether the library was built with the C++ ABI from before
// GCC 5, as Python's torch was for years: code linked to it must be, too.
func (l libtorch) oldABI() (bool, error) {
	f, err := elf.Open(filepath.Join(l.Lib, "libc10.so"))
	if err != nil {
		return false, err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return false, fmt.Errorf("%s/libc10.so: %w", l.Lib, err)
	}
	for _, s := range symbols {
		// Of its own: what a compiler puts in from its library says nothing.
		own := strings.HasPrefix(s.Name, "_ZN3c10") || strings.HasPrefix(s.Name, "_ZNK3c10")
		if own && s.Section != elf.SHN_UNDEF && strings.Contains(s.Name, "__cxx11") {
			return false, nil
		}
	}
	return true, nil
}

// compileFlags are what every C++ file that includes libtorch's headers needs.
func (l libtorch) compileFlags() ([]string, error) {
	old, err := l.oldABI()
	if err != nil {
		return nil, err
	}
	abi := 1
	if old {
		abi = 0
	}
	flags := []string{
		"-std=" + l.standard(),
		fmt.Sprintf("-D_GLIBCXX_USE_CXX11_ABI=%d", abi),
		"-isystem", filepath.Join(l.Include, "torch/csrc/api/include"),
	}
	if l.Include != "/usr/include" { // -isystem /usr/include breaks #include_next
		flags = append(flags, "-isystem", l.Include)
	}
	return flags, nil
}

// standard is the C++ that the headers are written in: they refuse an older one, and
// an older compiler need not know a newer one.
func (l libtorch) standard() string {
	text, err := os.ReadFile(filepath.Join(l.Include, "ATen/ATen.h"))
	if err == nil && newerStandard.Match(text) {
		return "c++20"
	}
	return "c++17"
}

var newerStandard = regexp.MustCompile(`#error\s+C\+\+20 or later`)

// oneDNN returns the flags to compile and link against the very oneDNN that
// libtorch uses, or nothing where its headers are missing, or libtorch has a
// oneDNN of its own inside, as Python's has: with a second one in the process,
// each would take functions of the other.
func (l libtorch) oneDNN() (compile, link []string) {
	f, err := elf.Open(filepath.Join(l.Lib, "libtorch_cpu.so"))
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	needed, err := f.ImportedLibraries()
	if err != nil {
		return nil, nil
	}
	version, err := os.ReadFile(filepath.Join(l.Include, "oneapi/dnnl/dnnl_version.h"))
	if err != nil {
		return nil, nil
	}
	major := oneDNNMajor.FindSubmatch(version)
	if major == nil || !slices.Contains(needed, "libdnnl.so."+string(major[1])) {
		return nil, nil
	}
	return []string{"-DALAMOS_ONEDNN=1"}, []string{"-ldnnl"}
}

var oneDNNMajor = regexp.MustCompile(`#define\s+DNNL_VERSION_MAJOR\s+(\d+)`)

// linkFlags link a shared library to libtorch. The CUDA library registers its
// kernels when it is loaded, so it must be linked although nothing names it. What a
// person has in LD_LIBRARY_PATH must not take the place of the libraries that were
// compiled for: RPATH comes before it, and RUNPATH, the linker's default, after.
func (l libtorch) linkFlags() []string {
	flags := []string{"-L" + l.Lib, "-Wl,-rpath," + l.Lib, "-Wl,--disable-new-dtags", "-Wl,--no-as-needed", "-ltorch", "-ltorch_cpu", "-lc10"}
	if l.CUDA {
		flags = append(flags, "-ltorch_cuda", "-lc10_cuda")
	}
	_, direct := l.oneDNN()
	return append(flags, direct...)
}

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
