package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// trialTables are the tables of one trial by their names in the notebook. Their files are
// in the folder of the trial. A table without rows has nothing to show.
var trialTables = map[string]func(*store.Trial) Table{
	"generations": ofDataset(generations),
	"learning":    ofDataset(learning),
	"calibration": ofDataset(calibration),
	"puzzles":     ofDataset(puzzles),
	"accuracy":    ofDataset(accuracy),
	"standings":   ofTournament(standingsTable),
	"crosstable":  ofTournament(crosstable),
	"models":      ofTournament(modelsTable),
	"pairs":       ofTournament(pairsTable),
}

func ofDataset(read func(*store.Trial) *dataset) func(*store.Trial) Table {
	return func(t *store.Trial) Table { return read(t).table() }
}

// ofTournament makes a table of the trial's tournament. It is empty without a tournament.
func ofTournament(table func(*store.Trial, *store.Tournament) Table) func(*store.Trial) Table {
	return func(t *store.Trial) Table {
		if res := t.Tournament(); res != nil {
			return table(t, res)
		}
		return Table{}
	}
}

func standingsTable(_ *store.Trial, res *store.Tournament) Table {
	c := standings("Standings of the tournament", res)
	c.Files = []string{ratingsFile, store.TournamentGames}
	return c
}

// standings has a row for each player of a tournament, the best first.
func standings(title string, res *store.Tournament) Table {
	zero := "the mean player is 0"
	if res.Anchor != "" {
		zero = res.Anchor + " is 0"
	}
	c := Table{
		Caption: title + ": wins, draws and losses; a win is 1 point, a draw one half. Logistic Elo of all games, with the 95 % interval from pairs of games with the same opening; " + zero + ".",
		Columns: []Column{{Name: "player"}, number("W/D/L", ""), number("points", ""), number("score", "%"), number("Elo", ""), number("95 %", ""), number("as White", ""), number("as Black", "")},
	}
	for _, i := range res.Ranking() {
		p := res.Players[i]
		c.Rows = append(c.Rows, Row(p.Name, record(p.Record), fixed(p.Score(), 1), fixed(100*p.Share(), 1), fixed(p.Elo.Value, 0), Ends(p.Elo), record(p.White), record(p.Black)))
	}
	if a := res.FirstMove; !a.Missing() {
		c.Caption += fmt.Sprintf(" Having White is worth %s (games taken as independent).", Measured(a))
	}
	return c
}

// record formats wins, draws and losses.
func record(r stats.Record) string { return fmt.Sprintf("%d/%d/%d", r.Wins, r.Draws, r.Losses) }

