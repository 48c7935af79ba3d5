package report

import (
	"math"
	"slices"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// csvTable is a table of a trial.
type csvTable struct {
	name string // of its file in the trial's folder
	head []string
	rows [][]any
}

// Tables writes what the manifest knows of the generations so far as CSV:
// generations.csv, epochs.csv, what checkpoints were asked, and a file for each hook.
func Tables(t *store.Trial) error {
	tables, err := trialTables(t)
	if err != nil {
		return err
	}
	for _, x := range tables {
		b, err := csvBytes(x.head, x.rows)
		if err == nil {
			err = disk.WriteBytes(t.Path(x.name), b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func trialTables(t *store.Trial) ([]csvTable, error) {
	generations := csvTable{"generations.csv", []string{
		"generation", "games", "thrown_away", "samples", "mean_plies", "white_wins", "draws", "black_wins",
		"evaluations", "seconds", "evaluations_per_second"}, nil}
	var epochs []store.Epoch
	hooks := make([]hookTable, len(t.Settings.Hooks))
	for g := 1; g <= t.Done(); g++ {
		row, err := t.Generation(g)
		if err != nil {
			return nil, err
		}
		generations.rows = append(generations.rows, []any{
			row.Number, row.Games, row.Thrown, row.Samples, row.MeanPlies(), row.WhiteWins, row.Draws, row.BlackWins,
			row.Evaluations, row.Seconds, row.PerSecond,
		})
		rows, err := t.Epochs(g)
		if err != nil {
			return nil, err
		}
		epochs = append(epochs, rows...)
		for i := range hooks {
			m, err := t.Metrics(g, i)
			if err != nil {
				return nil, err
			}
			hooks[i].add(g, m)
		}
	}
	tables := []csvTable{generations, epochTable(epochs, t.Settings.Network.MovesLeft)}
	evaluation, err := evaluationTables(t)
	if err != nil {
		return nil, err
	}
	tables = append(tables, evaluation...)
	for i, h := range t.Settings.Hooks {
		tables = append(tables, hooks[i].table("hooks/"+h.Name()+".csv"))
	}
	return tables, nil
}

// epochTable is epochs.csv. The moves left have columns where the network has a
// head for them, the accuracies where one was measured.
func epochTable(epochs []store.Epoch, movesLeft bool) csvTable {
	accuracy := slices.ContainsFunc(epochs, func(e store.Epoch) bool { return e.Accuracy != nil })
	t := csvTable{name: "epochs.csv", head: []string{
		"generation", "epoch", "learning_rate", "train_loss", "train_policy_loss", "train_value_loss",
		"validation_loss", "validation_policy_loss", "validation_value_loss", "selected"}}
	if movesLeft {
		t.head = append(t.head, "train_moves_left_loss", "validation_moves_left_loss")
	}
	if accuracy {
		t.head = append(t.head, "top1", "top5")
	}
	for _, e := range epochs {
		row := []any{
			e.Generation, e.Epoch, float64(e.Rate),
			float64(e.Train.Total), float64(e.Train.Policy), float64(e.Train.Value),
			float64(e.Validation.Total), float64(e.Validation.Policy), float64(e.Validation.Value), e.Selected,
		}
		if movesLeft {
			row = append(row, float64(e.Train.MovesLeft), float64(e.Validation.MovesLeft))
		}
		if accuracy {
			top := store.Accuracy{Top1: math.NaN(), Top5: math.NaN()}
			if e.Accuracy != nil {
				top = *e.Accuracy
			}
			row = append(row, top.Top1, top.Top5)
		}
		t.rows = append(t.rows, row)
	}
	return t
}
