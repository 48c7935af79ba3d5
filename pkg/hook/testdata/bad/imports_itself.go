//go:build ignore

package main

import "./other" // want 8: a hook cannot import "./other"

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
