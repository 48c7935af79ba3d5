//go:build ignore && go1.22

package main

import "alamos/pkg/hook/alamos"

func each(yield func(int) bool) { yield(1) }

func Measure(g alamos.Generation) alamos.Metrics {
	n := float64(max(1, len(g.Games))) // want 15: max requires go1.21 or later
	for range 5 {                      // want 12: cannot range over 5 (untyped int constant): requires go1.22 or later (hooks are written in Go 1.20)
		n++
	}
	for i := range len(g.Games) { // want 17: requires go1.22 or later (hooks are written in Go 1.20)
		n += float64(g.Games[i].Plies())
	}
	for i := range each { // want 17: requires go1.23 or later
		n += float64(i)
	}
	return alamos.Metrics{"n": n}
}
