//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Evaluate(positions []alamos.Position) []float64 {
	for _, p := range positions {
		p.Play("e2e5") // want 3: panic: uci move "e2e5": not legal
	}
	return nil
}