func crosstable(_ *store.Trial, res *store.Tournament) Table {
	c := Table{
		Caption: "Crosstable: points of the row's player against the column's.",
		Columns: []Column{{Name: "player"}},
		Files:   []string{crosstableFile},
	}
	rows, columns := sides(res)
	for _, j := range columns {
		c.Columns = append(c.Columns, number(res.Players[j].Name, ""))
	}
	for _, i := range rows {
		row := Row(res.Players[i].Name)
		for _, j := range columns {
			points := ""
			if x := res.Games.Against(i, j); x.Games() > 0 {
				points = fixed(x.Score(), 1)
			}
			row = append(row, Cell{Text: points})
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// sides returns the players of the rows and of the columns of a crosstable, the best first:
// all of them for both, or, where two sides have only played each other, as in a gauntlet, the
// side with more checkpoints of the run, and the other.
func sides(res *store.Tournament) (rows, columns []int) {
	order := res.Ranking()
	met := func(i, j int) bool { return res.Games.Against(i, j).Games() > 0 }
	for _, i := range order {
		if met(order[0], i) {
			columns = append(columns, i)
		} else {
			rows = append(rows, i)
		}
	}
	apart := func(side []int) bool {
		return !slices.ContainsFunc(side, func(i int) bool {
			return slices.ContainsFunc(side, func(j int) bool { return met(i, j) })
		})
	}
	if len(order) < 3 || len(columns) == 0 || !apart(rows) || !apart(columns) {
		return order, order
	}
	checkpoints := func(side []int) int {
		return len(slices.DeleteFunc(slices.Clone(side), func(i int) bool { return res.Players[i].Generation < 0 }))
	}
	if by := cmp.Compare(checkpoints(columns), checkpoints(rows)); by > 0 || by == 0 && len(columns) > len(rows) {
		return columns, rows
	}
	return rows, columns
}

// modelsTable lists the checkpoints of a tournament, the newest first, and then the players
// that were not trained here.
func modelsTable(t *store.Trial, res *store.Tournament) Table {
	c := Table{
		Caption: "Players of the tournament: how many generations they learned from, the positions of these and the validation loss afterwards.",
		Columns: []Column{{Name: "player"}, number("generations", ""), number("samples", ""), number("validation loss", "")},
	}
	order := res.Ranking()
	slices.SortStableFunc(order, func(i, j int) int { return res.Players[j].Generation - res.Players[i].Generation })
	for _, i := range order {
		p := res.Players[i]
		row := Row(p.Name, "", "", "")
		if p.Generation >= 0 {
			row[1].Text, row[2].Text = strconv.Itoa(p.Generation), humanize.Comma(int64(p.Samples))
		}
		if p.Generation > 0 {
			if e := train.Selected(t.Epochs(p.Generation)); e != nil {
				row[3].Text = fixed(e.Validation.Total, 3)
			}
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// pairsTable lists the games of each pair of players, with a row for each choice of White.
func pairsTable(_ *store.Trial, res *store.Tournament) Table {
	c := Table{
		Caption: "Games by color: wins, draws and losses of White.",
		Columns: []Column{{Name: "White"}, {Name: "Black"}, number("wins", ""), number("draws", ""), number("losses", ""), number("score of White", "%")},
	}
	for i := range res.Players {
		for j := range i {
			for _, p := range [][2]int{{j, i}, {i, j}} {
				r := res.Games.White[p[0]][p[1]]
				if r.Games() == 0 {
					continue
				}
				c.Rows = append(c.Rows, Row(res.Players[p[0]].Name, res.Players[p[1]].Name, r.Wins, r.Draws, r.Losses, fixed(100*r.Share(), 1)))
			}
		}
	}
	return c
}

// rungTable lists a comparison of successive halving of these trials.
func rungTable(r store.Rung, trials []experiment.Trial) Table {
	m := store.MetricOf(r.Metric)
	c := Table{
		Caption: fmt.Sprintf("Trials after generation %d, the best setting first; %d went on.", r.Generation, r.Survivors),
		Columns: []Column{number("place", ""), {Name: "trial"}, number(m.Label, m.Unit), number("mean of the setting", m.Unit)},
	}
	for _, x := range r.Ranking {
		name := x.Trial
		if k := slices.IndexFunc(trials, func(t experiment.Trial) bool { return t.Folder == x.Trial }); k >= 0 {
			name = nameOf(&trials[k])
		}
		place, _ := r.Place(x.Trial)
		c.Rows = append(c.Rows, Row(place, name, Measured(x.Value), Measured(x.Mean)))
	}
	return c
}

// facts returns a table of names and values, without empty values.
func facts(rows ...[]Cell) Table {
	known := slices.DeleteFunc(rows, func(row []Cell) bool { return row[1].Text == "" })
	return Table{Columns: make([]Column, 2), Rows: known}
}

// Changes returns a table of settings that differ between two sides. A row has a key, its
// value on each side, and the origins of the values.
func Changes(a, b string, rows [][]Cell) Table {
	return Table{Columns: []Column{{Name: "setting"}, {Name: a}, {Name: b}, {Name: "set by"}}, Rows: rows}
}
