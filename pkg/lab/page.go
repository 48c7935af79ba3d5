package lab

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/notebook"
	"alamos/plots"
)

// report draws the figures of all trials and writes trials.csv and the
// notebook page.
func (r *run) report(trials []*trial) error {
	for _, t := range trials {
		if err := t.writeTables(); err != nil {
			return err
		}
	}
	if err := r.writeTrials(trials); err != nil {
		return err
	}
	page := &notebook.Page{
		Title:    r.experiment.Name,
		Subtitle: fmt.Sprintf("%s, %s", trials[0].variantTitle(), plural(len(trials), "trial")),
		About:    r.experiment.About,
	}
	if n := len(r.experiment.Trials) - len(trials); n > 0 {
		page.Cells = append(page.Cells, notebook.Note{Kind: notebook.Warning,
			Markdown: fmt.Sprintf("%s failed and is not shown: see what the run printed.", plural(n, "trial"))})
	}
	if base := r.experiment.BaseDiff(); len(base) > 0 {
		page.Cells = append(page.Cells, r.diffCell(base))
	}
	for i := range r.experiment.Notebook {
		cells, err := r.cells(&r.experiment.Notebook[i], trials)
		if err != nil {
			return fmt.Errorf("notebook cell %d: %w", i+1, err)
		}
		page.Cells = append(page.Cells, cells...)
	}
	for _, t := range trials {
		page.Cells = append(page.Cells, t.provenance())
	}
	html, err := page.HTML()
	if err != nil {
		return err
	}
	return disk.WriteBytes(filepath.Join(r.dir, "notebook.html"), html)
}

func (t *trial) variantTitle() string { return t.variant.String() }

func (r *run) diffCell(diff []experiment.Difference) notebook.Cell {
	d := notebook.Diff{Base: r.experiment.Base, This: r.experiment.File}
	for _, x := range diff {
		d.Items = append(d.Items, notebook.Change{Key: x.Path, Base: x.A, This: x.B})
	}
	return d
}

// cells makes what a cell of the experiment's notebook shows.
func (r *run) cells(c *experiment.Cell, trials []*trial) ([]notebook.Cell, error) {
	switch {
	case c.Text != "":
		return []notebook.Cell{notebook.Text{Markdown: c.Text}}, nil
	case c.Figure != nil:
		return r.figureCells(c.Figure, trials)
	}
	switch c.Table {
	case "trials":
		return r.trialsCell(trials)
	case "settings":
		return []notebook.Cell{r.settingsCell()}, nil
	}
	return beside(trials, func(t *trial) (notebook.Cell, error) { return t.table(c.Table) })
}

// figureCells draws a figure: of all trials together or of each.
func (r *run) figureCells(f *experiment.Figure, trials []*trial) ([]notebook.Cell, error) {
	// The files of a trial stand beside its tables even where the page shows
	// all trials in one picture.
	own, err := beside(trials, func(t *trial) (notebook.Cell, error) { return r.figureCell(f, t.dir, []*trial{t}) })
	if err != nil || !shared[f.Kind] || len(trials) == 1 {
		return own, err
	}
	cell, err := r.figureCell(f, r.dir, trials)
	if err != nil || cell == nil {
		return nil, err
	}
	return []notebook.Cell{cell}, nil
}

func (r *run) figureCell(f *experiment.Figure, dir string, trials []*trial) (notebook.Cell, error) {
	fig, err := r.figure(f, trials)
	if err != nil || fig == nil {
		return nil, err
	}
	svg, alt, links, err := fig.draw(r.dir, dir)
	if errors.Is(err, plots.ErrNoData) { // a hook that found nothing in any game
		return notebook.Note{Markdown: "There is nothing to draw yet: " + fig.caption}, nil
	}
	if err != nil {
		return nil, err
	}
	return notebook.Figure{Caption: fig.caption, SVG: svg, Alt: alt, Files: links}, nil
}

