package lab

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// writeTables writes what the manifest knows of the generations so far as CSV:
// generations.csv, epochs.csv and a file for each hook.
func (t *trial) writeTables() error {
	var generations, epochs [][]any
	hooks := make([]hookTable, len(t.Settings.Hooks))
	for g := 1; g <= t.Settings.Generations && t.manifest.stage(trainStage(g)) != nil; g++ {
		row, err := t.generation(g)
		if err != nil {
			return err
		}
		generations = append(generations, []any{
			row.Number, row.Games, row.Thrown, row.Samples, row.MeanPlies(), row.WhiteWins, row.Draws, row.BlackWins,
			row.Evaluations, row.Seconds, row.PerSecond,
		})
		rows, err := t.epochs(g)
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
			m, err := t.metrics(g, i)
			if err != nil {
				return err
			}
			hooks[i].add(g, m)
		}
	}
	err := writeCSV(t.path("generations.csv"), []string{
		"generation", "games", "thrown_away", "samples", "mean_plies", "white_wins", "draws", "black_wins",
		"evaluations", "seconds", "evaluations_per_second"}, generations)
	if err != nil {
		return err
	}
	err = writeCSV(t.path("epochs.csv"), []string{
		"generation", "epoch", "learning_rate", "train_loss", "train_policy_loss", "train_value_loss",
		"validation_loss", "validation_policy_loss", "validation_value_loss", "selected"}, epochs)
	if err != nil {
		return err
	}
	for i, h := range t.Settings.Hooks {
		if err := hooks[i].write(t.path("hooks", h.Name()+".csv")); err != nil {
			return err
		}
	}
	return nil
}

// hookTable collects the metrics of a hook; a generation may lack some.
type hookTable struct {
	generations []int
	rows        []map[string]float
}

func (h *hookTable) add(g int, m map[string]float) {
	h.generations = append(h.generations, g)
	h.rows = append(h.rows, m)
}

// names are the metrics that occur, sorted.
func (h *hookTable) names() []string {
	all := map[string]bool{}
	for _, r := range h.rows {
		for k := range r {
			all[k] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// column has the values of a metric, NaN where a generation lacks it.
func (h *hookTable) column(name string) []float64 {
	out := make([]float64, len(h.rows))
	for i, r := range h.rows {
		out[i] = math.NaN()
		if v, ok := r[name]; ok {
			out[i] = float64(v)
		}
	}
	return out
}

func (h *hookTable) write(path string) error {
	names := h.names()
	rows := make([][]any, len(h.rows))
	for i := range rows {
		rows[i] = []any{h.generations[i]}
		for _, n := range names {
			rows[i] = append(rows[i], h.column(n)[i])
		}
	}
	return writeCSV(path, append([]string{"generation"}, names...), rows)
}

// summary is a line about generation g, with an honest guess at what is left
// of the trial's training at the given pace.
func (t *trial) summary(g int, pace time.Duration) string {
	row, err := t.generation(g)
	if err != nil {
		return err.Error()
	}
	epochs, err := t.epochs(g)
	if err != nil {
		return err.Error()
	}
	s := fmt.Sprintf("generation %d of %d: %d games of %.0f plies on average, white scored %.0f %%",
		g, t.Settings.Generations, row.Games, row.MeanPlies(), 100*(float64(row.WhiteWins)+float64(row.Draws)/2)/float64(row.Games))
	if loss := float64(selectedLoss(epochs)); !math.IsNaN(loss) {
		s += fmt.Sprintf(", loss %.3f", loss)
	}
	if row.Thrown > 0 {
		s += fmt.Sprintf(", %d longer games thrown away", row.Thrown)
	}
	if left := t.Settings.Generations - g; left > 0 {
		s += fmt.Sprintf("; %s of training left at this pace", roughly(pace*time.Duration(left)))
	}
	return s
}
