//go:build ignore

// A script that fails in some generations.
package main

import (
	"fmt"

	"alamos/pkg/hook/alamos"
)

func deep(n int) int { return deep(n+1) + 1 }

func Measure(g alamos.Generation) alamos.Metrics {
	switch g.Number {
	case 1:
		panic(fmt.Sprint("generation ", g.Number))
	case 3:
		for {
		}
	case 5:
		deep(0)
	}
	return alamos.Metrics{"n": 1}
}
