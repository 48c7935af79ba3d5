//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Stop(p alamos.Progress) (bool, string) {
	for {
		p.Generation++ // want 3: still running after 1s: stopped here (an endless loop?)
	}
}
