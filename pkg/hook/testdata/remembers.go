//go:build ignore

// A script that would remember what it was asked before.
package main

import "alamos/pkg/hook/alamos"

type state struct{ n int }

var (
	asked   int
	seen    = map[string]float64{}
	list    []float64
	table   = [2]float64{1, 2}
	counter func() int
	pointer = &state{}
)

func init() {
	asked = 10
	n := 0
	counter = func() int { n++; return n }
}

func Evaluate(positions []alamos.Position) []float64 {
	var all []float64
	for i, p := range positions {
		asked++
		seen[p.FEN()]++
		list = append(list, 1)
		table[i] += 0
		pointer.n++
		n := asked - 10
		if counter() != n || len(list) != n || pointer.n != n || len(seen) != n || seen[p.FEN()] != 1 || table[i] != float64(i+1) {
			panic("something is left")
		}
		table[i]++
		all = append(all, float64(11*n)/100)
	}
	return all
}
