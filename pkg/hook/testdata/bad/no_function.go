//go:build ignore

package main // want 1: nothing here that can be called: want func Measure(g alamos.Generation) alamos.Metrics, or func MeasureCheckpoint(

import "alamos/pkg/hook/alamos"

func measure(g alamos.Generation) alamos.Metrics { return alamos.Metrics{"n": 1} }
