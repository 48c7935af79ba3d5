//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	n := 0
	for {
		n++ // want 3: still running after 1s: stopped here (an endless loop?)
	}
}
