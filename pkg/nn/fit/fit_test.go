package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRequirements(t *testing.T) {
	for _, c := range []struct{ name, text, gotch, goVersion, err string }{
		{"block", "module m\n\ngo 1.26.0\n\nrequire (\n\tgithub.com/sugarme/gotch v0.9.1 // indirect\n)\n", "v0.9.1", "1.26.0", ""},
		{"line", "module m\ngo 1.27\nrequire github.com/sugarme/gotch v0.9.2\n", "v0.9.2", "1.27", ""},
		{"absent", "module m\ngo 1.27\nrequire github.com/sugarme/gotchas v0.9.2\n", "", "", "requirement of github.com/sugarme/gotch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			gotch, goVersion, err := requirements(write(t, filepath.Join(t.TempDir(), "go.mod"), c.text))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want one with %q", err, c.err)
				}
				return
			}
			if err != nil || gotch != c.gotch || goVersion != c.goVersion {
				t.Errorf("got %q, %q, %v; want %q, %q", gotch, goVersion, err, c.gotch, c.goVersion)
			}
		})
	}
	if _, _, err := requirements("../../../go.mod"); err != nil {
		t.Errorf("our own go.mod: %v", err)
	}
}

// The go command reads what workFile writes, also with spaces in paths.
func TestWorkFile(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a checkout")
	gotch := filepath.Join(t.TempDir(), "a cache", "gotch")
	write(t, filepath.Join(root, "go.mod"), "module m\n\ngo 1.26.0\n\nrequire "+gotchModule+" v0.9.1\n")
	write(t, filepath.Join(root, "m.go"), "package m\n\nimport _ \""+gotchModule+"\"\n")
	write(t, filepath.Join(gotch, "go.mod"), "module "+gotchModule+"\n\ngo 1.20\n")
	write(t, filepath.Join(gotch, "gotch.go"), "package gotch\n")

	work := workFile("1.26.0", gotch)
	var said bytes.Buffer
	r := newReporter(&said)
	if workIsCurrent(root, work) {
		t.Error("there is no go.work yet")
	}
	if err := writeWork(r, root, work); err != nil {
		t.Fatal(err)
	}
	if !workIsCurrent(root, work) || strings.Contains(said.String(), "warning") {
		t.Errorf("after writing: current %t, said %q", workIsCurrent(root, work), said.String())
	}
	build := exec.Command("go", "vet", "./...")
	build.Dir = root
	build.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	// A go.work of somebody else's is kept.
	write(t, filepath.Join(root, "go.work"), "go 1.26.0\nuse ./mine\n")
	if err := writeWork(r, root, work); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join(root, "go.work.old"))
	if err != nil || !strings.Contains(string(old), "mine") || !strings.Contains(said.String(), "warning") {
		t.Errorf("the old go.work: %q, %v; said %q", old, err, said.String())
	}
}

// Each mend fails when gotch is not what it expects, and so on any text that is
// mended already.
func TestMendsFailLoudly(t *testing.T) {
	hunks := parsePatch(gotchPatch)
	if len(hunks) != 24 {
		t.Errorf("%d hunks", len(hunks))
	}
	for _, h := range hunks {
		if _, err := h.apply("package ts\n"); err == nil || h.file == "" {
			t.Errorf("%q of file %q: error %v where there is nothing to mend", h.old, h.file, err)
		}
	}
	if _, err := outputHandles("package ts\n", 1); err == nil {
		t.Error("no error where there are no output handles")
	}
}

// gotchSource returns gotch as published, from the module cache.
func gotchSource(t *testing.T) string {
	t.Helper()
	version, _, err := requirements("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := download(version)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCopyAndMend(t *testing.T) {
	dir := t.TempDir()
	if err := copyGotch(gotchSource(t), dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"go.mod": true, "LICENSE": true, "ts/tensor.go": true, "libtch/torch_api.h": true,
		"libtch/cpp/torch_api.cpp": true, "libtch/torch_api.cpp": false, "ts/tensor_test.go": false, "example": false,
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s in the copy: %t, want %t", name, err == nil, want)
		}
	}
	if err := applyMends(dir); err != nil {
		t.Fatal(err)
	}
	if err := applyMends(dir); err == nil {
		t.Error("mending twice: no error")
	}
	text, err := os.ReadFile(filepath.Join(dir, "ts/tensor.go"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "outputPtr := (*lib.Ctensor)(unsafe.Pointer(C.malloc(0)))"); n != 2 { // one in a comment
		t.Errorf("RunBackward must stay as it is; its malloc(0) occurs %d times, want 2", n)
	}

	generated := filepath.Join(dir, "libtch/c-generated.go")
	whole, err := os.ReadFile(generated)
	if err != nil {
		t.Fatal(err)
	}
	if err := splitGenerated(generated, 10); err != nil {
		t.Fatal(err)
	}
	parts, _ := filepath.Glob(filepath.Join(dir, "libtch/c-generated*.go"))
	functions := 0
	for _, name := range parts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		functions += strings.Count(string(text), "\nfunc ")
	}
	if want := strings.Count(string(whole), "\nfunc "); len(parts) != 10 || functions != want {
		t.Errorf("%d parts with %d functions, want 10 with %d", len(parts), functions, want)
	}
}

