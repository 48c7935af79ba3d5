package main

import (
	"debug/elf"
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
// door with the same functions, each of which jumps to where a table says. At first
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

// door links a library that has the named functions, each a jump.
func (c compiler) door(target string, names []string, lib libtorch) error {
	dir, err := os.MkdirTemp(filepath.Dir(target), "door-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	jumps, loader := filepath.Join(dir, "jumps.S"), filepath.Join(dir, "loader.cpp")
	if err := os.WriteFile(jumps, []byte(jumpsTo(names)), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(loader, []byte(fmt.Sprintf(loaderCode, strconv.Quote(lib.wheels()), realName)), 0o644); err != nil {
		return err
	}
	args := []string{"-shared", "-fPIC", "-O1", "-fvisibility=hidden", "-o", target, "-Wl,-soname," + libraryName, "-Wl,-z,noexecstack", jumps, loader, "-ldl", "-lpthread"}
	return c.run(args)
}

// jumpsTo is the assembly of a door.
func jumpsTo(names []string) string {
	var text, table, list strings.Builder
	for i, name := range names {
		fmt.Fprintf(&text, "\t.globl %[1]s\n\t.type %[1]s,@function\n%[1]s:\n\tendbr64\n\tjmp *alamos_door_table+%[2]d(%%rip)\n\t.size %[1]s,.-%[1]s\n.Lfirst%[3]d:\n\tpushq $%[3]d\n\tjmp .Lload\n", name, 8*i, i)
		fmt.Fprintf(&table, "\t.quad .Lfirst%d\n", i)
		fmt.Fprintf(&list, "\t.asciz %q\n", name)
	}
	return fmt.Sprintf(jumpsCode, text.String(), len(names), table.String(), list.String())
}

// jumpsCode has the functions, and what they do the first time: all registers that
// may hold arguments are kept over the loading. A function is entered with the stack
// 8 bytes off a multiple of 16; what is pushed puts that right.
const jumpsCode = `	.text
%s
.Lload:
	pushq %%rax
	pushq %%rdi
	pushq %%rsi
	pushq %%rdx
	pushq %%rcx
	pushq %%r8
	pushq %%r9
	subq $136, %%rsp
	movdqu %%xmm0, (%%rsp)
	movdqu %%xmm1, 16(%%rsp)
	movdqu %%xmm2, 32(%%rsp)
	movdqu %%xmm3, 48(%%rsp)
	movdqu %%xmm4, 64(%%rsp)
	movdqu %%xmm5, 80(%%rsp)
	movdqu %%xmm6, 96(%%rsp)
	movdqu %%xmm7, 112(%%rsp)
	call alamos_door_open
	movdqu (%%rsp), %%xmm0
	movdqu 16(%%rsp), %%xmm1
	movdqu 32(%%rsp), %%xmm2
	movdqu 48(%%rsp), %%xmm3
	movdqu 64(%%rsp), %%xmm4
	movdqu 80(%%rsp), %%xmm5
	movdqu 96(%%rsp), %%xmm6
	movdqu 112(%%rsp), %%xmm7
	addq $136, %%rsp
	popq %%r9
	popq %%r8
	popq %%rcx
	popq %%rdx
	popq %%rsi
	popq %%rdi
	popq %%rax
	popq %%r11
	leaq alamos_door_table(%%rip), %%r10
	jmp *(%%r10,%%r11,8)

	.section .rodata
	.globl alamos_door_count
	.hidden alamos_door_count
	.p2align 3
alamos_door_count:
	.quad %d

	.data
	.globl alamos_door_table
	.hidden alamos_door_table
	.p2align 3
alamos_door_table:
%s
	.section .rodata
	.globl alamos_door_names
	.hidden alamos_door_names
alamos_door_names:
%s
	.section .note.GNU-stack,"",@progbits
`

// wheels is the folder of NVIDIA's Python packages beside Python's torch, if this is one.
func (l libtorch) wheels() string { return filepath.Join(filepath.Dir(filepath.Dir(l.Lib)), "nvidia") }

// loaderCode loads what is behind the door, which stands beside it; before it, what
// Python's torch loads beforehand too (since 2.6), because cuDNN and cuSPARSE look for it by
// name alone: of NVIDIA's packages, where there are any.
const loaderCode = `
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {
extern const unsigned long alamos_door_count;
extern void *alamos_door_table[];
extern const char alamos_door_names[];
void alamos_door_open();
}

static void fail(const char *what) {
	const char *why = dlerror();
	std::fprintf(stderr, "alamos: %%s: %%s (make setup fits alamos to the libtorch that is installed)\n", what, why ? why : "unknown error");
	std::exit(1);
}

static void preload(const char *library) {
	static const char wheels[] = %s;
	glob_t found;
	if (glob((std::string(wheels) + "/*/lib/" + library).c_str(), 0, nullptr, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_GLOBAL);
	globfree(&found);
}

static void load() {
	preload("libnvJitLink.so.*");
	preload("libnvrtc-builtins.so.*");
	preload("libnvrtc.so.*");
	Dl_info self;
	if (!dladdr(reinterpret_cast<void *>(&alamos_door_open), &self)) fail("cannot find libtch.so");
	std::string path(self.dli_fname);
	path = path.substr(0, path.rfind('/') + 1) + "%s";
	// Global, as it would be had the program been linked to it.
	void *real = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
	if (!real) fail("cannot load libtorch");
	const char *name = alamos_door_names;
	for (unsigned long i = 0; i < alamos_door_count; i++, name += std::strlen(name) + 1) {
		void *to = dlsym(real, name);
		if (!to) fail(name);
		__atomic_store_n(&alamos_door_table[i], to, __ATOMIC_RELEASE);
	}
}

void alamos_door_open() {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
}
`
