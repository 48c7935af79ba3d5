//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Adjudicate(games []alamos.Game) []string {
	return []string{"white"} // want 2: Adjudicate returned "white": want "", "1-0", "0-1" or "1/2-1/2"
}
