package encode

import (
	"fmt"
	"slices"

	"alamos/pkg/chess"
)

var chessKinds = []string{"pawns", "knights", "bishops", "rooks", "queens", "king"}

// of returns names with the side or whatever else stands in front of each.
func of(side string, names ...string) (all []string) {
	for _, name := range names {
		all = append(all, side+" "+name)
	}
	return all
}

// inHistory repeats names for each position of the history.
func inHistory(names ...[]string) (all []string) {
	for i := range historySteps {
		for _, group := range names {
			for _, name := range group {
				if i > 0 {
					name = fmt.Sprintf("%s, %d before", name, i)
				}
				all = append(all, name)
			}
		}
	}
	return all
}

// bothSides are the pieces of the side to move and of the other.
var bothSides = slices.Concat(of("own", chessKinds...), of("other", chessKinds...))

// moverNames are the names of the planes of mover15.
var moverNames = append(slices.Clone(bothSides), "own castling", "other castling", "en passant")

var handKinds = []string{"pawns in hand", "knights in hand", "bishops in hand", "rooks in hand", "queens in hand"}

// marroNames alternates the sides, and names the types of moves as [MapNames] does.
func marroNames() (all []string) {
	for _, kind := range chessKinds {
		all = append(all, "own "+kind, "other "+kind)
	}
	all = append(all, "turn")
	for n := 1; n <= 7; n++ {
		for _, d := range compass {
			all = append(all, "moves "+way(n*d[0], n*d[1]))
		}
	}
	for _, d := range leaps {
		all = append(all, "moves "+way(d[0], d[1]))
	}
	return all
}

// rulesNames are the names of the planes of [planesOfRules].
func rulesNames(rules chess.Rules) (all []string) {
	var kinds []string
	for _, kind := range rules.Pieces {
		kinds = append(kinds, kind.Name)
	}
	all = append(slices.Concat(of("own", kinds...), of("other", kinds...)), "squares", "own castling", "other castling", "en passant", "promoted")
	if rules.Hand != "none" {
		for _, kind := range kinds {
			all = append(all, "own "+kind+" in hand", "other "+kind+" in hand")
		}
	}
	return append(all, "own checks left", "other checks left", "Black moves", "quiet plies", "repetition", "may castle")
}

// MapNames returns what each map of [MoveMaps] shows: the way of its moves as the side to move sees
// the board, in points of the compass, with the piece of a promotion or a drop.
func MapNames(e *Policy) ([]string, error) {
	layout, err := MoveMaps(e)
	if err != nil {
		return nil, err
	}
	names := make([]string, layout.Maps)
	for i, m := range e.moves() {
		place := layout.Places[i]
		if m == "" || place[0] < 0 {
			continue
		}
		name := &names[place[0]/64]
		switch {
		case *name != "":
		case m[1] == '@':
			*name = "drop " + m[:1]
		default:
			from, to := squareOf(m), squareOf(m[2:])
			*name = way(to.File()-from.File(), to.Rank()-from.Rank())
			if place[1] >= 0 || len(m) > 4 {
				*name += " = " + m[4:]
			}
		}
	}
	for i := range names {
		if names[i] == "" {
			names[i] = "unused"
		}
	}
	return names, nil
}

// way returns a distance in words: 3 NE, or 2 N 1 E.
func way(files, ranks int) string {
	part := func(n int, plus, minus string) string {
		if n < 0 {
			n, plus = -n, minus
		}
		return fmt.Sprintf("%d %s", n, plus)
	}
	switch {
	case files == 0:
		return part(ranks, "N", "S")
	case ranks == 0:
		return part(files, "E", "W")
	case files == ranks:
		return part(files, "NE", "SW")
	case files == -ranks:
		return part(ranks, "NW", "SE")
	}
	return part(ranks, "N", "S") + " " + part(files, "E", "W")
}
