//go:build ignore

package main

import "os/exec" // want 8: a hook cannot import "os/exec": it may use errors, fmt,

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
