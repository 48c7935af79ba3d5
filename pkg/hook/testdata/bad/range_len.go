//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	m := alamos.Metrics{}
	for i := range len(g.Games) { // want 17: requires go1.22 or later (hooks are written in Go 1.20)
		m["plies"] += float64(g.Games[i].Plies())
	}
	return m
}
