//go:build ignore

// A tour of what a hook may do: the whole of package alamos, and of the
// language what a careless interpreter or marking of positions would break.
package main

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"alamos/pkg/hook/alamos"
)

type tally struct{ counts map[string]int }

func (t *tally) add(name string) { t.counts[name]++ }

func (t tally) String() string {
	var names []string
	for name := range t.counts {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "%s=%d ", name, t.counts[name])
	}
	return strings.TrimSpace(b.String())
}

type number interface{ ~int | ~float64 }

func sum[T number](all []T) (s T) {
	for _, x := range all {
		s += x
	}
	return s
}

type byLength []alamos.Game

func (b byLength) Len() int           { return len(b) }
func (b byLength) Less(i, j int) bool { return b[i].Plies() < b[j].Plies() }
func (b byLength) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

var errNone = errors.New("none")

func parse(s string) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %w", errNone)
		}
	}()
	if s == "" {
		panic("empty")
	}
	return strconv.Atoi(s)
}

func kind(s string) string {
	switch s {
	case "1-0", "0-1":
		return "decided"
	case "1/2-1/2":
		fallthrough
	default:
		return "drawn"
	}
}

func Measure(g alamos.Generation) alamos.Metrics {
	results := &tally{map[string]int{}}
	var plies []int
	checks, captures, white := 0, 0, 0
outer:
	for _, game := range g.Games {
		results.add(kind(game.Result))
		plies = append(plies, game.Plies())
		if game.Winner() == "white" {
			white++
		}
		before := 0
		for i, p := range game.Positions() {
			if p.InCheck() {
				checks++
			}
			pieces := p.Count("PNBRQKpnbrqk")
			if i > 0 && pieces < before {
				captures++
			}
			before = pieces
			if i > 60 {
				continue outer
			}
		}
	}
	fmt.Println("results:", results)
	fmt.Printf("variant %s\n", g.Variant)
	sort.Sort(sort.Reverse(byLength(g.Games)))
	sort.Slice(plies, func(i, j int) bool { return plies[i] < plies[j] })
	_, err := parse("")
	m := alamos.Metrics{
		"generation": float64(g.Number),
		"plies":      float64(sum(plies)),
		"root":       math.Sqrt(sum([]float64{9, 16})),
		"longest":    float64(g.Games[0].Plies()),
		"checks":     float64(checks),
		"captures":   float64(captures),
		"white":      float64(white),
		"undefined":  math.NaN(),
	}
	if errors.Is(err, errNone) {
		m["recovered"] = 1
	}
	start := g.Games[0].Positions()[0]
	if start.Piece("e1") == "K" && start.Piece("d8") == "q" && start.Piece("e4") == "" && start.Turn() == "white" && strings.HasPrefix(start.FEN(), "rnbq") {
		m["moves"] = float64(len(start.Moves()))
	}
	return m
}
