//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func MeasureCheckpoint(c alamos.Checkpoint) alamos.Metrics {
	alamos.StartPosition("go") // want 2: panic: variant "go"
	return nil
}
