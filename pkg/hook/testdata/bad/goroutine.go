//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	m := alamos.Metrics{}
	go func() { m["n"] = 1 }() // want 2: a hook cannot start goroutines
	return m
}
