//go:build ignore

package main

const Measure = 1 // want 7: Measure is not a function: want func Measure(g alamos.Generation) alamos.Metrics
