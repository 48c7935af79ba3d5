//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func each(yield func(int) bool) { yield(1) }

func Measure(g alamos.Generation) alamos.Metrics {
	m := alamos.Metrics{}
	for i := range each { // want 17: requires go1.23 or later
		m["n"] += float64(i)
	}
	return m
}
