//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	m := alamos.Metrics{}
	for i := 0; i <= len(g.Games); i++ {
		m["plies"] += float64(g.Games[i].Plies()) // want 3: panic: reflect: slice index out of range
	}
	return m
}
