//go:build ignore

package main

import "syscall" // want 8: a hook cannot import "syscall"

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics { return nil }
