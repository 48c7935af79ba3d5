//go:build ignore

package main

import (
	"sort" // want 2: "sort" imported and not used

	"alamos/pkg/hook/alamos"
)

func Measure(g alamos.Generation) alamos.Metrics { return alamos.Metrics{"n": 1} }
