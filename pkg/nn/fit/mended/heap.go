//go:build linux

// Package mended proves that the mends of package fit are in the gotch that
// this checkout builds with: each of its tests fails on gotch as published. It
// has no use outside its tests.
package mended

// #define _GNU_SOURCE
// #include <dlfcn.h>
// #include <malloc.h>
// #include <stddef.h>
// #include <stdlib.h>
//
// static size_t heap_in_use(void) {
//	struct mallinfo2 m = mallinfo2();
//	return m.uordblks + m.hblkhd;
// }
//
// static int exported(const char *name) { return dlsym(RTLD_DEFAULT, name) != NULL; }
import "C"

import "unsafe"

// heapInUse returns the bytes that C code has allocated and not freed.
func heapInUse() int64 { return int64(C.heap_in_use()) }

// exported reports whether a loaded library exports a C function of this name.
func exported(name string) bool {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.exported(c) != 0
}
