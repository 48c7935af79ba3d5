//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	var all [][]string
	for {
		all = append(all, make([]string, 1<<6)) // want 3: more than 128 MiB of memory: stopped here
	}
}
