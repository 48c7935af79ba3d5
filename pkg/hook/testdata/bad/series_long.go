//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) (alamos.Metrics, alamos.Series) {
	s, t := many(600), many(401)
	return nil, alamos.Series{"s": s, "t": t} // want 2: Measure returned 1001 points of series: want at most 1000
}

func many(n int) (points []alamos.Point) {
	for i := 0; i < n; i++ {
		points = append(points, alamos.Point{X: float64(i)})
	}
	return points
}
