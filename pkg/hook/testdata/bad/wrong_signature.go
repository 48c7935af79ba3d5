//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Game) (alamos.Metrics, error) { // want 6: Measure is func(g alamos.Game) (alamos.Metrics, error): want func Measure(g alamos.Generation) alamos.Metrics
	return nil, nil
}
