//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Rate(p alamos.Progress) float64 {
	return p.Initial * 0 // want 2: Rate returned 0: want a learning rate above 0
}
