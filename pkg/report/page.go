package report

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
	"alamos/pkg/store"
	"alamos/plots"
)

// report is what is shown of an experiment.
type report struct {
	experiment *experiment.Experiment
	dir        string // the folder of its results
}

// Write draws the figures of trials and writes trials.csv and the notebook page
// into dir, the folder of the experiment's results. It is no fault if some of the
// experiment's trials are not among them; the page says so.
func Write(e *experiment.Experiment, dir string, trials []*store.Trial) error {
	r := &report{e, dir}
	for _, t := range trials {
		if err := Tables(t); err != nil {
			return err
		}
	}
	if err := r.writeTrials(trials); err != nil {
		return err
	}
	page := &notebook.Page{
		Title:    r.experiment.Name,
		Subtitle: fmt.Sprintf("%s, %s", trials[0].Settings.Game.Variant, plural(len(trials), "trial")),
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
		page.Cells = append(page.Cells, provenance(t))
	}
	html, err := page.HTML()
	if err != nil {
		return err
	}
	return disk.WriteBytes(filepath.Join(r.dir, "notebook.html"), html)
}

func (r *report) diffCell(diff []experiment.Difference) notebook.Cell {
	d := notebook.Diff{Base: r.experiment.Base, This: r.experiment.File}
	for _, x := range diff {
		d.Items = append(d.Items, notebook.Change{Key: x.Path, Base: x.A, This: x.B})
	}
	return d
}

// cells makes what a cell of the experiment's notebook shows.
func (r *report) cells(c *experiment.Cell, trials []*store.Trial) ([]notebook.Cell, error) {
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
	return beside(trials, func(t *store.Trial) (notebook.Cell, error) { return table(t, c.Table) })
}

// figureCells draws a figure: of all trials together or of each.
func (r *report) figureCells(f *experiment.Figure, trials []*store.Trial) ([]notebook.Cell, error) {
	// The files of a trial stand beside its tables even where the page shows
	// all trials in one picture.
	own, err := beside(trials, func(t *store.Trial) (notebook.Cell, error) { return r.figureCell(f, t.Dir, []*store.Trial{t}) })
	if err != nil || !shared[f.Kind] || len(trials) == 1 {
		return own, err
	}
	cell, err := r.figureCell(f, r.dir, trials)
	if err != nil || cell == nil {
		return nil, err
	}
	return []notebook.Cell{cell}, nil
}

