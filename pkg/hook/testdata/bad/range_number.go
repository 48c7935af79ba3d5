//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	n := 0
	for range 5 { // want 12: cannot range over 5 (untyped int constant): requires go1.22 or later (hooks are written in Go 1.20)
		n++
	}
	return alamos.Metrics{"n": float64(n)}
}
