package report

import (
	"fmt"
	"slices"
	"strconv"

	humanize "github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"alamos/pkg/data"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/store"
)

// Tables of evaluations in the folder of the trial.
const (
	puzzlesFile  = "evaluation/puzzles.csv"
	accuracyFile = "evaluation/accuracy.csv"
)

// trialTables are the tables of one trial by their names in the notebook. Their files are
// in the folder of the trial. A table without rows has nothing to show.
var trialTables = map[string]func(*store.Trial) (Table, error){
	"generations": generationsTable,
	"puzzles":     puzzlesTable,
	"accuracy":    accuracyTable,
	"standings":   ofTournament(standingsTable),
	"crosstable":  ofTournament(crosstable),
	"models":      ofTournament(modelsTable),
	"pairs":       ofTournament(pairsTable),
}

// ofTournament makes a table of the trial's tournament. It is empty without a tournament.
func ofTournament(table func(*store.Trial, *store.Tournament) (Table, error)) func(*store.Trial) (Table, error) {
	return func(t *store.Trial) (Table, error) {
		res, err := t.Tournament()
		if err != nil || res == nil {
			return Table{}, err
		}
		return table(t, res)
	}
}

// generationsTable has a row for each generation of self-play or data.
func generationsTable(t *store.Trial) (Table, error) {
	fromData := t.Declared.Settings.Data != nil
	c := Table{
		Caption: "Self-play by generation: games that white won, drawn games, games that black won.",
		Columns: []Column{number("generation", ""), {Name: "W/D/B"}, number("length", "plies"), number("samples", ""), number("loss", ""), number("evaluations", "1/s")},
		Files:   []string{"generations.csv", "epochs.csv"},
	}
	if fromData {
		c.Caption = "Data by generation: the pass through the files, games that white won, drawn games, games that black won."
		c.Columns = []Column{number("generation", ""), number("pass", ""), number("games", ""), {Name: "W/D/B"}, number("samples", ""), number("loss", "")}
	}
	var left store.Chunk // total over all generations
	for g := 1; g <= t.Done(); g++ {
		row, err := t.Generation(g)
		if err != nil {
			return c, err
		}
		epochs, err := t.Epochs(g)
		if err != nil {
			return c, err
		}
		generation, games, samples := strconv.Itoa(g), fmt.Sprintf("%d/%d/%d", row.WhiteWins, row.Draws, row.BlackWins), strconv.Itoa(row.Samples)
		loss := fixed(float64(store.SelectedLoss(epochs)), 3)
		if !fromData {
			c.Rows = append(c.Rows, Row(generation, games, fixed(row.MeanPlies(), 1), samples, loss, fixed(row.PerSecond, 0)))
			continue
		}
		c.Rows = append(c.Rows, Row(generation, strconv.Itoa(row.Data.Pass), strconv.Itoa(row.Games), games, samples, loss))
		left.Broken += row.Data.Broken
		left.NoResult += row.Data.NoResult
		left.NoMoves += row.Data.NoMoves
		left.Unexpressed += row.Data.Unexpressed
	}
	if left.Broken > 0 {
		c.Caption += fmt.Sprintf(" %s could not be read.", english.Plural(left.Broken, "game", ""))
	}
	if left.NoResult+left.NoMoves > 0 {
		c.Caption += fmt.Sprintf(" Games left out: %s.", data.LeftOut(left.NoResult, left.NoMoves))
	}
	if left.Unexpressed > 0 {
		c.Caption += fmt.Sprintf(" %s left out because the policy cannot express their moves.", english.Plural(left.Unexpressed, "position", ""))
	}
	return c, nil
}

func standingsTable(_ *store.Trial, res *store.Tournament) (Table, error) {
	zero := "the mean player is 0"
	if res.Anchor != "" {
		zero = res.Anchor + " is 0"
	}
	c := Table{
		Caption: "Standings of the tournament: wins, draws and losses; a win is 1 point, a draw one half. Elo with its 95 % interval; " + zero + ".",
		Columns: []Column{{Name: "player"}, {Name: "W/D/L"}, number("score", "%"), number("Elo", ""), {Name: "95 %"}, {Name: "as White"}, {Name: "as Black"}},
		Files:   []string{"tournament/ratings.csv", "tournament/games.pgn"},
	}
	for _, i := range res.Ranking() {
		p := res.Players[i]
		interval := ""
		if !p.Elo.Missing() {
			interval = fmt.Sprintf("%.0f..%.0f", p.Elo.Low, p.Elo.High)
		}
		c.Rows = append(c.Rows, Row(p.Name, record(p.Record), fixed(100*store.Share(p.Standing), 1), fixed(p.Elo.Value, 0), interval, record(p.White), record(p.Black)))
	}
	if a := res.FirstMove; !a.Missing() {
		c.Caption += fmt.Sprintf(" Having White is worth %.0f (%.0f..%.0f).", a.Value, a.Low, a.High)
	}
	return c, nil
}

// record formats wins, draws and losses.
func record(r match.Record) string { return fmt.Sprintf("%d/%d/%d", r.Wins, r.Draws, r.Losses) }

