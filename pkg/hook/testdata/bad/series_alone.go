//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Series { // want 6: Measure is func(g alamos.Generation) alamos.Series: want func Measure(g alamos.Generation) alamos.Metrics, or with the results (alamos.Metrics, alamos.Series)
	return nil
}
