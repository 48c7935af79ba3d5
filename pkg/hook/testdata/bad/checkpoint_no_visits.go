//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func MeasureCheckpoint(c alamos.Checkpoint) alamos.Metrics {
	r := c.Search([]alamos.Position{alamos.StartPosition(c.Variant)}, 0) // want 2: panic: Search with 0 visits: want at least 1
	return alamos.Metrics{"value": r[0].Value}
}
