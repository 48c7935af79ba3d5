//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func MeasureCheckpoint(c alamos.Checkpoint) alamos.Metrics {
	e := c.Evaluate([]alamos.Position{alamos.StartPosition("chess")}) // want 2: panic: Evaluate: this network plays atomic, not chess
	return alamos.Metrics{"value": e[0].Value}
}
