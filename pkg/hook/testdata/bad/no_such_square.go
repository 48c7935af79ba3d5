//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	start := g.Games[0].Positions()[0]
	if start.Piece("e9") == "K" { // want 2: panic: square "e9"
		return nil
	}
	return alamos.Metrics{"n": 1}
}
