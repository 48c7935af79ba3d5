//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func check(n int) {
	if n != 17 {
		panic("not seventeen games") // want 3: panic: not seventeen games
	}
}

func Measure(g alamos.Generation) alamos.Metrics {
	check(len(g.Games))
	return alamos.Metrics{"games": float64(len(g.Games))}
}