// beside sets a cell of each trial side by side; trials without it are left
// out, and a single trial needs no frame.
func beside(trials []*trial, make func(*trial) (notebook.Cell, error)) ([]notebook.Cell, error) {
	var all notebook.SideBySide
	for _, t := range trials {
		c, err := make(t)
		if err != nil {
			return nil, err
		}
		if c != nil {
			all.Trials = append(all.Trials, notebook.Trial{Label: t.name(), Cells: []notebook.Cell{c}})
		}
	}
	switch {
	case len(all.Trials) == 0:
		return nil, nil
	case len(trials) == 1:
		return all.Trials[0].Cells, nil
	}
	return []notebook.Cell{all}, nil
}

func number(name, unit string) notebook.Column {
	return notebook.Column{Name: name, Unit: unit, Numeric: true}
}

// table is a table of one trial.
func (t *trial) table(kind string) (notebook.Cell, error) {
	if kind == "generations" {
		return t.generationsTable()
	}
	res, err := t.result()
	if err != nil || res == nil {
		return nil, err
	}
	if kind == "crosstable" {
		return t.crossTable(res), nil
	}
	return t.standingsTable(res), nil
}

func (t *trial) generationsTable() (notebook.Cell, error) {
	c := notebook.Table{
		Caption: "Self-play by generation: games that white won, drawn games, games that black won.",
		Columns: []notebook.Column{
			number("generation", ""), {Name: "W/D/B"}, number("length", "plies"),
			number("samples", ""), number("loss", ""), number("evaluations", "1/s")},
		Files: t.links("generations.csv", "epochs.csv"),
	}
	for g := 1; g <= t.Settings.Generations; g++ {
		row, err := t.generation(g)
		if err != nil {
			return nil, err
		}
		epochs, err := t.epochs(g)
		if err != nil {
			return nil, err
		}
		c.Rows = append(c.Rows, []string{
			strconv.Itoa(g), fmt.Sprintf("%d/%d/%d", row.WhiteWins, row.Draws, row.BlackWins), fixed(row.MeanPlies(), 1),
			strconv.Itoa(row.Samples), fixed(float64(selectedLoss(epochs)), 3), fixed(row.PerSecond, 0),
		})
	}
	return c, nil
}

func fixed(x float64, digits int) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

func (t *trial) standingsTable(res *Tournament) notebook.Cell {
	zero := "the mean player is 0"
	if res.Anchor != "" {
		zero = res.Anchor + " is 0"
	}
	c := notebook.Table{
		Caption: "Standings of the tournament: wins, draws and losses; a win is 1 point, a draw one half. Elo with its 95 % interval; " + zero + ".",
		Columns: []notebook.Column{{Name: "player"}, {Name: "W/D/L"}, number("score", "%"), number("Elo", ""), {Name: "95 %"}},
		Files:   t.links("tournament/ratings.csv", "tournament/games.pgn"),
	}
	for _, i := range res.ranking() {
		p := res.Players[i]
		interval := ""
		if !math.IsNaN(float64(p.Elo)) {
			interval = fmt.Sprintf("%.0f..%.0f", float64(p.EloLow), float64(p.EloHigh))
		}
		c.Rows = append(c.Rows, []string{
			p.Name, fmt.Sprintf("%d/%d/%d", p.Wins, p.Draws, p.Losses), fixed(100*share(p.Standing), 1), fixed(float64(p.Elo), 0), interval,
		})
	}
	return c
}

func (t *trial) crossTable(res *Tournament) notebook.Cell {
	c := notebook.Table{
		Caption: "Crosstable: points of the row's player against the column's.",
		Columns: []notebook.Column{{Name: "player"}},
		Files:   t.links("tournament/crosstable.csv"),
	}
	order := res.ranking()
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
	return c
}

// trialsCell is the overview of a sweep: a row a trial.
func (r *run) trialsCell(trials []*trial) ([]notebook.Cell, error) {
	c := notebook.Table{Caption: "Trials.", Files: []string{"trials.csv"}}
	for _, a := range r.experiment.Axes {
		c.Columns = append(c.Columns, notebook.Column{Name: a.Path, Setting: true})
	}
	head, rows, err := r.trialRows(trials)
	if err != nil {
		return nil, err
	}
	for _, h := range head[len(r.experiment.Axes):] {
		c.Columns = append(c.Columns, notebook.Column{Name: strings.ReplaceAll(h, "_", " "), Numeric: h != "trial"})
	}
	for _, row := range rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = short(v)
		}
		c.Rows = append(c.Rows, line)
	}
	return []notebook.Cell{c}, nil
}

