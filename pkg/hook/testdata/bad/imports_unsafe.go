//go:build ignore

package main

import "unsafe" // want 8: a hook cannot import "unsafe"

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
