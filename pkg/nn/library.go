package nn

// Set-up compiles our C++ (cpp/) into libtch.so, the library that gotch links to, so this
// package needs no linker flags of its own. Its functions are weak symbols, and
// checkLibrary must run before the first call.

/*
#cgo CFLAGS: -I${SRCDIR}/cpp
#include <stdlib.h>
#include "alamos.h"

static const char *sources(void) { return alamos_sources ? alamos_sources() : ""; }
*/
import "C"

import (
	"embed"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"unsafe"

	"alamos/pkg/disk"
)

// ownCPP is the C++ that this program expects in libtch.so.
//
//go:embed cpp
var ownCPP embed.FS

// checkLibrary returns an error if libtch.so was compiled from other C++ sources than this
// program's. A library with the same digest has all of our functions. Everything that calls
// one starts here; see InferenceOptions.complete and TrainerOptions.complete.
var checkLibrary = sync.OnceValue(func() error {
	cpp, err := fs.Sub(ownCPP, "cpp")
	if err != nil {
		return err
	}
	want, err := disk.SumFS(cpp)
	if err != nil {
		return err
	}
	return checkDigest(C.GoString(C.sources()), want)
})

func checkDigest(have, want string) error {
	if have != want {
		return errors.New("libtch.so was built from another version of pkg/nn/cpp than this program: run make setup, and build again")
	}
	return nil
}

// setThreads sets the number of threads that libtorch uses for calls from this OS thread.
// OpenBLAS gets one thread, for the whole process.
func setThreads(n int) { C.alamos_set_threads(C.int(n)) }

// message converts the message of a C function to an error, and frees it.
func message(text *C.char) error {
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	return errors.New(firstLine(C.GoString(text)))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func float32s(v []float32) *C.float  { return (*C.float)(unsafe.SliceData(v)) }
func int32s(v []int32) *C.int32_t    { return (*C.int32_t)(unsafe.SliceData(v)) }
func uint64s(v []uint64) *C.uint64_t { return (*C.uint64_t)(unsafe.SliceData(v)) }
func bytesOf(v []uint8) *C.uint8_t   { return (*C.uint8_t)(unsafe.SliceData(v)) }

// marks returns bools in the form that C takes: 1 is true.
func marks(bools []bool) []uint8 {
	marks := make([]uint8, len(bools))
	for i, b := range bools {
		if b {
			marks[i] = 1
		}
	}
	return marks
}

// activation is the number of an activation function in our C++.
type activation C.int

const (
	identity activation = C.ALAMOS_IDENTITY
	relu     activation = C.ALAMOS_RELU
	mish     activation = C.ALAMOS_MISH

	// Only of transformers, which our C++ does not compute.
	squaredReLU activation = 100
	swish       activation = 101
)
