//go:build ignore

package main

import "C" // want 8: a hook cannot import "C"

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
