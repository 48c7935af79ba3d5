//go:build ignore

package hooks // want 9: package hooks: a hook is of package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return alamos.Metrics{"n": 1} }
