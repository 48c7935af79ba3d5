//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) (alamos.Metrics, alamos.Series) {
	return nil, alamos.Series{"My series": nil} // want 2: "My series" is not a name of a metric or a series
}
