//go:build ignore

package main

import "alamos/pkg/hook/alamos"

var Labels = alamos.Labels{
	"pieces":        {Text: "mean number of pieces on the board", X: "ply"},
	"running":       {Text: "share of games that are not over", X: "ply"},
	"pieces_at_end": {Text: "mean number of pieces in the last position"},
}

// few is the number of games below which a mean says nothing.
const few = 5

// Measure returns how fast the board empties: the number of pieces after each ply in the
// games that reach it, and the share of these games.
func Measure(g alamos.Generation) (alamos.Metrics, alamos.Series) {
	var pieces, games []float64 // by ply
	last := 0.0
	for _, game := range g.Games {
		for ply, p := range game.Positions() {
			if ply == len(games) {
				pieces, games = append(pieces, 0), append(games, 0)
			}
			n := float64(p.Count("PNBRQKpnbrqk"))
			pieces[ply] += n
			games[ply]++
			if ply == game.Plies() {
				last += n
			}
		}
	}
	series := alamos.Series{}
	for ply := range games {
		x := float64(ply)
		series["running"] = append(series["running"], alamos.Point{X: x, Y: games[ply] / float64(len(g.Games))})
		if games[ply] >= few {
			series["pieces"] = append(series["pieces"], alamos.Point{X: x, Y: pieces[ply] / games[ply]})
		}
	}
	return alamos.Metrics{"pieces_at_end": last / float64(len(g.Games))}, series
}
