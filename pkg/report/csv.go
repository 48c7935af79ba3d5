package report

import (
	"bytes"
	"encoding/csv"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"alamos/pkg/disk"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// csvTable is a table in CSV form.
type csvTable struct {
	name string // of its file in the folder of its trial
	head []string
	rows [][]any // int, int64, float64 (NaN is empty), string or bool
}

func (t *csvTable) add(row ...any) { t.rows = append(t.rows, row) }

func (t *csvTable) bytes() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(t.head) // w keeps its error
	for _, row := range t.rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = csvCell(v)
		}
		_ = w.Write(line)
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

func csvCell(v any) string {
	switch v := v.(type) {
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case stats.Float:
		return csvCell(float64(v))
	case float64:
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return v.(string)
}

// Tables writes the results of the generations so far as CSV: generations.csv, epochs.csv,
// the evaluations, and a file for each hook.
func Tables(t *store.Trial) error {
	tables, err := csvTables(t)
	if err != nil {
		return err
	}
	for _, x := range tables {
		b, err := x.bytes()
		if err == nil {
			err = disk.WriteBytes(t.Path(x.name), b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// csvTables returns the tables of a trial.
func csvTables(t *store.Trial) ([]*csvTable, error) {
	generations := &csvTable{name: "generations.csv", head: []string{
		"generation", "games", "thrown_away", "samples", "mean_plies", "white_wins", "draws", "black_wins",
		"evaluations", "seconds", "evaluations_per_second"}}
	puzzles := &csvTable{name: puzzlesFile, head: []string{"generation", "set", "puzzles", "policy_solved", "search_solved"}}
	accuracy := &csvTable{name: accuracyFile, head: []string{"generation", "phase", "positions", "top1", "top5", "value_error"}}
	var epochs []store.Epoch
	hooks := make([][]map[string]stats.Float, len(t.Declared.Settings.Hooks)) // by generation
	for g := 1; g <= t.Done(); g++ {
		row, err := t.Generation(g)
		if err != nil {
			return nil, err
		}
		generations.add(row.Number, row.Games, row.Thrown, row.Samples, row.MeanPlies(), row.WhiteWins, row.Draws, row.BlackWins,
			row.Evaluations, row.Seconds, row.PerSecond)
		trained, err := t.Epochs(g)
		if err != nil {
			return nil, err
		}
		epochs = append(epochs, trained...)
		for i := range hooks {
			m, err := t.Metrics(g, i)
			if err != nil {
				return nil, err
			}
			hooks[i] = append(hooks[i], m)
		}
		scores, err := t.PuzzleScores(g)
		if err != nil {
			return nil, err
		}
		for _, s := range scores {
			policy := any("")
			if s.Policy != nil {
				policy = *s.Policy
			}
			puzzles.add(g, s.Set, s.Puzzles, policy, s.Search)
		}
		phases, err := t.Accuracy(g)
		if err != nil {
			return nil, err
		}
		for _, p := range phases {
			accuracy.add(g, p.Phase, p.Positions, p.Top1, p.Top5, p.ValueError)
		}
	}
	tables := []*csvTable{generations, epochTable(epochs, t.Declared.Settings.Network.MovesLeft)}
	if e := t.Declared.Settings.Evaluation; e != nil && len(e.Puzzles) > 0 {
		tables = append(tables, puzzles)
	}
	if e := t.Declared.Settings.Evaluation; e != nil && e.Accuracy {
		tables = append(tables, accuracy)
	}
	for i, h := range t.Declared.Settings.Hooks {
		tables = append(tables, hookTable("hooks/"+h.Name()+".csv", hooks[i]))
	}
	return tables, nil
}

// epochTable includes the moves left if the network has this head, and accuracies if they
// were measured.
func epochTable(epochs []store.Epoch, movesLeft bool) *csvTable {
	accuracy := slices.ContainsFunc(epochs, func(e store.Epoch) bool { return e.Accuracy != nil })
	t := &csvTable{name: "epochs.csv", head: []string{
		"generation", "epoch", "learning_rate", "train_loss", "train_policy_loss", "train_value_loss",
		"validation_loss", "validation_policy_loss", "validation_value_loss", "selected"}}
	if movesLeft {
		t.head = append(t.head, "train_moves_left_loss", "validation_moves_left_loss")
	}
	if accuracy {
		t.head = append(t.head, "top1", "top5")
	}
	for _, e := range epochs {
		row := []any{e.Generation, e.Epoch, e.Rate, e.Train.Total, e.Train.Policy, e.Train.Value,
			e.Validation.Total, e.Validation.Policy, e.Validation.Value, e.Selected}
		if movesLeft {
			row = append(row, e.Train.MovesLeft, e.Validation.MovesLeft)
		}
		switch {
		case accuracy && e.Accuracy == nil:
			row = append(row, "", "")
		case accuracy:
			row = append(row, e.Accuracy.Top1, e.Accuracy.Top5)
		}
		t.add(row...)
	}
	return t
}

// hookTable has a column for each metric. A generation may lack some.
func hookTable(name string, generations []map[string]stats.Float) *csvTable {
	all := map[string]bool{}
	for _, m := range generations {
		for metric := range m {
			all[metric] = true
		}
	}
	names := slices.Sorted(maps.Keys(all))
	t := &csvTable{name: name, head: append([]string{"generation"}, names...)}
	for i, m := range generations {
		row := []any{i + 1}
		for _, n := range names {
			if v, ok := m[n]; ok {
				row = append(row, v)
			} else {
				row = append(row, "")
			}
		}
		t.add(row...)
	}
	return t
}

// trialsCSV returns the table of trials: the swept settings, then results of the last
// checkpoint. Seconds come last, because only they differ between equal runs.
func trialsCSV(x *store.Experiment, trials []*store.Trial) (*csvTable, error) {
	t := &csvTable{name: "trials.csv"}
	for _, a := range x.Axes {
		t.head = append(t.head, a.Path)
	}
	columns := slices.Concat([]string{"samples", "loss", "score", "elo", "vs_untrained", "vs_random", "generations", "policy_loss", "value_loss", "elo_low", "elo_high"},
		evaluationMetrics(x, ""), []string{"seconds"})
	t.head = append(append(t.head, "number", "trial"), columns...)
	for _, trial := range trials {
		var row []any
		for _, a := range x.Axes {
			row = append(row, axisValue(&trial.Declared, a.Path))
		}
		row = append(row, trial.Declared.Number, filepath.Base(trial.Dir))
		for _, name := range columns {
			of := name
			switch name {
			case "generations":
				row = append(row, trial.Done())
				continue
			case "elo_low", "elo_high":
				of = "elo"
			}
			m, err := trial.Measure(of)
			if err != nil {
				return nil, err
			}
			switch name {
			case "elo_low":
				row = append(row, m.Low)
			case "elo_high":
				row = append(row, m.High)
			case "samples", "seconds":
				row = append(row, int64(math.Round(m.Value)))
			default:
				row = append(row, m.Value)
			}
		}
		t.add(row...)
	}
	return t, nil
}
