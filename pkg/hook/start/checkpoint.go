//go:build ignore

package main

import "alamos/pkg/hook/alamos"

// MeasureCheckpoint tells what the network expects of the start position.
func MeasureCheckpoint(c alamos.Checkpoint) alamos.Metrics {
	start := []alamos.Position{alamos.StartPosition(c.Variant)}
	alone := c.Evaluate(start)[0]
	searched := c.Search(start, 100)[0]
	return alamos.Metrics{"start_value": alone.Value, "start_value_searched": searched.Value}
}
