//go:build ignore

package main

import "alamos/pkg/hook/alamos"

// Rate halves the learning rate with every generation.
func Rate(p alamos.Progress) float64 {
	rate := p.Initial
	for i := 1; i < p.Generation; i++ {
		rate /= 2
	}
	return rate
}
