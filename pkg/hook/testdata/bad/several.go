package main

import (
	"net" // want 2: a hook cannot import "net"

	"alamos/pkg/hook/alamos"
)

func Measure(g alamos.Generation) alamos.Metrics {
	unused := 3                     // want 2: declared and not used: unused
	go func() {}()                  // want 2: a hook cannot start goroutines
	return alamos.Metrics{"a": "b"} // want 29: cannot use "b"
}

func Rate(epoch int) float64 { return 0.1 } // want 6: Rate is func(epoch int) float64: want

func Stop(p alamos.State) (bool, string) { return false, "" } // want 20: undefined: alamos.State
