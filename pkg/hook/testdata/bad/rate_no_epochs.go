//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Rate(p alamos.Progress) float64 {
	return p.Epochs[len(p.Epochs)].Rate // want 2: panic: reflect: slice index out of range
}