func (r *report) figureCell(f *experiment.Figure, dir string, trials []*store.Trial) (notebook.Cell, error) {
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
func beside(trials []*store.Trial, make func(*store.Trial) (notebook.Cell, error)) ([]notebook.Cell, error) {
	var all notebook.SideBySide
	for _, t := range trials {
		c, err := make(t)
		if err != nil {
			return nil, err
		}
		if c != nil {
			all.Trials = append(all.Trials, notebook.Trial{Label: t.Name(), Cells: []notebook.Cell{c}})
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
func table(t *store.Trial, kind string) (notebook.Cell, error) {
	if kind == "generations" {
		return generationsTable(t)
	}
	res, err := t.Tournament()
	if err != nil || res == nil {
		return nil, err
	}
	if kind == "crosstable" {
		return crossTable(t, res), nil
	}
	return standingsTable(t, res), nil
}

func generationsTable(t *store.Trial) (notebook.Cell, error) {
	c := notebook.Table{
		Caption: "Self-play by generation: games that white won, drawn games, games that black won.",
		Columns: []notebook.Column{
			number("generation", ""), {Name: "W/D/B"}, number("length", "plies"),
			number("samples", ""), number("loss", ""), number("evaluations", "1/s")},
		Files: links(t, "generations.csv", "epochs.csv"),
	}
	for g := 1; g <= t.Last(); g++ {
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

func fixed(x float64, digits int) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

func standingsTable(t *store.Trial, res *store.Tournament) notebook.Cell {
	zero := "the mean player is 0"
	if res.Anchor != "" {
		zero = res.Anchor + " is 0"
	}
	c := notebook.Table{
		Caption: "Standings of the tournament: wins, draws and losses; a win is 1 point, a draw one half. Elo with its 95 % interval; " + zero + ".",
		Columns: []notebook.Column{{Name: "player"}, {Name: "W/D/L"}, number("score", "%"), number("Elo", ""), {Name: "95 %"}},
		Files:   links(t, "tournament/ratings.csv", "tournament/games.pgn"),
	}
	for _, i := range res.Ranking() {
		p := res.Players[i]
		interval := ""
		if !math.IsNaN(float64(p.Elo)) {
			interval = fmt.Sprintf("%.0f..%.0f", float64(p.EloLow), float64(p.EloHigh))
		}
		c.Rows = append(c.Rows, []string{
			p.Name, fmt.Sprintf("%d/%d/%d", p.Wins, p.Draws, p.Losses), fixed(100*store.Share(p.Standing), 1), fixed(float64(p.Elo), 0), interval,
		})
	}
	return c
}

func crossTable(t *store.Trial, res *store.Tournament) notebook.Cell {
	c := notebook.Table{
		Caption: "Crosstable: points of the row's player against the column's.",
		Columns: []notebook.Column{{Name: "player"}},
		Files:   links(t, "tournament/crosstable.csv"),
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
	return c
}

// trialsCell is the overview of a sweep: a row a trial.
func (r *report) trialsCell(trials []*store.Trial) ([]notebook.Cell, error) {
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
func (r *report) trialRows(trials []*store.Trial) (head []string, rows [][]any, err error) {
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
		last := t.Last()
		samples, err := t.SamplesUntil(last)
		if err != nil {
			return nil, nil, err
		}
		epochs, err := t.Epochs(last)
		if err != nil {
			return nil, nil, err
		}
		nan := math.NaN()
		score, elo, untrained, random := nan, nan, nan, nan
		res, err := t.Tournament()
		if err != nil {
			return nil, nil, err
		}
		if res != nil {
			if i := res.Find(store.CheckpointName(last)); i >= 0 {
				score, elo = store.Share(res.Players[i].Standing), float64(res.Players[i].Elo)
				untrained = res.Against(i, store.CheckpointName(0))
				random = res.Against(i, store.RandomName)
			}
		}
		seconds := 0.0
		for _, s := range t.Manifest.Stages {
			seconds += s.Seconds
		}
		rows = append(rows, append(row, filepath.Base(t.Dir), samples, float64(store.SelectedLoss(epochs)), score, elo, untrained, random, math.Round(seconds)))
	}
	return head, rows, nil
}

func (r *report) writeTrials(trials []*store.Trial) error {
	head, rows, err := r.trialRows(trials)
	if err != nil {
		return err
	}
	return writeCSV(filepath.Join(r.dir, "trials.csv"), head, rows)
}

func (r *report) settingsCell() notebook.Cell {
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
func links(t *store.Trial, files ...string) []string {
	for i, f := range files {
		files[i] = filepath.Base(t.Dir) + "/" + f
	}
	return files
}

// provenance says where a trial's results come from.
func provenance(t *store.Trial) notebook.Cell {
	p := notebook.Provenance{Title: "Provenance of " + t.Name()}
	add := func(name, value string, code bool) {
		p.Facts = append(p.Facts, notebook.Fact{Name: name, Value: value, Code: code})
	}
	m := t.Manifest.Machine
	add("folder", filepath.Base(t.Dir), true)
	add("settings", t.ID, true)
	add("seed", strconv.FormatUint(t.Settings.Seed, 10), true)
	add("alamos", m.Alamos, true)
	add("machine", fmt.Sprintf("%s, %s, %s", m.CPU, plural(m.Cores, "core"), m.OS), false)
	add("Go", m.Go, false)
	add("inference", m.Precision, false)
	if g := t.Last(); t.Manifest.Stage(store.TrainStage(g)) != nil {
		add(store.CheckpointFile(g), t.CheckpointSum(g), true)
	}
	if s := t.Manifest.Stage(store.TournamentStage); s != nil {
		add("tournament ended", s.Ended.Format(time.RFC3339), false)
	}
	return p
}
