package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"alamos/pkg/match"

	humanize "github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"alamos/pkg/data"
	"alamos/pkg/store"
)

func number(name, unit string) Column {
	return Column{Name: name, Unit: unit, Numeric: true}
}

// table is a table of one trial; nil where there is nothing to show.
func (w *pageWriter) table(t *store.Trial, kind string) (Cell, error) {
	switch kind {
	case "generations":
		return w.generations(t)
	case "puzzles":
		return w.puzzles(t)
	case "accuracy":
		return w.accuracy(t)
	}
	res, err := t.Tournament()
	if err != nil || res == nil {
		return nil, err
	}
	switch kind {
	case "crosstable":
		return w.crosstable(t, res)
	case "models":
		return models(t, res)
	case "pairs":
		return pairs(res), nil
	}
	return w.standings(t, res)
}

func (w *pageWriter) generations(t *store.Trial) (Cell, error) {
	if t.Done() == 0 {
		return nil, nil
	}
	files, err := w.links(&t.Trial, "generations.csv", "epochs.csv")
	if err != nil {
		return nil, err
	}
	if t.Settings.Data != nil {
		return chunks(t, files)
	}
	c := Table{
		Caption: "Self-play by generation: games that white won, drawn games, games that black won.",
		Columns: []Column{
			number("generation", ""), {Name: "W/D/B"}, number("length", "plies"),
			number("samples", ""), number("loss", ""), number("evaluations", "1/s")},
		Files: files,
	}
	for g := 1; g <= t.Done(); g++ {
		row, err := t.Generation(g)
		if err != nil {
			return nil, err
		}
		epochs, err := t.Epochs(g)
		if err != nil {
			return nil, err
		}
		c.Rows = append(c.Rows, []string{
			strconv.Itoa(g), fmt.Sprintf("%d/%d/%d", row.WhiteWins, row.Draws, row.BlackWins), fixed(row.MeanPlies(), 1),
			strconv.Itoa(row.Samples), fixed(float64(store.SelectedLoss(epochs)), 3), fixed(row.PerSecond, 0),
		})
	}
	return c, nil
}

// networks are the layers of each different network of the trials.
func (w *pageWriter) networks() ([]Cell, error) {
	all, err := OfTrials(w.Experiment.Trials)
	if err != nil {
		return nil, err
	}
	var beside SideBySide
	for _, n := range all {
		c := Table{
			Caption: fmt.Sprintf("Layers of the network: %s. It has %s trained parameters.", n.Summary(), humanize.Comma(int64(n.Parameters))),
			Columns: []Column{{Name: "layer"}, {Name: "kind"}, {Name: "output"}, number("parameters", "")},
		}
		for _, r := range n.Rows(false) {
			c.Rows = append(c.Rows, []string{r.Name, r.Kind, r.Output, humanize.Comma(int64(r.Parameters))})
		}
		beside.Trials = append(beside.Trials, Trial{Label: n.Name, Cells: []Cell{c}})
	}
	if len(all) == 1 {
		return beside.Trials[0].Cells, nil
	}
	return []Cell{beside}, nil
}

// chunks is the table of the generations of a trial that learns from data.
func chunks(t *store.Trial, files []string) (Cell, error) {
	c := Table{
		Columns: []Column{
			number("generation", ""), number("pass", ""), number("games", ""), {Name: "W/D/B"}, number("samples", ""), number("loss", "")},
		Files: files,
	}
	var left store.Chunk // out, of all generations together
	for g := 1; g <= t.Done(); g++ {
		row, err := t.Generation(g)
		if err != nil {
			return nil, err
		}
		epochs, err := t.Epochs(g)
		if err != nil {
			return nil, err
		}
		left.Broken += row.Data.Broken
		left.NoResult += row.Data.NoResult
		left.NoMoves += row.Data.NoMoves
		left.Unexpressed += row.Data.Unexpressed
		c.Rows = append(c.Rows, []string{
			strconv.Itoa(g), strconv.Itoa(row.Data.Pass), strconv.Itoa(row.Games), fmt.Sprintf("%d/%d/%d", row.WhiteWins, row.Draws, row.BlackWins),
			strconv.Itoa(row.Samples), fixed(float64(store.SelectedLoss(epochs)), 3),
		})
	}
	c.Caption = "Data by generation: the pass through the files, games that white won, drawn games, games that black won."
	if left.Broken > 0 {
		c.Caption += fmt.Sprintf(" %s could not be read.", english.Plural(left.Broken, "game", ""))
	}
	if left.NoResult+left.NoMoves > 0 {
		c.Caption += fmt.Sprintf(" Games left out: %s.", data.LeftOut(left.NoResult, left.NoMoves))
	}
	if left.Unexpressed > 0 {
		c.Caption += fmt.Sprintf(" %s left out, whose moves the policy cannot express.", english.Plural(left.Unexpressed, "position", ""))
	}
	return c, nil
}

