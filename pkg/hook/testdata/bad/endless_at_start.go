//go:build ignore

package main

import "alamos/pkg/hook/alamos"

var table = fill()

func fill() (all []int) {
	for i := 0; ; i++ {
		all = []int{i} // want 3: still running after 1s
	}
}

func Measure(g alamos.Generation) alamos.Metrics { return alamos.Metrics{"n": float64(len(table))} }
