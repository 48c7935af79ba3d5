//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Adjudicate(games []alamos.Game) []string {
	return nil // want 2: Adjudicate returned 0 results for 1 games
}
