//go:build ignore

package main

import "io/fs" // want 8: a hook cannot import "io/fs": it may use errors, fmt,

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