func crosstable(_ *store.Trial, res *store.Tournament) (Table, error) {
	c := Table{
		Caption: "Crosstable: points of the row's player against the column's.",
		Columns: []Column{{Name: "player"}},
		Files:   []string{"tournament/crosstable.csv"},
	}
	order := res.Ranking()
	for _, i := range order {
		c.Columns = append(c.Columns, number(res.Players[i].Name, ""))
		row := Row(res.Players[i].Name)
		for _, j := range order {
			points := ""
			if x := res.Games.Against(i, j); x.Games() > 0 {
				points = fixed(x.Score(), 1)
			}
			row = append(row, Cell{Text: points})
		}
		c.Rows = append(c.Rows, row)
	}
	return c, nil
}

// modelsTable lists the checkpoints of a tournament, the newest first, and then the players
// that were not trained here.
func modelsTable(t *store.Trial, res *store.Tournament) (Table, error) {
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
			epochs, err := t.Epochs(p.Generation)
			if err != nil {
				return c, err
			}
			row[3].Text = fixed(float64(store.SelectedLoss(epochs)), 3)
		}
		c.Rows = append(c.Rows, row)
	}
	return c, nil
}

// pairsTable lists the games of each pair of players, with a row for each choice of White.
func pairsTable(_ *store.Trial, res *store.Tournament) (Table, error) {
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
				c.Rows = append(c.Rows, Row(res.Players[p[0]].Name, res.Players[p[1]].Name,
					strconv.Itoa(r.Wins), strconv.Itoa(r.Draws), strconv.Itoa(r.Losses), percent(r.Score(), r.Games())))
			}
		}
	}
	return c, nil
}

// puzzlesTable lists the puzzles that each checkpoint solves.
func puzzlesTable(t *store.Trial) (Table, error) {
	c := Table{
		Columns: []Column{number("generation", ""), {Name: "puzzles"}, number("network alone", ""), number("alone", "%"), number("with search", ""), number("search", "%")},
		Files:   []string{puzzlesFile},
	}
	if e := t.Declared.Settings.Evaluation; e != nil {
		c.Caption = fmt.Sprintf("Puzzles solved by the network alone and with a search of %s.", english.Plural(e.Search.Visits, "visit", ""))
	}
	for g := 1; g <= t.Done(); g++ {
		scores, err := t.PuzzleScores(g)
		if err != nil {
			return c, err
		}
		for _, s := range scores {
			alone, share := "", ""
			if s.Policy != nil {
				alone, share = fmt.Sprintf("%d/%d", *s.Policy, s.Puzzles), percent(float64(*s.Policy), s.Puzzles)
			}
			c.Rows = append(c.Rows, Row(strconv.Itoa(g), s.Set, alone, share, fmt.Sprintf("%d/%d", s.Search, s.Puzzles), percent(float64(s.Search), s.Puzzles)))
		}
	}
	return c, nil
}

// accuracyTable compares each checkpoint with held-out games.
func accuracyTable(t *store.Trial) (Table, error) {
	c := Table{
		Caption: "Held-out positions by phase of the game: how often the move that was played or visited most is the network's first, and among its first five, and the mean squared error of its value. Queens, rooks, bishops and knights on the board: opening more than 10, endgame at most 6.",
		Columns: []Column{number("generation", ""), {Name: "phase"}, number("positions", ""), number("top 1", "%"), number("top 5", "%"), number("value error", "")},
		Files:   []string{accuracyFile},
	}
	for g := 1; g <= t.Done(); g++ {
		rows, err := t.Accuracy(g)
		if err != nil {
			return c, err
		}
		for _, p := range rows {
			if p.Positions > 0 {
				c.Rows = append(c.Rows, Row(strconv.Itoa(g), p.Phase, strconv.Itoa(p.Positions), fixed(100*float64(p.Top1), 1), fixed(100*float64(p.Top5), 1), fixed(float64(p.ValueError), 3)))
			}
		}
	}
	return c, nil
}

// percent returns a part of n in percent.
func percent(part float64, n int) string { return fixed(100*part/float64(n), 1) }

// rungTable lists a comparison of successive halving of these trials.
func rungTable(r store.Rung, trials []experiment.Trial) Table {
	m := metricOf(r.Metric)
	c := Table{
		Caption: fmt.Sprintf("Trials after generation %d, the best first; the first %d went on.", r.Generation, r.Survivors),
		Columns: []Column{number("place", ""), {Name: "trial"}, number(m.label, m.unit), {Name: "95 %"}},
	}
	for i, x := range r.Ranking {
		value, interval := "", ""
		if v := x.Value; !v.Missing() {
			value = fmt.Sprintf("%.4g", v.Value)
		}
		if v := x.Value; v.Known() {
			interval = fmt.Sprintf("%.4g..%.4g", v.Low, v.High)
		}
		name := x.Trial
		if k := slices.IndexFunc(trials, func(t experiment.Trial) bool { return store.Folder(&t) == x.Trial }); k >= 0 {
			name = nameOf(&trials[k])
		}
		c.Rows = append(c.Rows, Row(strconv.Itoa(i+1), name, value, interval))
	}
	return c
}

// facts returns a table of names and values.
func facts(rows ...[]Cell) Table { return Table{Columns: make([]Column, 2), Rows: rows} }

// Changes returns a table of settings that differ between two sides. A row has a key, its
// value on each side, and the origins of the values.
func Changes(a, b string, rows [][]Cell) Table {
	return Table{Columns: []Column{{Name: "setting"}, {Name: a}, {Name: b}, {Name: "set by"}}, Rows: rows}
}
