//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	var m alamos.Metrics
	m["games"] = 1 // want 2: panic: assignment to entry in nil map
	return m
}
