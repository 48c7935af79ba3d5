//go:build ignore

package main

import . "math" // want 8: a hook cannot import with a dot

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return alamos.Metrics{"pi": Pi} }
