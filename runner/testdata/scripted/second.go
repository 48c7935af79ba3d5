//go:build ignore

package main

import "alamos/pkg/hook/alamos"

// Stop ends training with the second generation.
func Stop(p alamos.Progress) (stop bool, reason string) { return p.Generation == 2, "enough" }
