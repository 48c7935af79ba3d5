package main

import (
	"net" // want 2: a hook cannot import "net"

	"alamos/pkg/hook/alamos"
)

var Labels = map[string]string{"n": "games"} // want 5: Labels names the metrics: want var Labels = alamos.Labels{...}

func Measure(g alamos.Generation) alamos.Metrics {
	unused := 3                                      // want 2: declared and not used: unused
	go func() {}()                                   // want 2: a hook cannot start goroutines
	n := len(g.Matches)                              // want 13: g.Matches undefined (type alamos.Generation has no field or method Matches)
	return alamos.Metrics{"a": "b", "n": float64(n)} // want 29: cannot use "b"
}

func Rate(epoch int) float64 { return 0.1 } // want 6: Rate is func(epoch int) float64: want

func Evaluate(p alamos.Position) float64 { return 0 } // want 6: Evaluate is func(p alamos.Position) float64: want func Evaluate(positions []alamos.Position) []float64

func Stop(p alamos.State) (bool, string) { return false, "" } // want 20: undefined: alamos.State

const Adjudicate = 1 // want 7: Adjudicate is not a function: want func Adjudicate(games []alamos.Game) []string
