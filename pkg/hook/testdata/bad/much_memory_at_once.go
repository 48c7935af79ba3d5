//go:build ignore

package main

import (
	"strings"

	"alamos/pkg/hook/alamos"
)

func Measure(g alamos.Generation) alamos.Metrics {
	n := 200 << 20
	return alamos.Metrics{"length": float64(len(strings.Repeat("x", n)))} // want 2: more than 128 MiB of memory: stopped here
}
