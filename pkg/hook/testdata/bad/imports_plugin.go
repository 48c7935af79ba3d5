//go:build ignore

package main

import "plugin" // want 8: a hook cannot import "plugin": it may use errors, fmt,

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