const apiSource = `#include "torch_api.h"

void atg_fine(tensor *out__, tensor self) {
  PROTECT(
    out__[0] = self;
  )
}

tensor *atg_list(tensor self,
                 int n) {
  PROTECT(
    return lacking(self);
  )
  return nullptr;
}

int64_t atg_number(tensor self) {
  PROTECT(
    return also_lacking(self);
  )
  return 0;
}
void atg_last() { gone(); }
`

func TestErrorLines(t *testing.T) {
	said := `In file included from torch_api.cpp:3:
x/torch_api_generated.cpp.h: In function 'void atg_a()':
/a b/x/torch_api_generated.cpp.h:12:5: error: 'a' is not a member of 'torch'
/usr/include/c++/12/tuple:10:3:   required by substitution of
torch_api_generated.cpp.h:40:3:   required from here
/usr/include/c++/12/tuple:1357:25: error: static assertion failed
torch_api.cpp:7:1: warning: unused
torch_api.cpp:9:1: error: no
`
	have := errorLines(said)
	if !slices.Equal(have["torch_api_generated.cpp.h"], []int{12, 40}) || !slices.Equal(have["torch_api.cpp"], []int{9}) || len(have) != 2 {
		t.Errorf("%v", have)
	}
}

// Line 23 is a function on one line.
func TestStubFunctions(t *testing.T) {
	text, names, err := stubFunctions(apiSource, []int{12, 12, 19})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names, []string{"atg_list", "atg_number"}) {
		t.Errorf("stubbed %v", names)
	}
	if strings.Count(text, "\n") != strings.Count(apiSource, "\n") {
		t.Error("the number of lines changed")
	}
	if strings.Contains(text, "lacking(") || !strings.Contains(text, "out__[0] = self") {
		t.Errorf("wrong bodies:\n%s", text)
	}
	for _, line := range []int{1, 2, 8, 23, 24, 0, 1000} {
		if _, _, err := stubFunctions(apiSource, []int{line}); err == nil {
			t.Errorf("line %d is in no function with lines of its own: no error", line)
		}
	}
}

// A real compiler's errors lead to code that it compiles.
func TestStubMissing(t *testing.T) {
	cxx, err := findCompiler()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "torch_api.h"), `#include <cstdint>
#include <stdexcept>
#define PROTECT(x) try { x } catch (const std::exception &) {}
typedef int *tensor;
`)
	// gotch's one-line functions have their body on the line of the name.
	source := write(t, filepath.Join(dir, "torch_api.cpp"), strings.TrimSuffix(apiSource, "void atg_last() { gone(); }\n"))
	stubbed, err := stubMissing(cxx, source, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(stubbed, []string{"atg_list", "atg_number"}) {
		t.Errorf("stubbed %v", stubbed)
	}
	if err := cxx.object(source, filepath.Join(dir, "o.o"), nil); err != nil {
		t.Error(err)
	}
	// What is not a lack of functions is reported as the compiler says it.
	broken := write(t, filepath.Join(dir, "torch_api.cpp"), "#include \"no_such_header.h\"\n")
	if _, err := stubMissing(cxx, broken, nil); err == nil || !strings.Contains(err.Error(), "no_such_header.h") {
		t.Errorf("a missing header: %v", err)
	}
}

