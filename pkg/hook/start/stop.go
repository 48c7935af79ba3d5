//go:build ignore

package main

import "alamos/pkg/hook/alamos"

// Stop ends training when a generation was no better than the one before.
func Stop(p alamos.Progress) (stop bool, reason string) {
	n := len(p.Past)
	if n >= 2 && p.Past[n-1].Loss >= p.Past[n-2].Loss {
		return true, "the loss rises"
	}
	return false, ""
}
