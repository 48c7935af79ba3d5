//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Stop(p alamos.Progress) bool { return true } // want 6: Stop is func(p alamos.Progress) bool: want func Stop(p alamos.Progress) (stop bool, reason string)