// A Python package and an unpacked archive have include/ and lib/; Debian has
// its libraries in a directory of the machine's kind.
func TestLibtorchAt(t *testing.T) {
	for _, libDir := range []string{"lib", "lib64", "lib/x86_64-linux-gnu"} {
		dir := t.TempDir()
		api := filepath.Join(dir, "include/torch/csrc/api/include/torch")
		if _, err := libtorchAt(dir, originEnv); err == nil || !strings.Contains(err.Error(), "headers") {
			t.Errorf("an empty directory: %v", err)
		}
		write(t, filepath.Join(api, "torch.h"), "")
		write(t, filepath.Join(api, "version.h"), "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 6\n#define TORCH_VERSION_PATCH 1\n")
		if _, err := libtorchAt(dir, originEnv); err == nil || !strings.Contains(err.Error(), "libtorch_cpu.so") {
			t.Errorf("headers without a library: %v", err)
		}
		library := write(t, filepath.Join(dir, libDir, "libtorch_cpu.so"), "one")
		l, err := libtorchAt(dir, originEnv)
		if err != nil || l.Version != "2.6.1" || l.Lib != filepath.Join(dir, libDir) || l.CUDA {
			t.Errorf("%+v, %v", l, err)
		}
		before, err := l.fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		write(t, library, "other")
		if after, err := l.fingerprint(); err != nil || after == before {
			t.Errorf("the fingerprint of another library is the same: %v", err)
		}
		if l.standard() != "c++17" {
			t.Errorf("headers that ask for nothing are compiled as %s", l.standard())
		}
		write(t, filepath.Join(dir, "include/ATen/ATen.h"), "#if __cplusplus < 202002L\n#error C++20 or later compatible compiler is required to use ATen.\n#endif\n")
		if l.standard() != "c++20" {
			t.Errorf("headers that ask for C++20 are compiled as %s", l.standard())
		}
		write(t, filepath.Join(dir, libDir, "libtorch_cuda.so"), "")
		if l, err := libtorchAt(dir, originEnv); err != nil || !l.CUDA || !slices.Contains(l.linkFlags(), "-ltorch_cuda") {
			t.Errorf("with CUDA: %+v, %v", l, err)
		}
		t.Setenv("LIBTORCH", dir)
		if l, err := findLibtorch(); err != nil || l.Origin != originEnv {
			t.Errorf("LIBTORCH: %+v, %v", l, err)
		}
	}
	t.Setenv("LIBTORCH", t.TempDir())
	if l, err := findLibtorch(); err == nil {
		t.Errorf("a LIBTORCH without libtorch: took %s instead", l.Root)
	}
}

// A Python package torch is found without importing it, and nothing else that
// is called torch is taken for it.
func TestPythonTorch(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	site := t.TempDir()
	t.Setenv("PYTHONPATH", site)
	write(t, filepath.Join(site, "torch/__init__.py"), "raise SystemExit('imported')\n")
	if have := pythonTorch(); have != filepath.Join(site, "torch") {
		t.Errorf("found %q", have)
	}
	t.Setenv("PATH", t.TempDir())
	if have := pythonTorch(); have != "" {
		t.Errorf("without Python: found %q", have)
	}
}