func short(v any) string {
	if x, ok := v.(float64); ok && !math.IsNaN(x) {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return cell(v)
}

// trialRows is the table of trials: what the sweep varies, then results.
func (r *run) trialRows(trials []*trial) (head []string, rows [][]any, err error) {
	for _, a := range r.experiment.Axes {
		head = append(head, a.Path)
	}
	// Of the last checkpoint: score and rating in the tournament, and the
	// share of the points it made against two of its opponents.
	head = append(head, "trial", "samples", "loss", "score", "elo", "vs_untrained", "vs_random", "seconds")
	for _, t := range trials {
		var row []any
		for _, a := range t.Axis {
			row = append(row, a.Value)
		}
		last := t.Settings.Generations
		samples, err := t.samplesUntil(last)
		if err != nil {
			return nil, nil, err
		}
		epochs, err := t.epochs(last)
		if err != nil {
			return nil, nil, err
		}
		score, elo, untrained, random := nan, nan, nan, nan
		res, err := t.result()
		if err != nil {
			return nil, nil, err
		}
		if res != nil {
			if i := res.find(checkpointName(last)); i >= 0 {
				score, elo = share(res.Players[i].Standing), float64(res.Players[i].Elo)
				untrained = res.against(i, checkpointName(0))
				random = res.against(i, randomName)
			}
		}
		seconds := 0.0
		for _, s := range t.manifest.Stages {
			seconds += s.Seconds
		}
		rows = append(rows, append(row, filepath.Base(t.dir), samples, float64(selectedLoss(epochs)), score, elo, untrained, random, math.Round(seconds)))
	}
	return head, rows, nil
}

func (r *run) writeTrials(trials []*trial) error {
	head, rows, err := r.trialRows(trials)
	if err != nil {
		return err
	}
	return writeCSV(filepath.Join(r.dir, "trials.csv"), head, rows)
}

func (r *run) settingsCell() notebook.Cell {
	s := notebook.Settings{Title: "Resolved settings"}
	for _, x := range r.experiment.Explain() {
		if strings.HasPrefix(x.Path, "notebook") || x.Path == "about" {
			continue
		}
		origin := x.Origin.String()
		if x.Origin.Default() {
			origin = ""
		}
		s.Items = append(s.Items, notebook.Setting{Key: x.Path, Value: x.Value, Origin: origin})
	}
	return s
}

// links are files of the trial as the page links to them.
func (t *trial) links(files ...string) []string {
	for i, f := range files {
		files[i] = filepath.Base(t.dir) + "/" + f
	}
	return files
}

// provenance says where a trial's results come from.
func (t *trial) provenance() notebook.Cell {
	p := notebook.Provenance{Title: "Provenance of " + t.name()}
	add := func(name, value string, code bool) {
		p.Facts = append(p.Facts, notebook.Fact{Name: name, Value: value, Code: code})
	}
	m := t.manifest.Machine
	add("folder", filepath.Base(t.dir), true)
	add("settings", t.ID, true)
	add("seed", strconv.FormatUint(t.Settings.Seed, 10), true)
	add("alamos", m.Alamos, true)
	add("machine", fmt.Sprintf("%s, %s, %s", m.CPU, plural(m.Cores, "core"), m.OS), false)
	add("Go", m.Go, false)
	add("inference", m.Precision, false)
	if g := t.Settings.Generations; t.manifest.stage(trainStage(g)) != nil {
		add(checkpointFile(g), t.checkpointSum(g), true)
	}
	if s := t.manifest.stage(tournamentStage); s != nil {
		add("tournament ended", s.Ended.Format(time.RFC3339), false)
	}
	return p
}
