//go:build ignore

package main

import (
	"C"         // want 2: a hook cannot import "C": it may use errors, fmt, math, sort, strconv, strings and alamos/pkg/hook/alamos
	"io/fs"     // want 2: a hook cannot import "io/fs"
	. "math"    // want 2: a hook cannot import with a dot
	"math/rand" // want 2: a hook cannot import "math/rand"
	"net"       // want 2: a hook cannot import "net"
	"net/http"  // want 2: a hook cannot import "net/http"
	"os"        // want 2: a hook cannot import "os"
	"os/exec"   // want 2: a hook cannot import "os/exec"
	"plugin"    // want 2: a hook cannot import "plugin"
	"sort"      // want 2: "sort" imported and not used
	"syscall"   // want 2: a hook cannot import "syscall"
	"time"      // want 2: a hook cannot import "time"
	"unsafe"    // want 2: a hook cannot import "unsafe"

	"./other"          // want 2: a hook cannot import "./other"
	"alamos/pkg/chess" // want 2: a hook cannot import "alamos/pkg/chess"
	"alamos/pkg/hook/alamos"
)

func Measure(g alamos.Generation) alamos.Metrics {
	os.Exit(0)
	return alamos.Metrics{"pi": Pi}
}
