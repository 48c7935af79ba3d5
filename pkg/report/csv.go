package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// dataset is a table of values. It is a CSV file, and a table of a page.
type dataset struct {
	file    string // in the folder of its trial
	caption string
	fields  []field
	rows    [][]any // int, float64, stats.Float or string; nil and NaN are empty
}

// field is a column of a dataset.
type field struct {
	key      string  // in the CSV; empty: only on the page
	Column           // on the page; without a name: only in the CSV
	decimals int     // on the page, of numbers that are not whole
	scale    float64 // on the page; 0 means 1
}

// keys returns fields of the CSV only.
func keys(names ...string) []field {
	fields := make([]field, len(names))
	for i, name := range names {
		fields[i].key = name
	}
	return fields
}

func (d *dataset) add(row ...any) { d.rows = append(d.rows, row) }

// bytes returns the CSV file.
func (d *dataset) bytes() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	var head []string
	for _, f := range d.fields {
		if f.key != "" {
			head = append(head, f.key)
		}
	}
	_ = w.Write(head) // w keeps its error
	for _, row := range d.rows {
		var line []string
		for i, v := range row {
			if d.fields[i].key == "" {
				continue
			}
			text := asText(v)
			if x, ok := asFloat(v); ok {
				text = strconv.FormatFloat(x, 'g', 6, 64)
			}
			line = append(line, text)
		}
		_ = w.Write(line)
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// table returns the table of the page.
func (d *dataset) table() Table {
	t := Table{Caption: d.caption, Files: []string{d.file}, Rows: make([][]Cell, len(d.rows))}
	for i, f := range d.fields {
		if f.Name == "" {
			continue
		}
		t.Columns = append(t.Columns, f.Column)
		for r, row := range d.rows {
			text := asText(row[i])
			if x, ok := asFloat(row[i]); ok {
				text = fixed(x*max(1, f.scale), f.decimals)
			}
			t.Rows[r] = append(t.Rows[r], Cell{Text: text})
		}
	}
	return t
}

// asFloat returns a floating-point number that is not NaN.
func asFloat(v any) (x float64, ok bool) {
	switch v := v.(type) {
	case float64:
		x = v
	case stats.Float:
		x = float64(v)
	default:
		return 0, false
	}
	return x, !math.IsNaN(x)
}

// asText returns other values as text. Nil and NaN are empty.
func asText(v any) string {
	switch v.(type) {
	case nil, float64, stats.Float:
		return ""
	}
	return fmt.Sprint(v)
}

// Tables writes the results of the generations so far as CSV: generations.csv, epochs.csv,
// the evaluations, and a file for each hook.
func Tables(t *store.Trial) error {
	all, err := datasets(t)
	if err != nil {
		return err
	}
	for _, d := range all {
		b, err := d.bytes()
		if err == nil {
			err = disk.WriteBytes(t.Path(d.file), b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// datasets returns the tables of a trial that have files.
func datasets(t *store.Trial) (all []*dataset, err error) {
	list := []func(*store.Trial) (*dataset, error){generations, epochsOf}
	if e := t.Declared.Settings.Evaluation; e != nil && len(e.Puzzles) > 0 {
		list = append(list, puzzles)
	}
	if e := t.Declared.Settings.Evaluation; e != nil && e.Accuracy {
		list = append(list, accuracy)
	}
	for i := range t.Declared.Settings.Hooks {
		list = append(list, func(t *store.Trial) (*dataset, error) { return hookMetrics(t, i) })
	}
	for _, read := range list {
		d, err := read(t)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// generations has a row for each generation of self-play or data.
func generations(t *store.Trial) (*dataset, error) {
	d := &dataset{file: "generations.csv", caption: "Self-play by generation: games that White won, drawn games, games that Black won."}
	length, pass, evaluations := number("length", "plies"), Column{}, number("evaluations", "1/s")
	if t.Declared.Settings.Data != nil {
		d.caption = "Data by generation: the pass through the files, games that White won, drawn games, games that Black won."
		length, pass, evaluations = Column{}, number("pass", ""), Column{}
	}
	d.fields = []field{
		{key: "generation", Column: number("generation", "")}, {Column: pass}, {key: "games", Column: number("games", "")}, {key: "thrown_away"},
		{key: "samples", Column: number("samples", "")}, {key: "mean_plies", Column: length, decimals: 1},
		{key: "white_wins", Column: number("White won", "")}, {key: "draws", Column: number("drawn", "")}, {key: "black_wins", Column: number("Black won", "")},
		{Column: number("loss", ""), decimals: 3}, {key: "evaluations"}, {key: "seconds"}, {key: "evaluations_per_second", Column: evaluations},
	}
	var left store.Chunk // total over all generations
	for g := 1; g <= t.Done(); g++ {
		row, err := t.Generation(g)
		if err != nil {
			return nil, err
		}
		epochs, err := t.Epochs(g)
		if err != nil {
			return nil, err
		}
		var pass any
		if row.Data != nil {
			pass = row.Data.Pass
			left.Broken += row.Data.Broken
			left.NoResult += row.Data.NoResult
			left.NoMoves += row.Data.NoMoves
			left.Unexpressed += row.Data.Unexpressed
		}
		d.add(row.Number, pass, row.Games, row.Thrown, row.Samples, row.MeanPlies(), row.WhiteWins, row.Draws, row.BlackWins,
			store.SelectedLoss(epochs), row.Evaluations, row.Seconds, row.PerSecond)
	}
	if left.Broken > 0 {
		d.caption += fmt.Sprintf(" %s could not be read.", english.Plural(left.Broken, "game", ""))
	}
	if left.NoResult+left.NoMoves > 0 {
		d.caption += fmt.Sprintf(" Games left out: %s.", data.LeftOut(left.NoResult, left.NoMoves))
	}
	if left.Unexpressed > 0 {
		d.caption += fmt.Sprintf(" %s left out because the policy cannot express their moves.", english.Plural(left.Unexpressed, "position", ""))
	}
	return d, nil
}

// epochsOf has a row for each epoch. It includes the moves left if the network has this
// head, and accuracies if they were measured.
func epochsOf(t *store.Trial) (*dataset, error) {
	var epochs []store.Epoch
	for g := 1; g <= t.Done(); g++ {
		more, err := t.Epochs(g)
		if err != nil {
			return nil, err
		}
		epochs = append(epochs, more...)
	}
	movesLeft := t.Declared.Settings.Network.MovesLeft
	accuracy := slices.ContainsFunc(epochs, func(e store.Epoch) bool { return e.Accuracy != nil })
	d := &dataset{file: "epochs.csv", fields: keys(
		"generation", "epoch", "learning_rate", "train_loss", "train_policy_loss", "train_value_loss",
		"validation_loss", "validation_policy_loss", "validation_value_loss", "selected")}
	if movesLeft {
		d.fields = append(d.fields, keys("train_moves_left_loss", "validation_moves_left_loss")...)
	}
	if accuracy {
		d.fields = append(d.fields, keys("top1", "top5")...)
	}
	for _, e := range epochs {
		row := []any{e.Generation, e.Epoch, e.Rate, e.Train.Total, e.Train.Policy, e.Train.Value,
			e.Validation.Total, e.Validation.Policy, e.Validation.Value, e.Selected}
		if movesLeft {
			row = append(row, e.Train.MovesLeft, e.Validation.MovesLeft)
		}
		if accuracy && e.Accuracy != nil {
			row = append(row, e.Accuracy.Top1, e.Accuracy.Top5)
		} else if accuracy {
			row = append(row, nil, nil)
		}
		d.add(row...)
	}
	return d, nil
}

// puzzles has a row for each set of puzzles and each checkpoint.
func puzzles(t *store.Trial) (*dataset, error) {
	d := &dataset{file: "evaluation/puzzles.csv", fields: []field{
		{key: "generation", Column: number("generation", "")}, {key: "set", Column: Column{Name: "puzzles"}}, {key: "puzzles", Column: number("number", "")},
		{key: "policy_solved", Column: number("network alone", "")}, {Column: number("alone", "%"), decimals: 1, scale: 100},
		{key: "search_solved", Column: number("with search", "")}, {Column: number("search", "%"), decimals: 1, scale: 100},
	}}
	if e := t.Declared.Settings.Evaluation; e != nil {
		d.caption = fmt.Sprintf("Puzzles solved by the network alone and with a search of %s.", english.Plural(e.Search.Visits, "visit", ""))
	}
	for g := 1; g <= t.Done(); g++ {
		scores, err := t.PuzzleScores(g)
		if err != nil {
			return nil, err
		}
		for _, s := range scores {
			var policy, share any
			if s.Policy != nil {
				policy, share = *s.Policy, float64(*s.Policy)/float64(s.Puzzles)
			}
			d.add(g, s.Set, s.Puzzles, policy, share, s.Search, float64(s.Search)/float64(s.Puzzles))
		}
	}
	return d, nil
}

// accuracy has a row for each checkpoint and each phase of held-out games.
func accuracy(t *store.Trial) (*dataset, error) {
	d := &dataset{
		file:    "evaluation/accuracy.csv",
		caption: "Held-out positions by phase of the game: how often the move that was played or visited most is the network's first, and among its first five, and the mean squared error of its value. Queens, rooks, bishops and knights on the board: opening more than 10, endgame at most 6.",
		fields: []field{
			{key: "generation", Column: number("generation", "")}, {key: "phase", Column: Column{Name: "phase"}}, {key: "positions", Column: number("positions", "")},
			{key: "top1", Column: number("top 1", "%"), decimals: 1, scale: 100}, {key: "top5", Column: number("top 5", "%"), decimals: 1, scale: 100},
			{key: "value_error", Column: number("value error", ""), decimals: 3},
		}}
	for g := 1; g <= t.Done(); g++ {
		rows, err := t.Accuracy(g)
		if err != nil {
			return nil, err
		}
		for _, p := range rows {
			d.add(g, p.Phase, p.Positions, p.Top1, p.Top5, p.ValueError)
		}
	}
	return d, nil
}

// hookMetrics has a row for each generation and a column for each metric of a script. A
// generation may lack some.
func hookMetrics(t *store.Trial, script int) (*dataset, error) {
	all, names := make([]map[string]stats.Float, t.Done()), map[string]bool{}
	for i := range all {
		var err error
		if all[i], err = t.Metrics(i+1, script); err != nil {
			return nil, err
		}
		for name := range all[i] {
			names[name] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	d := &dataset{file: "hooks/" + t.Declared.Settings.Hooks[script].Name() + ".csv", fields: keys(append([]string{"generation"}, sorted...)...)}
	for i, metrics := range all {
		row := []any{i + 1}
		for _, name := range sorted {
			var value any
			if v, ok := metrics[name]; ok {
				value = v
			}
			row = append(row, value)
		}
		d.add(row...)
	}
	return d, nil
}

// trialsData has a row for each trial: the swept settings, then results of the last
// checkpoint. Seconds come last, because only they differ between equal runs.
func trialsData(x *store.Experiment, trials []*store.Trial) (*dataset, error) {
	d := &dataset{file: "trials.csv"}
	for _, a := range x.Axes {
		d.fields = append(d.fields, field{key: a.Path})
	}
	columns := slices.Concat([]string{"samples", "loss", "score", "elo", "vs_untrained", "vs_random", "generations", "policy_loss", "value_loss", "elo_low", "elo_high"},
		evaluationMetrics(x, ""), []string{"seconds"})
	d.fields = append(d.fields, keys(append([]string{"number", "trial"}, columns...)...)...)
	for _, t := range trials {
		var row []any
		for _, a := range x.Axes {
			row = append(row, axisValue(&t.Declared, a.Path))
		}
		row = append(row, t.Declared.Number, filepath.Base(t.Dir))
		for _, name := range columns {
			if name == "generations" {
				row = append(row, t.Done())
				continue
			}
			of := name
			if name == "elo_low" || name == "elo_high" {
				of = "elo"
			}
			m, err := t.Measure(of)
			if err != nil {
				return nil, err
			}
			switch name {
			case "elo_low":
				row = append(row, m.Low)
			case "elo_high":
				row = append(row, m.High)
			case "samples", "seconds":
				row = append(row, int(math.Round(m.Value)))
			default:
				row = append(row, m.Value)
			}
		}
		d.add(row...)
	}
	return d, nil
}