// The evaluator asks oneDNN directly only where libtorch shares that library, and
// has its headers of the same version.
func TestOneDNN(t *testing.T) {
	cxx, err := findCompiler()
	if err != nil {
		t.Skip(err)
	}
	// library links dir/name with a soname, against libraries in the same place.
	library := func(dir, name, soname string, with ...string) {
		t.Helper()
		source := write(t, filepath.Join(dir, "c.cpp"), "void f() {}\n")
		args := []string{"-shared", "-fPIC", "-Wl,--no-as-needed", "-Wl,-soname," + soname, "-o", filepath.Join(dir, name), source}
		if out, err := exec.Command(cxx.Path, append(args, with...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, c := range []struct {
		name, soname, headers string
		direct                bool
	}{
		{"shared", "libdnnl.so.2", "2", true},
		{"another version's headers", "libdnnl.so.2", "3", false},
		{"no headers", "libdnnl.so.2", "", false},
		{"inside libtorch", "", "2", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.soname == "" {
				library(dir, "libtorch_cpu.so", "libtorch_cpu.so")
			} else {
				library(dir, "libdnnl.so", c.soname)
				library(dir, "libtorch_cpu.so", "libtorch_cpu.so", filepath.Join(dir, "libdnnl.so"))
			}
			if c.headers != "" {
				write(t, filepath.Join(dir, "include/oneapi/dnnl/dnnl_version.h"), "/// The major\n#define DNNL_VERSION_MAJOR "+c.headers+"\n")
			}
			l := libtorch{Lib: dir, Include: filepath.Join(dir, "include")}
			compile, link := l.oneDNN()
			if direct := len(compile) > 0; direct != c.direct || direct != (len(link) > 0) || slices.Contains(l.linkFlags(), "-ldnnl") != c.direct {
				t.Errorf("compile %v, link %v, all links %v", compile, link, l.linkFlags())
			}
		})
	}
}

func TestOldABI(t *testing.T) {
	cxx, err := findCompiler()
	if err != nil {
		t.Skip(err)
	}
	for abi, want := range map[string]bool{"0": true, "1": false} {
		dir := t.TempDir()
		source := write(t, filepath.Join(dir, "c.cpp"), "#include <string>\nnamespace c10 { void message(const std::string &) {} }\nnamespace of__cxx11 { void compiler() {} }\n")
		out, err := exec.Command(cxx.Path, "-shared", "-fPIC", "-D_GLIBCXX_USE_CXX11_ABI="+abi, "-o", filepath.Join(dir, "libc10.so"), source).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if have, err := (libtorch{Lib: dir}).oldABI(); err != nil || have != want {
			t.Errorf("ABI %s: old %t, %v", abi, have, err)
		}
	}
}

func TestObjectStore(t *testing.T) {
	store := objectStore{filepath.Join(t.TempDir(), "objects")}
	made := 0
	object := func(target string) error {
		made++
		return os.WriteFile(target, []byte("object"), 0o644)
	}
	for range 2 {
		if path, err := store.get("key", object); err != nil || filepath.Base(path) != "key.o" {
			t.Fatal(path, err)
		}
	}
	if made != 1 {
		t.Errorf("made %d times, want once", made)
	}
	failed := &compileError{source: "x.cpp", said: "x.cpp:1:1: error: no"}
	if _, err := store.get("bad", func(target string) error { return failed }); err == nil || !strings.Contains(err.Error(), "x.cpp:1:1") {
		t.Errorf("a failed compilation: %v", err)
	}
	prune(filepath.Join(store.dir, "*.o"), time.Now().Add(29*24*time.Hour))
	if _, err := store.get("key", object); err != nil || made != 1 {
		t.Errorf("pruned within the month: made %d times, %v", made, err)
	}
	prune(filepath.Join(store.dir, "*.o"), time.Now().Add(31*24*time.Hour))
	if _, err := store.get("key", object); err != nil || made != 2 {
		t.Errorf("not pruned after the month: made %d times, %v", made, err)
	}
}

// A fitted copy stays as long as the go.work of a checkout names it.
func TestPruneCopies(t *testing.T) {
	cache, root := t.TempDir(), t.TempDir()
	dir, later := filepath.Join(cache, "gotch-1"), time.Now().Add(31*24*time.Hour)
	work := filepath.Join(root, "go.work")
	if err := errors.Join(os.Mkdir(dir, 0o755), noteUse(dir, root), noteUse(dir, root), os.WriteFile(work, []byte(workFile("1.26", dir)), 0o644)); err != nil {
		t.Fatal(err)
	}
	if users, err := os.ReadFile(filepath.Join(dir, usersFile)); err != nil || string(users) != root+"\n" {
		t.Errorf("users %q (%v)", users, err)
	}
	left := func() bool {
		prune(filepath.Join(cache, "gotch-*"), later)
		_, err := os.Stat(dir)
		return err == nil
	}
	if !left() {
		t.Error("a copy in use was removed")
	}
	if err := os.WriteFile(work, []byte(workFile("1.26", filepath.Join(cache, "gotch-2"))), 0o644); err != nil {
		t.Fatal(err)
	}
	if left() {
		t.Error("a copy that no checkout uses stayed")
	}
}

func TestAptLists(t *testing.T) {
	dir := t.TempDir()
	if aptListsPresent(dir) {
		t.Error("an empty directory has lists")
	}
	write(t, filepath.Join(dir, "mirror_dists_stable_main_binary-amd64_Packages"), "")
	if !aptListsPresent(dir) {
		t.Error("lists are not found")
	}
}

// Every change of our C++ shows in its digest, and in that of the headers if it is one.
func TestReadSources(t *testing.T) {
	dir := t.TempDir()
	read := func() sources {
		t.Helper()
		s, err := readSources(dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	write(t, filepath.Join(dir, "b.cpp"), "1")
	write(t, filepath.Join(dir, "a.cpp"), "2")
	first := read()
	if !slices.Equal(first.names, []string{"a.cpp", "b.cpp"}) || first.text["b.cpp"] != "1" {
		t.Errorf("%+v", first)
	}
	write(t, filepath.Join(dir, "a.h"), "3")
	second := read()
	if second.headers == first.headers || second.digest == first.digest {
		t.Error("a new header does not show")
	}
	write(t, filepath.Join(dir, "b.cpp"), "4")
	if third := read(); third.headers != second.headers || third.digest == second.digest {
		t.Error("a changed file does not show")
	}
	if _, err := readSources(filepath.Join(dir, "none")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}

// Checkouts share a copy exactly as long as all that decides its content is the same.
func TestCopyDir(t *testing.T) {
	cpp := t.TempDir()
	write(t, filepath.Join(cpp, "a.cpp"), "1")
	lib := libtorch{Lib: t.TempDir()}
	write(t, filepath.Join(lib.Lib, "libtorch_cpu.so"), "")
	dir := func(version string) string {
		t.Helper()
		f, err := newFitting(nil, "/cache", version, cpp, lib, compiler{})
		if err != nil {
			t.Fatal(err)
		}
		dir, err := f.copyDir()
		if err != nil || filepath.Dir(dir) != "/cache" {
			t.Fatal(dir, err)
		}
		return dir
	}
	first := dir("v1")
	if dir("v1") != first {
		t.Error("the same is not shared")
	}
	if dir("v2") == first {
		t.Error("another gotch has the same copy")
	}
	write(t, filepath.Join(cpp, "a.cpp"), "2")
	if dir("v1") == first {
		t.Error("other C++ has the same copy")
	}
}
