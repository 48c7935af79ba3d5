package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const behindTheDoor = `
#include <cstdarg>
#include <cstdio>
struct large { double a[5]; };
struct pair { double x; long n; };
static int loaded = (std::puts("loaded"), 1);
extern "C" {
double many(int a, double b, long c, float d, const char *e, double f, int g, int h, int i, double j, double k, double l, double m, double n, double o, int p) {
	return a + 2*b + 3*c + 4*d + 5*e[0] + 6*f + 7*g + 8*h + 9*i + 10*j + 11*k + 12*l + 13*m + 14*n + 15*o + 16*p;
}
int sum(int n, ...) { va_list v; va_start(v, n); double s = 0; for (int i = 0; i < n; i++) s += va_arg(v, double); va_end(v); return s; }
large big(int x) { return large{{1.0*x, 2.0*x, 3.0*x, 4.0*x, 5.0*x}}; }
pair two(double x, long n) { return pair{x + 1, n + 1}; }
void nothing() {}
int calls_itself(int n) { return n ? 1 + calls_itself(n - 1) : 0; }
}
`

const besideTheDoor = `
#include <cstdio>
static int loaded = (std::puts("preloaded"), 1);
`

const beforeTheDoor = `
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>
struct large { double a[5]; };
struct pair { double x; long n; };
extern "C" {
double many(int, double, long, float, const char *, double, int, int, int, double, double, double, double, double, double, int);
int sum(int, ...);
large big(int);
pair two(double, long);
void nothing();
int calls_itself(int);
}
int main(int argc, char **argv) {
	std::puts("begun");
	if (argc > 1 && !std::strcmp(argv[1], "idle")) return 0;
	if (argc > 1) { // the first calls come from many threads at once
		std::vector<std::thread> all;
		for (int i = 0; i < 16; i++) all.emplace_back([i] { if (two(i, i).x != i + 1) std::puts("wrong"); });
		for (auto &t : all) t.join();
	}
	std::printf("%g\n", many(1, 2, 3, 4, "A", 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
	std::printf("%d\n", sum(4, 1.5, 2.5, 3.0, 4.0));
	std::printf("%g\n", big(2).a[4]);
	std::printf("%g %ld\n", two(1.5, 2).x, two(1.5, 2).n);
	nothing();
	std::printf("%d\n", calls_itself(5));
}
`

// A call through the door is the call itself, whatever its arguments, and what is
// behind it is loaded at the first one.
func TestDoor(t *testing.T) {
	if !hasDoor {
		t.Skip("no door on this machine")
	}
	cxx, err := findCompiler()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	real, program := filepath.Join(dir, realName), filepath.Join(dir, "program")
	if err := cxx.run([]string{"-shared", "-fPIC", "-O2", "-o", real, write("real.cpp", behindTheDoor)}); err != nil {
		t.Fatal(err)
	}
	names, err := functions(real)
	if err != nil || len(names) != 6 {
		t.Fatalf("functions %q, %v", names, err)
	}
	// Python's torch, and a library of NVIDIA's beside it.
	wheel := filepath.Join(dir, "site-packages/nvidia/cuda_nvrtc/lib")
	if err := os.MkdirAll(wheel, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := cxx.run([]string{"-shared", "-fPIC", "-o", filepath.Join(wheel, "libnvrtc.so.12"), write("nvrtc.cpp", besideTheDoor)}); err != nil {
		t.Fatal(err)
	}
	lib := libtorch{Lib: filepath.Join(dir, "site-packages/torch/lib")}
	if err := cxx.door(filepath.Join(dir, libraryName), names, lib); err != nil {
		t.Fatal(err)
	}
	if err := cxx.run([]string{"-O2", "-o", program, write("program.cpp", beforeTheDoor), "-L" + dir, "-Wl,-rpath," + dir, "-ltch", "-lpthread"}); err != nil {
		t.Fatal(err)
	}
	const results = "1796\n11\n10\n2.5 3\n5\n"
	for arg, want := range map[string]string{"idle": "begun\n", "": "begun\npreloaded\nloaded\n" + results, "threads": "begun\npreloaded\nloaded\n" + results} {
		cmd := exec.Command(program)
		if arg != "" {
			cmd.Args = append(cmd.Args, arg)
		}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%q: %v\n%s\nwant\n%s", arg, err, out, want)
		}
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "idle").CombinedOutput(); err != nil {
		t.Errorf("a program that does not call needs nothing behind the door: %v\n%s", err, out)
	}
	out, err := exec.Command(program).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "alamos: cannot load libtorch: ") || !strings.Contains(string(out), "make setup") {
		t.Errorf("nothing behind the door: %v\n%s", err, out)
	}
	if _, err := functions(program + ".none"); err == nil {
		t.Error("functions of a file that is not there")
	}
}
