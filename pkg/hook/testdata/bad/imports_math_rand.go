//go:build ignore

package main

import "math/rand" // want 8: a hook cannot import "math/rand"

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
