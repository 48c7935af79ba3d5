//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func depth(n int) int {
	return depth(n+1) + 1 // want 2: calls go too deep: stopped here (endless recursion?)
}

func Measure(g alamos.Generation) alamos.Metrics {
	return alamos.Metrics{"depth": float64(depth(0))}
}
