//go:build ignore

package main // want 1: no function Measure: a hook has func Measure(g alamos.Generation) alamos.Metrics

import "alamos/pkg/hook/alamos"

func measure(g alamos.Generation) alamos.Metrics { return alamos.Metrics{"n": 1} }
