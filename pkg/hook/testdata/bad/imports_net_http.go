//go:build ignore

package main

import "net/http" // want 8: a hook cannot import "net/http": it may use errors, fmt,

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