func (w *pageWriter) standings(t *store.Trial, res *store.Tournament) (Cell, error) {
	files, err := w.links(&t.Trial, "tournament/ratings.csv", "tournament/games.pgn")
	if err != nil {
		return nil, err
	}
	c := Table{
		Caption: "Standings of the tournament: wins, draws and losses; a win is 1 point, a draw one half. Elo with its 95 % interval; " + zeroOf(res) + ".",
		Columns: []Column{{Name: "player"}, {Name: "W/D/L"}, number("score", "%"), number("Elo", ""), {Name: "95 %"}, {Name: "as White"}, {Name: "as Black"}},
		Files:   files,
	}
	for _, i := range res.Ranking() {
		p := res.Players[i]
		c.Rows = append(c.Rows, []string{
			p.Name, record(p.Record), fixed(100*store.Share(p.Standing), 1), fixed(p.Elo.Value, 0), eloInterval(p), record(p.White), record(p.Black),
		})
	}
	if a := res.FirstMove; !a.Missing() {
		c.Caption += fmt.Sprintf(" Having White is worth %.0f (%.0f..%.0f).", a.Value, a.Low, a.High)
	}
	return c, nil
}

// models tells the checkpoints of a tournament apart: the newest first, then the
// players that learned nothing here.
func models(t *store.Trial, res *store.Tournament) (Cell, error) {
	c := Table{
		Caption: "Players of the tournament: how many generations they learned from, the positions of these and the validation loss afterwards.",
		Columns: []Column{{Name: "player"}, number("generations", ""), number("samples", ""), number("validation loss", "")},
	}
	order := res.Ranking()
	slices.SortStableFunc(order, func(i, j int) int { return res.Players[j].Generation - res.Players[i].Generation })
	for _, i := range order {
		p := res.Players[i]
		if p.Generation < 0 {
			c.Rows = append(c.Rows, []string{p.Name, "", "", ""})
			continue
		}
		loss := ""
		if p.Generation > 0 {
			epochs, err := t.Epochs(p.Generation)
			if err != nil {
				return nil, err
			}
			loss = fixed(float64(store.SelectedLoss(epochs)), 3)
		}
		c.Rows = append(c.Rows, []string{p.Name, strconv.Itoa(p.Generation), humanize.Comma(int64(p.Samples)), loss})
	}
	return c, nil
}

// pairs has the games of each two players by color, a row for who had White; nil for
// the results of early days, which do not tell.
func pairs(res *store.Tournament) Cell {
	if res.White == nil {
		return nil
	}
	c := Table{
		Caption: "Games by color: wins, draws and losses of White.",
		Columns: []Column{{Name: "White"}, {Name: "Black"}, number("wins", ""), number("draws", ""), number("losses", ""), number("score of White", "%")},
	}
	for i := range res.White {
		for j := range i {
			for _, p := range [][2]int{{j, i}, {i, j}} {
				r := res.White[p[0]][p[1]]
				if r.Games() == 0 {
					continue
				}
				c.Rows = append(c.Rows, []string{
					res.Players[p[0]].Name, res.Players[p[1]].Name, strconv.Itoa(r.Wins), strconv.Itoa(r.Draws), strconv.Itoa(r.Losses),
					fixed(100*r.Score()/float64(r.Games()), 0),
				})
			}
		}
	}
	return c
}

// record is wins, draws and losses.
func record(r match.Record) string { return fmt.Sprintf("%d/%d/%d", r.Wins, r.Draws, r.Losses) }

// zeroOf says what the ratings of a tournament are counted from.
func zeroOf(res *store.Tournament) string {
	if res.Anchor != "" {
		return res.Anchor + " is 0"
	}
	return "the mean player is 0"
}

func eloInterval(p store.PlayerResult) string {
	if p.Elo.Missing() {
		return ""
	}
	return fmt.Sprintf("%.0f..%.0f", p.Elo.Low, p.Elo.High)
}

func (w *pageWriter) crosstable(t *store.Trial, res *store.Tournament) (Cell, error) {
	files, err := w.links(&t.Trial, "tournament/crosstable.csv")
	if err != nil {
		return nil, err
	}
	c := Table{
		Caption: "Crosstable: points of the row's player against the column's.",
		Columns: []Column{{Name: "player"}},
		Files:   files,
	}
	order := res.Ranking()
	for _, i := range order {
		c.Columns = append(c.Columns, number(res.Players[i].Name, ""))
		row := []string{res.Players[i].Name}
		for _, j := range order {
			x := res.Cross[i][j]
			if x.Games() == 0 {
				row = append(row, "")
				continue
			}
			row = append(row, fixed(x.Score(), 1))
		}
		c.Rows = append(c.Rows, row)
	}
	return c, nil
}

func fixed(x float64, digits int) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}
