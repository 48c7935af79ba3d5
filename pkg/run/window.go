package run

import (
	"strconv"

	"alamos/pkg/data"
	"alamos/pkg/store"
)

// Window is what a generation of a trial learns from: the samples of the generations
// First to Last.
type Window struct {
	trial       *Trial
	First, Last int
}

// Window is that of generation g.
func (t *Trial) Window(g int) Window {
	return Window{t, max(1, g-t.Settings.Training.Window+1), g}
}

// Inputs adds the samples to the inputs of a stage.
func (w Window) Inputs(in store.Inputs) {
	for g := w.First; g <= w.Last; g++ {
		in["samples "+strconv.Itoa(g)] = w.trial.Output(w.trial.SamplesStage(g), store.SamplesFile(g))
	}
}

// Read reads the samples, those of each generation and all as one set.
func (w Window) Read() (each []*data.Set, all *data.Set, err error) {
	for g := w.First; g <= w.Last; g++ {
		set, err := data.Read(w.trial.Path(store.SamplesFile(g)))
		if err != nil {
			return nil, nil, err
		}
		each = append(each, set)
	}
	all, err = data.ReplayWindow(each...)
	return each, all, err
}
