package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"alamos/pkg/match"

	"alamos/pkg/store"
)

// live tells how a match stands while it is played.
type live struct {
	task    Task
	results *match.Results
	told    time.Time
}

// tellEvery is how often standings are told that change with every game.
const tournamentTellEvery = 200 * time.Millisecond

// add counts a game.
func (l *live) add(g *match.Game) error {
	return l.results.Add(g.White, g.Black, g.Outcome.Result)
}

// tell tells the standings, unless it has just done so.
func (l *live) tell() {
	if time.Since(l.told) < tournamentTellEvery {
		return
	}
	players := l.results.Standings()
	order := ranking(players)
	l.task.Standings(scores(players, order), crosstable(players, order, l.results.Against))
	l.told = time.Now()
}

// ranking has the indices of players by their share of the points; those who have not
// played are last.
func ranking(players []match.Standing) []int {
	share := func(i int) float64 {
		if players[i].Games() == 0 {
			return -1
		}
		return store.Share(players[i])
	}
	order := make([]int, len(players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(share(b), share(a)) })
	return order
}

// scores is the standings in a line.
func scores(players []match.Standing, order []int) string {
	var parts []string
	for _, i := range order {
		if players[i].Games() > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", players[i].Name, 100*store.Share(players[i])))
		}
	}
	return "score: " + strings.Join(parts, ", ")
}

// What a crosstable for the screen has room for.
const (
	tableRows = 12
	tableName = 28 // characters
)

// crosstable is the standings as lines of a table: for each player its games and its
// share of the points, and the points against the others, in the order of the rows.
func crosstable(players []match.Standing, order []int, against func(i, j int) match.Record) []string {
	shown := order[:min(len(order), tableRows)]
	wide := utf8.RuneCountInString("player")
	for _, i := range shown {
		wide = max(wide, min(tableName, utf8.RuneCountInString(players[i].Name)))
	}
	head := fmt.Sprintf("%2s %-*s %6s %5s ", "", wide, "player", "games", "score")
	for at := range shown {
		head += fmt.Sprintf(" %5d", at+1)
	}
	lines := []string{head}
	for at, i := range shown {
		p := &players[i]
		name := p.Name
		if utf8.RuneCountInString(name) > tableName {
			name = string([]rune(name)[:tableName-1]) + "…"
		}
		score := "-"
		if p.Games() > 0 {
			score = fmt.Sprintf("%.0f %%", 100*store.Share(*p))
		}
		line := fmt.Sprintf("%2d %-*s %6d %5s ", at+1, wide, name, p.Games(), score)
		for _, j := range shown {
			cell := ""
			if r := against(i, j); i == j {
				cell = "·"
			} else if r.Games() > 0 {
				cell = fmt.Sprintf("%.1f", r.Score())
			}
			line += fmt.Sprintf(" %5s", cell)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	if n := len(order) - len(shown); n > 0 {
		lines = append(lines, fmt.Sprintf("   and %d more", n))
	}
	return lines
}

// Tell tells how a tournament ended.
func Tell(to Report, r *store.Tournament) {
	var players []match.Standing
	for i := range r.Players {
		players = append(players, r.Players[i].Standing)
	}
	order := r.Ranking()
	to.Note(scores(players, order))
	for _, line := range crosstable(players, order, func(i, j int) match.Record { return r.Cross[i][j] }) {
		to.Note("  " + line)
	}
}
