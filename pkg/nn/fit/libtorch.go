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
	return libtorch{}, fmt.Errorf("%w: no libtorch", errMissing)
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

// needCompiler returns the C++ compiler.
func needCompiler(r *reporter) (compiler, error) {
	c, err := need(r, findCompiler, "g++")
	if err != nil {
		err = fmt.Errorf("%w\ninstall one (Debian: apt-get install g++) or name it: CXX=/path/to/g++", err)
	}
	return c, err
}

// needLibtorch returns the libtorch to fit to.
func needLibtorch(r *reporter) (libtorch, error) {
	lib, err := need(r, findLibtorch, "libtorch-dev", "libopenblas0-pthread", "libdnnl-dev")
	if errors.Is(err, errMissing) {
		err = fmt.Errorf("%w\ninstall one of these, then run this again:\n"+
			"  apt-get install libtorch-dev libopenblas0-pthread libdnnl-dev     (Debian, as root)\n"+
			"  python3 -m pip install torch\n"+
			"  or unpack libtorch anywhere and set LIBTORCH=/that/directory", err)
	}
	if err != nil || lib.Origin != originDebian {
		return lib, err
	}
	for _, x := range []struct {
		debian, without string
		has             func() bool
	}{
		{"libopenblas0-pthread", "networks will run many times slower (update-alternatives chooses libblas.so.3)", lib.usesOpenBLAS},
		{"libdnnl-dev", "small networks will be evaluated a third slower", lib.hasOneDNN},
	} {
		_, err := need(r, func() (bool, error) {
			if !x.has() {
				return false, fmt.Errorf("%w: %s", errMissing, x.debian)
			}
			return true, nil
		}, x.debian)
		if err != nil {
			r.warn("without %s %s: %v", x.debian, x.without, err)
		}
	}
	return lib, nil
}

// usesOpenBLAS reports whether the libblas.so.3 beside libtorch is OpenBLAS. With the
// reference BLAS a network's linear layers are 25 times slower at batch 1.
func (l libtorch) usesOpenBLAS() bool {
	blas, err := filepath.EvalSymlinks(filepath.Join(l.Lib, "libblas.so.3"))
	return err == nil && strings.Contains(blas, "openblas")
}

// hasOneDNN reports whether our evaluator can be compiled against libtorch's oneDNN.
func (l libtorch) hasOneDNN() bool {
	compile, _ := l.oneDNN()
	return compile != nil
}
