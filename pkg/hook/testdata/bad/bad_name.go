//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	return alamos.Metrics{"Mean plies": 1} // want 2: "Mean plies" is not a name of a metric
}
