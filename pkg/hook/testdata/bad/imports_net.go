//go:build ignore

package main

import "net" // want 8: a hook cannot import "net"

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
