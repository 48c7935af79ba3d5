package report

import (
	"alamos/pkg/store"
)

// Tables writes what the manifest knows of the generations so far as CSV:
// generations.csv, epochs.csv and a file for each hook.
func Tables(t *store.Trial) error {
	var generations, epochs [][]any
	hooks := make([]hookTable, len(t.Settings.Hooks))
	for g := 1; g <= t.Last() && t.Manifest.Stage(store.TrainStage(g)) != nil; g++ {
		row, err := t.Generation(g)
		if err != nil {
			return err
		}
		generations = append(generations, []any{
			row.Number, row.Games, row.Thrown, row.Samples, row.MeanPlies(), row.WhiteWins, row.Draws, row.BlackWins,
			row.Evaluations, row.Seconds, row.PerSecond,
		})
		rows, err := t.Epochs(g)
		if err != nil {
			return err
		}
		for _, e := range rows {
			epochs = append(epochs, []any{
				e.Generation, e.Epoch, float64(e.Rate),
				float64(e.Train.Total), float64(e.Train.Policy), float64(e.Train.Value),
				float64(e.Validation.Total), float64(e.Validation.Policy), float64(e.Validation.Value), e.Selected,
			})
		}
		for i := range hooks {
			m, err := t.Metrics(g, i)
			if err != nil {
				return err
			}
			hooks[i].add(g, m)
		}
	}
	err := writeCSV(t.Path("generations.csv"), []string{
		"generation", "games", "thrown_away", "samples", "mean_plies", "white_wins", "draws", "black_wins",
		"evaluations", "seconds", "evaluations_per_second"}, generations)
	if err != nil {
		return err
	}
	err = writeCSV(t.Path("epochs.csv"), []string{
		"generation", "epoch", "learning_rate", "train_loss", "train_policy_loss", "train_value_loss",
		"validation_loss", "validation_policy_loss", "validation_value_loss", "selected"}, epochs)
	if err != nil {
		return err
	}
	for i, h := range t.Settings.Hooks {
		if err := hooks[i].write(t.Path("hooks", h.Name()+".csv")); err != nil {
			return err
		}
	}
	return nil
}
