//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func MeasureCheckpoint(c alamos.Checkpoint) alamos.Metrics {
	start := []alamos.Position{alamos.StartPosition(c.Variant)}
	for {
		c.Search(start, 1000000) // want 3: panic: Search: more than 10 million evaluations in a call: stopped here (an endless loop?)
	}
}
