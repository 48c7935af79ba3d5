//go:build ignore

package main

import "alamos/pkg/chess" // want 8: a hook cannot import "alamos/pkg/chess"

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
