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
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// dataset is a table of values: a CSV file, and a table of a page.
type dataset struct {
	file    string // in the folder of its trial
	caption string
	fields  []field
	rows    [][]any // int, bool, float64, stats.Float or string; nil and NaN are empty
}

// field is a column of a dataset.
type field struct {
	key      string  // in the CSV
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

// onPage returns a field for numbers that the page shows.
func onPage(key, name string) field { return field{key: key, Column: number(name, "")} }

// percent returns a field for shares that the page shows in percent.
func percent(key, name string) field {
	return field{key: key, Column: number(name, "%"), decimals: 1, scale: 100}
}

func (d *dataset) add(row ...any) { d.rows = append(d.rows, row) }

// formatted returns a value as text. format formats a floating-point number that is not NaN.
func formatted(v any, format func(float64) string) string {
	if f, ok := v.(stats.Float); ok {
		v = float64(f)
	}
	x, real := v.(float64)
	switch {
	case v == nil, real && math.IsNaN(x):
		return ""
	case real:
		return format(x)
	}
	return fmt.Sprint(v)
}

// bytes returns the CSV file.
func (d *dataset) bytes() ([]byte, error) {
	lines := make([][]string, len(d.rows)+1)
	for i, f := range d.fields {
		lines[0] = append(lines[0], f.key)
		for r, row := range d.rows {
			lines[r+1] = append(lines[r+1], formatted(row[i], sixDigits))
		}
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(lines)
	return b.Bytes(), err
}

// sixDigits formats a number with six digits, and a whole one, such as a count, with all.
func sixDigits(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// table returns the table of the page.
func (d *dataset) table() Table {
	t := Table{Caption: d.caption, Files: []string{d.file}, Rows: make([][]Cell, len(d.rows))}
	for i, f := range d.fields {
		if f.Name == "" {
			continue
		}
		t.column(f.Column, func(r int) Cell {
			if n, whole := d.rows[r][i].(int); whole {
				return Cell{Text: grouped(float64(n), 0)}
			}
			return Cell{Text: formatted(d.rows[r][i], func(x float64) string { return fixed(x*max(1, f.scale), f.decimals) })}
		})
	}
	return t
}

// Tables writes the results of the generations so far as CSV: generations.csv, epochs.csv,
// the evaluations, and a file for each hook.
func Tables(t *store.Trial) error {
	for _, d := range datasets(t) {
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
func datasets(t *store.Trial) (all []*dataset) {
	all = append(all, generations(t), epochs(t), learning(t), calibration(t))
	if e := t.Declared.Settings.Evaluation; e != nil && len(e.Puzzles) > 0 {
		all = append(all, puzzles(t))
	}
	if e := t.Declared.Settings.Evaluation; e != nil && e.Accuracy {
		all = append(all, accuracy(t))
	}
	for i := range t.Declared.Settings.Hooks {
		all = append(all, hookMetrics(t, i))
		if len(t.SeriesNames(i)) > 0 {
			all = append(all, hookSeries(t, i))
		}
	}
	return all
}

// generations has a row for each generation of self-play or data.
func generations(t *store.Trial) *dataset {
	d := &dataset{file: "generations.csv", caption: "Self-play by generation: games that White won, drawn games, games that Black won."}
	length, pass, speed := number("length", "plies"), Column{}, number("evaluations", "1/s")
	if t.Declared.Settings.Data != nil {
		d.caption = "Data by generation: the pass through the files, games that White won, drawn games, games that Black won."
		length, pass, speed = Column{}, number("pass", ""), Column{}
	}
	d.fields = []field{
		onPage("generation", "generation"), onPage("games", "games"), {key: "thrown_away"}, onPage("samples", "samples"),
		{key: "mean_plies", Column: length, decimals: 1}, onPage("white_wins", "White won"), onPage("draws", "drawn"), onPage("black_wins", "Black won"),
		{key: "pass", Column: pass}, {key: "total_samples"}, {key: "loss", Column: number("loss", ""), decimals: 3},
		{key: "evaluations"}, {key: "seconds"}, {key: "evaluations_per_second", Column: speed},
	}
	var left store.Chunk // total over all generations
	samples := 0
	for g := 1; g <= t.Done(); g++ {
		row := t.Generation(g)
		var pass any
		if row.Data != nil {
			pass = row.Data.Pass
			left.Broken += row.Data.Broken
			left.NoResult += row.Data.NoResult
			left.NoMoves += row.Data.NoMoves
			left.Unexpressed += row.Data.Unexpressed
		}
		samples += row.Samples
		d.add(row.Number, row.Games, row.Thrown, row.Samples, row.MeanPlies(), row.WhiteWins, row.Draws, row.BlackWins,
			pass, samples, train.SelectedLoss(t.Epochs(g)).Total, row.Evaluations, row.Seconds, row.PerSecond)
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
	return d
}

// lossTerm is a part of the loss, that of a head.
type lossTerm struct {
	name, unit string
	has        bool // whether the network has the head
	of         func(nn.Loss) float64
}

// column returns the name of the column with the loss on the train or validation games.
func (l *lossTerm) column(of string) string {
	return of + "_" + strings.ReplaceAll(l.name, " ", "_") + "_loss"
}

// lossTerms lists the parts of the loss.
func lossTerms(s *experiment.Settings) []lossTerm {
	n := &s.Network
	const squared = "squared error"
	valueUnit, pliesUnit := squared, "Huber's loss"
	if n.Value == nn.ValueWDL {
		valueUnit = "nats"
	}
	if s.Training.Loss.MovesLeftError == nn.SquaredError {
		pliesUnit = squared
	}
	return []lossTerm{
		{"policy", "nats", n.Policy != experiment.NoPolicy, func(l nn.Loss) float64 { return l.Policy }},
		{"value", valueUnit, true, func(l nn.Loss) float64 { return l.Value }},
		{"moves left", pliesUnit, n.MovesLeft, func(l nn.Loss) float64 { return l.MovesLeft }},
		{"opponent policy", "nats", n.OpponentPolicy, func(l nn.Loss) float64 { return l.OpponentPolicy }},
		{"soft policy", "nats", n.SoftPolicy, func(l nn.Loss) float64 { return l.SoftPolicy }},
		{"future board", "nats for each square", n.FutureBoard > 0, func(l nn.Loss) float64 { return l.FutureBoard }},
	}
}

// epochs has a row for each epoch. The losses of heads that the network lacks are empty, and
// accuracies if they were not measured.
func epochs(t *store.Trial) *dataset {
	terms := lossTerms(&t.Declared.Settings)
	names := []string{"generation", "epoch", "learning_rate", "selected", "train_loss", "validation_loss", "top1", "top5", "gradient_norm", "gradient_peak", "clipped"}
	for _, l := range terms {
		names = append(names, l.column("train"), l.column("validation"))
	}
	d := &dataset{file: "epochs.csv", fields: keys(names...)}
	for g := 1; g <= t.Done(); g++ {
		for _, e := range t.Epochs(g) {
			row := []any{e.Generation, e.Number, e.Rate, e.Selected, e.Train.Total, e.Validation.Total, nil, nil, e.Gradient.Norm(), e.Gradient.Peak, e.Gradient.ClippedShare()}
			if a := e.Accuracy; a != nil {
				row[6], row[7] = a.Shares()
			}
			for _, l := range terms {
				if l.has {
					row = append(row, l.of(e.Train), l.of(e.Validation))
				} else {
					row = append(row, nil, nil)
				}
			}
			d.add(row...)
		}
	}
	return d
}

// learning has a row for each generation with [store.Trial.Learning].
func learning(t *store.Trial) *dataset {
	d := &dataset{
		file:    "learning.csv",
		caption: "Learning by generation: the Kullback-Leibler divergence of the search from the policy (nats), how far the search's value is from the results, different games, samples trained for each new one, the mean norm of the gradient, and the accuracy of the policy on held-out games.",
		fields:  []field{onPage("generation", "generation")},
	}
	columns := map[string]field{
		"kl":                {Column: number("KL", "nats"), decimals: 3},
		"calibration_error": {Column: number("calibration error", ""), decimals: 3},
		"distinct_games":    percent("", "distinct games"),
		"replay_ratio":      {Column: number("trained per new", ""), decimals: 1},
		"gradient_norm":     {Column: number("gradient", ""), decimals: 2},
		"top1":              percent("", "top 1"),
	}
	for _, name := range store.LearningMeasures() {
		f := columns[name]
		f.key = name
		d.fields = append(d.fields, f)
	}
	for g := 1; g <= t.Done(); g++ {
		all, row := t.Learning(g), []any{g}
		for _, name := range store.LearningMeasures() {
			row = append(row, all[name])
		}
		d.add(row...)
	}
	return d
}

// calibration is the reliability table of each generation of self-play.
func calibration(t *store.Trial) *dataset {
	d := &dataset{
		file:    "calibration.csv",
		caption: "Calibration of the search in self-play: positions by its value, and the mean result of their games; both from -1 to 1 for the side to move.",
		fields: []field{
			onPage("generation", "generation"), {key: "low", Column: number("from", ""), decimals: 1}, {key: "high", Column: number("to", ""), decimals: 1},
			onPage("positions", "positions"), {key: "value", Column: number("mean value", ""), decimals: 3}, {key: "result", Column: number("mean result", ""), decimals: 3},
		},
	}
	for g := 1; g <= t.Done(); g++ {
		roots := t.Generation(g).Roots
		if roots == nil {
			continue
		}
		for _, b := range roots.Calibration {
			d.add(g, b.Low, b.High(), b.Positions, b.Value, b.Result)
		}
	}
	return d
}

// puzzles has a row for each set of puzzles and each checkpoint.
func puzzles(t *store.Trial) *dataset {
	d := &dataset{file: "evaluation/puzzles.csv", fields: []field{
		onPage("generation", "generation"), {key: "set", Column: Column{Name: "puzzles"}}, onPage("puzzles", "number"),
		onPage("policy_solved", "network alone"), percent("policy_share", "alone"), onPage("search_solved", "with search"), percent("search_share", "search"),
	}}
	if e := t.Declared.Settings.Evaluation; e != nil {
		size := english.Plural(e.Search.Visits, "visit", "")
		if e.Search.Nodes > 0 {
			size = fmt.Sprintf("%s, at most %s", english.Plural(e.Search.Nodes, "node", ""), size)
		}
		d.caption = fmt.Sprintf("Puzzles solved by the network alone and with a search of %s.", size)
	}
	for g := 1; g <= t.Done(); g++ {
		for _, s := range t.PuzzleScores(g) {
			var policy, share any
			if s.Policy != nil {
				policy, share = *s.Policy, float64(*s.Policy)/float64(s.Puzzles)
			}
			d.add(g, s.Set, s.Puzzles, policy, share, s.Search, float64(s.Search)/float64(s.Puzzles))
		}
	}
	return d
}

// accuracy has a row for each checkpoint and each phase of held-out games.
func accuracy(t *store.Trial) *dataset {
	heldOut := "Held-out positions"
	if t.Declared.Settings.Data.HasTest() {
		heldOut = "Positions of the test files"
	}
	d := &dataset{
		file:    "evaluation/accuracy.csv",
		caption: heldOut + " by phase of the game: how often the move that was played or visited most is the network's first, and among its first five, and the mean squared error of its value. Queens, rooks, bishops and knights on the board: opening more than 10, endgame at most 6.",
		fields: []field{
			onPage("generation", "generation"), {key: "phase", Column: Column{Name: "phase"}}, onPage("positions", "positions"),
			percent("top1", "top 1"), percent("top5", "top 5"), {key: "value_error", Column: number("value error", ""), decimals: 3},
		}}
	for g := 1; g <= t.Done(); g++ {
		for _, p := range t.Accuracy(g) {
			d.add(g, p.Phase, p.Positions, p.Top1, p.Top5, p.ValueError)
		}
	}
	return d
}

// hookMetrics has a row for each generation and a column for each metric of a script. A
// generation may lack some.
func hookMetrics(t *store.Trial, script int) *dataset {
	names := t.MetricNames(script)
	d := &dataset{file: "hooks/" + t.Declared.Settings.Hooks[script].Name() + ".csv", fields: keys(append([]string{"generation"}, names...)...)}
	for g := 1; g <= t.Done(); g++ {
		metrics, row := t.Metrics(g, script), []any{g}
		for _, name := range names {
			if v, ok := metrics[name]; ok {
				row = append(row, v)
			} else {
				row = append(row, nil)
			}
		}
		d.add(row...)
	}
	return d
}

// hookSeries has a row for each point of the series of a script.
func hookSeries(t *store.Trial, script int) *dataset {
	d := &dataset{file: "hooks/" + t.Declared.Settings.Hooks[script].Name() + "-series.csv", fields: keys("generation", "series", "x", "y")}
	for g := 1; g <= t.Done(); g++ {
		all := t.Series(g, script)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			for _, at := range all[name] {
				d.add(g, name, at[0], at[1])
			}
		}
	}
	return d
}

// trialsData has a row for each trial: the swept settings, then results of the last
// checkpoint. Seconds come last, because only they differ between equal runs.
func trialsData(x *store.Experiment, trials []*store.Trial) *dataset {
	d := &dataset{file: "trials.csv"}
	for _, a := range x.Axes {
		d.fields = append(d.fields, field{key: a.Path})
	}
	d.fields = append(d.fields, keys("number", "trial", "generations_done")...)
	metrics := slices.Concat([]string{"samples"}, store.LearningMeasures(), []string{"score", "elo", "vs_untrained", "vs_random"}, evaluationMetrics(x, ""), []string{"seconds"})
	for _, name := range metrics {
		if d.fields = append(d.fields, field{key: name}); name == "elo" {
			d.fields = append(d.fields, keys("elo_low", "elo_high")...)
		}
	}
	for _, t := range trials {
		var row []any
		for _, a := range x.Axes {
			row = append(row, axisValue(&t.Declared, a.Path))
		}
		row = append(row, t.Declared.Number, filepath.Base(t.Dir), t.Done())
		for _, name := range metrics {
			m := t.Measure(name)
			switch name {
			case "elo":
				row = append(row, m.Value, m.Low, m.High)
			case "samples", "seconds":
				row = append(row, int(math.Round(m.Value)))
			default:
				row = append(row, m.Value)
			}
		}
		d.add(row...)
	}
	return d
}
