//go:build ignore

package main

import "time" // want 8: a hook cannot import "time"

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
