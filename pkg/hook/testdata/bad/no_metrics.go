//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	return nil // want 2: Measure returned no metrics
}
