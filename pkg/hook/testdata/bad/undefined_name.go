//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	return alamos.Metrics{"n": float64(len(g.Matches))} // want 43: g.Matches undefined (type alamos.Generation has no field or method Matches)
}
