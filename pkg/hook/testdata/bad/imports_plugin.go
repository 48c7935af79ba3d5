//go:build ignore

package main

import "plugin" // want 8: a hook cannot import "plugin"

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
