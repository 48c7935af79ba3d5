//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Evaluate(p alamos.Position) float64 { return 0 } // want 6: Evaluate is func(p alamos.Position) float64: want func Evaluate(positions []alamos.Position) []float64
