package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"alamos/pkg/hook"
	"alamos/pkg/hook/alamos"
	"alamos/pkg/nn"

	"alamos/pkg/store"
	"alamos/pkg/train"
)

// progress is what a script is told when generation g is trained: of what came
// before.
func progress(t *Trial, g int) (hook.Progress, error) {
	s := &t.Settings
	p := hook.Progress{
		Variant: t.Variant.String(), Generation: g, Generations: s.Generations,
		EpochsEach: s.Training.Epochs, Initial: s.Training.Schedule.Initial,
	}
	for i := 1; i < g; i++ {
		row, err := t.Generation(i)
		if err != nil {
			return p, err
		}
		epochs, err := t.Epochs(i)
		if err != nil {
			return p, err
		}
		p.Past = append(p.Past, alamos.Summary{
			Generation: i, Games: row.Games, Samples: row.Samples, WhiteWins: row.WhiteWins, Draws: row.Draws, BlackWins: row.BlackWins,
			MeanPlies: row.MeanPlies(), Loss: float64(store.SelectedLoss(epochs)),
		})
		for _, e := range epochs {
			p.Epochs = append(p.Epochs, alamos.Epoch{
				Generation: i, Number: e.Epoch, Rate: float64(e.Rate),
				Train: toldLoss(e.Train), Validation: toldLoss(e.Validation), Selected: e.Selected,
			})
		}
	}
	return p, nil
}

func toldLoss(l store.Loss) alamos.Loss {
	return alamos.Loss{Total: float64(l.Total), Policy: float64(l.Policy), Value: float64(l.Value)}
}

// told is the progress with epochs of the generation in training.
func told(p hook.Progress, done []train.Epoch) hook.Progress {
	p.Epochs = p.Epochs[:len(p.Epochs):len(p.Epochs)]
	for _, e := range done {
		p.Epochs = append(p.Epochs, alamos.Epoch{
			Generation: p.Generation, Number: e.Number, Rate: e.Rate,
			Train: learned(e.Train), Validation: learned(e.Validation),
		})
	}
	return p
}

func learned(l nn.Loss) alamos.Loss {
	return alamos.Loss{Total: l.Total, Policy: l.Policy, Value: l.Value}
}

// progressSum is the hash of a progress, for the inputs of a stage.
func progressSum(p hook.Progress) string {
	h := sha256.New()
	fmt.Fprintf(h, "%+v", p) // maps are printed in the order of their keys
	return hex.EncodeToString(h.Sum(nil))
}
